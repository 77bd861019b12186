"""The direct entry: one plain call from Python without the machinery of a ufunc.

It is a function for `PyCFunction_NewEx` with METH_FASTCALL. Its `self` is a bytes object holding the
addresses in `FIELDS`. Arguments that are not exactly contiguous arrays of the right type and shape go to the
slow callable.
"""

from __future__ import annotations

from collections.abc import Sequence

Shape = tuple[int, ...]
FIELDS = (
    "array_type", "descriptor", "PyArray_New", "slow", "PyObject_Vectorcall", "PyArray_Return", "PyTuple_New",
    "PyTuple_SetItem",
)  # fmt: skip
#: offsets in NumPy's array object and of the data of a bytes object (standard 64-bit builds of Python)
DATA, DIMENSIONS_COUNT, DIMENSIONS, DESCRIPTOR, FLAGS, BYTES_DATA = 16, 24, 32, 56, 64, 32
_CONTIGUOUS_ALIGNED = 0x0001 | 0x0100


def entry_function(
    shapes: Sequence[Shape], inputs: int, type_number: int, scalar: str, watched: bool = False
) -> str:
    """`ptr entry(ptr self, ptr args, i64 nargs)` around the scalar function. watched: NaN goes to the slow callable."""
    dimensions = sorted({shape for shape in shapes if shape})
    names = {shape: f"@shape_{'_'.join(map(str, shape))}" for shape in dimensions}
    constants = "\n".join(
        f"{name} = internal constant [{len(shape)} x i64] [{', '.join(f'i64 {n}' for n in shape)}], align 8"
        for shape, name in names.items()
    )
    checks = "\n".join(_check(k, shape) for k, shape in enumerate(shapes[:inputs]))
    arguments = ", ".join(
        [f"ptr %d{k}" for k in range(inputs)] + [f"ptr %rd{k}" for k in range(len(shapes) - inputs)]
    )
    outputs = "\n".join(_output(k, shape, names, type_number) for k, shape in enumerate(shapes[inputs:]))
    return f"""{constants}
define ptr @entry(ptr %self, ptr %args, i64 %nargs) {{
start:
  %context = getelementptr i8, ptr %self, i64 {BYTES_DATA}
{_fields()}
  %enough = icmp eq i64 %nargs, {inputs}
  br i1 %enough, label %check0, label %slow
{checks}
check{inputs}:{_watch(inputs) if watched else ""}
{outputs}
make{len(shapes) - inputs}:
  call void @{scalar}({arguments})
{_returned([shape == () for shape in shapes[inputs:]])}
failed:
  ret ptr null
slow:
  %answer = call ptr %PyObject_Vectorcall(ptr %slow_callable, ptr %args, i64 %nargs, ptr null)
  ret ptr %answer
}}
"""


def _fields() -> str:
    lines = []
    for k, name in enumerate(FIELDS):
        value = "slow_callable" if name == "slow" else name
        lines.append(f"  %field{k} = getelementptr ptr, ptr %context, i64 {k}")
        lines.append(f"  %{value} = load ptr, ptr %field{k}, align 8")
    return "\n".join(lines)


