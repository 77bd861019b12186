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
from ...model.value import Value, replace_arrays
from .random_values import Random, numbers, replace_pair


class Grid(Value, ABC):
    """Values that a sweep goes through one by one."""

    @abstractmethod
    def points(self) -> np.ndarray:
        """The values (k, ...)."""


@dataclass(frozen=True, eq=False, repr=False)
class Values(Grid):
    """A list of values: numbers, or rows of the same length."""

    values: Table

    def __post_init__(self) -> None:
        replace_arrays(self, values=numbers(self, "values", 1, 2))

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
        replace_pair(self, "start", "stop")

    def points(self) -> np.ndarray:
        return np.linspace(self.start, self.stop, self.count)


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
    found = {key: grid[key][indices[k]] for k, key in enumerate(grid)}
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
