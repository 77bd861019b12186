"""Sweeps: from lists, ranges and random numbers to one value for every sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.field_types import NumberOrSeries, Table
from ...model.limits import limits
from ...model.value import Value, frozen_array, replace_arrays


class Grid(Value, ABC):
    """Values that a sweep goes through one by one."""

    @abstractmethod
    def points(self) -> np.ndarray:
        """The values (k, ...)."""


class Random(Value, ABC):
    """A value that is drawn anew for each sample."""

    @abstractmethod
    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Values (count, ...) of so many samples."""


@dataclass(frozen=True, eq=False, repr=False)
class Values(Grid):
    """A list of values: numbers, or rows of the same length."""

    values: Table

    def __post_init__(self) -> None:
        replace_arrays(self, values=_numbers(self, "values", 1, 2))

    def points(self) -> np.ndarray:
        return self.values


@dataclass(frozen=True, eq=False, repr=False)
class Range(Grid):
    """`count` values at equal distances from `start` to `stop`."""

    start: NumberOrSeries
    stop: NumberOrSeries
    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise ModelError.single("Range", "count", expected="a whole number ≥ 1", given=repr(self.count))
        limits.check("samples", self.count, "Range", "count")
        _replace_pair(self, "start", "stop")

    def points(self) -> np.ndarray:
        return np.linspace(self.start, self.stop, self.count)


@dataclass(frozen=True, eq=False, repr=False)
class Uniform(Random):
    """A random value between `low` and `high`, all equally likely."""

    low: NumberOrSeries
    high: NumberOrSeries

    def __post_init__(self) -> None:
        _replace_pair(self, "low", "high")
        if np.any(self.low > self.high):
            raise ModelError.single("Uniform", "high", expected="≥ low", given=repr(self.high.tolist()))

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return self.low + (self.high - self.low) * rng.random((count, *self.low.shape))


@dataclass(frozen=True, eq=False, repr=False)
class Normal(Random):
    """A random value with this mean and standard deviation."""

    mean: NumberOrSeries
    deviation: NumberOrSeries

    def __post_init__(self) -> None:
        _replace_pair(self, "mean", "deviation")
        if np.any(self.deviation < 0):
            raise ModelError.single(
                "Normal", "deviation", expected="≥ 0", given=repr(self.deviation.tolist())
            )

    def drawn(self, count: int, rng: np.random.Generator) -> np.ndarray:
        return self.mean + self.deviation * rng.standard_normal((count, *self.mean.shape))


def sweep_values(sweeps: Mapping[str, Any], samples: int | None, seed: int) -> dict[str, np.ndarray]:
    """{key: values (S, ...)}: every combination of lists and ranges, each `samples` times with its own random values.

    Samples come in the order of the file, the last list varying fastest. The random value of a sample depends on
    the seed, on the key and on the sample's number alone.
    """
    count = number_of_samples(sweeps, samples) or 1
    grid = {key: sweep.points() for key, sweep in sweeps.items() if isinstance(sweep, Grid)}
    indices = np.indices([len(values) for values in grid.values()]).reshape(
        len(grid), count // (samples or 1)
    )
    indices = np.repeat(indices, samples or 1, axis=1)
    found = {key: values[i] for (key, values), i in zip(grid.items(), indices, strict=True)}
    for key, sweep in sweeps.items():
        if isinstance(sweep, Random):
            found[key] = sweep.drawn(count, np.random.default_rng([seed, *key.encode()]))
    return {key: found[key] for key in sweeps}


def number_of_samples(sweeps: Mapping[str, Any], samples: int | None) -> int | None:
    """Number of samples; None for a single trajectory without a batch dimension."""
    if not sweeps and samples is None:
        return None
    lengths = [
        s.count if isinstance(s, Range) else len(s.points()) for s in sweeps.values() if isinstance(s, Grid)
    ]
    count = int(np.prod(lengths, dtype=float)) * (samples or 1)
    limits.check("samples", count, "sweeps", "samples")
    return count


def _replace_pair(sweep: Any, *names: str) -> None:
    """Two numbers, or two lists of the same length."""
    first, second = (_numbers(sweep, name, 0, 1) for name in names)
    if first.shape != second.shape:
        expected = f"of the shape of {names[0]}, {first.shape}"
        raise ModelError.single(
            type(sweep).__name__, names[1], expected=expected, given=f"shape {second.shape}"
        )
    replace_arrays(sweep, **dict(zip(names, (first, second), strict=True)))


def _numbers(sweep: Any, name: str, *ranks: int) -> np.ndarray:
    given, kind = getattr(sweep, name), type(sweep).__name__
    try:
        shape = np.shape(given)
    except ValueError:
        raise ModelError.single(
            kind, name, expected="rows of the same length", given=repr(given)[:200]
        ) from None
    if len(shape) not in ranks:
        expected = "one number or n numbers" if 0 in ranks else "n numbers or rows of numbers"
        raise ModelError.single(kind, name, expected=expected, given=f"shape {shape}")
    return frozen_array(given, shape, where=kind, what=name)