def _check(k: int, shape: Shape) -> str:
    """Go on if argument k is a contiguous array of exactly this shape, else take the slow path."""
    sizes = []
    for axis, extent in enumerate(shape):
        sizes.append(f"""  %np{k}_{axis} = getelementptr i64, ptr %dims{k}, i64 {axis}
  %n{k}_{axis} = load i64, ptr %np{k}_{axis}, align 8
  %f{k}_{axis} = icmp eq i64 %n{k}_{axis}, {extent}
  %fits{k}_{axis + 1} = and i1 {"true" if axis == 0 else f"%fits{k}_{axis}"}, %f{k}_{axis}""")
    fits = f"%fits{k}_{len(shape)}" if shape else "true"
    joined = "\n".join(sizes)
    return f"""check{k}:
  %ap{k} = getelementptr ptr, ptr %args, i64 {k}
  %arg{k} = load ptr, ptr %ap{k}, align 8
  %tp{k} = getelementptr i8, ptr %arg{k}, i64 8
  %type{k} = load ptr, ptr %tp{k}, align 8
  %is_array{k} = icmp eq ptr %type{k}, %array_type
  br i1 %is_array{k}, label %array{k}, label %slow
array{k}:
  %ndp{k} = getelementptr i8, ptr %arg{k}, i64 {DIMENSIONS_COUNT}
  %nd{k} = load i32, ptr %ndp{k}, align 4
  %same_nd{k} = icmp eq i32 %nd{k}, {len(shape)}
  %dep{k} = getelementptr i8, ptr %arg{k}, i64 {DESCRIPTOR}
  %de{k} = load ptr, ptr %dep{k}, align 8
  %same_de{k} = icmp eq ptr %de{k}, %descriptor
  %flp{k} = getelementptr i8, ptr %arg{k}, i64 {FLAGS}
  %fl{k} = load i32, ptr %flp{k}, align 4
  %fm{k} = and i32 %fl{k}, {_CONTIGUOUS_ALIGNED}
  %same_fl{k} = icmp eq i32 %fm{k}, {_CONTIGUOUS_ALIGNED}
  %both{k} = and i1 %same_nd{k}, %same_de{k}
  %all{k} = and i1 %both{k}, %same_fl{k}
  br i1 %all{k}, label %sizes{k}, label %slow
sizes{k}:
  %dimp{k} = getelementptr i8, ptr %arg{k}, i64 {DIMENSIONS}
  %dims{k} = load ptr, ptr %dimp{k}, align 8
{joined}
  %dp{k} = getelementptr i8, ptr %arg{k}, i64 {DATA}
  %d{k} = load ptr, ptr %dp{k}, align 8
  br i1 {fits}, label %check{k + 1}, label %slow"""


def _watch(inputs: int) -> str:
    given = ", ".join(f"ptr %d{k}" for k in range(inputs))
    return f"""
  %has_nan = call i1 @has_nan({given})
  br i1 %has_nan, label %slow, label %numbers
numbers:"""


def _output(k: int, shape: Shape, names: dict[Shape, str], type_number: int) -> str:
    """Make the array of output k; the code of output k + 1, or of the call, follows at its label."""
    label = "" if k == 0 else f"make{k}:\n"
    dimensions = names[shape] if shape else "null"
    made = f"ptr %array_type, i32 {len(shape)}, ptr {dimensions}, i32 {type_number}"
    return f"""{label}  %r{k} = call ptr %PyArray_New({made}, ptr null, ptr null, i32 0, i32 0, ptr null)
  %bad{k} = icmp eq ptr %r{k}, null
  br i1 %bad{k}, label %failed, label %made{k}
made{k}:
  %rp{k} = getelementptr i8, ptr %r{k}, i64 {DATA}
  %rd{k} = load ptr, ptr %rp{k}, align 8
  br label %make{k + 1}"""


def _returned(scalars: list[bool]) -> str:
    """Arrays without dimensions become NumPy scalars, several results a tuple."""
    lines, values = [], []
    for k, scalar in enumerate(scalars):
        if scalar:
            lines.append(f"  %v{k} = call ptr %PyArray_Return(ptr %r{k})")
        values.append(f"%v{k}" if scalar else f"%r{k}")
    if len(values) == 1:
        return "\n".join([*lines, f"  ret ptr {values[0]}"])
    lines += [
        f"  %tuple = call ptr %PyTuple_New(i64 {len(values)})",
        "  %no_tuple = icmp eq ptr %tuple, null",
        "  br i1 %no_tuple, label %failed, label %fill",
        "fill:",
        *(
            f"  %set{k} = call i32 %PyTuple_SetItem(ptr %tuple, i64 {k}, ptr {v})"
            for k, v in enumerate(values)
        ),
        "  ret ptr %tuple",
    ]
    return "\n".join(lines)
