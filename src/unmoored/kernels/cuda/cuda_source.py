"""CUDA source of a kernel: one thread per sample, arrays (samples, columns) with their rows side by side.

Threads read their rows straight from memory, all columns at once at the start: then the caches still hold what
the neighbouring columns need (forward dynamics on an H200: half as fast again as reading where a value is
used, and faster than rows copied through shared memory). Narrow outputs are written as soon as they are there.
Wide ones would be written in scattered pieces; there every warp collects some columns of its 32 rows in shared
memory and writes them in the order in which they lie (five times faster for a 13×13 mass matrix). Rows of the
tile have an odd length, so that threads meet different banks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...trace import Traced, scheduled
from ..c_source import Body, Dialect, Names, function_text, helper_functions, sub_functions
from ..number_formats import Format

#: threads of a block; few, since a thread may use all the registers that there are
THREADS = 64
#: bytes of memory of its own that a thread may have
THREAD_MEMORY = 512 * 1024
#: columns that are written together; outputs with fewer than half of that are narrow
COLUMNS = 32

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
template <int columns, int pitch>
__device__ __forceinline__ void um_rows_out(real *rows, const real *tile, int stride, int count, int lane)
{
    __syncwarp();
    #pragma unroll
    for (int k = 0; k < columns; ++k) {
        const int entry = 32 * k + lane, row = entry / columns, column = entry % columns;
        if (row < count) rows[row * stride + column] = tile[row * pitch + column];
    }
    __syncwarp();
}
"""


def cuda_dialect(form: Format) -> Dialect:
    """How C-like code is written for the GPU."""
    short = form.bytes == 4
    return Dialect(
        form, inline="__device__ __forceinline__", outline="__device__ __noinline__",
        table="__device__ const",
        not_a_number="__int_as_float(0x7fc00000)" if short else "__longlong_as_double(0x7ff8000000000000ll)",
        infinity="__int_as_float(0x7f800000)" if short else "__longlong_as_double(0x7ff0000000000000ll)",
        fma="fmaf" if short else "fma", divide=_DIVIDE[form.name],
    )  # fmt: skip


def cuda_source(plain: Traced, form: Format, name: str, watched: bool = False) -> str:
    """Source of `name(input, stride, ..., output, ..., samples)` for a lowered function.

    Strides between the rows of the inputs count entries; 0 repeats one row for all samples. Outputs are
    contiguous. A tail of a block beyond the last sample repeats it and writes nothing. watched: a NaN among the inputs
    of a sample makes all of its results NaN.
    """
    dialect, names = cuda_dialect(form), Names()
    parts = sub_functions(plain, dialect, names)
    body = Body(
        plain, dialect, names, lambda array, column: f"um_read(x{array} + row * s{array} + {column})",
        scheduled(plain.graph, plain.flat_outputs), name,
    )  # fmt: skip
    if body.scratch * form.bytes > THREAD_MEMORY:
        raise ValueError(
            f"{plain.name} keeps {body.scratch} numbers for one sample, more than the {THREAD_MEMORY} bytes that a"
            " thread of the GPU has: use the processor for this system"
        )
    body.read_inputs()
    body.lines += _watch(plain) if watched else []
    result = f"spoilt ? {dialect.not_a_number} : %s" if watched else "%s"
    wide = any(len(output) > COLUMNS // 2 for output in plain.outputs)
    for array, output in enumerate(plain.outputs):
        if wide:
            _collected(body, array, output, result)
        else:
            _direct(body, array, output, result)
    texts = [f"typedef {dialect.real} real;\n", _READ % ("d" if form.bytes == 8 else "f")]
    texts += [*([_ROWS_OUT] if wide else []), *helper_functions(dialect, names), *parts, *body.texts]
    start = _tile_start(plain) if wide else _START
    return "\n".join([*texts, function_text(_head(plain, name), [*start, *body.lines])])


def _head(plain: Traced, name: str) -> str:
    arguments = [f"const real *__restrict__ x{k}, long long s{k}" for k in range(len(plain.input_shapes))]
    arguments += [f"real *__restrict__ y{k}" for k in range(len(plain.outputs))]
    listed = ",\n    ".join([*arguments, "long long samples"])
    return f'extern "C" __global__ void __launch_bounds__({THREADS}) {name}(\n    {listed})'


_START = [
    "const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
    "if (row >= samples) return;",
]


def _tile_start(plain: Traced) -> list[str]:
    """Threads of one warp stay together, and those beyond the last sample work on it, too."""
    widest = max(len(output) for output in plain.outputs)
    return [
        "const int lane = threadIdx.x % 32;",
        "const long long sample = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = sample - lane;",
        "if (first >= samples) return;",
        "const int count = samples - first < 32 ? (int)(samples - first) : 32;",
        "const long long row = lane < count ? sample : samples - 1;",
        f"__shared__ real tiles[{THREADS // 32}][{32 * _pitch(widest)}];",
        "real *const tile = tiles[threadIdx.x / 32];",
    ]


def _watch(plain: Traced) -> list[str]:
    """Whether there is a NaN among the inputs of this thread's sample."""
    lines = ["bool spoilt = false;"]
    for array, shape in enumerate(plain.input_shapes):
        x = f"x{array}[row * s{array} + k]"
        lines.append(f"for (int k = 0; k < {math.prod(shape)}; ++k) spoilt |= {x} != {x};")
    return lines


def _pitch(columns: int) -> int:
    return min(columns, COLUMNS) | 1


def _direct(body: Body, array: int, output: Sequence[int], result: str) -> None:
    for k, index in enumerate(output):
        value = body.value(index)
        body.lines.append(f"y{array}[row * {len(output)} + {k}] = {result % value};")


def _collected(body: Body, array: int, output: Sequence[int], result: str) -> None:
    """Groups of columns through the tile, each as soon as it is complete."""
    width = len(output)
    for start in range(0, width, COLUMNS):
        group = output[start : start + COLUMNS]
        pitch = _pitch(len(group))
        for k, index in enumerate(group):
            value = body.value(index)
            body.lines.append(f"tile[lane * {pitch} + {k}] = {result % value};")
        target = f"y{array} + first * {width} + {start}"
        body.lines.append(f"um_rows_out<{len(group)}, {pitch}>({target}, tile, {width}, count, lane);")
