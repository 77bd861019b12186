"""Derivatives of programs with loops: each is made of programs again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from . import fold
from .embed import copied, embedded, inputs_of
from .graph import Graph
from .lookup import Bracket, Row, Spread
from .loop_program import LoopPart
from .matrix_derivatives import ADJOINTS, TANGENTS
from .outline import unrolled
from .repeat import Repeat
from .span_table import TableRow
from .traced import Traced


def tangents_of_program(
    graph: Graph, part: Any, operands: Sequence[int], along: Sequence[int], active: Sequence[int],
    with_tangents: Callable[[Traced, tuple[int, ...]], Traced],
) -> list[int | None]:  # fmt: skip
    """Tangents of the results of a program, None where there are none."""
    given, moving = part.cut(operands), part.cut(along)
    if isinstance(part, Repeat):
        return _repeat_tangents(graph, part, given, moving, active, with_tangents)
    if isinstance(part, Bracket | TableRow):
        return [None] * part.size
    if isinstance(part, Row):
        return list(part.nodes(graph, given[0], moving[1]))
    if isinstance(part, Spread):
        return list(part.nodes(graph, given[0], moving[1]))
    if type(part) not in TANGENTS:
        flat = _written_out(part)
        both = embedded(graph, with_tangents(flat, tuple(active)), [*operands, *(along[k] for k in active)])
        return list(both[part.size :])
    return TANGENTS[type(part)](graph, part, given, moving)


def adjoints_of_program(
    graph: Graph, part: Any, index: int, operands: Sequence[int], weights: dict[int, int], active: Sequence[int],
    pullback: Callable[[Traced, tuple[int, ...], tuple[int, ...]], Traced],
) -> dict[int, int]:  # fmt: skip
    """Adjoints of the active operands of a program, by their positions."""
    given, zero = part.cut(operands), graph.constant(0.0)
    if isinstance(part, Repeat):
        return _repeat_adjoints(graph, part, given, weights, active, pullback)
    if isinstance(part, Bracket | TableRow):
        return {}
    if type(part) not in ADJOINTS and not isinstance(part, Row | Spread):
        weighted = tuple(sorted(weights))
        pulled = pullback(_written_out(part), tuple(active), weighted)
        return dict(
            zip(active, embedded(graph, pulled, [*operands, *(weights[k] for k in weighted)]), strict=True)
        )
    bars = [weights.get(k, zero) for k in range(part.size)]
    if isinstance(part, Row):
        found = [[zero], Spread(part.n, part.k).nodes(graph, given[0], bars)]
    elif isinstance(part, Spread):
        found = [[zero], Row(part.n, part.k).nodes(graph, given[0], bars)]
    else:
        results = [graph.node("result", index, k) for k in range(part.size)]
        found = ADJOINTS[type(part)](graph, part, given, results, bars)
    flat = [k for group in found for k in group]
    return {position: flat[position] for position in active}


def _chosen(part: Repeat, active: Sequence[int]) -> tuple[list[int], list[int]]:
    """Which fixed values, and which entries of any run's row, are active."""
    carry, fixed, row, _ = part.sizes
    around = [k - carry for k in active if carry <= k < carry + fixed]
    own = sorted({(k - carry - fixed) % row for k in active if k >= carry + fixed}) if row else []
    return around, own


def _body_inputs(part: Repeat, around: list[int], own: list[int]) -> tuple[int, ...]:
    """Flat inputs of a body: its carry, and these fixed values and entries of the row."""
    carry, fixed, _, _ = part.sizes
    return (
        *range(1, 1 + carry), *(1 + carry + k for k in around), *(1 + carry + fixed + k for k in own)
    )  # fmt: skip


