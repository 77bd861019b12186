"""Derivatives of loops over trees: tangents run the same way, adjoints the other way, over the same items.

Outward (c, k)_i = s(c_parent, x_i): the adjoint is inward; what reaches an item from its children is added to its own
c̄_i, and (c̄_parent, x̄_i) = ∂sᵀ (c̄_i, k̄_i). Inward (m, k)_i = s(t_i, x_i), t_i = start + Σ m of the children: the adjoint
is outward, t̄_i = ∂sᵀ (t̄_parent, k̄_i); it needs the sums t_i, and the start, which enters every sum, gets them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from . import fold
from .embed import copied, embedded, inputs_of
from .graph import Graph
from .scan import Scan
from .traced import Traced


@dataclass(frozen=True)
class _Layout:
    """Where the numbers of a scan's items and steps are."""

    scan: Scan

    @property
    def items(self) -> range:
        return range(len(self.scan.parents))

    def width(self, kind: int) -> int:
        return self.scan.steps[kind].input_shapes[2][0]

    def columns(self, kind: int) -> int:
        return self.scan.steps[kind].input_shapes[0][0]

    def kept(self, kind: int) -> int:
        return len(self.scan.steps[kind].outputs[1])

    def active(self, chosen: Sequence[int]) -> list[list[int]]:
        """For every kind, the variables that are active in any item."""
        positions, found = set(chosen), [set() for _ in self.scan.steps]
        for item in self.items:
            kind, first = self.scan.kinds[item], self.scan.variables[item]
            found[kind] |= {k for k in range(self.width(kind)) if first + k in positions}
        return [sorted(own) for own in found]


def scan_tangents(
    graph: Graph, scan: Scan, operands: Sequence[int], along: Sequence[int], active: Sequence[int],
    with_tangents: Callable[[Traced, tuple[int, ...]], Traced],
) -> list[int | None]:  # fmt: skip
    """Tangents of the results of a scan."""
    layout, c = _Layout(scan), scan.carry
    chosen, steps = layout.active(active), []
    for kind, step in enumerate(scan.steps):
        columns, width = layout.columns(kind), layout.width(kind)
        both = with_tangents(step, (*range(columns, columns + c), *(columns + c + k for k in chosen[kind])))
        inner = Graph()
        table, carry = inputs_of(inner, 0, columns), inputs_of(inner, columns, 2 * c)
        own = inputs_of(inner, columns + 2 * c, width + len(chosen[kind]))
        values = embedded(inner, both, [*table, *carry[:c], *own[:width], *carry[c:], *own[width:]])
        kept = layout.kept(kind)
        message, derived = values[:c], values[c + kept :]
        outputs = (*message, *derived[:c]), tuple(derived[c:])
        shapes = (columns,), (2 * c,), (width + len(chosen[kind]),)
        steps.append(Traced(inner, shapes, outputs, ((2 * c,), (kept,)), False, "step_tangent"))
    own_carry = 0 if scan.inward else 2 * c
    nodes = [*operands[:c], *along[:c]]
    variables, offsets, size = [], [], 0
    for item in layout.items:
        kind, first = scan.kinds[item], scan.variables[item]
        variables.append(len(nodes))
        nodes += operands[first : first + layout.width(kind)]
        nodes += [along[first + k] for k in chosen[kind]]
        offsets.append(size)
        size += own_carry + layout.kept(kind)
    size += 2 * c if scan.inward else 0
    part = replace(
        scan, steps=tuple(steps), carry=2 * c, variables=tuple(variables), offsets=tuple(offsets), size=size
    )
    node = graph.node("scan", graph.part(part), *nodes)
    found: list[int | None] = [None] * scan.size
    for item in layout.items:
        base, new, kept = scan.offsets[item], offsets[item], layout.kept(scan.kinds[item])
        if not scan.inward:
            found[base : base + c] = [graph.node("result", node, new + c + k) for k in range(c)]
            base, new = base + c, new + 2 * c
        found[base : base + kept] = [graph.node("result", node, new + k) for k in range(kept)]
    if scan.inward:
        found[scan.size - c :] = [graph.node("result", node, size - c + k) for k in range(c)]
    return found


