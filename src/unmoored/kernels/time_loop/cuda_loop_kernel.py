"""Time loops compiled for the GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..cuda.cuda_kernel import OPTIONS
from ..cuda.cuda_source import THREADS
from ..cuda.device import cupy, device_array
from ..number_formats import Format
from .cuda_loop_source import loop_source
from .loop_call import LoopResult, Prepared, Schedule, prepared
from .loop_functions import Functions, Sizes


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
        status: Any = None,
        index: Any = None,
        end: bool = True,
        out: Any = None,
    ) -> LoopResult:
        """As `LoopKernel.__call__`, with CuPy arrays in the result; queued on CuPy's current stream."""
        schedule = Schedule(float(t0), float(h), steps, record_every, update_every, first_index, hold, end)
        y, p, u, codes, ends = (
            None if x is None else device_array(x) for x in (state, parameters, inputs, status, index)
        )
        call = prepared(cupy(), self.dtype, self.sizes, schedule, y, p, u, codes, ends, out)
        if call.samples:
            self._launch(call, schedule)
        return call.result(schedule, cupy())

    def _launch(self, call: Prepared, schedule: Schedule) -> None:
        stride = len(schedule.recorded) * self.sizes.record
        arguments = (
            call.state, call.parameters, call.parameters_stride, call.inputs, call.inputs_stride,
            max(1, schedule.input_rows), schedule.hold, call.records, stride, call.final, call.status, call.stopped,
            call.samples, schedule.first_index, schedule.steps, schedule.record_every, schedule.update_every,
            schedule.steps - (not schedule.end), np.float64(schedule.t0), np.float64(schedule.h),
        )  # fmt: skip
        blocks = -(-call.samples // THREADS)
        self._function((blocks,), (THREADS,), arguments)
