"""Dropping what a scan keeps and nobody uses, and the variables and table columns that its steps do not need."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .graph import PARTS, Graph, operands
from .node_order import live_nodes
from .rewrite import rewrite
from .scan import Scan
from .traced import Traced


@dataclass(frozen=True)
class _Needed:
    """For every kind: the kept outputs, table columns and variables that are needed, by their old numbers."""

    kept: list[list[int]]
    columns: list[list[int]]
    variables: list[list[int]]

    def operands(self, scan: Scan) -> list[int]:
        """Positions among the operands of the scan node that are needed."""
        chosen = list(range(scan.carry))
        for item, first in enumerate(scan.variables):
            chosen += [first + k for k in self.variables[scan.kinds[item]]]
        return chosen


def pruned(traced: Traced) -> Traced:
    """The same function with scans that keep, look up and read only what is used."""
    needed = _needed_of_scans(traced)
    if not needed:
        return traced
    moved: dict[int, dict[int, int]] = {}
    smaller: dict[int, Scan] = {}
    for index, need in needed.items():
        scan = traced.graph.parts[traced.graph.nodes[index][1]]
        smaller[index], moved[index] = _smaller(scan, need)
    new_of: dict[int, int] = {}

    def rule(new: Graph, index: int, node: tuple) -> int:
        if node[0] == "scan":
            scan = traced.graph.parts[node[1]]
            chosen = (node[2 + k] for k in needed[index].operands(scan))
            found = new.node("scan", new.part(smaller[index]), *chosen)
            new_of[found] = index
            return found
        if node[0] == "result" and node[1] in new_of:
            place = moved[new_of[node[1]]].get(node[2])
            return new.constant(0.0) if place is None else new.node("result", node[1], place)
        return new.node(*node)

    result = rewrite(traced, rule)
    used = [k for k in live_nodes(result.graph, result.flat_outputs) if result.graph.nodes[k][0] in PARTS]
    _keep_parts(result.graph, used)
    return result


def without_dead_parts(traced: Traced) -> Traced:
    """The same function without the sub-functions and loops that its outputs do not need."""
    nodes = (traced.graph.nodes[k] for k in live_nodes(traced.graph, traced.flat_outputs))
    if len({node[1] for node in nodes if node[0] in PARTS}) == len(traced.graph.parts):
        return traced
    result = rewrite(traced, lambda new, _, node: new.node(*node))
    nodes = result.graph.nodes
    _keep_parts(result.graph, [k for k in range(len(nodes)) if nodes[k][0] in PARTS])
    return result


def _keep_parts(graph: Graph, used: list[int]) -> None:
    """Forget sub-functions and scans that no node names any more."""
    positions = {graph.nodes[k][1] for k in used}
    graph.parts[:] = [part if k in positions else None for k, part in enumerate(graph.parts)]
    kept = [k for k, part in enumerate(graph.parts) if part is not None]
    renamed = {old: new for new, old in enumerate(kept)}
    graph.parts[:] = [graph.parts[k] for k in kept]
    for k in used:
        node = graph.nodes[k]
        graph.nodes[k] = (node[0], renamed[node[1]], *node[2:])


def _needed_of_scans(traced: Traced) -> dict[int, _Needed]:
    """From the outputs backward, what is needed of every live scan."""
    nodes, parts = traced.graph.nodes, traced.graph.parts
    needed, used, found = set(traced.flat_outputs), {}, {}
    for index in range(len(nodes) - 1, -1, -1):
        if index not in needed:
            continue
        node = nodes[index]
        if node[0] == "scan":
            scan: Scan = parts[node[1]]
            found[index] = _needed(scan, used.get(index, set()))
            needed.update(node[2 + k] for k in found[index].operands(scan))
        else:
            if node[0] == "result":
                used.setdefault(node[1], set()).add(node[2])
            needed.update(operands(node))
    return found


def _needed(scan: Scan, used: set[int]) -> _Needed:
    kept: list[set[int]] = [set() for _ in scan.steps]
    own = 0 if scan.inward else scan.carry
    for item, first in enumerate(scan.offsets):
        kind = scan.kinds[item]
        count = len(scan.steps[kind].outputs[1])
        kept[kind].update(k for k in range(count) if first + own + k in used)
    columns, variables = [], []
    for step, chosen in zip(scan.steps, kept, strict=True):
        outputs = [*step.outputs[0], *(step.outputs[1][k] for k in chosen)]
        live = (step.graph.nodes[k] for k in live_nodes(step.graph, outputs))
        inputs = sorted(node[1] for node in live if node[0] == "input")
        width, skipped = step.input_shapes[0][0], step.input_shapes[0][0] + scan.carry
        columns.append([k for k in inputs if k < width])
        variables.append([k - skipped for k in inputs if k >= skipped])
    return _Needed([sorted(chosen) for chosen in kept], columns, variables)


def _smaller(scan: Scan, need: _Needed) -> tuple[Scan, dict[int, int]]:
    """The scan with what is needed only, and where its results have moved to."""
    steps = tuple(
        _smaller_step(step, scan.carry, *parts)
        for step, *parts in zip(scan.steps, need.kept, need.columns, need.variables, strict=True)
    )
    own = 0 if scan.inward else scan.carry
    moved: dict[int, int] = {}
    variables, offsets, first_variable, size = [], [], scan.carry, 0
    for item, first in enumerate(scan.offsets):
        kind = scan.kinds[item]
        variables.append(first_variable)
        first_variable += len(need.variables[kind])
        offsets.append(size)
        moved |= {first + k: size + k for k in range(own)}
        moved |= {first + own + old: size + own + new for new, old in enumerate(need.kept[kind])}
        size += own + len(need.kept[kind])
    if scan.inward:
        moved |= {scan.size - scan.carry + k: size + k for k in range(scan.carry)}
        size += scan.carry
    tables = tuple(table[:, chosen] for table, chosen in zip(scan.tables, need.columns, strict=True))
    return (
        replace(
            scan, steps=steps, tables=tables, variables=tuple(variables), offsets=tuple(offsets), size=size
        ),
        moved,
    )


def _smaller_step(
    step: Traced, carry: int, kept: list[int], columns: list[int], variables: list[int]
) -> Traced:
    width = step.input_shapes[0][0]
    kinds = [*columns, *range(width, width + carry), *(width + carry + k for k in variables)]
    renamed = {old: new for new, old in enumerate(kinds)}

    def rule(new: Graph, _: int, node: tuple) -> int:
        return new.node("input", renamed[node[1]]) if node[0] == "input" else new.node(*node)

    chosen = tuple(step.outputs[1][k] for k in kept)
    shapes = (len(columns),), (carry,), (len(variables),)
    fewer = replace(step, outputs=(step.outputs[0], chosen), output_shapes=((carry,), (len(chosen),)))
    return replace(rewrite(fewer, rule), input_shapes=shapes)
