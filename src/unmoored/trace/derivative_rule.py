"""Functions that bring their own derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import prod
from typing import Any

from . import fold
from .embed import embedded, inputs_of
from .graph import Graph
from .outline import Part
from .traced import Traced, trace
from .tracing_error import TracingError


@dataclass(frozen=True, eq=False)
class DerivativeRule:
    """Derivatives of a function of arrays, each as a function of arrays, or None: then they are found on its graph.

    jvp(x..., dx...) → dy...; vjp(x..., weights...) → the gradient by every x; jacobian(x...) → for every output and
    input, in this order, the array of shape output + input. The jacobian stands in for the other two.
    """

    jvp: Callable[..., Any] | None = None
    vjp: Callable[..., Any] | None = None
    jacobian: Callable[..., Any] | None = None

    @staticmethod
    def _traced(part: Traced, rule: Callable[..., Any], *shapes: tuple[int, ...]) -> Traced:
        """A rule as a graph, traced as its function was: a user's rule is a user's function."""
        return trace(rule, *shapes, exact_zeros=part.graph.exact_zeros)

    def pushforward(self, part: Traced, active: tuple[int, ...]) -> Traced:
        """See `forward_mode.pushforward`."""
        assert self.jvp is not None
        rule = _checked(
            part,
            "jvp",
            self._traced(part, self.jvp, *part.input_shapes, *part.input_shapes),
            part.output_shapes,
        )
        graph, count = Graph(), part.input_offsets[-1]
        moving = [graph.constant(0.0)] * count
        for node, k in zip(inputs_of(graph, count, len(active)), active, strict=True):
            moving[k] = node
        found = embedded(graph, rule, [*inputs_of(graph, 0, count), *moving])
        return _function(graph, count, len(active), found, f"{part.name}_tangent")

    def pullback(self, part: Traced, active: tuple[int, ...], weighted: tuple[int, ...]) -> Traced:
        """See `reverse_mode.pullback`."""
        assert self.vjp is not None
        rule = _checked(
            part,
            "vjp",
            self._traced(part, self.vjp, *part.input_shapes, *part.output_shapes),
            part.input_shapes,
        )
        graph, count = Graph(), part.input_offsets[-1]
        weights = [graph.constant(0.0)] * len(part.flat_outputs)
        for node, k in zip(inputs_of(graph, count, len(weighted)), weighted, strict=True):
            weights[k] = node
        found = embedded(graph, rule, [*inputs_of(graph, 0, count), *weights])
        return _function(graph, count, len(weighted), [found[k] for k in active], f"{part.name}_gradient")

    def jacobian_part(self, part: Traced, active: tuple[int, ...]) -> Traced:
        """See `forward_mode.jacobian_part`."""
        assert self.jacobian is not None
        shapes = [a + b for a in part.output_shapes for b in part.input_shapes]
        rule = _checked(
            part, "jacobian", self._traced(part, self.jacobian, *part.input_shapes), tuple(shapes)
        )
        graph, count = Graph(), part.input_offsets[-1]
        found = embedded(graph, rule, inputs_of(graph, 0, count))
        chosen = [found[k] for k in _entries(part, active)]
        rows = len(part.flat_outputs)
        return Traced(
            graph, ((count,),), (tuple(chosen),), ((rows, len(active)),), True, f"{part.name}_jacobian"
        )


def _entries(part: Traced, active: Sequence[int]) -> list[int]:
    """Positions, in the blocks of a jacobian one after the other, of the matrix (outputs, active inputs)."""
    offsets, sizes = part.input_offsets, [prod(shape) for shape in part.input_shapes]
    found, first = [], 0
    for output in part.outputs:
        starts = [first, *(first + len(output) * n for n in accumulate(sizes))]
        for i in range(len(output)):
            for k in active:
                array = max(a for a in range(len(sizes)) if offsets[a] <= k and sizes[a])
                found.append(starts[array] + i * sizes[array] + k - offsets[array])
        first = starts[-1]
    return found


def _function(graph: Graph, first: int, second: int, found: Sequence[int], name: str) -> Traced:
    return Traced(graph, ((first,), (second,)), (tuple(found),), ((len(found),),), True, name)


def _checked(part: Traced, what: str, rule: Traced, shapes: Sequence[tuple[int, ...]]) -> Traced:
    if list(rule.output_shapes) != list(shapes):
        raise TracingError(
            f"the {what} of {part.name} must return arrays of shapes {list(shapes)}, not {list(rule.output_shapes)}"
        )
    return rule


class Differentiated(Part):
    """A function that stays a function of its own inside kernels, and brings its own derivatives."""

    def __init__(self, function: Callable[..., Any], name: str, rule: DerivativeRule) -> None:
        super().__init__(function, name)
        self.rule = rule

    def traced(self, *shapes: tuple[int, ...]) -> Traced:
        found = super().traced(*shapes)
        if found.rule is None:
            self._traced[shapes] = found = replace(found, rule=_complete(self.rule))
        return found


def _complete(rule: DerivativeRule) -> DerivativeRule:
    """The rule with the derivatives along a direction and of weighted sums by its jacobian, if it has one."""
    if rule.jacobian is None:
        return rule
    return _ByJacobian(rule.jvp or rule.jacobian, rule.vjp or rule.jacobian, rule.jacobian, rule)


@dataclass(frozen=True, eq=False)
class _ByJacobian(DerivativeRule):
    """A rule whose other derivatives are products with its jacobian."""

    given: DerivativeRule = DerivativeRule()

    def pushforward(self, part: Traced, active: tuple[int, ...]) -> Traced:
        if self.given.jvp is not None:
            return super().pushforward(part, active)
        return self._product(part, active, range(len(part.flat_outputs)), transposed=False)

    def pullback(self, part: Traced, active: tuple[int, ...], weighted: tuple[int, ...]) -> Traced:
        if self.given.vjp is not None:
            return super().pullback(part, active, weighted)
        return self._product(part, active, weighted, transposed=True)

    def _product(
        self, part: Traced, active: tuple[int, ...], rows: Sequence[int], transposed: bool
    ) -> Traced:
        graph, count = Graph(), part.input_offsets[-1]
        J = embedded(graph, self.jacobian_part(part, active), inputs_of(graph, 0, count))
        n = len(active)
        given = inputs_of(graph, count, len(rows) if transposed else n)
        pairs = (
            [[(J[i * n + j], w) for i, w in zip(rows, given, strict=True)] for j in range(n)]
            if transposed
            else [[(J[i * n + j], w) for j, w in enumerate(given)] for i in rows]
        )
        found = []
        for terms in pairs:
            total = graph.constant(0.0)
            for a, b in terms:
                total = fold.add(graph, total, fold.multiply(graph, a, b))
            found.append(total)
        kind = "gradient" if transposed else "tangent"
        return _function(graph, count, len(given), found, f"{part.name}_{kind}")


def custom_derivative(
    function: Callable[..., Any], *, jvp: Callable[..., Any] | None = None,
    vjp: Callable[..., Any] | None = None, jacobian: Callable[..., Any] | None = None, name: str | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """The same function of arrays, with derivatives that are given and not found on its graph.

    jvp(x..., dx...) → dy...; vjp(x..., weights...) → the gradient by every x; jacobian(x...) → for every output and
    input the array of shape output + input, which stands in for the other two. What is not given is derived from the
    function itself. Nobody checks that they belong to the function.
    """
    if jvp is None and vjp is None and jacobian is None:
        raise TracingError("custom_derivative: give jvp, vjp or jacobian")
    title = name or getattr(function, "__name__", "function")
    return Differentiated(function, title, DerivativeRule(jvp, vjp, jacobian))
