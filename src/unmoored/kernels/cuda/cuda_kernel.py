"""Functions compiled for the GPU, called with arrays that live there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...error_roots import ArrayError
from ...trace import LOOPS_BEYOND, Traced, trace
from ..kernel import Facts
from ..lower import lowered
from ..number_formats import format_of
from .cuda_source import THREADS, cuda_source
from .device import cupy, device_array

Shape = tuple[int, ...]
#: products and sums are fused where the graph says so, and nowhere else
OPTIONS = ("--std=c++17", "-fmad=false")


class CudaKernel:
    """A compiled function of GPU arrays `(..., *shape)`; leading dimensions are a batch and broadcast.

    `kernel(*arrays, out=None)` returns a CuPy array, or a tuple of them if there are several outputs.
    Arguments are CuPy arrays or anything with `__cuda_array_interface__` or DLPack on the GPU, used where they
    are; host data is uploaded. Work is queued on CuPy's current stream.
    """

    __slots__ = ("_function", "_sizes", "dtype", "facts", "name", "source")

    name: str
    dtype: np.dtype[Any]
    facts: Facts
    source: str

    def __init__(self, name: str, dtype: np.dtype, facts: Facts, source: str, entry: str) -> None:
        self.name, self.dtype, self.facts, self.source = name, dtype, facts, source
        self._function = cupy().RawKernel(source, entry, options=OPTIONS)
        self._sizes = [math.prod(shape) for shape in facts.input_shapes]

    @property
    def operations(self) -> int:
        """Arithmetic operations per sample."""
        return self.facts.operations

    def __repr__(self) -> str:
        return f"CudaKernel({self.name}, {self.dtype.name}, {self.operations} operations)"

    def __call__(self, *arrays: Any, out: Any = None) -> Any:
        batch = self._usual_batch(arrays)
        if batch is None:
            return self._general(arrays, out)
        module, shapes = cupy(), self._shapes_of_results(batch)
        if out is None:
            results = [module.empty(shape, self.dtype) for shape in shapes]
        else:
            results = list(out) if isinstance(out, tuple) else [out]
            if not self._may_write(results, shapes, arrays):
                return self._general(arrays, out)
        samples = math.prod(batch)
        if samples:
            arguments: list[Any] = []
            for x, size in zip(arrays, self._sizes, strict=True):
                arguments += (x, size)
            self._launch(samples, (*arguments, *results, samples))
        return results[0] if len(results) == 1 else tuple(results)

    def _launch(self, samples: int, arguments: tuple[Any, ...]) -> None:
        self._function((-(-samples // THREADS),), (THREADS,), arguments)

    def _usual_batch(self, arrays: tuple[Any, ...]) -> Shape | None:
        """The batch that contiguous CuPy arrays have in common; None if there is anything to check or to convert."""
        shapes, kind, batch = self.facts.input_shapes, cupy().ndarray, None
        if len(arrays) != len(shapes):
            return None
        for x, core in zip(arrays, shapes, strict=True):
            if x.__class__ is not kind or x.dtype is not self.dtype or not x.flags.c_contiguous:
                return None
            shape = x.shape
            cut = len(shape) - len(core)
            if cut < 1 or shape[cut:] != core or shape[:cut] != (batch or shape[:cut]):
                return None
            batch = shape[:cut]
        return batch

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
            self._launch(samples, (*arguments, *results, samples))
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
    return CudaKernel(title, form.dtype, facts, cuda_source(plain, form, "kernel", watched), "kernel")


def source(traced: Traced, dtype: object = "float64", watched: bool = False) -> str:
    """CUDA source of the kernel of a traced function."""
    form = format_of(dtype)
    return cuda_source(lowered(traced, form), form, "kernel", watched)
