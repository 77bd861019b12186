"""Large batches of a compiled function, over several threads: without NumPy, by the inner loop of its ufunc."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from . import result_memory, threads
from .llvm_source.direct_entry import DATA
from .team import team_code
from .team_source import CONTEXT

Shape = tuple[int, ...]
_Pointer = ctypes.c_void_p
#: NumPy's flags of arrays that are contiguous and aligned, and of those that may also be written to
_READ = 0x1 | 0x100
_WRITTEN = _READ | 0x400


@dataclass(frozen=True)
class SharedBatch:
    """What is known of a function: the address of its inner loop, and the shapes of its arrays for one sample.

    operations: of one sample.  unit, least: ranges of samples begin at multiples of `unit` and should have `least`.
    """

    loop: int
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    dtype: np.dtype
    operations: int
    unit: int
    least: int

    @cached_property
    def shareable(self) -> int:
        """Samples from which on they are worth several threads."""
        return 1 + threads.WORTH_SHARING // max(1, self.operations)

    @cached_property
    def worthwhile(self) -> int:
        """Samples from which on it is worth the while: for several threads, or for the memory of its results."""
        row = self.dtype.itemsize * sum(map(math.prod, self.outputs))
        return min(self.shareable, 1 + result_memory.LEAST // row)

    @cached_property
    def _cores(self) -> tuple[Shape, ...]:
        return (*self.inputs, *self.outputs)

    @cached_property
    def _steps(self) -> list[int]:
        """Strides of contiguous arrays: from sample to sample, then inside of samples."""
        size, outer, inner = self.dtype.itemsize, [], []
        for core in self._cores:
            outer.append(math.prod(core) * size)
            inner += [size * math.prod(core[axis + 1 :]) for axis in range(len(core))]
        return outer + inner

    def __call__(self, ufunc: np.ufunc, arrays: tuple[Any, ...], out: Any) -> Any:
        """The result, also in `out` if that is given; None if there are too few samples or the arrays are unusual.

        ufunc: the same function, for a batch that is not worth several threads.
        """
        given = () if out is None else out if isinstance(out, tuple) else (out,)
        if len(arrays) != len(self.inputs) or (given and len(given) != len(self.outputs)):
            return None
        plain = self._plain_batch((*arrays, *given))
        batch = plain or self._batch(arrays)
        if batch is None:
            return None
        samples = math.prod(batch)
        if samples < (self.shareable if given else self.worthwhile):
            return None
        if not given:
            results = tuple(result_memory.empty(batch + core, self.dtype) for core in self.outputs)
        elif plain or self._fits(given, batch):
            results = given
        else:
            return None
        if samples < self.shareable:
            return ufunc(*arrays, out=results)
        every = (*arrays, *results)
        if plain:
            inner, steps, places = samples, self._steps, [_address(x) for x in every]
            apart = not given or _lie_apart(every, places, len(arrays))
        else:
            apart = not given or _share_nothing(every, len(arrays))
            inner, steps, places = _strided(every, self._cores, batch)
        if not apart:
            return None
        context = struct.pack(
            f"{len(CONTEXT) + len(steps) + len(places)}q",
            self.loop, len(every), inner, len(CONTEXT) + len(steps), *steps, *places,
        )  # fmt: skip
        threads.share(team_code().pieces, context, samples, self.operations, self.unit, self.least)
        return results[0] if len(results) == 1 else results

    def _plain_batch(self, arrays: tuple[Any, ...]) -> Shape | None:
        """The leading shape of all arrays, inputs and then results, if they are contiguous and have the same one."""
        batch, dtype, usual, results = None, self.dtype, _READ, len(self.inputs)
        for k, (array, core) in enumerate(zip(arrays, self._cores, strict=False)):
            if k == results:
                usual = _WRITTEN
            if array.__class__ is not np.ndarray or array.dtype is not dtype:
                return None
            shape = array.shape
            cut = len(shape) - len(core)
            if cut < 1 or shape[cut:] != core or array.flags.num & usual != usual:
                return None
            if batch is None:
                batch = shape[:cut]
            elif shape[:cut] != batch:
                return None
        return batch

    def _batch(self, arrays: tuple[Any, ...]) -> Shape | None:
        """The common leading shape; None if an array is not of the right kind."""
        found: list[Shape] = []
        for array, core in zip(arrays, self.inputs, strict=True):
            if array.__class__ is not np.ndarray or array.dtype != self.dtype or not array.flags.aligned:
                return None
            shape = array.shape
            cut = len(shape) - len(core)
            if cut < 0 or shape[cut:] != core:
                return None
            found.append(shape[:cut])
        if found.count(found[0]) == len(found):
            return found[0]
        try:
            return np.broadcast_shapes(*found)
        except ValueError:
            return None

    def _fits(self, given: tuple[Any, ...], batch: Shape) -> bool:
        """Whether results may be written into these arrays as they are."""
        return all(
            array.__class__ is np.ndarray and array.dtype == self.dtype and array.shape == batch + core
            and array.flags.behaved
            for array, core in zip(given, self.outputs, strict=True)
        )  # fmt: skip


def _lie_apart(arrays: Sequence[np.ndarray], places: Sequence[int], inputs: int) -> bool:
    """Whether results, behind so many inputs, share no memory with other arrays, if all are contiguous."""
    taken: list[tuple[int, int]] = []
    for k, (first, array) in enumerate(zip(places, arrays, strict=True)):
        last = first + array.nbytes
        if k >= inputs:
            for start, end in taken:
                if first < end and start < last:
                    return False
        taken.append((first, last))
    return True


def _share_nothing(arrays: Sequence[np.ndarray], inputs: int) -> bool:
    """The same for any arrays."""
    return not any(
        np.may_share_memory(arrays[k], arrays[j]) for k in range(inputs, len(arrays)) for j in range(k)
    )


def _strided(
    arrays: Sequence[np.ndarray], cores: Sequence[Shape], batch: Shape
) -> tuple[int, list[int], list[int]]:
    """For arrays of any strides: samples of a row, strides (from sample to sample in it, then inside of samples), and
    where every row begins in every array."""
    *outer, (inner, steps) = _axes(arrays, cores, batch)
    places = np.array([[_address(array) for array in arrays]], np.int64)
    for length, strides in outer:
        offsets = np.arange(length)[:, None] * np.array(strides)
        places = (places[:, None] + offsets).reshape(-1, len(arrays))
    inside = [
        stride
        for array, core in zip(arrays, cores, strict=True)
        for stride in array.strides[array.ndim - len(core) :]
    ]
    return inner, [*steps, *inside], places.ravel().tolist()


def _axes(arrays: Sequence[np.ndarray], cores: Sequence[Shape], batch: Shape) -> list[tuple[int, Shape]]:
    """Length and strides, by array, of the axes of the batch, the longest last; those that go on are one."""
    full = [
        np.broadcast_to(array, batch + core).strides[: len(batch)]
        for array, core in zip(arrays, cores, strict=True)
    ]
    found: list[tuple[int, Shape]] = []
    for axis in reversed(range(len(batch))):
        length, strides = batch[axis], tuple(one[axis] for one in full)
        if length == 1:
            continue
        if found and strides == tuple(found[-1][0] * step for step in found[-1][1]):
            found[-1] = (found[-1][0] * length, found[-1][1])
        else:
            found.append((length, strides))
    found.reverse()
    found.append(found.pop(max(range(len(found)), key=lambda k: found[k][0])))
    return found


def _address_in_object(array: np.ndarray) -> int:
    return _Pointer.from_address(id(array) + DATA).value or 0


def _address_of() -> Callable[[np.ndarray], int]:
    """Where the entries of an array begin: read from its object if that looks as it should, else asked for, slowly."""

    def asked(array: np.ndarray) -> int:
        return array.ctypes.data

    sample = np.zeros(3)
    known = object.__basicsize__ == 16 and np.ndarray.__basicsize__ >= DATA + 8
    return _address_in_object if known and _address_in_object(sample) == asked(sample) else asked


_address = _address_of()
