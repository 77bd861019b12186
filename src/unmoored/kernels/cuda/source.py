"""CUDA source of a kernel: one thread per sample, arrays (samples, columns) with their rows side by side.

Neighbouring threads read neighbouring rows, so that a column alone would be a strided access. Every warp
therefore copies its 32 rows through shared memory, reading and writing memory in the order in which it lies.
Rows in shared memory have an odd length, which keeps threads on different banks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ...trace import Traced, scheduled
from ..c_source import Body, Dialect, Names, function_text, helper_functions, needed_columns, sub_functions
from ..formats import Format

#: threads of a block; two warps, so that two blocks' worth of shared memory is always free for others
THREADS = 64
#: bytes of shared memory for one warp; what does not fit is read straight from global memory
WARP_MEMORY = 24 * 1024
#: columns of an output that are written together
OUTPUT_COLUMNS = 32

_ROWS = """\
// Copy columns of up to 32 rows of one warp between memory (rows `stride` apart) and a tile (rows `pitch` apart).
template <int columns, int pitch>
__device__ __forceinline__ void um_rows_in(real *tile, const real *rows, long long stride, int count, int lane)
{
    if (stride == columns && pitch == columns) {
        #pragma unroll
        for (int k = 0; k < columns; ++k)
            if (32 * k + lane < columns * count) tile[32 * k + lane] = rows[32 * k + lane];
    } else {
        #pragma unroll
        for (int k = 0; k < columns; ++k) {
            const int entry = 32 * k + lane, row = entry / columns, column = entry % columns;
            if (row < count) tile[row * pitch + column] = rows[row * stride + column];
        }
    }
}

template <int columns, int pitch>
__device__ __forceinline__ void um_rows_out(real *rows, const real *tile, long long stride, int count, int lane)
{
    #pragma unroll
    for (int k = 0; k < columns; ++k) {
        const int entry = 32 * k + lane, row = entry / columns, column = entry % columns;
        if (row < count) rows[row * stride + column] = tile[row * pitch + column];
    }
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
        fma="fmaf" if short else "fma",
    )  # fmt: skip


@dataclass(frozen=True)
class Tile:
    """Columns first ... first + columns - 1 of an input in a warp's shared memory, from `offset` on."""

    first: int
    columns: int
    offset: int

    @property
    def pitch(self) -> int:
        return self.columns | 1


def cuda_source(plain: Traced, form: Format, name: str = "kernel", staged: bool = True) -> str:
    """Source of `name(input, stride, ..., output, ..., count)` for a lowered function.

    Strides between the rows of the inputs count entries; 0 repeats one row for all samples. Outputs are
    contiguous.
    """
    dialect, names = cuda_dialect(form), Names()
    parts = sub_functions(plain, dialect, names)
    tiles, memory = _tiles(plain, form) if staged else ([None] * len(plain.input_shapes), 0)
    widest = max((len(output) for output in plain.outputs), default=1)
    out_pitch = min(widest, OUTPUT_COLUMNS) | 1
    body = Body(
        plain, dialect, names, lambda array, k: _read(array, k, tiles[array]),
        scheduled(plain.graph, plain.flat_outputs), name,
    )  # fmt: skip
    lines = [
        "const int lane = threadIdx.x % 32;",
        "const long long sample = (long long)blockIdx.x * blockDim.x + threadIdx.x, first = sample - lane;",
        "if (first >= samples) return;",
        "const int count = samples - first < 32 ? (int)(samples - first) : 32;",
        f"__shared__ real memory[{THREADS // 32}][{memory + 32 * out_pitch}];",
        "real *const tile = memory[threadIdx.x / 32];",
        *_loads(plain, tiles), *_computed(plain, body, memory, out_pitch, staged),
    ]  # fmt: skip
    texts = [f"typedef {dialect.real} real;\n", _ROWS, *helper_functions(dialect, names), *parts, *body.texts]
    return "\n".join([*texts, function_text(_head(plain, name), lines)])


def _head(plain: Traced, name: str) -> str:
    arguments = [f"const real *__restrict__ x{k}, long long s{k}" for k in range(len(plain.input_shapes))]
    arguments += [f"real *__restrict__ y{k}" for k in range(len(plain.outputs))]
    listed = ",\n    ".join([*arguments, "long long samples"])
    return f'extern "C" __global__ void __launch_bounds__({THREADS}) {name}(\n    {listed})'


def _tiles(plain: Traced, form: Format) -> tuple[list[Tile | None], int]:
    """For every input the columns that go through shared memory, and the entries that they take."""
    tiles: list[Tile | None] = []
    used, most = 0, WARP_MEMORY // form.bytes - 32 * (OUTPUT_COLUMNS + 1)
    for needed in needed_columns(plain):
        tile = Tile(needed[0], needed[-1] - needed[0] + 1, used) if needed else None
        if tile is not None and used + 32 * tile.pitch > most:
            tile = None
        used += 32 * tile.pitch if tile else 0
        tiles.append(tile)
    return tiles, used


def _read(array: int, column: object, tile: Tile | None) -> str:
    if tile is None:
        return f"x{array}[row * s{array} + {column}]"
    return f"tile[{tile.offset} + lane * {tile.pitch} + {column} - {tile.first}]"


def _loads(plain: Traced, tiles: list[Tile | None]) -> Iterator[str]:
    """Copies into shared memory; inputs that have no place there are read where they are needed."""
    if any(tile is None and needed for tile, needed in zip(tiles, needed_columns(plain), strict=True)):
        yield "const long long row = sample < samples ? sample : samples - 1;"
    for k, tile in enumerate(tiles):
        if tile is not None:
            yield (
                f"um_rows_in<{tile.columns}, {tile.pitch}>"
                f"(tile + {tile.offset}, x{k} + first * s{k} + {tile.first}, s{k}, count, lane);"
            )
    yield "__syncwarp();"


def _computed(plain: Traced, body: Body, memory: int, pitch: int, staged: bool) -> list[str]:
    """The statements of the body; groups of columns of the outputs are written as soon as they are there."""
    for array, (output, shape) in enumerate(zip(plain.outputs, plain.output_shapes, strict=True)):
        width = math.prod(shape)
        for start in range(0, width, OUTPUT_COLUMNS):
            group = output[start : start + OUTPUT_COLUMNS]
            values = [body.value(index) for index in group]
            if staged:
                body.lines += [
                    f"tile[{memory} + lane * {pitch} + {k}] = {value};" for k, value in enumerate(values)
                ]
                body.lines += [
                    "__syncwarp();",
                    f"um_rows_out<{len(group)}, {pitch}>"
                    f"(y{array} + first * {width} + {start}, tile + {memory}, {width}, count, lane);",
                    "__syncwarp();",
                ]
            else:
                body.lines += [
                    f"if (sample < samples) y{array}[sample * {width} + {start + k}] = {value};"
                    for k, value in enumerate(values)
                ]
    return body.lines