def _repeat_tangents(
    graph: Graph, part: Repeat, given: list, moving: list, active: Sequence[int], with_tangents: Callable[..., Traced]
) -> list[int | None]:  # fmt: skip
    c, f, m, r = part.sizes
    around, own = _chosen(part, active)
    both = with_tangents(part.body, _body_inputs(part, around, own))
    inner = Graph()
    run, carry = inner.node("input", 0), inputs_of(inner, 1, 2 * c)
    fixed = inputs_of(inner, 1 + 2 * c, f + len(around))
    row = inputs_of(inner, 1 + 2 * c + len(fixed), m + len(own))
    values = embedded(inner, both, [run, *carry[:c], *fixed[:f], *row[:m], *carry[c:], *fixed[f:], *row[m:]])
    derived = values[c + r :]
    shapes = (), (2 * c,), (len(fixed),), (len(row),)
    outputs = (*values[:c], *derived[:c]), tuple(derived[c:])
    body = Traced(inner, shapes, outputs, ((2 * c,), (r,)), False, "repeated_tangent")
    start, fixed_values, rows = given
    joined: list[int] = []
    for run_number in range(part.times):
        base = run_number * m
        joined += [*rows[base : base + m], *(moving[2][base + k] for k in own)]
    results = Repeat(body, part.times, part.down, part.until).nodes(
        graph, [*start, *moving[0]], [*fixed_values, *(moving[1][k] for k in around)], joined
    )
    return [*results[c : 2 * c], *results[2 * c :]]


def _repeat_adjoints(
    graph: Graph, part: Repeat, given: list, weights: dict[int, int], active: Sequence[int],
    pullback: Callable[..., Traced],
) -> dict[int, int]:  # fmt: skip
    """Run it again keeping every carry, then the other way round; fixed values gather their adjoints in the carry."""
    c, f, m, r = part.sizes
    around, own = _chosen(part, active)
    kept = sorted({(k - c) % r for k in weights if k >= c}) if r else []
    start, fixed_values, rows = given
    again = copied(part.body)
    carries = tuple(inputs_of(again.graph, 1, c))
    keeping = Traced(
        again.graph, again.input_shapes, (again.outputs[0], carries), ((c,), (c,)), False, "repeated_keeping"
    )
    before = Repeat(keeping, part.times, part.down).nodes(graph, start, fixed_values, rows)[c:]
    pulled = pullback(part.body, _body_inputs(part, around, own), (*range(c), *(c + k for k in kept)))
    inner = Graph()
    run, carry = inner.node("input", 0), inputs_of(inner, 1, c + len(around))
    fixed = inputs_of(inner, 1 + len(carry), f)
    row = inputs_of(inner, 1 + len(carry) + f, c + m + len(kept))
    values = embedded(inner, pulled, [run, *row[:c], *fixed, *row[c : c + m], *carry[:c], *row[c + m :]])
    sums = [fold.add(inner, a, b) for a, b in zip(carry[c:], values[c : c + len(around)], strict=True)]
    outputs = (*values[:c], *sums), tuple(values[c + len(around) :])
    shapes = (), (len(carry),), (f,), (len(row),)
    body = Traced(inner, shapes, outputs, ((len(carry),), (len(own),)), False, "repeated_adjoint")
    zero, joined = graph.constant(0.0), []
    for k in range(part.times):
        joined += [*before[k * c : (k + 1) * c], *rows[k * m : (k + 1) * m]]
        joined += [weights.get(c + k * r + j, zero) for j in kept]
    beginning = [*(weights.get(k, zero) for k in range(c)), *([zero] * len(around))]
    results = Repeat(body, part.times, not part.down).nodes(graph, beginning, fixed_values, joined)
    found = dict(enumerate(results[:c]))
    found |= {c + k: results[c + j] for j, k in enumerate(around)}
    first = c + len(around)
    for run_number in range(part.times):
        for j, k in enumerate(own):
            found[c + f + run_number * m + k] = results[first + run_number * len(own) + j]
    wanted = set(active)
    return {position: value for position, value in found.items() if position in wanted}


@cache
def _written_out(part: LoopPart) -> Traced:
    """A program that has no rule of its own as a function without loops."""
    graph, count = Graph(), sum(part.groups)
    found = unrolled(part)(graph, *part.cut(inputs_of(graph, 0, count)))
    return Traced(graph, ((count,),), (tuple(found),), ((part.size,),), True, "written_out")
