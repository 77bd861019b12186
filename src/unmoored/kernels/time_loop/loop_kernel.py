"""Time loops compiled for this computer's processor."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import machine_code, threads
from ..number_formats import Format
from .llvm_loop_source import INTEGERS, REALS
from .loop_call import LoopResult, Prepared, Schedule, prepared
from .loop_functions import MOST_INPUTS, Sizes

_Loop = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64
)  # releases the interpreter's lock
_Byte = ctypes.c_char
_WORDS = struct.Struct(f"{len(INTEGERS)}q{len(REALS)}d")


class _Bound(partial):
    """A call with its arguments; the last one only has to stay alive."""

    __slots__ = ("_alive",)

    def __new__(cls, function: Callable[..., None], *arguments: Any) -> _Bound:
        made = super().__new__(cls, function, *arguments[:-1])
        made._alive = arguments[-1]
        return made


class LoopKernel:
    """A compiled time loop over samples; leading dimensions of its arguments are a batch and broadcast."""

    __slots__ = ("_code", "_loop", "dtype", "name", "operations", "sizes", "width")

    name: str
    dtype: np.dtype[Any]
    sizes: Sizes
    operations: int
    width: int

    def __init__(
        self, name: str, form: Format, sizes: Sizes, operations: int, width: int, code: bytes
    ) -> None:
        self.name, self.dtype, self.sizes, self.operations, self.width = (
            name,
            form.dtype,
            sizes,
            operations,
            width,
        )
        self._code = machine_code.LoadedCode(code, ("loop",))  # freed with this object
        self._loop = _Loop(self._code.addresses[0])

    def __repr__(self) -> str:
        return f"LoopKernel({self.name}, {self.dtype.name}, {self.operations} operations per step)"

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
        """Take the steps first_index ... first_index + steps - 1, of size h (s), step k at time t0 + k h.

        state (..., n) and parameters (..., p); inputs (..., rows, m), each row for `hold` steps: step k uses
        row k // hold - first_index // hold, or that row counted from the last one if `down`. A loop with inputs in
        several arrays takes a tuple of them. Steps that are multiples of `record_every` are recorded, and the end
        if it is one; `end=False` leaves the end to the call that goes on from there. To go on, pass the state,
        status and index of the result, and first_index + steps as first_index: the bits are those of one long
        call. Samples with a status other than 0 stay as they are. `out` (..., T, m) takes the records; of (S, T, m) the
        rows of a sample must lie side by side, those of different samples need not.
        """
        schedule = Schedule(
            float(t0), float(h), steps, record_every, update_every, first_index, hold, end, down
        )
        call = prepared(np, self.dtype, self.sizes, schedule, state, parameters, inputs, status, index, out)
        self.bound(call, schedule)()
        return call.result(schedule, np)

    def bound(self, call: Prepared, schedule: Schedule) -> Callable[[], None]:
        """The loop over these arrays, to be run again and again: what is in them may change, they may not.

        The array of final states may be that of the states at the start.
        """
        words, operations = self._words(call, schedule), max(1, schedule.steps) * self.operations
        if call.samples <= self.width or call.samples * operations < threads.WORTH_SHARING:
            return _Bound(self._loop, words, 0, call.samples, (call, self._code))
        place = (_Byte * len(words)).from_buffer_copy(words)
        given = ctypes.addressof(place), call.samples, operations, self.width
        return _Bound(threads.share, self._code.addresses[0], *given, (call, place, self._code))

    def _words(self, call: Prepared, schedule: Schedule) -> bytes:
        """What the code reads, in the order of `INTEGERS` and `REALS`."""
        size, inputs = self.dtype.itemsize, []
        for x, stride in zip(call.inputs, call.inputs_strides, strict=True):
            inputs += [_address(x), stride * size]
        inputs += [0] * (2 * MOST_INPUTS - len(inputs))
        alone = len(call.batch) == 1
        rows = call.records.strides[0] if alone else len(schedule.recorded) * self.sizes.record * size
        return _WORDS.pack(
            _address(call.state), _address(call.parameters), call.parameters_stride * size, *inputs,
            max(1, schedule.input_rows), schedule.hold, schedule.down, _address(call.records), rows,
            _address(call.final), _address(call.status), _address(call.stopped), schedule.first_index,
            schedule.steps, schedule.record_every, schedule.update_every, schedule.steps - (not schedule.end),
            schedule.t0, schedule.h,
        )  # fmt: skip


def _address(array: Any) -> int:
    """Where an array begins: the quick way if it is writable, contiguous and not empty."""
    try:
        return ctypes.addressof(_Byte.from_buffer(array))
    except (TypeError, ValueError):
        return array.ctypes.data
