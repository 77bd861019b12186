"""CUDA source of a kernel: one thread per sample, arrays (samples, columns) with their rows side by side.

Threads read their rows straight from memory, all columns at once at the start: then the caches still hold what
the neighbouring columns need (forward dynamics on an H200: half as fast again as reading where a value is
used, and faster than rows copied through shared memory). Narrow outputs are written as soon as they are there.

Wide ones would be written in scattered pieces, and a sector of memory whose parts are written at different times is
read and written again. There a warp collects whole rows in shared memory, in whichever order their columns come, and
writes its 32 rows in one go; rows that do not fit go in groups of columns. Rows of the tile have an odd length, so that
threads meet different banks.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...trace import Traced, scheduled
from ..c_source import Body, Dialect, Names, function_text, helper_functions, sub_functions
from ..number_formats import Format
from ..output_order import ends_first

#: threads of a block; few, since a thread may use all the registers that there are
THREADS = 64
#: bytes of memory of its own that a thread may have
THREAD_MEMORY = 512 * 1024
#: outputs with more columns are wide
NARROW = 16
#: bytes of shared memory of a warp, whose block has no other then, and columns of a group of rows that do not fit in it
TILE, GROUP = 48 * 1024, 64
#: bytes that sub-functions take, or return, in registers
IN_REGISTERS = 256

_READ = """\
/* Read a number here and not later: the compiler would move it to where it is used. */
__device__ __forceinline__ real um_read(const real *place)
{
    real x = *place;
#ifdef __CUDA_ARCH__
    asm volatile("" : "+%s"(x));
#endif
    return x;
}
"""
#: The compiler's own quotients call a function for extreme operands, and every call disturbs the code around it.
#: This is their fast path alone: the same bits as IEEE division, except near the limits of the format's range.
_DIVIDE = {
    "float64": """\
__device__ __forceinline__ double um_divide(double a, double b)
{
#ifdef __CUDA_ARCH__
    double r0, r, e;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r0) : "d"(b));
    e = fma(-b, r0, 1.0);
    r = fma(fma(e, e, e), r0, r0);
    r = fma(fma(-b, r, 1.0), r, r);
    const double q = a * r, s = fma(fma(-b, q, a), r, q);
    return s == s ? s : a * r0;
#else
    return a / b;
#endif
}
""",
    "float32": """\
__device__ __forceinline__ float um_divide(float a, float b)
{
#ifdef __CUDA_ARCH__
    float r0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r0) : "f"(b));
    const float r = fmaf(fmaf(-b, r0, 1.0f), r0, r0), q = a * r, s = fmaf(fmaf(-b, q, a), r, q);
    return s == s ? s : a * r0;
#else
    return a / b;
