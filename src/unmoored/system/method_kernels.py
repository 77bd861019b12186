"""The kernels and graphs of the methods of one `System` or `Plant`.

A kernel belongs to a method, its names (frames, choices) and the layout of its arrays. It is made when it is first
needed and kept; its key on disk is made of texts only, so that a later process that finds it there does not even trace.
Where code of the user's is part of it (a motion, a world, a potential), it also belongs to what that code depends on,
which is looked at in every call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import kernels
from ..dynamics.economy.fewest_operations import cheapest
from ..kernels import cuda
from ..kernels.kernel import EmptyShape
from ..lie.arrays import join
from ..model.identity import text_of
from ..model.identity_of_code import announce_retrace, traced_pure
from ..trace import LOOPS_BEYOND, Recent, Traced, call_traced, fingerprint, graph_digest, trace
from ..trace.span_table import HANDLE, SpanTable, handle_of, no_tables
from .argument_kinds import ArrayOf
from .nan_samples import reference_result

if TYPE_CHECKING:
    from .method import Method

#: The names among a method's arguments, as read, in the order of its declaration.
Names = Mapping[str, Any]
#: For every array of a method: whether the kernel takes it; for wrenches, the frames that they act on.
Layout = tuple[bool | tuple[str, ...], ...]
#: Kernels or graphs of one owner beyond which old ones go, and those with code of the user's.
_MOST_KERNELS, _MOST_OF_CODE = 256, 128


@dataclass(frozen=True)
class _OfCode:
    """A method with code of the user's in it, as that was in one call: its graph, and the kernels made of it.

    kept: objects that the code was told apart by; as long as they live no other takes their place.
    """

    graph: Traced
    kept: tuple[Any, ...]
    kernels: Recent[tuple, Callable[..., Any]] = field(default_factory=lambda: Recent(_MOST_KERNELS))


class MethodKernels:
    """Kernels and graphs of the methods of one owner."""

    def __init__(self, owner: Any):
        self._owner = owner
        self._kernels: Recent[tuple, Callable[..., Any]] = Recent(_MOST_KERNELS)
        self._graphs: Recent[tuple, Traced] = Recent(_MOST_KERNELS)
        self._result_shapes: dict[tuple, list[tuple[int, ...]]] = {}
        self._traced = 0
        self._of_code: Recent[tuple, _OfCode] = Recent(_MOST_OF_CODE)

    def has_code(self, method: Method, names: Names) -> bool:
        """Whether code of the user's is part of the method: of its owner, or of a function that is given."""
        if self._owner.digest is None:
            return True
        return method.takes_code and text_of(tuple(names.values())) is None

    def kernel(
        self, method: Method, names: Names, layout: Layout, dtype: np.dtype, backend: str
    ) -> Callable[..., Any]:
        """The compiled function of the flat arrays."""
        known, place = self._kernels, (method.name, *names.values(), layout, dtype.char, backend)
        graph = None
        if self.has_code(method, names):
            of_code = self._with_code(method, names, layout, LOOPS_BEYOND)
            known, place, graph = of_code.kernels, (dtype.char, backend), of_code.graph
        found = known.find(place)
        if found is None:
            found = known.keep(place, self._made(method, names, layout, dtype, backend, graph))
        return found

    def operations(self, method: str) -> int:
        """Arithmetic operations of a sample, in the kernel of this method that was used last."""
        return next(
            kernel.operations for place, kernel in reversed(self._kernels.items()) if place[0] == method
        )  # type: ignore[attr-defined]

    def graph(
        self, method: Method, names: Names, layout: Layout, loops_beyond: int | None = LOOPS_BEYOND
    ) -> Traced:
        """The function of the flat arrays as a graph of its own."""
        if self.has_code(method, names):
            return self._with_code(method, names, layout, loops_beyond).graph
        place = (method.name, *names.values(), layout, loops_beyond)
        found = self._graphs.find(place)
        if found is None:
            self._traced += 1
            function = self.flat_function(method, names, layout)
            shapes = self.shapes(method, names, layout)
            name = f"{method.name}_{self._traced - 1}"
            with no_tables():
                traced = trace(function, *shapes, name=name, loops_beyond=loops_beyond)
            found = self._graphs.keep(place, traced)
        return found

    def _with_code(self, method: Method, names: Names, layout: Layout, loops_beyond: int | None) -> _OfCode:
        """The method with the user's code as it is now: found by what that code depends on, or by its graph where that
        cannot be seen. A new one is traced twice, and refused if the two differ."""
        owner, graph = self._owner, None
        seen = fingerprint(owner, *names.values())
        what = f"{method.name} of {owner.name} with {', '.join(seen.code[:3])}"

        def traced() -> Traced:
            owner._check_as_built()
            with no_tables():
                return traced_pure(
                    what,
                    self.flat_function(method, names, layout),
                    *self.shapes(method, names, layout),
                    name=f"{method.name}_{seen.digest.hex()[:8]}",
                    around=(owner, *names.values()),
                    loops_beyond=loops_beyond,
                )

        place: tuple[Any, ...] = (method.name, layout, loops_beyond, seen.digest)
        if seen.unseen:
            graph = traced()
            announce_retrace(what, seen.unseen)
            place = (*place, graph_digest(graph))
        found = self._of_code.find(place)
        if found is None:
            found = self._of_code.shared(place, _OfCode(graph or traced(), seen.kept))
        return found

    def flat_function(
        self, method: Method, names: Names, layout: Layout, subject: Any = None, given: bool = False
    ) -> Callable[..., Any]:
        """The method as a function of the flat arrays alone, for tracing; given: addresses of tables are the last."""

        def flat_function(*flat: Any) -> Any:
            addresses = flat[-1] if given else None
            arrays = self.rebuilt(method, names, layout, flat[:-1] if given else flat)
            if addresses is not None:
                place = list(method.arrays).index("p")
                arrays[place] = join([arrays[place], addresses])
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
        self,
        method: Method,
        names: Names,
        layout: Layout,
        dtype: np.dtype,
        backend: str,
        graph: Traced | None,
    ) -> Callable[..., Any]:
        """The kernel; results without entries are left out of it and put in again.

        graph: the method traced already, where its key tells not all.
        """
        tables = self._given_tables(method) if graph is None else ()
        plain = self.flat_function(method, names, layout, given=bool(tables))
        function = graph or plain
        empty = [self._owner._size_of(size) == 0 for size in method.sizes or ()]
        if not any(empty):
            return self._compiled(function, method, names, layout, dtype, backend, tables)

        def with_entries(*flat: Any) -> Any:
            results = call_traced(graph, *flat) if graph is not None else plain(*flat)
            return tuple(x for x, left_out in zip(results, empty, strict=True) if not left_out)

        return WithEmpty(self._compiled(with_entries, method, names, layout, dtype, backend, tables), empty)

    def _given_tables(self, method: Method) -> tuple[SpanTable, ...]:
        """The tables of the owner that a kernel of the method gets the addresses of, with the parameters."""
        return self._owner._tables_given if {"t", "p"} <= set(method.arrays) else ()

    def _compiled(
        self,
        function: Callable[..., Any] | Traced,
        method: Method,
        names: Names,
        layout: Layout,
        dtype: np.dtype,
        backend: str,
        tables: tuple[SpanTable, ...] = (),
    ) -> Callable[..., Any]:
        shapes = self.shapes(method, names, layout)
        given = [*shapes, (HANDLE * len(tables),)] if tables else shapes
        name = f"{self._owner.name}.{method.name}"
        if backend == "cuda":
            found: Any = cuda.compile(
                function, given, name=name, dtype=dtype.name, exact_zeros=False, watched=True
            )
            return WithTables(found, tables, dtype, cuda.device_array) if tables else found
        try:
            found = kernels.compile(
                function,
                given,
                name=name,
                dtype=dtype.name,
                key=self.key(method, names, layout, given=bool(tables)),
                exact_zeros=False,
                watched=True,
            )
            return WithTables(found, tables, dtype) if tables else found
        except EmptyShape:  # nothing passive, or nothing active: NumPy is quick with nothing

            def reference(*given: Any, out: Any = None) -> Any:
                flat = [np.asarray(x, dtype) for x in given]
                cores = [len(shape) for shape in shapes]
                batch = np.broadcast_shapes(
                    *(x.shape[: x.ndim - n] for x, n in zip(flat, cores, strict=True))
                )
                if not batch and any(np.isnan(x).any() for x in flat):
                    raise ValueError("a NaN in a single call")  # the checked way names it
                return written(out, self.reference(method, names, layout, flat, batch))

            return reference

    def reference(
        self, method: Method, names: Names, layout: Layout, flat: Sequence[Any], batch: tuple[int, ...]
    ) -> Any:
        """The method in NumPy; like a kernel it gives every result the batch of all arrays together."""

        def result(flat: Iterable[Any]) -> Any:
            arrays = self.rebuilt(method, names, layout, flat)
            return reference_result(method, self._owner, names, arrays)

        if not batch:
            return result(flat)
        if 0 in batch:
            shapes = self.graph(method, names, layout).output_shapes
            found = tuple(np.zeros(shape) for shape in shapes)
        else:
            found = result(flat)
            first = (
                np.reshape(x, (-1, *shape))[0]
                for x, shape in zip(flat, self.shapes(method, names, layout), strict=True)
            )
            shapes = self._shapes_of_results(method, names, layout, lambda: result(first))
        parts = found if isinstance(found, tuple) else (found,)
        full = [_with_shape(x, (*batch, *shape)) for x, shape in zip(parts, shapes, strict=True)]
        if method.returns is not None:
            return method.returns(*full)
        return tuple(full) if len(full) > 1 else full[0]

    def _shapes_of_results(
        self, method: Method, names: Names, layout: Layout, one: Callable[[], Any]
    ) -> list[tuple[int, ...]]:
        """Shapes of the results for one sample; one: those of a sample, if they are not known yet."""
        place = (method.name, *names.values(), layout)
        found = self._result_shapes.get(place)
        if found is None:
            result = one()
            found = [np.shape(part) for part in (result if isinstance(result, tuple) else (result,))]
            if not self.has_code(method, names):
                self._result_shapes[place] = found
        return found

    def key(self, method: Method, names: Names, layout: Layout, given: bool = False) -> str | None:
        """Text that tells the kernel apart in every process; None if code of the user's is part of it.

        given: whether tables are, whose content then does not count.
        """
        digest, words = self._owner.form if given else self._owner.digest, text_of(tuple(names.values()))
        if digest is None or words is None:
            return None
        return "\0".join((type(self._owner).__name__, digest, method.name, words, repr(layout)))


