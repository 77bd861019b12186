"""Functions compiled for the GPU, called with arrays that live there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...error_roots import ArrayError
from ...trace import LOOPS_BEYOND, Traced, trace
from ..kernel import Facts
from ..lower import lowered
from ..number_formats import format_of
from .cuda_source import cuda_source, threads_of
from .device import cupy, device_array

Shape = tuple[int, ...]
#: products and sums are fused where the graph says so, and nowhere else
OPTIONS = ("--std=c++17", "-fmad=false")
#: shapes of calls that a kernel remembers
_MOST_PLANS = 64


class _Plan(NamedTuple):
    """Shapes of the results of a call, how many samples there are, and blocks of threads."""

    results: list[Shape]
    samples: int
    blocks: tuple[int]


class CudaKernel:
    """A compiled function of GPU arrays `(..., *shape)`; leading dimensions are a batch and broadcast.

    `kernel(*arrays, out=None)` returns a CuPy array, or a tuple of them if there are several outputs.
    Arguments are CuPy arrays or anything with `__cuda_array_interface__` or DLPack on the GPU, used where they
    are; host data is uploaded. Work is queued on CuPy's current stream.
    """

    __slots__ = ("_block", "_function", "_plans", "_sizes", "dtype", "facts", "name", "source")

    name: str
    dtype: np.dtype[Any]
    facts: Facts
    source: str

    def __init__(
        self, name: str, dtype: np.dtype, facts: Facts, source: str, entry: str, threads: int
    ) -> None:
        self.name, self.dtype, self.facts, self.source = name, dtype, facts, source
        self._block, self._plans = (threads,), {}
        self._function = cupy().RawKernel(source, entry, options=OPTIONS)
        self._sizes = [math.prod(shape) for shape in facts.input_shapes]

    @property
    def operations(self) -> int:
        """Arithmetic operations per sample."""
        return self.facts.operations

    def __repr__(self) -> str:
        return f"CudaKernel({self.name}, {self.dtype.name}, {self.operations} operations)"

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        module, dtype, shapes = cupy(), self.dtype, []
        kind = module.ndarray
        for x in arrays:
            if x.__class__ is not kind or x.dtype is not dtype or not x.flags.c_contiguous:
                return self._general(arrays, out)
            shapes.append(x.shape)
        plan = self._plans.get(tuple(shapes)) or self._planned(tuple(shapes))
        if plan is None:
            return self._general(arrays, out)
        if out is None:
            results = [module.empty(shape, dtype) for shape in plan.results]
        else:
            results = list(out) if isinstance(out, tuple) else [out]
            if not self._may_write(results, plan.results, arrays):
                return self._general(arrays, out)
        arguments: list[Any] = []
        for x, size in zip(arrays, self._sizes, strict=True):
            arguments += (x, size)
        self._function(plan.blocks, self._block, (*arguments, *results, plan.samples))
        return results[0] if len(results) == 1 else tuple(results)

    def _planned(self, shapes: tuple[Shape, ...]) -> _Plan | None:
        """For contiguous arrays of these shapes with one batch for all, which is not empty; None for others."""
        cores = self.facts.input_shapes
        if len(shapes) != len(cores):
            return None
        batches = [shape[: len(shape) - len(core)] for shape, core in zip(shapes, cores, strict=True)]
        fitting = [batch + core for batch, core in zip(batches, cores, strict=True)] == list(shapes)
        samples = math.prod(batches[0])
        if not fitting or len(set(batches)) > 1 or not batches[0] or not samples:
            return None
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        results = self._shapes_of_results(batches[0])
        found = self._plans[shapes] = _Plan(results, samples, (-(-samples // self._block[0]),))
        return found

    def _may_write(self, results: list[Any], shapes: list[Shape], inputs: tuple[Any, ...]) -> bool:
        """Whether the results may go straight into these arrays: usual ones that share no memory with others."""
        kind, taken = cupy().ndarray, [(x.data.ptr, x.data.ptr + x.nbytes) for x in inputs]
        if len(results) != len(shapes):
            return False
        for y, shape in zip(results, shapes, strict=True):
            if (
                y.__class__ is not kind
                or y.dtype is not self.dtype
                or y.shape != shape
                or not y.flags.c_contiguous
            ):
                return False
            first, last = y.data.ptr, y.data.ptr + y.nbytes
            if any(first < end and start < last for start, end in taken):
                return False
            taken.append((first, last))
        return True

    def _shapes_of_results(self, batch: Shape) -> list[Shape]:
        return [batch + shape for shape in self.facts.output_shapes]

    def _general(self, arrays: tuple[Any, ...], out: Any) -> Any:
        """Any arguments: converted, broadcast, copied where that is needed, and refused with a reason."""
        shapes = self.facts.input_shapes
        if len(arrays) != len(shapes):
            raise TypeError(f"{self.name} takes {len(shapes)} arrays, got {len(arrays)}")
        inputs = [self._input(k, x, shape) for k, (x, shape) in enumerate(zip(arrays, shapes, strict=True))]
        leading = [x.shape[: x.ndim - len(shape)] for x, shape in zip(inputs, shapes, strict=True)]
        batch = leading[0] if all(shape == leading[0] for shape in leading) else self._broadcast(leading)
        results, targets = self._outputs(batch, inputs, out)
        samples = math.prod(batch)
        if samples:
            arguments: list[Any] = []
            for x, shape, own in zip(inputs, shapes, leading, strict=True):
                arguments += _rows(x, shape, own, batch)
            blocks = (-(-samples // self._block[0]),)
            self._function(blocks, self._block, (*arguments, *results, samples))
        for result, target in zip(results, targets, strict=True):
            if result is not target:
                target[...] = result
        return targets[0] if len(targets) == 1 else tuple(targets)

    def _input(self, k: int, x: Any, shape: Shape) -> Any:
        """Argument k as a CuPy array of the kernel's type, with the right last dimensions."""
        array = device_array(x)
        if array.dtype != self.dtype:
            if not np.can_cast(array.dtype, self.dtype, "safe"):
                raise TypeError(
                    f"{self.name}: argument {k} must be {self.dtype.name}, not {array.dtype.name}"
                )
            array = array.astype(self.dtype)
        if array.shape[max(array.ndim - len(shape), 0) :] != shape:
            raise ArrayError(f"{self.name}: argument {k} must have shape (..., {shape}), got {array.shape}")
        return array

    def _broadcast(self, leading: list[Shape]) -> Shape:
        try:
            return np.broadcast_shapes(*leading)
        except ValueError:
            raise ArrayError(f"{self.name}: batches of shapes {leading} do not broadcast") from None

    def _outputs(self, batch: Shape, inputs: list[Any], out: Any) -> tuple[list[Any], list[Any]]:
        """Contiguous arrays to write into, and the arrays to return: new ones, or the given `out`."""
        module = cupy()
        shapes = self._shapes_of_results(batch)
        if out is None:
            new = [module.empty(shape, self.dtype) for shape in shapes]
            return new, new
        given = [device_array(x) for x in (out if isinstance(out, tuple) else (out,))]
        found = [(array.shape, array.dtype) for array in given]
        if found != [(shape, self.dtype) for shape in shapes]:
            raise ArrayError(f"{self.name}: out must have shapes {shapes} in {self.dtype.name}, got {found}")
        direct = [
            array.flags.c_contiguous and not any(module.may_share_memory(array, x) for x in inputs)
            for array in given
        ]
        written = [
            array if ok else module.empty(array.shape, self.dtype)
            for array, ok in zip(given, direct, strict=True)
        ]
        return written, given