def scan_adjoints(
    graph: Graph, scan: Scan, index: int, operands: Sequence[int], weights: dict[int, int], active: Sequence[int],
    pullback: Callable[[Traced, tuple[int, ...], tuple[int, ...]], Traced],
) -> dict[int, int]:  # fmt: skip
    """Adjoints of the active operands of a scan node, by their positions."""
    layout, c, zero = _Layout(scan), scan.carry, graph.constant(0.0)
    chosen = layout.active(active)
    weighted = _weighted_kept(layout, weights)
    steps = [
        _adjoint_step(layout, kind, chosen[kind], weighted[kind], pullback) for kind in range(len(scan.steps))
    ]
    before = _carries(graph, layout, index, operands)
    nodes = [weights.get(scan.size - c + k, zero) for k in range(c)] if scan.inward else [zero] * c
    variables, offsets, size = [], [], 0
    for item in layout.items:
        kind, first, base = scan.kinds[item], scan.variables[item], scan.offsets[item]
        variables.append(len(nodes))
        nodes += [*before[item], *operands[first : first + layout.width(kind)]]
        if not scan.inward:
            nodes += [weights.get(base + k, zero) for k in range(c)]
            base += c
        nodes += [weights.get(base + k, zero) for k in weighted[kind]]
        offsets.append(size)
        size += len(chosen[kind]) + (c if scan.inward else 0)
    part = Scan(
        not scan.inward, scan.parents, scan.kinds, tuple(steps), scan.tables, scan.rows, c, tuple(variables),
        tuple(offsets), size + (0 if scan.inward else c),
    )  # fmt: skip
    node = graph.node("scan", graph.part(part), *nodes)
    found = {}
    for item in layout.items:
        kind, first = scan.kinds[item], offsets[item] + (c if scan.inward else 0)
        for place, k in enumerate(chosen[kind]):
            found[scan.variables[item] + k] = graph.node("result", node, first + place)
    for k in range(c):
        if not scan.inward:
            found[k] = graph.node("result", node, size + k)
            continue
        found[k] = weights.get(scan.size - c + k, zero)
        for item in layout.items:
            found[k] = fold.add(graph, found[k], graph.node("result", node, offsets[item] + k))
    wanted = set(active)
    return {position: value for position, value in found.items() if position in wanted}


def _weighted_kept(layout: _Layout, weights: dict[int, int]) -> list[list[int]]:
    """For every kind, what is kept and has a weight in any item."""
    scan, found = layout.scan, [set() for _ in layout.scan.steps]
    for item in layout.items:
        kind, first = scan.kinds[item], scan.offsets[item] + (0 if scan.inward else scan.carry)
        found[kind] |= {k for k in range(layout.kept(kind)) if first + k in weights}
    return [sorted(own) for own in found]


def _adjoint_step(
    layout: _Layout, kind: int, chosen: list[int], weighted: list[int], pullback: Callable[..., Traced]
) -> Traced:
    """Step of the adjoint: (table; what arrives; carry before, x, [c̄], k̄) → (what goes on, x̄)."""
    scan, c = layout.scan, layout.scan.carry
    columns, width = layout.columns(kind), layout.width(kind)
    active = (*range(columns, columns + c), *(columns + c + k for k in chosen))
    pulled = pullback(scan.steps[kind], active, (*range(c), *(c + k for k in weighted)))
    inner = Graph()
    own_count = c + width + (0 if scan.inward else c) + len(weighted)
    table, arriving = inputs_of(inner, 0, columns), inputs_of(inner, columns, c)
    own = inputs_of(inner, columns + c, own_count)
    carry, x, rest = own[:c], own[c : c + width], own[c + width :]
    if scan.inward:
        message, kept = arriving, rest
    else:
        message = [fold.add(inner, a, b) for a, b in zip(arriving, rest[:c], strict=True)]
        kept = rest[c:]
    values = embedded(inner, pulled, [*table, *carry, *x, *message, *kept])
    outputs = tuple(values[:c]), tuple(values[c:])
    shapes = (columns,), (c,), (own_count,)
    return Traced(inner, shapes, outputs, ((c,), (len(chosen),)), False, "step_adjoint")


def _carries(graph: Graph, layout: _Layout, index: int, operands: Sequence[int]) -> list[list[int]]:
    """For every item, the carry that arrived at it."""
    scan, c = layout.scan, layout.scan.carry
    if not scan.inward:
        start = list(operands[:c])
        return [
            start if parent < 0 else [graph.node("result", index, scan.offsets[parent] + k) for k in range(c)]
            for parent in scan.parents
        ]
    again = _keeping_sums(scan)
    node = graph.node("scan", graph.part(again), *operands)
    return [[graph.node("result", node, first + k) for k in range(c)] for first in again.offsets]


def _keeping_sums(scan: Scan) -> Scan:
    """The inward scan that keeps nothing but the sums that arrived at every item."""
    steps = []
    for step in scan.steps:
        new, columns = copied(step), step.input_shapes[0][0]
        sums = tuple(inputs_of(new.graph, columns, scan.carry))
        steps.append(
            replace(new, outputs=(new.outputs[0], sums), output_shapes=((scan.carry,), (scan.carry,)))
        )
    offsets = tuple(item * scan.carry for item in range(len(scan.parents)))
    size = (len(scan.parents) + 1) * scan.carry
    return replace(scan, steps=tuple(steps), offsets=offsets, size=size)
