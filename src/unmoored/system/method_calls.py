"""From a method's arguments to its result: checked, then by a kernel, by NumPy, or as a call among symbols.

A kernel belongs to a method, its names (frames, choices) and the layout of its arrays. It is made when it is first
needed and kept; its key on disk is made of texts only, so that a later process that finds it there does not even trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import kernels
from ..dynamics.economy.fewest_operations import cheapest
from ..kernels import cuda
from ..kernels.kernel import EmptyShape
from ..model import ModelError
from ..model.identity import text_of
from ..trace import LOOPS_BEYOND, Symbol, Traced, TracingError, call_traced, trace
from .argument_kinds import ArrayOf, WrenchesOn

if TYPE_CHECKING:
    from .method import Method

BACKENDS = ("cpu", "cuda", "numpy")
#: The names among a method's arguments, as read, in the order of its declaration.
Names = Mapping[str, Any]
#: For every array of a method: whether the kernel takes it; for wrenches, the frames that they act on.
Layout = tuple[bool | tuple[str, ...], ...]
#: Compiled entries beyond this many (of frames, gravities, …) are made anew.
_MOST_ENTRIES = 4096


class MethodKernels:
    """Kernels and graphs of the methods of one owner."""

    def __init__(self, owner: Any):
        self._owner = owner
        self._kernels: dict[tuple, Callable[..., Any]] = {}
        self._graphs: dict[tuple, Traced] = {}

    def kernel(
        self, method: Method, names: Names, layout: Layout, dtype: np.dtype, backend: str
    ) -> Callable[..., Any]:
        """The compiled function of the flat arrays."""
        place = (method.name, *names.values(), layout, dtype.char, backend)
        found = self._kernels.get(place)
        if found is None:
            found = self._kernels[place] = self._made(method, names, layout, dtype, backend)
        return found

    def graph(
        self, method: Method, names: Names, layout: Layout, loops_beyond: int | None = LOOPS_BEYOND
    ) -> Traced:
        """The function of the flat arrays as a graph of its own."""
        place = (method.name, *names.values(), layout, loops_beyond)
        if place not in self._graphs:
            function = self.flat_function(method, names, layout)
            shapes = self.shapes(method, names, layout)
            name = f"{method.name}_{len(self._graphs)}"
            self._graphs[place] = trace(function, *shapes, name=name, loops_beyond=loops_beyond)
        return self._graphs[place]

    def flat_function(
        self, method: Method, names: Names, layout: Layout, subject: Any = None
    ) -> Callable[..., Any]:
        """The method as a function of the flat arrays alone, for tracing."""

        def flat_function(*flat: Any) -> Any:
            arrays = self.rebuilt(method, names, layout, flat)
            result = cheapest(
                method.function,
                self._owner._subject if subject is None else subject,
                *arrays,
                *names.values(),
            )
            return tuple(result) if isinstance(result, tuple) else result

        return flat_function

    def shapes(self, method: Method, names: Names, layout: Layout) -> list[tuple[int, ...]]:
        """Shapes of the flat arrays, for one sample."""
        shapes: list[tuple[int, ...]] = []
        for kind, taken in zip(method.arrays.values(), layout, strict=True):
            if isinstance(kind, ArrayOf):
                shapes += [kind.shape(self._owner, names)] if taken else []
            else:
                shapes += [(6,)] * len(taken)  # type: ignore[arg-type]
        return shapes

    def rebuilt(self, method: Method, names: Names, layout: Layout, flat: Iterable[Any]) -> list[Any]:
        """The function's arrays from the flat ones; those that are not taken are zeros."""
        arrays, found = iter(flat), []
        for kind, taken in zip(method.arrays.values(), layout, strict=True):
            if isinstance(kind, ArrayOf):
                absent = None if kind.absent_as_none else np.zeros(kind.shape(self._owner, names))
                found.append(next(arrays) if taken else absent)
            else:
                found.append({frame: next(arrays) for frame in taken} or None)  # type: ignore[union-attr]
        return found

    def _made(
        self, method: Method, names: Names, layout: Layout, dtype: np.dtype, backend: str
    ) -> Callable[..., Any]:
        function, shapes = self.flat_function(method, names, layout), self.shapes(method, names, layout)
        name = f"{self._owner.name}.{method.name}"
        if backend == "cuda":
            return cuda.compile(function, shapes, name=name, dtype=dtype.name, exact_zeros=False)
        try:
            return kernels.compile(
                function,
                shapes,
                name=name,
                dtype=dtype.name,
                key=self.key(method, names, layout),
                exact_zeros=False,
            )
        except EmptyShape:  # nothing passive, or nothing active: NumPy is quick with nothing

            def reference(*flat: np.ndarray, out: Any = None) -> Any:
                arrays = self.rebuilt(method, names, layout, flat)
                return written(out, self._owner._reference(method, arrays, tuple(names.values())))

            return reference

    def key(self, method: Method, names: Names, layout: Layout) -> str | None:
        """Text that tells the kernel apart in every process; None if code of the user's is part of it."""
        digest, words = self._owner.digest, text_of(tuple(names.values()))
        if digest is None or words is None:
            return None
        return "\0".join((type(self._owner).__name__, digest, method.name, words, repr(layout)))


