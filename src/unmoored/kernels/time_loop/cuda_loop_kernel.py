"""Time loops compiled for the GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..cuda.cuda_kernel import OPTIONS
from ..cuda.cuda_source import THREADS
from ..cuda.device import cupy, device_array
from ..number_formats import Format
from .cuda_loop_source import loop_source
from .loop_call import LoopResult, Prepared, Schedule, prepared
from .loop_functions import MOST_INPUTS, Functions, Sizes


class CudaLoopKernel:
    """A time loop like `LoopKernel`, for arrays on the GPU; host data is uploaded, results stay there."""

    __slots__ = ("_function", "dtype", "name", "operations", "sizes", "source")

    name: str
    dtype: np.dtype[Any]
    sizes: Sizes
    operations: int
    source: str

    def __init__(self, name: str, form: Format, functions: Functions) -> None:
        self.name, self.dtype = name, form.dtype
        self.sizes, self.operations = functions.sizes, functions.operations
        self.source = loop_source(functions, form)
        self._function = cupy().RawKernel(self.source, "time_loop", options=OPTIONS)

    def __repr__(self) -> str:
        return f"CudaLoopKernel({self.name}, {self.dtype.name}, {self.operations} operations per step)"

    def __call__(
        self,
        state: Any,
        parameters: Any = None,
        *,
        t0: float = 0.0,
        h: float,
        steps: int,
        record_every: int = 1,
        update_every: int = 1,
        first_index: int = 0,
        inputs: Any = None,
        hold: int = 1,
        down: bool = False,
        status: Any = None,
        index: Any = None,
        end: bool = True,
        out: Any = None,
    ) -> LoopResult:
        """As `LoopKernel.__call__`, with CuPy arrays in the result; queued on CuPy's current stream."""
        schedule = Schedule(
            float(t0), float(h), steps, record_every, update_every, first_index, hold, end, down
        )
        y, p, codes, ends = (
            None if x is None else device_array(x) for x in (state, parameters, status, index)
        )
        u = tuple(map(_placed, inputs)) if isinstance(inputs, tuple) else _placed(inputs)
        call = prepared(cupy(), self.dtype, self.sizes, schedule, y, p, u, codes, ends, out)
        if call.samples:
            self.bound(call, schedule)()
        return call.result(schedule, cupy())

    def bound(self, call: Prepared, schedule: Schedule) -> Callable[[], None]:
        """As `LoopKernel.bound`: the launch over these arrays, to be done again and again."""
        arguments = (
            call.state, call.parameters, call.parameters_stride, *_inputs(call),
            max(1, schedule.input_rows), schedule.hold, int(schedule.down), call.records,
            *_strides(call.records, len(call.batch)), call.final, call.status, call.stopped,
            call.samples, schedule.first_index, schedule.steps, schedule.record_every, schedule.update_every,
            schedule.steps - (not schedule.end), np.float64(schedule.t0), np.float64(schedule.h),
        )  # fmt: skip
        function, blocks = self._function, -(-call.samples // THREADS)
        return lambda: function((blocks,), (THREADS,), arguments)


def _strides(records: Any, batch: int) -> tuple[int, int, int]:
    """Entries from sample to sample, from row to row and from column to column of records (..., T, m)."""
    if batch == 1:
        first, second, third = (stride // records.itemsize for stride in records.strides)
        return first, second, third
    rows, columns = records.shape[-2:]
    return rows * columns, columns, 1


def _placed(x: Any) -> Any:
    return None if x is None else device_array(x)


def _inputs(call: Prepared) -> list[Any]:
    """The arrays of inputs with their strides; arrays that are not there are the first one, and nobody reads them."""
    found: list[Any] = []
    for k in range(MOST_INPUTS):
        own = k if k < len(call.inputs) else 0
        found += [call.inputs[own], call.inputs_strides[own]]
    return found
