"""Derivatives along directions, from the inputs to the outputs; calls stay calls, and loops loops.

A tangent is a dictionary {direction: node}; directions in which a value does not change are not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from . import fold
from .embed import call_nodes, copied, inputs_of
from .graph import PARTS, Graph
from .loop_derivatives import tangents_of_program
from .matrices import Product, shared
from .node_order import live_nodes
from .partials import partial_derivatives
from .repeat import Repeat
from .scan import Scan
from .scan_derivatives import scan_tangents
from .traced import Traced

Tangent = dict[int, int]
#: chain rules with more multiplications than this are loops
_UNROLLED = 2000
_pushed: WeakKeyDictionary[Traced, dict] = WeakKeyDictionary()
_jacobians: WeakKeyDictionary[Traced, dict] = WeakKeyDictionary()


def push(graph: Graph, outputs: Sequence[int], seeds: dict[int, Tangent]) -> dict[int, Tangent]:
    """Tangents of every node that the outputs need; `seeds` are those of the inputs."""
    tangents: dict[int, Tangent] = {}
    of_parts: dict[int, dict[int, Tangent]] = {}
    zero = graph.constant(0.0)
    for index in live_nodes(graph, outputs):
        node = graph.nodes[index]
        own: Tangent = dict(seeds.get(index, {}))
        if node[0] in PARTS:
            of_parts[index] = _through_part(graph, index, [tangents[k] for k in node[2:]])
        elif node[0] == "result":
            own = of_parts[node[1]].get(node[2], {})
        elif node[0] == "select":
            first, second = tangents[node[2]], tangents[node[3]]
            for k in sorted(first.keys() | second.keys()):
                own[k] = fold.select(graph, node[1], first.get(k, zero), second.get(k, zero))
        else:
            for operand, partial in partial_derivatives(graph, index):
                for k, tangent in tangents[operand].items():
                    term = fold.multiply(graph, partial, tangent)
                    own[k] = fold.add(graph, own[k], term) if k in own else term
        tangents[index] = {k: t for k, t in own.items() if t != zero}
    return tangents


def _through_part(graph: Graph, index: int, given: list[Tangent]) -> dict[int, Tangent]:
    """Tangents of the results of a part, by their positions."""
    node = graph.nodes[index]
    part, operands = graph.parts[node[1]], node[2:]
    directions = sorted({k for tangent in given for k in tangent})
    active = tuple(k for k, tangent in enumerate(given) if tangent)
    if not directions:
        return {}
    if isinstance(part, Traced) and len(directions) > 1 and len(active) <= 2 * len(directions):
        return _by_jacobian(graph, part, operands, given, active, directions)
    if isinstance(part, Scan | Repeat) and len(directions) > 2:
        return _over_directions(graph, part, operands, given, active, directions)
    found: dict[int, Tangent] = {}
    zero = graph.constant(0.0)
    for k in directions:
        along = [tangent.get(k, zero) for tangent in given]
        for position, value in enumerate(part_tangents(graph, part, operands, along, active)):
            if value is not None and value != zero:
                found.setdefault(position, {})[k] = value
    return found


def part_tangents(
    graph: Graph, part: object, operands: Sequence[int], along: Sequence[int], active: tuple[int, ...]
) -> list[int | None]:
    """Tangents of the results of a part along one direction; only the `active` operands change in it."""
    if isinstance(part, Traced):
        return list(call_nodes(graph, pushforward(part, active), (*operands, *(along[k] for k in active))))
    if isinstance(part, Scan):
        return scan_tangents(graph, part, operands, along, active, with_tangents)
    return tangents_of_program(graph, part, operands, along, active, with_tangents)


def with_tangents(part: Traced, active: tuple[int, ...]) -> Traced:
    """The function of (x, dx) flat, dx of the active inputs only, with outputs (y..., dy...)."""
    return _cached(_pushed, part, ("both", active), lambda: _pushed_function(part, active, both=True))


def pushforward(part: Traced, active: tuple[int, ...]) -> Traced:
    """The function of (x, dx) flat, dx of the active inputs only, with output dy flat."""
    rule = part.rule
    if rule is not None and rule.jvp is not None:
        return _cached(_pushed, part, active, lambda: rule.pushforward(part, active))
    return _cached(_pushed, part, active, lambda: _pushed_function(part, active, both=False))


def _pushed_function(part: Traced, active: tuple[int, ...], both: bool) -> Traced:
    new = copied(part)
    graph, count = new.graph, new.input_offsets[-1]
    seeds = {graph.node("input", k): {0: graph.node("input", count + j)} for j, k in enumerate(active)}
    zero = graph.constant(0.0)
    tangents = push(graph, new.flat_outputs, seeds)
    derived = tuple(tuple(tangents[k].get(0, zero) for k in output) for output in new.outputs)
    if both:
        outputs = (*new.outputs, *derived)
        shapes = new.output_shapes * 2
    else:
        outputs = (tuple(k for output in derived for k in output),)
        shapes = ((len(outputs[0]),),)
    return Traced(
        graph, ((count,), (len(active),)), outputs, shapes, len(outputs) == 1, f"{part.name}_tangent"
    )


def jacobian_part(part: Traced, active: tuple[int, ...]) -> Traced:
    """The function of x flat whose output (outputs, active inputs) is its matrix of derivatives."""
    rule = part.rule
    if rule is not None and rule.jacobian is not None:
        return _cached(_jacobians, part, active, lambda: rule.jacobian_part(part, active))
    return _cached(_jacobians, part, active, lambda: _jacobian_function(part, active))


def _jacobian_function(part: Traced, active: tuple[int, ...]) -> Traced:
    new = copied(part)
    graph, one, zero = new.graph, new.graph.constant(1.0), new.graph.constant(0.0)
    tangents = push(graph, new.flat_outputs, {graph.node("input", k): {k: one} for k in active})
    entries = tuple(tangents[node].get(k, zero) for node in new.flat_outputs for k in active)
    shape = (len(new.flat_outputs), len(active))
    return replace(
        new, input_shapes=((new.input_offsets[-1],),), outputs=(entries,), output_shapes=(shape,), single=True,
        name=f"{part.name}_jacobian", rule=None,
    )  # fmt: skip


def _by_jacobian(
    graph: Graph, part: Traced, operands: Sequence[int], given: list[Tangent], active: tuple[int, ...],
    directions: list[int],
) -> dict[int, Tangent]:  # fmt: skip
    """The chain rule: the part's matrix of derivatives times the tangents of its operands."""
    zero = graph.constant(0.0)
    entries = call_nodes(graph, jacobian_part(part, active), operands)
    rows, columns, found = len(part.flat_outputs), len(active), {}
    if rows * columns * len(directions) > _UNROLLED:
        dense = [given[j].get(k, zero) for j in active for k in directions]
        product = shared(Product(rows, columns, len(directions))).nodes(graph, entries, dense)
        for i in range(rows):
            found[i] = {k: product[i * len(directions) + d] for d, k in enumerate(directions)}
        return found
    for i in range(rows):
        own: Tangent = {}
        for c, j in enumerate(active):
            for k, tangent in given[j].items():
                term = fold.multiply(graph, entries[i * columns + c], tangent)
                own[k] = fold.add(graph, own[k], term) if k in own else term
        found[i] = own
    return found