def checked_call(method: Method, owner: Any, values: tuple[Any, ...], backend: str | None, out: Any) -> Any:
    """The method's result for these values of its arguments, in the order of its declaration."""
    given = dict(zip(method.kinds, values, strict=True))
    if method.check is not None:
        method.check(owner, given)
    if any(_has_symbols(x) for x in _leaves(given[name] for name in method.arrays)):
        return _on_symbols(method, owner, given, backend, out)
    if backend is not None and backend not in BACKENDS:
        expected = f"one of {', '.join(BACKENDS)}"
        raise ModelError.single(owner.name, "backend", expected=expected, given=repr(backend))
    names = {name: kind.read(owner, given[name]) for name, kind in method.names.items()}
    arrays, layout = _read(method, owner, names, given), layout_of(method, owner, names, given)
    flat = list(_leaves(arrays.values()))
    _check_batches(method, owner, names, arrays)
    backend = _chosen(owner, backend, flat)
    if backend == "numpy" or not flat:
        rebuilt = owner._kernels.rebuilt(method, names, layout, flat)
        return written(out, owner._reference(method, rebuilt, tuple(names.values())))
    dtype = _common_dtype(given[name] for name in method.arrays)
    kernel = owner._kernels.kernel(method, names, layout, dtype, backend)
    if backend == "cpu" and dtype == np.float64:
        _keep_entry(method, owner, names, given, layout, kernel, out is not None)
    flat = [x if x.dtype == dtype else x.astype(dtype) for x in flat]
    result = kernel(*flat) if out is None else _into(out, kernel, flat, owner)
    return result if method.returns is None else method.returns(*result)


def layout_of(method: Method, owner: Any, names: Names, given: dict[str, Any]) -> Layout:
    """The layout of the arrays among these values."""
    return tuple(
        kind.frames(owner, name, given[name])
        if isinstance(kind, WrenchesOn)
        else kind.present(owner, names, given[name])
        for name, kind in method.arrays.items()
    )


def written(out: Any, result: Any) -> Any:
    """The result, written into `out` if that is given."""
    if out is None:
        return result
    for target, value in zip(out, result, strict=True) if isinstance(out, tuple) else ((out, result),):
        np.copyto(target, value)
    return out


def _into(out: Any, kernel: Callable[..., Any], flat: list[Any], owner: Any) -> Any:
    """The kernel's result, written into `out`, or an error that says what `out` must be."""
    try:
        return kernel(*flat, out=out)
    except (TypeError, ValueError):
        shapes = [x.shape for x in _as_tuple(kernel(*flat))]
        one = f"an array of shape {shapes[0]}"
        expected = one if len(shapes) == 1 else f"a tuple of arrays of shapes {', '.join(map(str, shapes))}"
        given = ", ".join(str(getattr(x, "shape", repr(x))) for x in _as_tuple(out))
        raise ModelError.single(owner.name, "out", expected=expected, given=given) from None


