"""Statistics of a campaign with their confidence, from the merged summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..error_roots import optional
from ..model import ModelError
from ..model.short_text import short_repr
from ..model.units import NO_UNIT
from ..model.value import checked_numbers
from .quantile_sketch import Sketch
from .summaries import OVER_TIME, Summary


class Interval(NamedTuple):
    """A confidence interval."""

    low: Any
    high: Any


@dataclass(frozen=True, eq=False)
class Moments:
    """Of numbers over samples, for every channel (C,), and for the kept times (T, C) before that.

    count ([T]): samples that were still there.  mean, deviation ([T,] C).  covariance ([T,] C, C), unbiased.
    lowest, highest ([T,] C), with the numbers of the samples that have them.
    """

    __repr__ = short_repr

    channels: tuple[str, ...]
    count: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray
    lowest_sample: np.ndarray
    highest_sample: np.ndarray
    confidence: float
    design: str
    sketch: Sketch = field(repr=False)

    @property
    def deviation(self) -> np.ndarray:
        """Standard deviations ([T,] C)."""
        return np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1))

    def quantiles(self, levels: Any) -> np.ndarray:
        """Values (L, [T,] C) below which these parts (L,), from 0 to 1, of the samples lie.

        The ranks are right to about a part π √(q(1 − q))/256 of the samples; the extremes are exact.
        """
        given = np.atleast_1d(checked_numbers(levels, where="statistics", what="levels"))
        if given.ndim != 1 or not np.all((given >= 0) & (given <= 1)):
            raise ModelError.single(
                "statistics", "levels", expected="numbers from 0 to 1", given=repr(levels)
            )
        return self._quantiles(given[:, None])

    def quantile_interval(self, level: float) -> Interval:
        """The interval ([T,] C) that holds a quantile with the stated confidence, whatever the distribution."""
        self._check_independent()
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0.0 <= level <= 1.0:
            raise ModelError.single("statistics", "level", expected="a number from 0 to 1", given=repr(level))
        n = np.maximum(np.repeat(np.ravel(self.count), len(self.channels)), 1.0)
        half = _z(self.confidence) * np.sqrt(level * (1.0 - level) / n)
        found = self._quantiles(np.stack([np.clip(level - half, 0.0, 1.0), np.clip(level + half, 0.0, 1.0)]))
        return Interval(found[0], found[1])

    def mean_interval(self) -> Interval:
        """The interval ([T,] C) that holds the mean with the stated confidence (Student's t)."""
        self._check_independent()
        n = np.asarray(self.count, dtype=float)[..., None]
        t = optional("scipy.stats", "campaigns", "confidence").t
        with np.errstate(invalid="ignore", divide="ignore"):
            half = t.ppf(0.5 + 0.5 * self.confidence, n - 1) * self.deviation / np.sqrt(n)
        return Interval(self.mean - half, self.mean + half)

    def _quantiles(self, levels: np.ndarray) -> np.ndarray:
        found = self.sketch.quantiles(levels, self.lowest.ravel(), self.highest.ravel())
        return found.reshape(len(levels), *self.mean.shape)

    def _check_independent(self) -> None:
        """Samples of a Latin hypercube spread less than random ones, so intervals hold; of other designs none do."""
        if self.design == "sobol":
            expected = 'a design whose samples are drawn: "random" or "latin_hypercube"'
            raise ModelError.single("statistics", "confidence", expected=expected, given=repr(self.design))


@dataclass(frozen=True, eq=False, repr=False)
class Statistics(Moments):
    """Statistics at the kept times, t (T,) [s]; and of each sample's own lowest, highest and last values.

    samples: how many there are so far, of `total`.  ended: {what became of samples: how many}.  failed: how many
    did not come to a good end; those that an event ended count as long as they lasted.  left_out: how many of them are
    in no mean, covariance, quantile or extreme at any time, since their numbers went wrong (blew up, not converged).
    units: of the channels, "" where none is known.
    """

    t: np.ndarray = field(kw_only=True)
    samples: int = field(kw_only=True)
    total: int = field(kw_only=True)
    ended: Mapping[str, int] = field(kw_only=True)
    failed: int = field(kw_only=True)
    over_time: Mapping[str, Moments] = field(kw_only=True, repr=False)
    units: tuple[str, ...] = field(kw_only=True)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the channels with their units, "tool.x [m]"."""
        return tuple(map(with_unit, self.channels, self.units))

    @property
    def of_lowest(self) -> Moments:
        """Of the lowest value that each sample had."""
        return self.over_time["lowest"]

    @property
    def of_highest(self) -> Moments:
        """Of the highest value that each sample had."""
        return self.over_time["highest"]

    @property
    def of_last(self) -> Moments:
        """Of the value that each sample ended with."""
        return self.over_time["last"]

    @property
    def left_out(self) -> int:
        """Samples that are in no moment, quantile or extreme."""
        return self.samples - int(self.of_last.count) if self.channels else 0

    @property
    def failure_probability(self) -> float:
        """Part of the samples that failed."""
        return self.failed / max(self.samples, 1)

    def failure_interval(self) -> Interval:
        """The interval that holds the probability of failure with at least the stated confidence (Clopper, Pearson)."""
        self._check_independent()
        beta = optional("scipy.stats", "campaigns", "confidence").beta
        k, n, rest = self.failed, self.samples, 0.5 * (1.0 - self.confidence)
        low = 0.0 if k == 0 else float(beta.ppf(rest, k, n - k + 1))
        return Interval(low, 1.0 if k == n else float(beta.ppf(1.0 - rest, k + 1, n - k)))


def with_unit(name: str, unit: str) -> str:
    """The name, with its unit if there is one: "tool.x [m]"."""
    return name if unit in ("", NO_UNIT) else f"{name} [{unit}]"


def statistics_of(
    summary: Summary, channels: tuple[str, ...], t: np.ndarray, confidence: float, design: str, **more: Any
) -> Statistics:
    """The statistics of a summary."""
    if not isinstance(confidence, float) or not 0.0 < confidence < 1.0:
        raise ModelError.single(
            "statistics", "confidence", expected="between 0 and 1", given=repr(confidence)
        )
    T = len(t)
    over = {
        name: Moments(channels, **_parts(summary, T + k), confidence=confidence, design=design)
        for k, name in enumerate(OVER_TIME)
    }
    return Statistics(
        channels,
        **_parts(summary, slice(T)),
        confidence=confidence,
        design=design,
        t=t,
        over_time=over,
        **more,
    )


def _parts(summary: Summary, rows: Any) -> dict[str, Any]:
    count = summary.count[rows]
    C, clusters = summary.mean.shape[1], len(summary.sketch.means)
    sketch = (a.reshape(clusters, -1, C)[:, rows].reshape(clusters, -1) for a in _sketch(summary))
    free = np.asarray(count, dtype=float)[..., None, None] - 1.0
    return {
        "count": count,
        "mean": summary.mean[rows],
        "covariance": np.where(free > 0, summary.scatter[rows] / np.maximum(free, 1.0), np.nan),
        "lowest": summary.lowest[rows],
        "highest": summary.highest[rows],
        "lowest_sample": summary.lowest_sample[rows],
        "highest_sample": summary.highest_sample[rows],
        "sketch": Sketch(*sketch),
    }


def _sketch(summary: Summary) -> tuple[np.ndarray, np.ndarray]:
    return summary.sketch.means, summary.sketch.weights


def _z(confidence: float) -> float:
    return float(optional("scipy.special", "campaigns", "confidence").ndtri(0.5 + 0.5 * confidence))
