"""Summaries of channels over samples: counts, means, covariances, extremes and quantiles, of a shard and of all.

A shard's summary depends on its samples alone. Summaries are merged in the order of the shards (Chan, Golub, LeVeque
1983), so the bits are the same whatever finished first and however often the campaign was stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .quantile_sketch import CLUSTERS, Sketch

#: rows of a summary after those of the kept times: over the time of each sample
OVER_TIME = ("lowest", "highest", "last")
_PLAIN = ("count", "mean", "scatter", "lowest", "highest", "lowest_sample", "highest_sample")


@dataclass(frozen=True, eq=False)
class Summary:
    """Of R rows (the kept times, then `OVER_TIME`) and C channels.

    count (R,): samples that were still there.  mean (R, C).  scatter (R, C, C): sum of products of deviations.
    lowest, highest (R, C), and the numbers of the samples that have them (−1: none).  sketch: of R·C columns.
    """

    count: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    lowest_sample: np.ndarray
    highest_sample: np.ndarray
    sketch: Sketch

    @classmethod
    def of(cls, x: Any, samples: np.ndarray, clusters: int = CLUSTERS, xp: Any = np) -> Summary:
        """Of values x (S, R, C), NaN where a sample is no more, of the samples with these numbers (S,)."""
        S, R, C = x.shape
        there = ~xp.isnan(x[:, :, 0]) if C else xp.zeros((S, R), bool)
        count = there.sum(axis=0)
        some = xp.maximum(count, 1)
        all_there = bool(there.all())
        mean = (x if all_there else xp.where(there[..., None], x, 0.0)).sum(axis=0) / some[:, None]
        d = x - mean if all_there else xp.where(there[..., None], x - mean, 0.0)
        scatter = xp.zeros((R, C, C))
        for c in range(C):
            scatter[:, c, :] = (d[:, :, c : c + 1] * d).sum(axis=0)
        # numbers of a column side by side: quick to search and to sort
        columns = xp.ascontiguousarray(x.reshape(S, R * C).T)
        at_low, low = _extreme(columns, -1.0, xp)
        at_high, high = _extreme(columns, 1.0, xp)
        gone = (count == 0)[:, None]
        parts = (count, xp.where(gone, np.nan, mean), scatter, low, high, at_low, at_high)
        count, mean, scatter, low, high, at_low, at_high = map(_host, parts)
        none = np.repeat(count == 0, C)
        low, high = (np.where(none, np.nan, a).reshape(R, C) for a in (low, high))
        at_low, at_high = (np.where(none, -1, samples[a]).reshape(R, C) for a in (at_low, at_high))
        sketch = Sketch.of_columns(columns, clusters, xp)
        return cls(count, mean, scatter, low, high, at_low, at_high, sketch)

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """Everything as arrays by name, for files."""
        R, C = self.mean.shape
        sketch = {"sketch_means": self.sketch.means, "sketch_weights": self.sketch.weights}
        return {name: getattr(self, name) for name in _PLAIN} | {
            name: a.reshape(-1, R, C) for name, a in sketch.items()
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Summary:
        """From what `arrays` gave."""
        R, C = arrays["mean"].shape
        clusters = len(arrays["sketch_means"])
        means, weights = (
            arrays[name].reshape(clusters, R * C).astype(float) for name in ("sketch_means", "sketch_weights")
        )
        plain = {name: arrays[name] for name in _PLAIN}
        return cls(**plain, sketch=Sketch(means, weights))

    def merged(self, other: Summary) -> Summary:
        """The summary of the samples of both, this one's before the other's."""
        n, m = self.count[:, None].astype(float), other.count[:, None].astype(float)
        total = np.maximum(n + m, 1.0)
        mean_a, mean_b = np.nan_to_num(self.mean), np.nan_to_num(other.mean)
        δ = np.where((n > 0) & (m > 0), mean_b - mean_a, 0.0)
        first, second = np.where(n > 0, mean_a, mean_b), m / total
        mean = np.where(n + m > 0, first + δ * second, np.nan)
        scatter = self.scatter + other.scatter + (δ[:, :, None] * δ[:, None, :]) * (n * second)[..., None]
        lower, higher = other.lowest < self.lowest, other.highest > self.highest
        lower, higher = lower | (n == 0), higher | (n == 0)
        return Summary(
            self.count + other.count,
            mean,
            scatter,
            np.where(lower, other.lowest, self.lowest),
            np.where(higher, other.highest, self.highest),
            np.where(lower, other.lowest_sample, self.lowest_sample),
            np.where(higher, other.highest_sample, self.highest_sample),
            self.sketch.merged(other.sketch),
        )


def with_extremes(x: Any, last: Any, xp: Any = np) -> Any:
    """Values (S, T + 3, C): those at the kept times x (S, T, C), then each sample's lowest, highest and last (S, C).

    The last value counts among the others.
    """
    low = xp.fmin(xp.fmin.reduce(x, axis=1), last) if xp is np else xp.fmin(xp.nanmin(x, axis=1), last)
    high = xp.fmax(xp.fmax.reduce(x, axis=1), last) if xp is np else xp.fmax(xp.nanmax(x, axis=1), last)
    return xp.concatenate([x, low[:, None], high[:, None], last[:, None]], axis=1)


def _extreme(columns: Any, sign: float, xp: Any) -> tuple[Any, Any]:
    """(places (M,), values (M,)) of the highest (sign 1) or lowest (−1) numbers of columns (M, S), NaN left out."""
    x = xp.where(xp.isnan(columns), -np.inf, sign * columns)
    places = x.argmax(axis=1)
    return places, columns[xp.arange(len(columns)), places]


def _host(x: Any) -> np.ndarray:
    return x if isinstance(x, np.ndarray) else x.get()