def _over_directions(
    graph: Graph, part: Scan | Repeat, operands: Sequence[int], given: list[Tangent], active: tuple[int, ...],
    directions: list[int],
) -> dict[int, Tangent]:  # fmt: skip
    """Derivatives of a loop along many directions: a loop over the directions around its derivative."""
    inner, zero = Graph(), graph.constant(0.0)
    fixed, row = inputs_of(inner, 1, len(operands)), inputs_of(inner, 1 + len(operands), len(active))
    along = [inner.constant(0.0)] * len(operands)
    for j, k in enumerate(active):
        along[k] = row[j]
    values = part_tangents(inner, part, fixed, along, active)
    kept = [k for k, value in enumerate(values) if value is not None]
    shapes = (), (0,), (len(fixed),), (len(row),)
    outputs = (), tuple(value for value in values if value is not None)
    body = Traced(inner, shapes, outputs, ((0,), (len(kept),)), False, "along_a_direction")
    rows = [given[j].get(k, zero) for k in directions for j in active]
    results = Repeat(body, len(directions)).nodes(graph, (), operands, rows)
    return {
        position: {k: results[d * len(kept) + place] for d, k in enumerate(directions)}
        for place, position in enumerate(kept)
    }


def _cached(cache: WeakKeyDictionary, part: Traced, key: object, make):
    known = cache.setdefault(part, {})
    if key not in known:
        known[key] = make()
    return known[key]
