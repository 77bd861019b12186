"""The whole LLVM module of a kernel."""

from __future__ import annotations

from collections.abc import Iterable

from ...trace import LoopPart, Scan, Traced
from ..memory_plan import has_loops
from ..number_formats import Format
from .block import Parts, declarations
from .direct_entry import entry_function
from .llvm_types import LlvmTypes
from .loop_parts import collect_function, program_function
from .pieces import is_long
from .samples import lane_function, part_function, scalar_function
from .through_memory import looped_function, looped_part
from .ufunc_loop import inner_loop, quiet_loop

_TYPE_NUMBERS = {"float32": 11, "float64": 12}


def module_text(traced: Traced, form: Format, width: int, architecture: str) -> str:
    """LLVM source of a lowered function: `loop` for NumPy, `entry` for a single call."""
    shapes = [*traced.input_shapes, *traced.output_shapes]
    inputs, one, many = len(traced.input_shapes), LlvmTypes(form, 1), LlvmTypes(form, width)
    parts = all_parts(traced)
    names: Parts = {id(part): f"part{k}" for k, part in enumerate(parts)}
    texts = [*declared(traced, *parts), *declarations(one), *declarations(many)]
    for words in (many,) if is_long(traced) else (one, many):
        texts += [*part_functions(parts, words, names), *memory_functions(words, *parts)]
    texts += [
        *(_sample_functions(traced, one, many, names)),
        inner_loop(shapes, inputs, form.bytes, "sample", "samples", width),
        quiet_loop(architecture),
        entry_function(shapes, inputs, _TYPE_NUMBERS[form.name], "sample"),
    ]
    return "\n".join(texts)


def _sample_functions(traced: Traced, one: LlvmTypes, many: LlvmTypes, names: Parts) -> list[str]:
    """`sample` and `samples`, through memory if there are loops over tables.

    A sample of a very long function goes through the lanes alone: compiling it twice would take twice the time.
    """
    if is_long(traced):
        arrays = range(len(traced.input_shapes) + len(traced.outputs))
        given, passed = (", ".join(f"ptr %a{k}{stride}" for k in arrays) for stride in ("", ", i64 0"))
        alone = f"define internal void @sample({given}) {{\n  call void @samples({passed}, i64 1)\n  ret void\n}}\n"
        return [looped_function(traced, many, names, "samples"), alone]
    if _through_memory(traced):
        return [
            looped_function(traced, one, names, "sample"),
            looped_function(traced, many, names, "samples"),
        ]
    return [scalar_function(traced, one, names, "sample"), lane_function(traced, many, names, "samples")]


def declared(*functions: Traced | LoopPart) -> list[str]:
    """Functions from outside that the code of these functions calls."""
    memory = ["declare ptr @malloc(i64)", "declare void @free(ptr)"]
    loops = any(isinstance(function, LoopPart) or _through_memory(function) for function in functions)
    return ["declare i64 @llvm.umin.i64(i64, i64)", *(memory if loops else [])]


def part_functions(parts: Iterable[Traced | LoopPart], words: LlvmTypes, names: Parts) -> list[str]:
    """The sub-functions, through memory if there are loops in them, and the programs."""
    texts = []
    for part in parts:
        name = f"{names[id(part)]}_{words.width}"
        if isinstance(part, LoopPart):
            texts.append(program_function(part, words, names, name))
        else:
            texts.append((looped_part if _through_memory(part) else part_function)(part, words, names, name))
    return texts


def _through_memory(traced: Traced) -> bool:
    return has_loops(traced) or is_long(traced)


def memory_functions(words: LlvmTypes, *functions: Traced | LoopPart) -> list[str]:
    """What functions that go through memory need."""
    needed = any(isinstance(part, LoopPart) or _through_memory(part) for part in functions)
    return [collect_function(words)] if needed else []


def all_parts(*functions: Traced) -> list[Traced | LoopPart]:
    """Every sub-function and program, also of sub-functions, once."""
    found: dict[int, Traced | LoopPart] = {}
    stack = [part for traced in functions for part in traced.graph.parts]
    while stack:
        part = stack.pop()
        if isinstance(part, Scan):
            stack.extend(inner for step in part.steps for inner in step.graph.parts)
        elif id(part) not in found:
            found[id(part)] = part
            stack.extend(part.functions if isinstance(part, LoopPart) else part.graph.parts)
    return list(found.values())
