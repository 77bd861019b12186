"""Quantiles of numbers that are not kept: clusters of neighbours, small at both ends, that can be merged.

A cluster is a mean and a weight. Which ranks share a cluster follows the scale k(q) = ½ + asin(2q − 1)/π of Dunning's
t-digest: with B clusters, one at rank q holds about π √(q(1 − q))/B of all numbers, so tails are fine. Merging puts
the clusters of both in order and cuts them anew by the same scale. All columns are worked on at once. The result
depends on the order of merging alone, never on who computed what.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

CLUSTERS = 128


@dataclass(frozen=True, eq=False)
class Sketch:
    """means, weights: (B, M) of the clusters of M columns of numbers; an empty one has weight 0."""

    means: np.ndarray
    weights: np.ndarray

    @classmethod
    def of(cls, x: Any, clusters: int = CLUSTERS, xp: Any = np) -> Sketch:
        """The sketch of the numbers x (n, M); NaN count as missing.  xp: NumPy, or CuPy on the GPU."""
        return cls.of_columns(xp.ascontiguousarray(x.T), clusters, xp)

    @classmethod
    def of_columns(cls, columns: Any, clusters: int = CLUSTERS, xp: Any = np) -> Sketch:
        """The same of columns (M, n)."""
        x = xp.sort(columns, axis=1)  # NaN come last
        counts = _host(xp.sum(~xp.isnan(x), axis=1))
        means, weights = np.zeros((2, clusters, len(x)))
        for n in np.unique(counts[counts > 0]).tolist():
            own = np.flatnonzero(counts == n)
            firsts, sizes = _cut(n, clusters)
            used = np.flatnonzero(sizes)
            part = x[:, :n] if len(own) == len(x) else x[xp.asarray(own), :n]
            sums = _host(_sums(part, firsts[used], xp)).T
            means[np.ix_(used, own)] = sums / sizes[used, None]
            weights[np.ix_(used, own)] = sizes[used, None]
        return cls(means, weights)

    def merged(self, other: Sketch) -> Sketch:
        """The sketch of the numbers of both."""
        means = np.concatenate([self.means, other.means])
        weights = np.concatenate([self.weights, other.weights])
        order = np.argsort(np.where(weights > 0, means, np.inf), axis=0, kind="stable")
        means, weights = (np.take_along_axis(a, order, axis=0) for a in (means, weights))
        total = weights.sum(axis=0)
        middle = (np.cumsum(weights, axis=0) - 0.5 * weights) / np.where(total > 0, total, 1.0)
        clusters, columns = self.means.shape
        place = _scale(middle, clusters) + clusters * np.arange(columns)
        size = clusters * columns
        order_of_columns = place.T.ravel(), weights.T.ravel(), (weights * means).T.ravel()
        new = np.bincount(order_of_columns[0], order_of_columns[1], size).reshape(columns, clusters).T
        sums = np.bincount(order_of_columns[0], order_of_columns[2], size).reshape(columns, clusters).T
        return Sketch(sums / np.where(new > 0, new, 1.0), new)

    def quantiles(self, levels: np.ndarray, lowest: np.ndarray, highest: np.ndarray) -> np.ndarray:
        """Values (L, M) below which the parts `levels` (L,) or (L, M) of the numbers lie; NaN of no numbers.

        lowest, highest: the extremes (M,), which are known exactly.
        """
        levels = np.broadcast_to(np.reshape(levels, (len(levels), -1)), (len(levels), self.means.shape[1]))
        found = np.full(levels.shape, np.nan)
        for m in range(self.means.shape[1]):
            used = self.weights[:, m] > 0
            if used.any():
                w, x = self.weights[used, m], self.means[used, m]
                ranks = (np.cumsum(w) - 0.5 * w) / w.sum()
                found[:, m] = np.interp(levels[:, m], [0.0, *ranks, 1.0], [lowest[m], *x, highest[m]])
        return found


def _scale(q: np.ndarray, clusters: int) -> np.ndarray:
    """The cluster of a rank q in 0 … 1."""
    k = 0.5 + np.arcsin(np.clip(2.0 * q - 1.0, -1.0, 1.0)) / np.pi
    return np.minimum((clusters * k).astype(int), clusters - 1)


def _cut(n: int, clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """(first place, number) of the sorted numbers in every cluster of n of them."""
    place = _scale((np.arange(n) + 0.5) / n, clusters)
    firsts = np.searchsorted(place, np.arange(clusters))
    return firsts, np.diff(np.append(firsts, n))


def _sums(x: Any, firsts: np.ndarray, xp: Any) -> Any:
    """Sums (M, clusters) of x (M, n) from each of these places to the next."""
    if xp is np:
        return np.add.reduceat(x, firsts, axis=1)
    ends = np.append(firsts[1:], x.shape[1])
    return xp.stack(
        [x[:, i:j].sum(axis=1) for i, j in zip(firsts.tolist(), ends.tolist(), strict=True)], axis=1
    )


def _host(x: Any) -> np.ndarray:
    return x if isinstance(x, np.ndarray) else x.get()
