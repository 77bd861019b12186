"""The whole LLVM module of a kernel."""

from __future__ import annotations

from collections.abc import Iterable

from ...trace import LoopPart, Scan, Traced, live_nodes
from ..memory_plan import Plan, has_loops
from ..number_formats import Format
from .block import Parts, declarations
from .direct_entry import entry_function
from .lane_samples import lane_function
from .llvm_types import LlvmTypes
from .loop_parts import collect_function, program_function
from .nan_watch import spoiling_functions
from .pieces import is_long
from .samples import part_function, scalar_function
from .streamed_columns import LINE, NEAR, declared_for_streams
from .streamed_rows import LARGE, row_bytes, streamed_function
from .through_memory import looped_function, looped_part
from .ufunc_loop import Streams, inner_loop, quiet_loop

#: bytes that stay near the processor
_NEAR = 1 << 21
_TYPE_NUMBERS = {"float32": 11, "float64": 12}


def module_text(
    traced: Traced,
    form: Format,
    width: int,
    architecture: str,
    watched: bool = False,
    registers: int = 0,
    samples: str = "any",
    gathered: int = 0,
) -> str:
    """LLVM source of a lowered function: `loop` for NumPy, `entry` for a single call.

    watched: a NaN among the inputs of a sample makes all of its results NaN. registers: for lane vectors that long code
    may use (0: left to LLVM). samples: "one" has the code for one sample only, and the others of a batch follow one by
    one; "many" has that of the lanes only, without `entry`; the bits are the same. gathered: bytes of the lanes' rows
    up to which large results are put together before they go past the caches; larger ones go while they are computed.
    """
    shapes = [*traced.input_shapes, *traced.output_shapes]
    parts, inputs = all_parts(traced), len(traced.input_shapes)
    one, many = alone(form, width, parts), LlvmTypes(form, width)
    names: Parts = {id(part): f"part{k}" for k, part in enumerate(parts)}
    texts = [*declared(traced, *parts), *declarations(one), *declarations(many)]
    fixed = only_by(traced, many.bytes)
    samples = fixed or samples
    for words in {"one": (one,), "many": (many,), "any": (one, many)}[samples]:
        texts += [*part_functions(parts, words, names), *memory_functions(words, *parts)]
    if watched:
        texts.append(spoiling_functions(shapes, inputs, form))
    straight = not _through_memory(traced) and samples != "one"
    told = watched and straight
    watch = "told" if told else "each" if watched else ""
    size, streams = row_bytes(shapes, inputs, many) if fixed or samples != "one" else 0, None
    ways = size * width > gathered and straight and registers > 0 and many.bytes == LINE
    if ways:
        texts.append(declared_for_streams(many))
        streams = Streams(LARGE // size)
    elif size:
        texts.append(streamed_function(shapes, inputs, many, "samples", "streamed", told))
        streams = Streams(LARGE // size, "streamed")
    texts += [
        _of_one(traced, one, names) if samples != "many" else _through_lanes(traced, told, ways),
        _of_many(traced, many, names, told, registers, ways)
        if samples != "one"
        else _one_by_one(traced, width),
        inner_loop(shapes, inputs, form.bytes, "sample", "samples", width, watch, streams),
        quiet_loop(architecture),
    ]
    if fixed or samples != "many":
        texts.append(entry_function(shapes, inputs, _TYPE_NUMBERS[form.name], "sample", watched))
    return "\n".join(texts)


def only_by(traced: Traced, bytes_of_lanes: int) -> str:
    """ "one" or "many" if a function has that code only, whoever calls it; else nothing.

    A sample of a very long function goes through the lanes: compiling it twice would take twice the time. The samples
    of a function of large matrices only go one by one, the rows of matrices through the lanes.
    """
    return "many" if is_long(traced) else "one" if takes_rows(traced, bytes_of_lanes) else ""


def alone(form: Format, width: int, parts: Iterable[Traced | LoopPart]) -> LlvmTypes:
    """How the numbers of one sample are written; its programs have the lanes for the rows of matrices."""
    return LlvmTypes(form, 1, width if any(isinstance(part, LoopPart) for part in parts) else 1)


def _of_one(traced: Traced, one: LlvmTypes, names: Parts) -> str:
    """`sample`, through memory if there are loops over tables."""
    return (looped_function if _through_memory(traced) else scalar_function)(traced, one, names, "sample")


def _of_many(traced: Traced, many: LlvmTypes, names: Parts, told: bool, registers: int, ways: bool) -> str:
    """`samples` of the lanes, through memory if there are loops over tables."""
    if _through_memory(traced):
        return looped_function(traced, many, names, "samples")
    return lane_function(traced, many, names, "samples", told, registers, ways)


def _through_lanes(traced: Traced, told: bool, ways: bool) -> str:
    """`void sample(ptr, ...)` by the function of the lanes."""
    arrays = range(len(traced.input_shapes) + len(traced.outputs))
    given, passed = (", ".join(f"ptr %a{k}{stride}" for k in arrays) for stride in ("", ", i64 0"))
    way, result = (f", i32 {NEAR}" if ways else ""), ("%told = call i1" if told else "call void")
    return f"define internal void @sample({given}) {{\n  {result} @samples({passed}, i64 1{way})\n  ret void\n}}\n"


def takes_rows(traced: Traced, bytes_of_lanes: int) -> bool:
    """Whether samples go one by one, the rows of their matrices through the lanes.

    So it is where nearly all work is on rows, and costs less than bringing samples to their lanes; and where most is,
    and the lanes of all samples together would not stay near the processor.
    """
    nodes, parts = traced.graph.nodes, traced.graph.parts
    live = live_nodes(traced.graph, traced.flat_outputs)
    loops = [parts[nodes[k][1]] for k in live if nodes[k][0] == "loop"]
    on_rows = sum(part.operations for part in loops if part.by_rows)
    rest = traced.operations - on_rows
    if rest <= (traced.input_offsets[-1] + len(traced.flat_outputs)) // 4:
        return on_rows > 0
    return on_rows > rest and Plan(traced).size * bytes_of_lanes > _NEAR


def _one_by_one(traced: Traced, width: int) -> str:
    """`void samples(ptr, i64 stride, ..., i64 count)` by the function of one sample."""
    arrays = range(len(traced.input_shapes) + len(traced.outputs))
    given = ", ".join(f"ptr noalias %a{k}, i64 %s{k}" for k in arrays)
    moved = "\n".join(
        f"  %o{k} = mul i64 %sample, %s{k}\n  %p{k} = getelementptr i8, ptr %a{k}, i64 %o{k}" for k in arrays
    )
    return f"""define internal void @samples({given}, i64 %count) {{
entry:
  %last = call i64 @llvm.umin.i64(i64 %count, i64 {width})
  br label %next
next:
  %sample = phi i64 [0, %entry], [%after, %next]
{moved}
  call void @sample({", ".join(f"ptr %p{k}" for k in arrays)})
  %after = add i64 %sample, 1
  %more = icmp slt i64 %after, %last
  br i1 %more, label %next, label %end
end:
  ret void
}}
"""


def declared(*functions: Traced | LoopPart) -> list[str]:
    """Functions from outside that the code of these functions calls."""
    always = [
        "declare i64 @llvm.umin.i64(i64, i64)",
        "declare ptr @llvm.ptrmask.p0.i64(ptr, i64)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    ]
    memory = ["declare ptr @malloc(i64)", "declare void @free(ptr)"]
    loops = any(isinstance(function, LoopPart) or _through_memory(function) for function in functions)
    return [*always, *(memory if loops else [])]


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