def _read(method: Method, owner: Any, names: Names, given: dict[str, Any]) -> dict[str, Any]:
    """The arrays, checked, that the kernel takes."""
    arrays = {}
    for name, kind in method.arrays.items():
        if isinstance(kind, ArrayOf) and kind.optional and given[name] is None:
            continue
        array = kind.read(owner, names, name, given[name])
        if isinstance(kind, WrenchesOn) or kind.present(owner, names, given[name]):
            arrays[name] = array
    return arrays


def _leaves(values: Iterable[Any]) -> Iterable[Any]:
    """The arrays one after the other, those of mappings sorted by their keys."""
    for x in values:
        if isinstance(x, dict):
            yield from (x[key] for key in sorted(x))
        elif x is not None:
            yield x


def _has_symbols(x: Any) -> bool:
    """Whether x is or holds a symbol; objects of other kinds are none, and are refused like texts."""
    if isinstance(x, Symbol):
        return True
    if isinstance(x, np.ndarray):
        return x.dtype == object and any(isinstance(entry, Symbol) for entry in x.flat)
    return isinstance(x, list | tuple) and any(map(_has_symbols, x))


def _chosen(owner: Any, backend: str | None, flat: list[Any]) -> str:
    """The backend asked for; without one, arrays on the GPU are computed there, and host arrays here."""
    if all(isinstance(x, np.ndarray) for x in flat):
        return backend or "cpu"
    if backend not in (None, "cuda"):
        expected = '"cuda" for arrays on the GPU'
        raise ModelError.single(owner.name, "backend", expected=expected, given=repr(backend))
    return "cuda"


def _check_batches(method: Method, owner: Any, names: Names, arrays: dict[str, Any]) -> None:
    """Refuse arrays whose leading dimensions do not broadcast."""
    parts, batches = {}, []
    for name, x in arrays.items():
        kind = method.arrays[name]
        cut = 1 if isinstance(kind, WrenchesOn) else len(kind.shape(owner, names))
        found = {f"{name}[{frame!r}]": F for frame, F in x.items()} if isinstance(x, dict) else {name: x}
        batches += [array.shape[: array.ndim - cut] for array in found.values()]
        parts |= found
    try:
        np.broadcast_shapes(*batches)
    except ValueError:
        given = ", ".join(f"{name} {array.shape}" for name, array in parts.items())
        expected = "leading dimensions that broadcast"
        raise ModelError.single(owner.name, "batch", expected=expected, given=given) from None


def _common_dtype(given: Iterable[Any]) -> np.dtype:
    """float32 if all arrays that were given are, else float64; numbers and lists have no say."""
    single = {x.dtype == np.float32 for x in _leaves(given) if hasattr(x, "dtype")}
    return np.dtype(np.float32 if single == {True} else np.float64)


def _keep_entry(
    method: Method,
    owner: Any,
    names: Names,
    given: dict[str, Any],
    layout: Layout,
    kernel: Callable[..., Any],
    into: bool,
) -> None:
    """Let the next call with the same names and the like go straight to the kernel; into: with `out=`."""
    try:
        key = method.key(*given.values())
        hash(key)
    except TypeError:
        return
    if len(owner._calls) >= _MOST_ENTRIES:
        owner._calls.clear()
    direct = kernel if into else getattr(kernel, "direct", kernel)
    owner._calls[(key, True) if into else key] = _entry(method, owner, names, given, layout, direct, into)