#endif
}
""",
}  # fmt: skip
_ROWS_OUT = """\
/* Write columns of the rows of one warp from a tile (rows `pitch` apart) to memory (rows `stride` apart). */
template <int columns, int pitch, int stride>
__device__ __forceinline__ void um_rows_out(real *rows, const real *tile, int count, int lane)
{
    __syncwarp();
    if (count == 32) {
        #pragma unroll
        for (int k = 0; k < columns; ++k) {
            const int entry = 32 * k + lane, row = entry / columns, column = entry % columns;
            rows[row * stride + column] = tile[row * pitch + column];
        }
    } else {
        for (int entry = lane; entry < count * columns; entry += 32) {
            const int row = entry / columns, column = entry % columns;
            rows[row * stride + column] = tile[row * pitch + column];
        }
    }
    __syncwarp();
}
"""


def cuda_dialect(form: Format) -> Dialect:
    """How C-like code is written for the GPU."""
    short = form.bytes == 4
    return Dialect(
        form, inline="__device__ __forceinline__", outline="__device__ __noinline__",
        table="__device__ const", bits="unsigned int" if short else "unsigned long long",
        not_a_number="__int_as_float(0x7fc00000)" if short else "__longlong_as_double(0x7ff8000000000000ll)",
        infinity="__int_as_float(0x7f800000)" if short else "__longlong_as_double(0x7ff0000000000000ll)",
        fma="fmaf" if short else "fma", by_value=IN_REGISTERS // form.bytes, divide=_DIVIDE[form.name],
    )  # fmt: skip


def cuda_source(plain: Traced, form: Format, name: str, watched: bool = False) -> str:
    """Source of `name(input, stride, ..., output, ..., samples)` for a lowered function.

    Strides between the rows of the inputs count entries; 0 repeats one row for all samples. Outputs are
    contiguous. A tail of a block beyond the last sample repeats it and writes nothing. watched: a NaN among the inputs
    of a sample makes all of its results NaN.
    """
    dialect, names = cuda_dialect(form), Names()
    parts, stores = sub_functions(plain, dialect, names), _stores(plain, form)
    body = Body(
        plain, dialect, names, lambda array, column: f"um_read(x{array} + row * s{array} + {column})",
        scheduled(plain.graph, [index for store in stores for _, index in store.entries]), name,
    )  # fmt: skip
    if body.scratch * form.bytes > THREAD_MEMORY:
        raise ValueError(
            f"{plain.name} keeps {body.scratch} numbers for one sample, more than the {THREAD_MEMORY} bytes that a"
            " thread of the GPU has: use the processor for this system"
        )
    body.read_inputs()
    body.lines += _watch(plain) if watched else []
    spoilt, wide = dialect.not_a_number if watched else "", is_wide(plain)
    for store in stores:
        (_collected if wide else _direct)(body, store, len(plain.outputs[store.array]), spoilt)
    texts = [f"typedef {dialect.real} real;\n", _READ % ("d" if form.bytes == 8 else "f")]
    texts += [*([_ROWS_OUT] if wide else []), *helper_functions(dialect, names), *parts, *body.texts]
    start = _tile_start(stores) if wide else _START
    return "\n".join([*texts, function_text(_head(plain, name), [*start, *body.lines])])


def _head(plain: Traced, name: str) -> str:
    arguments = [f"const real *__restrict__ x{k}, long long s{k}" for k in range(len(plain.input_shapes))]
    arguments += [f"real *__restrict__ y{k}" for k in range(len(plain.outputs))]
    listed = ",\n    ".join([*arguments, "long long samples"])
    return f'extern "C" __global__ void __launch_bounds__({threads_of(plain)}) {name}(\n    {listed})'


_START = [
    "const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
    "if (row >= samples) return;",
]


def is_wide(plain: Traced) -> bool:
    """Whether results go through shared memory."""
    return any(len(output) > NARROW for output in plain.outputs)


def threads_of(plain: Traced) -> int:
    """Threads of a block."""
    return 32 if is_wide(plain) else THREADS


class _Store(NamedTuple):
    """Columns `start` … of an output that are written together, each with its node, in the order they are computed."""

    array: int
    start: int
    entries: tuple[tuple[int, int], ...]


def _stores(plain: Traced, form: Format) -> list[_Store]:
    """The columns in the order in which they are written: from the first on, or from the last on.

    A recursion towards the root, which fills a matrix, leaves the last rows first.
    """
    stores = []
    for array, output in enumerate(plain.outputs):
        fits = 32 * form.bytes * (len(output) | 1) <= TILE
        size = max(1, len(output) if fits or not is_wide(plain) else GROUP)
        stores += [
            _Store(array, start, tuple(enumerate(output[start : start + size])))
            for start in range(0, len(output), size)
        ]
    back = [store._replace(entries=store.entries[::-1]) for store in reversed(stores)]
    return back if ends_first(plain) else stores


def _tile_start(stores: list[_Store]) -> list[str]:
    """The threads of a warp stay together, and those beyond the last sample work on it, too."""
    widest = max(len(store.entries) for store in stores)
    return [
        "const int lane = threadIdx.x;",
        "const long long first = (long long)blockIdx.x * 32;",
        "const int count = samples - first < 32 ? (int)(samples - first) : 32;",
        "const long long row = first + (lane < count ? lane : count - 1);",
        f"__shared__ real tile[{32 * _pitch(widest)}];",
    ]


def _watch(plain: Traced) -> list[str]:
    """Whether there is a NaN among the inputs of this thread's sample."""
    lines = ["bool spoilt = false;"]
    for array, shape in enumerate(plain.input_shapes):
        x = f"x{array}[row * s{array} + k]"
        lines.append(f"for (int k = 0; k < {math.prod(shape)}; ++k) spoilt |= {x} != {x};")
    return lines


def _pitch(columns: int) -> int:
    return columns | 1


def _direct(body: Body, store: _Store, width: int, spoilt: str) -> None:
    """Every column as soon as it is there; over all of them what a spoilt sample has."""
    place = f"y{store.array}[row * {width} + %s]"
    for column, index in store.entries:
        value = body.value(index)
        body.lines.append(f"{place % (store.start + column)} = {value};")
    if spoilt:
        body.lines += _overwritten(place % "k", width, spoilt)


def _collected(body: Body, store: _Store, width: int, spoilt: str) -> None:
    """Columns through the tile."""
    columns = len(store.entries)
    pitch = _pitch(columns)
    for column, index in store.entries:
        value = body.value(index)
        body.lines.append(f"tile[lane * {pitch} + {column}] = {value};")
    if spoilt:
        body.lines += _overwritten(f"tile[lane * {pitch} + k]", columns, spoilt)
    target = f"y{store.array} + first * {width} + {store.start}"
    body.lines.append(f"um_rows_out<{columns}, {pitch}, {width}>({target}, tile, count, lane);")


def _overwritten(place: str, count: int, value: str) -> list[str]:
    """What a spoilt sample has in all places; rare, so the code is short rather than quick."""
    return [
        "if (spoilt) {",
        "#pragma unroll 1",
        f"    for (int k = 0; k < {count}; ++k) {place} = {value};",
        "}",
    ]
