"""Methods and rollouts as functions of flat arrays with the gradients of their results, for any library with autograd.

Configurations are stored numbers that move on a manifold. A gradient by q is on its tangent, stored as numbers
(docs/bridges.md): (½ R hat(w_ω), R w_v) for a pose, (w_v; w_ω) = Lᵀ w, w the gradient along retract. Its product
with the rate of q's numbers along any motion on the group is the rate of the result; what is off the tangent is
dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from .. import kernels
from ..dynamics.configuration_derivatives import pull_back, push_weights
from ..kernels import cuda
from ..kernels.kernel import EmptyShape
from ..model import ModelError, Tree
from ..system.argument_kinds import ArrayOf, not_a_number
from ..system.bound_method import BoundMethod
from ..trace import call_traced, trace, vjp

Shape = tuple[int, ...]


class Differentiable(Protocol):
    """A function of arrays (..., *shape) to arrays, and its gradients.

    where: its name in messages.  arguments: names and shapes of its arrays for one sample.  keeps_results: whether
    the gradients need the results.
    """

    where: str
    arguments: dict[str, Shape]
    keeps_results: bool

    def check(self, on_gpu: bool, dtype: str) -> None:
        """Refuse arrays that are elsewhere, or of another format, than the function was made for."""
        ...

    def forward(self, arrays: Sequence[Any], on_gpu: bool, dtype: str) -> tuple[Any, ...]:
        """The results, each with the batch of all arrays together."""
        ...

    def backward(
        self, wanted: tuple[int, ...], arrays: Sequence[Any], results: Sequence[Any], weights: Sequence[Any],
        on_gpu: bool, dtype: str,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Gradients by the wanted arrays of the results' weighted sum, each with the batch of all arrays together."""
        ...

    def result_shapes(self, dtype: str) -> list[Shape]:
        """Shapes of the results for one sample."""
        ...