class WithTables:
    """A kernel whose last operand are the addresses of tables, which stay where they are as long as this does."""

    def __init__(
        self,
        kernel: Any,
        tables: tuple[SpanTable, ...],
        dtype: np.dtype,
        there: Callable[..., Any] = np.asarray,
    ):
        self._kernel, self._run = kernel, getattr(kernel, "direct", kernel)
        self._memories = [there(table.numbers(dtype.name)) for table in tables]
        self._addresses = there(
            np.concatenate([handle_of(memory) for memory in self._memories]).astype(dtype)
        )

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        given = (*arrays, self._addresses)
        return self._kernel(*given) if out is None else self._kernel(*given, out=out)

    def direct(self, *arrays: Any) -> Any:
        """The same without `out`, by the kernel's direct entry."""
        return self._run(*arrays, self._addresses)


class WithEmpty:
    """A kernel with results (..., 0), which it does not compute, put in where they belong."""

    def __init__(self, kernel: Any, empty: list[bool]):
        self._kernel, self._empty = kernel, empty
        self._run = getattr(kernel, "direct", kernel)

    def __call__(self, *arrays: Any, out: Any = None) -> tuple[Any, ...]:
        if out is None:
            return self._filled(self._kernel(*arrays))
        self._kernel(*arrays, out=tuple(x for x, skip in zip(out, self._empty, strict=True) if not skip))
        return out

    def direct(self, *arrays: Any) -> tuple[Any, ...]:
        """The same without `out`, by the kernel's direct entry."""
        return self._filled(self._run(*arrays))

    def _filled(self, found: Any) -> tuple[Any, ...]:
        parts = found if isinstance(found, tuple) else (found,)
        given, nothing = iter(parts), parts[0][..., :0]
        return tuple(nothing if left_out else next(given) for left_out in self._empty)


def _with_shape(x: Any, shape: tuple[int, ...]) -> np.ndarray:
    x = np.asarray(x)
    return x if x.shape == shape else np.broadcast_to(x, shape).copy()


def written(out: Any, result: Any) -> Any:
    """The result, written into `out` if that is given."""
    if out is None:
        return result
    several = isinstance(result, tuple)
    if several != isinstance(out, tuple):
        raise TypeError("'out' must be a tuple of arrays" if several else "'out' must be an array")
    for target, value in zip(out, result, strict=True) if several else ((out, result),):
        np.copyto(target, value)
    return out
