"""The whole LLVM module of a kernel."""

from __future__ import annotations

from ...trace import Scan, Traced, live_nodes
from ..formats import Format
from .block import Parts, declarations
from .entry import entry_function
from .loop import inner_loop, quiet_loop
from .looped import looped_function
from .samples import lane_function, part_function, scalar_function
from .words import Words

_TYPE_NUMBERS = {"float32": 11, "float64": 12}


def module_text(traced: Traced, form: Format, width: int, architecture: str) -> str:
    """LLVM source of a lowered function: `loop` for NumPy, `entry` for a single call."""
    shapes = [*traced.input_shapes, *traced.output_shapes]
    inputs, one, many = len(traced.input_shapes), Words(form, 1), Words(form, width)
    parts = _all_parts(traced)
    names: Parts = {id(part): f"part{k}" for k, part in enumerate(parts)}
    texts = ["declare i64 @llvm.umin.i64(i64, i64)", *declarations(one), *declarations(many)]
    for words in (one, many):
        texts += [part_function(part, words, names, f"{names[id(part)]}_{words.width}") for part in parts]
    texts += [
        *(_sample_functions(traced, one, many, names)),
        inner_loop(shapes, inputs, form.bytes, "sample", "samples", width),
        quiet_loop(architecture),
        entry_function(shapes, inputs, _TYPE_NUMBERS[form.name], "sample"),
    ]
    return "\n".join(texts)


def _sample_functions(traced: Traced, one: Words, many: Words, names: Parts) -> list[str]:
    """`sample` and `samples`, through memory if there are loops over tables."""
    if any(traced.graph.nodes[k][0] == "scan" for k in live_nodes(traced.graph, traced.flat_outputs)):
        memory = ["declare ptr @malloc(i64)", "declare void @free(ptr)"]
        return [
            *memory,
            looped_function(traced, one, names, "sample"),
            looped_function(traced, many, names, "samples"),
        ]
    return [scalar_function(traced, one, names, "sample"), lane_function(traced, many, names, "samples")]


def _all_parts(traced: Traced) -> list[Traced]:
    """Every sub-function, also of sub-functions, once."""
    found: dict[int, Traced] = {}
    stack = list(traced.graph.parts)
    while stack:
        part = stack.pop()
        if isinstance(part, Scan):
            stack.extend(inner for step in part.steps for inner in step.graph.parts)
        elif id(part) not in found:
            found[id(part)] = part
            stack.extend(part.graph.parts)
    return list(found.values())
