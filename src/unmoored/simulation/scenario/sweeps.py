"""Sweeps: from lists, ranges and random numbers to one value for every sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...model import ModelError, limits
from .entries import NormalSweep, RangeSweep, UniformSweep, ValuesSweep


def sweep_values(sweeps: Mapping[str, Any], samples: int | None, seed: int) -> dict[str, np.ndarray]:
    """{key: values (S, ...)}: every combination of lists and ranges, each `samples` times with its own random values.

    Samples come in the order of the file, the last list varying fastest. The random value of a sample depends on
    the seed, on the key and on the sample's number alone.
    """
    grid = {key: _listed(sweep, key) for key, sweep in sweeps.items() if not _is_random(sweep)}
    count = _count(grid, samples)
    points = count // (samples or 1)
    indices = np.indices([len(values) for values in grid.values()]).reshape(len(grid), points)
    indices = np.repeat(indices, samples or 1, axis=1)
    found = {key: values[i] for (key, values), i in zip(grid.items(), indices, strict=True)}
    for key, sweep in sweeps.items():
        if _is_random(sweep):
            found[key] = _drawn(sweep, key, count, seed)
    return {key: found[key] for key in sweeps}


def number_of_samples(sweeps: Mapping[str, Any], samples: int | None) -> int | None:
    """Number of samples; None for a single trajectory without a batch dimension."""
    if not sweeps and samples is None:
        return None
    return _count({key: _listed(s, key) for key, s in sweeps.items() if not _is_random(s)}, samples)


def _count(grid: Mapping[str, np.ndarray], samples: int | None) -> int:
    count = int(np.prod([len(values) for values in grid.values()], dtype=float)) * (samples or 1)
    limits.check("samples", count, "sweeps", "samples")
    return count


def _is_random(sweep: Any) -> bool:
    return isinstance(sweep, UniformSweep | NormalSweep)


def _listed(sweep: Any, key: str) -> np.ndarray:
    if isinstance(sweep, ValuesSweep):
        return _array(sweep.values, key)
    assert isinstance(sweep, RangeSweep)
    limits.check("samples", sweep.count, f"sweeps.{key}", "count")
    start, stop = _array([sweep.start, sweep.stop], key)
    return np.linspace(start, stop, sweep.count)


def _drawn(sweep: Any, key: str, count: int, seed: int) -> np.ndarray:
    ends = (sweep.low, sweep.high) if isinstance(sweep, UniformSweep) else (sweep.mean, sweep.deviation)
    a, b = _array(list(ends), key)
    rng = np.random.default_rng([seed, *key.encode()])
    shape = (count, *np.shape(a))
    if isinstance(sweep, UniformSweep):
        return a + (b - a) * rng.random(shape)
    return a + b * rng.standard_normal(shape)


def _array(values: list[Any], key: str) -> np.ndarray:
    try:
        return np.array(values, dtype=float)
    except ValueError:
        raise ModelError.single(
            f"sweeps.{key}", "values", expected="all of the same length", given=repr(values)[:200]
        ) from None
