"""From a method's arguments to its result: checked, then by a kernel, by NumPy, or as a call among symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cuda import device_array
from ..model import ModelError
from ..trace import Symbol, TracingError, call_traced, keep_within
from ..trace.symbol import for_users
from ..trace.users_line import caller_line
from .argument_kinds import ArrayOf, WrenchesOn
from .massless_joints import refuse_massless
from .method_kernels import Layout, Names, written
from .nan_samples import reference_result, refuse_nan

if TYPE_CHECKING:
    from .method import Method

BACKENDS = ("cpu", "cuda", "numpy")
#: Compiled entries (of frames, gravities, …) of one owner beyond which old ones go.
_MOST_ENTRIES = 1024
#: single numbers that a kernel takes or refuses by itself
_USUAL = frozenset((float, np.float64, np.ndarray))
#: what chooses between entries by its value, and arrays, which every call reads
_FIXED = (tuple, list, str, int, float, type(None), np.ndarray)


def checked_call(method: Method, owner: Any, values: tuple[Any, ...], backend: str | None, out: Any) -> Any:
    """The method's result for these values of its arguments, in the order of its declaration."""
    given = dict(zip(method.kinds, values, strict=True))
    if method.check is not None:
        method.check(owner, given)
    if owner._massless:
        refuse_massless(method.name, owner, given)
    if any(_has_symbols(x) for x in _leaves(given[name] for name in method.arrays)):
        return _on_symbols(method, owner, given, backend, out)
    if backend is not None and not (isinstance(backend, str) and backend in BACKENDS):
        expected = f"one of {', '.join(BACKENDS)}"
        raise ModelError.single(owner.name, "backend", expected=expected, given=repr(backend))
    names = {name: kind.read(owner, given[name]) for name, kind in method.names.items()}
    arrays, layout = _read(method, owner, names, given), layout_of(method, owner, names, given)
    flat = list(_leaves(arrays.values()))
    batch = _common_batch(method, owner, names, arrays)
    backend = _chosen(owner, backend, flat)
    if batch == ():
        refuse_nan(owner, arrays)
    if backend == "numpy" or not flat:
        if method.numpy_only:
            rebuilt = owner._kernels.rebuilt(method, names, layout, flat)
            return reference_result(method, owner, names, rebuilt)
        result = owner._kernels.reference(method, names, layout, flat, batch)
        if out is None:
            return result
        filled = _into(owner, out, lambda: written(out, result), lambda: result)
        return filled if method.returns is None else method.returns(*filled)
    dtype = _common_dtype(given[name] for name in method.arrays)
    kernel = owner._kernels.kernel(method, names, layout, dtype, backend)
    if backend in ("cpu", "cuda") and not owner._kernels.has_code(method, names):
        _keep_entry(method, owner, names, given, layout, kernel, out is not None, backend, dtype)
    flat = [x if x.dtype == dtype else x.astype(dtype) for x in flat]
    result = (
        kernel(*flat)
        if out is None
        else _into(owner, out, lambda: kernel(*flat, out=out), lambda: kernel(*flat))
    )
    return result if method.returns is None else method.returns(*result)


def layout_of(method: Method, owner: Any, names: Names, given: dict[str, Any]) -> Layout:
    """The layout of the arrays among these values."""
    return tuple(
        kind.frames(owner, name, given[name])
        if isinstance(kind, WrenchesOn)
        else kind.present(owner, names, given[name])
        for name, kind in method.arrays.items()
    )


def _into(owner: Any, out: Any, call: Callable[[], Any], without: Callable[[], Any]) -> Any:
    """A call that writes into `out`, or an error that says what `out` must be; without: the same without it."""
    try:
        return call()
    except (TypeError, ValueError):
        shapes = [np.shape(x) for x in _as_tuple(without())]
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


