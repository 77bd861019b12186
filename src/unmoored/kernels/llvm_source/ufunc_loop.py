"""The inner loop of a NumPy generalised ufunc around the sample functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .streamed_columns import LINE, NEAR, SHIFTED, WHOLE

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Streams:
    """From how many samples on results go past the caches: by a function of its own, or the lanes are told the way."""

    least: int
    function: str = ""


def inner_loop(
    shapes: Sequence[Shape],
    inputs: int,
    itemsize: int,
    scalar: str,
    lanes: str,
    width: int,
    watched: str = "",
    streams: Streams | None = None,
) -> str:
    """`void all_samples(ptr args, ptr dimensions, ptr steps, ptr data)`, with the arguments of NumPy's loops.

    Arrays whose entries lie side by side go through the lanes, a single sample through the scalar function;
    arrays with other strides are copied sample by sample. watched: a NaN among the inputs of a sample makes all of its
    results NaN; the lanes tell whether there is one ("told"), or every sample is looked at ("each"). streams: how the
    results of many samples go past the caches.
    """
    lines = _arguments(shapes, itemsize)
    count = len(shapes)
    pointers = ", ".join(f"ptr %p{k}" for k in range(count))
    moved = "\n".join(
        f"  %o{k} = mul i64 %done, %s{k}\n  %q{k} = getelementptr i8, ptr %p{k}, i64 %o{k}"
        for k in range(count)
    )
    with_strides = ", ".join(f"ptr %q{k}, i64 %s{k}" for k in range(count))
    chosen, function, way, end = _choice(lanes, streams, range(inputs, count))
    spoilt = f"\n  call void @spoil_sample({pointers})" if watched else ""
    return f"""define internal void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {{
entry:
{_buffers(shapes, itemsize)}
  %samples = load i64, ptr %dimensions, align 8
{lines}
  br i1 %plain, label %contiguous, label %strided_check
contiguous:
  %one = icmp eq i64 %samples, 1
  br i1 %one, label %single, label %many_check
single:
  call void @{scalar}({pointers}){spoilt}
  ret void
many_check:
  %any = icmp sgt i64 %samples, 0{chosen}
  br i1 %any, label %many, label %end
many:
  %done = phi i64 [0, %many_check], [%next, %went]
  %left = sub i64 %samples, %done
{moved}
{_group(function, with_strides, way, width, watched)}
went:
  %next = add i64 %done, {width}
  %more = icmp slt i64 %next, %samples
  br i1 %more, label %many, label %written
written:
{end}
strided_check:
  %any_strided = icmp sgt i64 %samples, 0
  br i1 %any_strided, label %strided, label %end
strided:
  %sample = phi i64 [0, %strided_check], [%sample_next, %strided]
{_strided_sample(shapes, inputs, scalar, bool(watched))}
  %sample_next = add i64 %sample, 1
  %sample_more = icmp slt i64 %sample_next, %samples
  br i1 %sample_more, label %strided, label %end
end:
  ret void
}}
{"".join(_copy_function(k, shape, itemsize, k < inputs) for k, shape in enumerate(shapes))}"""


#: how a processor's floating-point status is put aside and back: declarations, before, after
_STATUS = {
    "x86_64": (
        "declare void @llvm.x86.sse.stmxcsr(ptr)\ndeclare void @llvm.x86.sse.ldmxcsr(ptr)",
        "  %status = alloca i32, align 4\n  call void @llvm.x86.sse.stmxcsr(ptr %status)",
        "  call void @llvm.x86.sse.ldmxcsr(ptr %status)",
    ),
    "aarch64": (
        "declare i64 @llvm.aarch64.get.fpsr()\ndeclare void @llvm.aarch64.set.fpsr(i64)",
        "  %status = call i64 @llvm.aarch64.get.fpsr()",
        "  call void @llvm.aarch64.set.fpsr(i64 %status)",
    ),
}


def quiet_loop(architecture: str) -> str:
    """`void loop(...)`, what NumPy calls: all samples, with the floating-point status left as it was.

    The expansions of elementary functions compute branches that they do not take, so flags raised in there
    would make NumPy warn of errors that did not happen.
    """
    declared, before, after = _STATUS.get(architecture, ("", "", ""))
    return f"""{declared}
define void @loop(ptr %args, ptr %dimensions, ptr %steps, ptr %data) {{
{before}
  call void @all_samples(ptr %args, ptr %dimensions, ptr %steps, ptr %data)
{after}
  ret void
}}
"""


def _choice(lanes: str, streams: Streams | None, outputs: range) -> tuple[str, str, str, str]:
    """The function of the lanes: how it is chosen, its name, its last argument, and what is done at the end."""
    if streams is None:
        return "", f"@{lanes}", "", "  br label %end"
    large = f"\n  %large = icmp sge i64 %samples, {streams.least}\n"
    if streams.function:
        chosen, function, way = (
            f"{large}  %lanes = select i1 %large, ptr @{streams.function}, ptr @{lanes}", "%lanes", "",
        )  # fmt: skip
    else:
        chosen, function, way = large + _way(outputs), f"@{lanes}", ", i32 %way"
    end = """  br i1 %large, label %streamed, label %end