def _rows(x: Any, shape: Shape, own: Shape, batch: Shape) -> tuple[Any, int]:
    """An array with contiguous rows, and the entries from row to row: 0 for one row for all samples."""
    size = math.prod(shape)
    if x.flags.c_contiguous:
        if own == batch:
            return x, size
        if math.prod(own) == 1:
            return x, 0
    elif own == batch and len(own) == 1 and len(shape) == 1 and x.strides[1] == x.itemsize:
        step, rest = divmod(x.strides[0], x.itemsize)
        if not rest:
            return x, step
    return cupy().ascontiguousarray(cupy().broadcast_to(x, batch + shape)), size


def compile(
    function: Callable[..., Any] | Traced,
    shapes: Sequence[Sequence[int]] = (),
    *,
    name: str | None = None,
    dtype: object = "float64",
    loops_beyond: int | None = LOOPS_BEYOND,
    exact_zeros: bool = True,
    watched: bool = False,
) -> CudaKernel:
    """Trace a function of arrays with the given shapes and compile it for the GPU (CuPy caches the result).

    Scans over more than `loops_beyond` items become loops over tables. `exact_zeros` and, for batches,
    `watched` as for the processor.
    """
    form = format_of(dtype)
    title = name or getattr(function, "name", None) or getattr(function, "__name__", "function")
    traced = function if isinstance(function, Traced) else None
    if traced is None:
        traced = trace(function, *shapes, name=title, loops_beyond=loops_beyond, exact_zeros=exact_zeros)  # type: ignore[arg-type]
    plain = lowered(traced, form)
    facts = Facts(plain.input_shapes, plain.output_shapes, plain.operations)
    text = cuda_source(plain, form, "kernel", watched)
    return CudaKernel(title, form.dtype, facts, text, "kernel", threads_of(plain))


def source(traced: Traced, dtype: object = "float64", watched: bool = False) -> str:
    """CUDA source of the kernel of a traced function."""
    form = format_of(dtype)
    return cuda_source(lowered(traced, form), form, "kernel", watched)