class DifferentiableMethod:
    """A method of a system or plant as a function of the arrays that it requires, of a plant's u, x and p as far as it
    has any, and of those that are asked for; all else is fixed."""

    keeps_results = False

    def __init__(
        self, owner: Any, method: str, static: Sequence[Any], arguments: Iterable[str], options: dict[str, Any],
        free: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self._bound = bound = BoundMethod(owner, method, static, arguments, options, free, run_time=True)
        self.where = f"{owner.name}.{method}"
        self.arguments: dict[str, Shape] = {x.name: x.shape for x in bound.arguments}
        self._left_out = [owner._size_of(size) == 0 for size in bound.method.sizes or ()]
        self._made: dict[tuple, Any] = {}

    def check(self, on_gpu: bool, dtype: str) -> None:
        """A method runs anywhere, in both formats."""

    def named(self, results: tuple[Any, ...]) -> Any:
        """Results in the method's own structure, those without entries put in again."""
        if any(self._left_out):
            given, nothing = iter(results), results[0][..., :0]
            results = tuple(nothing if left else next(given) for left in self._left_out)
        returns = self._bound.method.returns
        if returns is not None:
            return returns(*results)
        return results[0] if len(results) == 1 else results

    def result_shapes(self, dtype: str) -> list[Shape]:
        """Shapes of the results for one sample, those without entries left out."""
        return list(self._kernel((), False, dtype).facts.output_shapes)

    def forward(self, arrays: Sequence[Any], on_gpu: bool, dtype: str) -> tuple[Any, ...]:
        """The results, those without entries left out."""
        return self._run(self._kernel((), on_gpu, dtype), arrays)

    def backward(
        self, wanted: tuple[int, ...], arrays: Sequence[Any], results: Sequence[Any], weights: Sequence[Any],
        on_gpu: bool, dtype: str,
    ) -> tuple[Any, ...]:  # fmt: skip
        """Gradients by the wanted arrays, those by configurations on their tangents."""
        return self._run(self._kernel(wanted, on_gpu, dtype), [*arrays, *weights])

    def _run(self, kernel: Any, arrays: Sequence[Any]) -> tuple[Any, ...]:
        try:
            found = kernel(*arrays)
        except kernels.NotANumber as problem:
            names = [*self.arguments, *(f"weights of result {k}" for k in range(len(arrays)))]
            raise not_a_number(self.where, names[problem.argument], problem.place) from None
        return found if isinstance(found, tuple) else (found,)

    def _kernel(self, wanted: tuple[int, ...], on_gpu: bool, dtype: str) -> Any:
        """The compiled method, or its gradients by the arrays that are wanted."""
        place = (wanted, on_gpu, dtype)
        if place not in self._made:
            shapes, function, key = list(self.arguments.values()), self._results, self._bound.key
            if wanted:
                shapes, function = shapes + self.result_shapes(dtype), self._gradients(wanted)
            name = self.where + ("_gradients" if wanted else "")
            options: dict[str, Any] = {"name": name, "dtype": dtype, "exact_zeros": False, "watched": True}
            if not on_gpu:
                options["key"] = None if key is None else f"{key}\0gradients by {wanted}"
            try:
                self._made[place] = (cuda.compile if on_gpu else kernels.compile)(function, shapes, **options)
            except EmptyShape:
                expected = "arguments and results that have entries"
                raise ModelError.single(
                    self.where, "shapes", expected=expected, given="an empty one"
                ) from None
        return self._made[place]

    def _results(self, *arrays: Any) -> Any:
        found = self._bound.function()(*arrays)
        if not any(self._left_out):
            return found
        return tuple(x for x, left in zip(found, self._left_out, strict=True) if not left)

    def _gradients(self, wanted: tuple[int, ...]) -> Callable[..., Any]:
        names, tree = list(self.arguments), self._bound.owner.tree
        kinds = self._bound.method.arrays

        def gradients(*given: Any) -> Any:
            shapes = list(self.arguments.values())
            graph = trace(self._results, *shapes, name=self._bound.method.name)
            bars = call_traced(vjp(graph, wrt=wanted), *given)
            bars = list(bars) if isinstance(bars, tuple) else [bars]
            for place, k in enumerate(wanted):
                kind = kinds.get(names[k])
                if isinstance(kind, ArrayOf) and kind.size == "nq" and names[k] in ("q", "q0", "q1"):
                    bars[place] = on_tangent(tree, given[k], bars[place])
            return tuple(bars)

        return gradients


#: what makes the function of checked arrays that a library can differentiate
Maker = Callable[[Any], Callable[..., tuple[Any, ...]]]


class FunctionOfArrays:
    """A method as a function of arrays (..., *shape), in the order of `arguments`; leading dimensions broadcast.

    The arrays are those of one library (`words` says which), all float64 or all float32; numbers may stand for them.
    """

    def __init__(self, work: DifferentiableMethod, make: Maker, words: str) -> None:
        self._work, self._evaluated, self._words = work, make(work), words

    @property
    def arguments(self) -> tuple[str, ...]:
        """Names of the arrays, in order."""
        return tuple(self._work.arguments)

    def __call__(self, *arrays: Any) -> Any:
        """The method's result: an array, or the tuple of arrays that the method returns."""
        if len(arrays) != len(self.arguments):
            expected, given = ", ".join(self.arguments), f"{len(arrays)} arguments"
            raise ModelError.single(self._work.where, "arguments", expected=expected, given=given)
        return self._work.named(self._evaluated(*arrays))

    def __repr__(self) -> str:
        return f"<{self._work.where}({', '.join(self.arguments)}) of {self._words}>"


def on_tangent(tree: Tree, q: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """A gradient (..., nq) by the stored numbers of q, its part on the tangent, stored the same way."""
    return push_weights(tree, q, pull_back(tree, q, gradient))


def is_number(x: Any) -> bool:
    """Whether x is one of Python's own numbers."""
    return isinstance(x, int | float) and not isinstance(x, bool | np.generic)


def checked_batch(work: Differentiable, shapes: Sequence[Shape]) -> Shape:
    """The leading dimensions of arrays of these shapes together; a `ModelError` if they do not fit."""
    batches = []
    for (name, core), shape in zip(work.arguments.items(), shapes, strict=True):
        cut = len(shape) - len(core)
        if cut < 0 or tuple(shape[cut:]) != core:
            expected = f"shape (..., {', '.join(map(str, core))})" if core else "shape (...)"
            raise ModelError.single(work.where, name, expected=expected, given=f"shape {tuple(shape)}")
        batches.append(tuple(shape[:cut]))
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        given = ", ".join(f"{name} {tuple(s)}" for name, s in zip(work.arguments, shapes, strict=True))
        expected = "leading dimensions that broadcast"
        raise ModelError.single(work.where, "batch", expected=expected, given=given) from None
