"""What a call of a time loop is given and leaves: checked arrays, the same for the processor and the GPU."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...error_roots import ArrayError
from .loop_functions import Sizes

#: status of a sample that ran into infinite numbers or NaN
NOT_FINITE = -1


class LoopResult(NamedTuple):
    """What a time loop leaves.

    records (..., T, m); state (..., n) after the last step, or the last good one of a sample that stopped;
    status (...) 0 for a sample that ran to the end, else the verdict that stopped it, NOT_FINITE among them; index
    (...) the step that the state belongs to. Rows of records after a sample's index are NaN.
    """

    records: Any
    state: Any
    status: Any
    index: Any


@dataclass(frozen=True)
class Schedule:
    """Which steps a call takes, and which of them it records."""

    t0: float
    h: float
    steps: int
    record_every: int = 1
    update_every: int = 1
    first_index: int = 0
    hold: int = 1
    end: bool = True
    down: bool = False

    def __post_init__(self) -> None:
        for name, least in (
            ("steps", 0), ("record_every", 1), ("update_every", 1), ("first_index", 0), ("hold", 1),
        ):  # fmt: skip
            given = getattr(self, name)
            if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
                raise ArrayError(f"{name} must be a whole number, at least {least}, got {given!r}")

    @property
    def stop(self) -> int:
        """The step after the last."""
        return self.first_index + self.steps

    @property
    def recorded(self) -> range:
        """The steps whose states are recorded, before they are taken; the end as well if `end` says so."""
        every = self.record_every
        return range(-(-self.first_index // every) * every, self.stop + bool(self.end), every)

    @property
    def input_rows(self) -> int:
        """Rows of inputs that the steps need."""
        return (self.stop - 1) // self.hold - self.first_index // self.hold + 1 if self.steps else 0


@dataclass(frozen=True)
class Prepared:
    """Contiguous arrays for all samples; strides in entries, 0 where all samples share one row."""

    batch: tuple[int, ...]
    state: Any
    parameters: Any
    parameters_stride: int
    inputs: tuple[Any, ...]
    inputs_strides: tuple[int, ...]
    records: Any
    final: Any
    status: Any
    stopped: Any

    @property
    def samples(self) -> int:
        """Number of samples."""
        return math.prod(self.batch)

    def result(self, schedule: Schedule, module: Any) -> LoopResult:
        """The arrays as they are handed to the user."""
        stopped = self.status != 0
        if not bool(stopped.any()):
            return LoopResult(
                self.records, self.final, self.status, module.full(self.batch, schedule.stop, np.int64)
            )
        index = module.where(stopped, self.stopped, schedule.stop)
        if len(schedule.recorded):
            after = module.asarray(np.array(schedule.recorded, dtype=np.int64)) > index[..., None]
            self.records[after & stopped[..., None]] = math.nan
        return LoopResult(self.records, self.final, self.status, index)


def prepared(
    module: Any, dtype: np.dtype, sizes: Sizes, schedule: Schedule, state: Any, parameters: Any, inputs: Any,
    status: Any, index: Any, out: Any,
) -> Prepared:  # fmt: skip
    """Check the arguments of a call; `module` is NumPy, or CuPy for arrays on the GPU."""
    y = _array(module, dtype, "state", state, (sizes.state,))
    p = _array(module, dtype, "parameters", _none(parameters, sizes.parameters), (sizes.parameters,))
    rows, parts = schedule.input_rows if sizes.inputs else 0, sizes.input_parts
    given = inputs if isinstance(inputs, tuple) else (inputs,) * len(parts) if inputs is None else (inputs,)
    if len(given) != len(parts):
        raise ArrayError(f"inputs must be {len(parts)} arrays, got {len(given)}")
    u = [
        _array(module, dtype, "inputs", _none(x, rows, size), _input_shape(x, rows, size, schedule.down))
        for x, size in zip(given, parts, strict=True)
    ]
    leading = y.shape[:-1], p.shape[:-1], *(x.shape[:-2] for x in u)
    try:
        batch = np.broadcast_shapes(*leading)
    except ValueError:
        raise ArrayError(f"batches of state, parameters, inputs do not broadcast: {leading}") from None
    shape = (*batch, len(schedule.recorded), sizes.record)
    codes = _integers(module, "status", status, batch)
    ends = _integers(module, "index", index, batch)
    y = module.ascontiguousarray(module.broadcast_to(y, (*batch, sizes.state)))
    in_rows = [_rows(module, x, 2, batch) for x in u]
    return Prepared(
        batch, y, *_rows(module, p, 1, batch), tuple(x for x, _ in in_rows), tuple(stride for _, stride in in_rows),
        _records(module, out, shape, dtype), module.empty(y.shape, dtype), codes, ends,
    )  # fmt: skip


def _input_shape(given: Any, rows: int, size: int, down: bool) -> tuple[int, int]:
    """What the shape of inputs must end in; backwards there may be rows behind the first that is read."""
    shape = np.shape(given) if given is not None else ()
    return (shape[-2], size) if down and len(shape) > 1 and shape[-2] > rows else (rows, size)


def _none(given: Any, *shape: int) -> Any:
    """An empty array for an argument that is not needed and not given."""
    return np.zeros(shape) if given is None and 0 in shape else given


def _array(module: Any, dtype: np.dtype, name: str, given: Any, shape: tuple[int, ...]) -> Any:
    if given is None:
        raise ArrayError(f"{name} (..., {', '.join(map(str, shape))}) must be given")
    array = module.asarray(given)
    if array.dtype.kind not in "fiu" or array.shape[max(array.ndim - len(shape), 0) :] != shape:
        expected = ", ".join(map(str, shape))
        raise ArrayError(
            f"{name} must be numbers of shape (..., {expected}), got {array.dtype} of shape {array.shape}"
        )
    return array.astype(dtype, copy=False)


def _rows(module: Any, array: Any, core: int, batch: tuple[int, ...]) -> tuple[Any, int]:
    """Contiguous rows, and the entries from one sample's to the next one's."""
    shape = array.shape[array.ndim - core :]
    if math.prod(array.shape[: array.ndim - core]) == 1:
        return module.ascontiguousarray(array), 0
    return module.ascontiguousarray(module.broadcast_to(array, (*batch, *shape))), math.prod(shape)


def _integers(module: Any, name: str, given: Any, batch: tuple[int, ...]) -> Any:
    """A new array of integers (...), zeros if none are given."""
    if given is None:
        return module.zeros(batch, np.int64)
    array = module.asarray(given)
    if array.dtype.kind not in "iu" or array.shape != batch:
        raise ArrayError(
            f"{name} must be integers of shape {batch}, got {array.dtype} of shape {array.shape}"
        )
    return module.array(array, np.int64)


def _records(module: Any, out: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    if out is None:
        return module.empty(shape, dtype)
    if (
        not isinstance(out, module.ndarray)
        or out.shape != shape
        or out.dtype != dtype
        or not (out.flags.c_contiguous or (module is np and _rows_side_by_side(out)))
    ):
        raise ArrayError(f"out must be a contiguous array {shape} of {dtype}, got {_described(out)}")
    return out


def _rows_side_by_side(out: np.ndarray) -> bool:
    """Whether the rows of every sample of (S, T, m) are contiguous."""
    size = out.itemsize
    return out.ndim == 3 and out.strides[1:] == (out.shape[2] * size, size) and out.strides[0] > 0


def _described(thing: Any) -> str:
    return f"{getattr(thing, 'shape', type(thing).__name__)} of {getattr(thing, 'dtype', 'no dtype')}"
