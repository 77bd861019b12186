"""Whole functions of a C-like language: sub-functions, and functions of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...trace import LoopPart, Scan, Traced, live_nodes, scheduled
from ...trace.graph import PARTS
from ..memory_plan import has_loops
from .dialect import HELPERS, Dialect
from .function_body import Body
from .loop_parts import program_function
from .statements import Names, function_text


def sub_functions(traced: Traced, dialect: Dialect, names: Names) -> list[str]:
    """Definitions of the sub-functions that are not in `names` yet, callees first; `names` learns them."""
    texts: list[str] = []
    for part in _called(traced):
        if id(part) not in names.parts:
            for inner in part.functions if isinstance(part, LoopPart) else (part,):
                texts += sub_functions(inner, dialect, names)
            if isinstance(part, LoopPart):
                texts += [text for inner in part.functions for text in _named(inner, dialect, names)]
            texts += _named(part, dialect, names)
    return texts


def _named(part: Traced | LoopPart, dialect: Dialect, names: Names) -> list[str]:
    """The definition of a sub-function or program, which gets a name; nothing if it has one."""
    if id(part) in names.parts:
        return []
    name = names.parts[id(part)] = f"um_part{len(names.parts)}"
    names.kept.append(part)
    if isinstance(part, LoopPart):
        return [program_function(part, dialect, names, name)]
    return [_part_function(part, dialect, names)]


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
    unread += [f"(void){array};" for array, output in zip(outputs, traced.outputs, strict=True) if not output]
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


def _called(traced: Traced) -> Iterator[Traced | LoopPart]:
    """The sub-functions that a function and its loops call themselves."""
    for index in live_nodes(traced.graph, traced.flat_outputs):
        node = traced.graph.nodes[index]
        if node[0] not in PARTS:
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
    if max(first[-1], len(part.flat_outputs)) <= dialect.by_value and not has_loops(part):
        return _by_value(part, dialect, names, order)
    body = Body(part, dialect, names, lambda array, k: f"arguments[{first[array]} + {k}]", order, name)
    stores = [f"results[{k}] = {body.value(index)};" for k, index in enumerate(part.flat_outputs)]
    arguments = f"const {dialect.real} *arguments, {dialect.real} *results"
    unread = [] if any(needed_columns(part)) else ["(void)arguments;"]
    text = function_text(f"{dialect.outline} void {name}({arguments})", [*unread, *body.lines, *stores])
    return "\n".join([*body.texts, text])


def _by_value(part: Traced, dialect: Dialect, names: Names, order: list[int]) -> str:
    """The same, around a function that takes and returns its numbers by value.

    The arrays of its callers then are registers, too.
    """
    name, first, real = names.parts[id(part)], part.input_offsets, dialect.real
    needed = [first[array] + k for array, columns in enumerate(needed_columns(part)) for k in columns]
    body = Body(part, dialect, names, lambda array, k: f"g{first[array] + k}", order, name)
    results = range(len(part.flat_outputs))
    stores = [f"found.x{k} = {body.value(index)};" for k, index in enumerate(part.flat_outputs)]
    fields = " ".join(f"{real} x{k};" for k in results)
    given = ", ".join(f"{real} g{k}" for k in needed)
    inner = function_text(
        f"{dialect.outline} {name}_results {name}_of({given})",
        [f"{name}_results found;", *body.lines, *stores, "return found;"],
    )
    passed = ", ".join(f"arguments[{k}]" for k in needed)
    outer = function_text(
        f"{dialect.inline} void {name}(const {real} *arguments, {real} *results)",
        [
            *([] if needed else ["(void)arguments;"]),
            f"const {name}_results found = {name}_of({passed});",
            *(f"results[{k}] = found.x{k};" for k in results),
        ],
    )
    return "\n".join([*body.texts, f"struct {name}_results {{ {fields} }};", inner, outer])
