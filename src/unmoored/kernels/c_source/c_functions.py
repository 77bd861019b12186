"""Whole functions of a C-like language: sub-functions, and functions of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...trace import Scan, Traced, live_nodes, scheduled
from .dialect import HELPERS, Dialect
from .function_body import Body, has_loops
from .statements import Names, function_text


def sub_functions(traced: Traced, dialect: Dialect, names: Names) -> list[str]:
    """Definitions of the sub-functions that are not in `names` yet, callees first; `names` learns them."""
    texts: list[str] = []
    for part in _called(traced):
        if id(part) not in names.parts:
            texts += sub_functions(part, dialect, names)
            names.parts[id(part)] = f"um_part{len(names.parts)}"
            texts.append(_part_function(part, dialect, names))
    return texts


def helper_functions(dialect: Dialect, names: Names) -> list[str]:
    """Definitions of the helpers that have been used."""
    return [f"{dialect.helper(name)}\n" for name in HELPERS if name in names.helpers]


def array_function(
    traced: Traced, dialect: Dialect, names: Names, name: str, inputs: Sequence[str], outputs: Sequence[str]
) -> str:
    """`void name(const real *input..., real *output...)` for one sample, with everything that it calls.

    All is read before anything is written, so an output may be one of the inputs.
    """
    texts = sub_functions(traced, dialect, names)
    order = live_nodes(traced.graph, traced.flat_outputs)
    body = Body(traced, dialect, names, lambda array, k: f"{inputs[array]}[{k}]", order, name)
    stores = [
        f"{target}[{k}] = {body.value(index)};"
        for target, output in zip(outputs, traced.outputs, strict=True)
        for k, index in enumerate(output)
    ]
    columns = needed_columns(traced)
    unread = [f"(void){array};" for array, needed in zip(inputs, columns, strict=True) if not needed]
    text = function_text(head(dialect, name, inputs, outputs), [*unread, *body.lines, *stores])
    return "\n".join([*texts, *body.texts, text])


def head(dialect: Dialect, name: str, inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The head of a function of arrays."""
    arguments = [f"const {dialect.real} *{array}" for array in inputs]
    arguments += [f"{dialect.real} *{array}" for array in outputs]
    return f"void {name}({', '.join(arguments)})"


def needed_columns(traced: Traced) -> list[list[int]]:
    """For every input, the columns that the outputs depend on; all of them if there are loops."""
    nodes, offsets = traced.graph.nodes, traced.input_offsets
    if has_loops(traced):
        return [list(range(high - low)) for low, high in pairwise(offsets)]
    live = live_nodes(traced.graph, traced.flat_outputs)
    read = sorted(nodes[index][1] for index in live if nodes[index][0] == "input")
    return [[k - low for k in read if low <= k < high] for low, high in pairwise(offsets)]


def _called(traced: Traced) -> Iterator[Traced]:
    """The sub-functions that a function and its loops call themselves."""
    for index in live_nodes(traced.graph, traced.flat_outputs):
        node = traced.graph.nodes[index]
        if node[0] not in ("call", "scan"):
            continue
        part = traced.graph.parts[node[1]]
        if isinstance(part, Scan):
            for step in part.steps:
                yield from _called(step)
        else:
            yield part


def _part_function(part: Traced, dialect: Dialect, names: Names) -> str:
    """`void name(const real *arguments, real *results)`: a sub-function, with the functions of its loops."""
    name, first = names.parts[id(part)], part.input_offsets
    order = scheduled(part.graph, part.flat_outputs)
    body = Body(part, dialect, names, lambda array, k: f"arguments[{first[array]} + {k}]", order, name)
    stores = [f"results[{k}] = {body.value(index)};" for k, index in enumerate(part.flat_outputs)]
    arguments = f"const {dialect.real} *arguments, {dialect.real} *results"
    text = function_text(f"{dialect.outline} void {name}({arguments})", [*body.lines, *stores])
    return "\n".join([*body.texts, text])