def _common_batch(method: Method, owner: Any, names: Names, arrays: dict[str, Any]) -> tuple[int, ...]:
    """The leading dimensions of all arrays together; refused if they do not broadcast."""
    parts, batches = {}, []
    for name, x in arrays.items():
        kind = method.arrays[name]
        cut = 1 if isinstance(kind, WrenchesOn) else len(kind.shape(owner, names))
        found = {f"{name}[{frame!r}]": F for frame, F in x.items()} if isinstance(x, dict) else {name: x}
        batches += [array.shape[: array.ndim - cut] for array in found.values()]
        parts |= found
    try:
        return np.broadcast_shapes(*batches)
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
    backend: str,
    dtype: np.dtype,
) -> None:
    """Let the next call with the same names and the like go straight to the kernel; into: with `out=`.

    In float32 on the processor only calls that leave all defaults do so.
    """
    kept = (kind for kind in method.arrays.items() if isinstance(kind[1], ArrayOf) and kind[1].keyed)
    if any(not isinstance(given[name], _FIXED) for name, _ in kept):
        return  # of something else what is in it may change
    if backend == "cpu" and not hasattr(kernel, "direct"):
        return  # NumPy's, which checks nothing
    try:
        key = method.key(*given.values())
        hash(key)
    except TypeError:
        return
    direct = kernel if into else getattr(kernel, "direct", kernel)
    more = (dtype.char, into) if backend == "cuda" else (True,) if into else ()
    single = backend == "cpu" and dtype == np.float32

    def placed(x: Any) -> Any:
        return device_array(np.asarray(x, dtype)) if backend == "cuda" else np.array(x, dtype=dtype)

    keys: dict[Any, list[str]] = {} if single else {key: list(method.arrays)}
    if backend == "cpu" and all(given[name] is value for name, value in method.defaults.items()):
        plain = method.plain_key(*(given[name] for name in method.required))
        keys[("float32", plain) if single else plain] = [x for x in method.required if x in method.arrays]
    for place, taken in keys.items():
        entry = _entry(method, owner, names, given, layout, direct, taken, into, placed)
        keep_within(_MOST_ENTRIES, owner._calls, (place, *more) if more else place, entry)


def _entry(
    method: Method,
    owner: Any,
    names: Names,
    given: dict[str, Any],
    layout: Layout,
    direct: Callable[..., Any],
    arguments: list[str],
    into: bool,
    placed: Callable[[Any], Any],
) -> Callable[..., Any]:
    """The direct entry as a function of these arrays of the method, followed by `out` if results go into that.

    The other arguments are as they are given now.  placed: numbers as an array where the kernel is.

    Numbers that came as a tuple and names are fixed by the key under which it is kept.
    """
    known: dict[str, Any] = {
        "direct": direct,
        "returns": method.returns,
        "asarray": np.asarray,
        "usual": _USUAL,
    }
    known |= {name: x for name, x in given.items() if name not in arguments}
    passed = []
    for (name, kind), taken in zip(method.arrays.items(), layout, strict=True):
        x = given[name]
        if isinstance(kind, WrenchesOn):
            passed += [f"{name}[{frame!r}]" for frame in taken]  # type: ignore[union-attr]
        elif not taken:
            continue
        elif kind.size is None:
            known[f"number_{name}"] = partial(kind.read, owner, names, name)
            passed.append(f"asarray({name}) if {name}.__class__ in usual else number_{name}({name})")
        elif kind.default is not None:
            known[f"default_{name}"] = placed(kind.read(owner, names, name, None))
            passed.append(f"default_{name} if {name} is None else {name}")
        elif kind.keyed and not kind.optional and x.__class__ is not np.ndarray:
            known[f"fixed_{name}"] = placed(kind.read(owner, names, name, x))
            passed.append(f"fixed_{name}")
        else:
            passed.append(name)
    if passed == arguments and method.returns is None and not into:
        return direct
    taken_out = ["out"] if into else []
    call = f"direct({', '.join([*passed, *(f'{word}={word}' for word in taken_out)])})"
    made = call if method.returns is None else f"returns(*{call})"
    return eval(f"lambda {', '.join([*arguments, *taken_out])}: {made}", known)


def _on_symbols(method: Method, owner: Any, given: dict[str, Any], backend: str | None, out: Any) -> Any:
    """The method among symbols: a call of its own graph, whose code appears once in the kernel around it."""
    if method.numpy_only:
        why = (
            "judges numbers (eigenvalues and the like) and cannot be traced: call it outside of the function"
        )
        raise TracingError(f"{method.name} {why}. At {caller_line()}")
    if backend is not None or out is not None:
        why = "backend= and out= have no meaning for symbols: leave them out"
        raise TracingError(f"{method.name}: {why}. At {caller_line()}")
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
    return for_users(full.reshape(*batch, *shape))