def _entry(
    method: Method,
    owner: Any,
    names: Names,
    given: dict[str, Any],
    layout: Layout,
    direct: Callable[..., Any],
    into: bool,
) -> Callable[..., Any]:
    """The direct entry as a function of all arguments of the method, followed by `out` if results go into that.

    Numbers that came as a tuple and names are fixed by the key under which it is kept.
    """
    known: dict[str, Any] = {"direct": direct, "returns": method.returns, "asarray": np.asarray}
    passed = []
    for (name, kind), taken in zip(method.arrays.items(), layout, strict=True):
        x = given[name]
        if isinstance(kind, WrenchesOn):
            passed += [f"{name}[{frame!r}]" for frame in taken]  # type: ignore[union-attr]
        elif not taken:
            continue
        elif kind.size is None:
            passed.append(f"asarray({name})")
        elif kind.default is not None:
            known[f"default_{name}"] = kind.read(owner, names, name, None)
            passed.append(f"default_{name} if {name} is None else {name}")
        elif kind.keyed and not kind.optional and x.__class__ is not np.ndarray:
            known[f"fixed_{name}"] = np.array(kind.read(owner, names, name, x), dtype=float)
            passed.append(f"fixed_{name}")
        else:
            passed.append(name)
    if passed == list(method.kinds) and method.returns is None and not into:
        return direct
    taken_out = ["out"] if into else []
    call = f"direct({', '.join([*passed, *(f'{word}={word}' for word in taken_out)])})"
    made = call if method.returns is None else f"returns(*{call})"
    return eval(f"lambda {', '.join([*method.kinds, *taken_out])}: {made}", known)


def _on_symbols(method: Method, owner: Any, given: dict[str, Any], backend: str | None, out: Any) -> Any:
    """The method among symbols: a call of its own graph, whose code appears once in the kernel around it."""
    if method.numpy_only:
        raise TracingError(f"{method.name} judges numbers (eigenvalues and the like) and cannot be traced")
    if backend is not None or out is not None:
        raise TracingError(f"{method.name}: backend= and out= have no meaning for symbols")
    names = {name: kind.read(owner, given[name]) for name, kind in method.names.items()}
    layout = layout_of(method, owner, names, given)
    shapes = owner._kernels.shapes(method, names, layout)
    flat = _symbolic_arrays(method, owner, names, given, layout)
    for (name, x), shape in zip(flat, shapes, strict=True):
        if x.ndim < len(shape) or x.shape[x.ndim - len(shape) :] != shape:
            expected = f"shape (..., {shape[0]})" if shape else "one number"
            raise ModelError.single(owner.name, name, expected=expected, given=f"shape {x.shape}")
    graph = owner._kernels.graph(method, names, layout)
    batch = np.broadcast_shapes(*(x.shape[: x.ndim - len(s)] for (_, x), s in zip(flat, shapes, strict=True)))
    full = [np.broadcast_to(x, (*batch, *s)) for (_, x), s in zip(flat, shapes, strict=True)]
    results = [_as_tuple(call_traced(graph, *(x[i] for x in full))) for i in np.ndindex(batch)]
    parts = [_stacked(part, batch) for part in zip(*results, strict=True)]
    if method.returns is not None:
        return method.returns(*parts)
    return parts[0] if graph.single else tuple(parts)


def _symbolic_arrays(
    method: Method, owner: Any, names: Names, given: dict[str, Any], layout: Layout
) -> list[tuple[str, np.ndarray]]:
    """The flat arrays with their names; what is a number becomes a constant at the call."""
    found: list[tuple[str, np.ndarray]] = []
    for (name, kind), taken in zip(method.arrays.items(), layout, strict=True):
        if isinstance(kind, WrenchesOn):
            found += [(f"wrench on {f!r}", np.asarray(given[name][f], dtype=object)) for f in taken]  # type: ignore[union-attr]
        elif taken:
            x = given[name]
            x = x if _has_symbols(x) else kind.read(owner, names, name, x)
            found.append((name, np.asarray(x, dtype=object)))
    return found


def _as_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _stacked(parts: tuple[Any, ...], batch: tuple[int, ...]) -> Any:
    """Results of the samples of a batch as one array of symbols; the one result as it is without a batch."""
    if not batch:
        return parts[0]
    shape = np.shape(parts[0])
    full = np.empty((len(parts), *shape), dtype=object)
    for k, part in enumerate(parts):
        full[k] = part
    return full.reshape(*batch, *shape)