streamed:
  fence seq_cst
  br label %end"""
    return chosen, function, way, end


def _way(outputs: range) -> str:
    """How the lanes store: past the caches if there are many samples, in whole lines if all rows begin with one."""
    lines, inside = [], "0"
    for k in outputs:
        lines += [
            f"  %a{k} = ptrtoint ptr %p{k} to i64",
            f"  %as{k} = or i64 %a{k}, %s{k}",
            f"  %in{k} = or i64 {inside}, %as{k}",
        ]
        inside = f"%in{k}"
    return "\n".join(
        [
            *lines,
            f"  %inside = and i64 {inside}, {LINE - 1}",
            "  %whole = icmp eq i64 %inside, 0",
            f"  %past = select i1 %whole, i32 {WHOLE}, i32 {SHIFTED}",
            f"  %way = select i1 %large, i32 %past, i32 {NEAR}",
        ]
    )


def _group(function: str, arrays: str, way: str, width: int, watched: str) -> str:
    """As many samples as there are lanes; then those with a NaN, if there may be some. `went` follows."""
    if not watched:
        return f"  call void {function}({arrays}, i64 %left{way})\n  br label %went"
    told = "call i1" if watched == "told" else "add i1 true, false\n  call void"
    return f"""  %told = {told} {function}({arrays}, i64 %left{way})
  br i1 %told, label %spoil, label %went
spoil:
  %full = icmp slt i64 %left, {width}
  %group = select i1 %full, i64 %left, i64 {width}
  call void @spoil_samples({arrays}, i64 %group)
  br label %went"""


def _arguments(shapes: Sequence[Shape], itemsize: int) -> str:
    """Load pointers and strides; `%plain` tells whether the entries of every sample are contiguous."""
    lines, position, plain = [], len(shapes), "true"
    for k, shape in enumerate(shapes):
        lines += [
            f"  %pp{k} = getelementptr ptr, ptr %args, i64 {k}", f"  %p{k} = load ptr, ptr %pp{k}, align 8",
            f"  %sp{k} = getelementptr i64, ptr %steps, i64 {k}", f"  %s{k} = load i64, ptr %sp{k}, align 8",
            f"  %core{k} = getelementptr i64, ptr %steps, i64 {position}",
        ]  # fmt: skip
        for axis in (axis for axis, extent in enumerate(shape) if extent > 1):  # NumPy says 0 for the others
            tag = f"{k}_{axis}"
            expected = itemsize * math.prod(shape[axis + 1 :])
            lines += [
                f"  %cp{tag} = getelementptr i64, ptr %core{k}, i64 {axis}",
                f"  %c{tag} = load i64, ptr %cp{tag}, align 8",
                f"  %e{tag} = icmp eq i64 %c{tag}, {expected}",
                f"  %plain{tag} = and i1 {plain}, %e{tag}",
            ]
            plain = f"%plain{tag}"
        position += len(shape)
    lines.append(f"  %plain = and i1 {plain}, true")
    return "\n".join(lines)


def _buffers(shapes: Sequence[Shape], itemsize: int) -> str:
    return "\n".join(
        f"  %b{k} = alloca i8, i64 {max(1, math.prod(shape)) * itemsize}, align 64"
        for k, shape in enumerate(shapes)
    )


def _strided_sample(shapes: Sequence[Shape], inputs: int, scalar: str, watched: bool) -> str:
    lines = []
    for k in range(len(shapes)):
        lines += [
            f"  %so{k} = mul i64 %sample, %s{k}", f"  %sq{k} = getelementptr i8, ptr %p{k}, i64 %so{k}",
        ]  # fmt: skip
    copies = [f"  call void @copy{k}(ptr %b{k}, ptr %sq{k}, ptr %core{k})" for k in range(len(shapes))]
    buffers = ", ".join(f"ptr %b{k}" for k in range(len(shapes)))
    calls = [f"  call void @{name}({buffers})" for name in (scalar, *(["spoil_sample"] if watched else []))]
    return "\n".join([*lines, *copies[:inputs], *calls, *copies[inputs:]])


def _copy_function(k: int, shape: Shape, itemsize: int, inward: bool) -> str:
    """Copy one sample of array k between its strided place and a contiguous buffer."""
    bits, size = f"i{8 * itemsize}", math.prod(shape)
    lines, offset = [], "0"
    for axis, extent in enumerate(shape):
        suffix = max(1, math.prod(shape[axis + 1 :]))
        lines += [
            f"  %d{axis} = udiv i64 %i, {suffix}", f"  %m{axis} = urem i64 %d{axis}, {max(extent, 1)}",
            f"  %cp{axis} = getelementptr i64, ptr %strides, i64 {axis}",
            f"  %c{axis} = load i64, ptr %cp{axis}, align 8", f"  %t{axis} = mul i64 %m{axis}, %c{axis}",
            f"  %u{axis} = add i64 {offset}, %t{axis}",
        ]  # fmt: skip
        offset = f"%u{axis}"
    body = "\n".join(lines)
    source, target = ("%far", "%near") if inward else ("%near", "%far")
    return f"""define internal void @copy{k}(ptr %buffer, ptr %place, ptr %strides) {{
entry:
  br i1 {"true" if size else "false"}, label %entries, label %end
entries:
  %i = phi i64 [0, %entry], [%next, %entries]
{body}
  %near = getelementptr {bits}, ptr %buffer, i64 %i
  %far = getelementptr i8, ptr %place, i64 {offset}
  %value = load {bits}, ptr {source}, align {itemsize}
  store {bits} %value, ptr {target}, align {itemsize}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, {size}
  br i1 %more, label %entries, label %end
end:
  ret void
}}
"""
