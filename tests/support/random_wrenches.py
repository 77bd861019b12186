"""Eight thrusters of a vehicle and random demands on them, for tests of allocation."""

import numpy as np

from unmoored import kernels
from unmoored.worlds.bounded_allocation import bounded_allocation

_S = 0.7071
#: forces and moments per unit thrust of a BlueROV2 Heavy
THRUST_MAP = np.array(
    [
        [_S, _S, -_S, -_S, 0, 0, 0, 0],
        [_S, -_S, _S, -_S, 0, 0, 0, 0],
        [0, 0, 0, 0, 1, 1, 1, 1],
        [0, 0, 0, 0, 0.218, 0.218, -0.218, -0.218],
        [0, 0, 0, 0, -0.12, 0.12, -0.12, 0.12],
        [0.1888, -0.1888, -0.1888, 0.1888, 0, 0, 0, 0],
    ]
)
EPSILON = 1e-3


def demands(count, seed):
    """(wrenches (count, 6), lowest, highest (count, 8)): inside and far outside of what can be reached; a third of the
    thrusters' limits one-sided, a third symmetric, a third random with some thrusters gone."""
    rng = np.random.default_rng(seed)
    size = rng.choice([5.0, 30.0, 100.0, 1000.0], size=(count, 1))
    wrenches = rng.normal(size=(count, 6)) * np.array([1, 1, 1, 0.2, 0.15, 0.2]) * size
    high = np.full((count, 8), 40.0)
    low = np.where(np.arange(count)[:, None] % 3 == 0, 0.0, -high)
    odd = np.arange(count) % 3 == 2
    low[odd], high[odd] = -rng.uniform(0, 40, (odd.sum(), 8)), rng.uniform(0, 40, (odd.sum(), 8))
    gone = odd[:, None] & (rng.uniform(size=(count, 8)) < 0.1)
    low[gone] = high[gone] = 0.0
    return wrenches, low, high


def kernel():
    """(wrench (6,), lowest (8,), highest (8,)) ↦ thrusts and missing forces (14,), compiled."""

    def allocated(wrench, low, high):
        found = bounded_allocation(THRUST_MAP, wrench, low, high, EPSILON)
        return np.concatenate([found.thrusts, found.missing])

    return kernels.compile(allocated, [(6,), (8,), (8,)])


def optimality(wrenches, low, high, f):
    """Largest violation (count,) of Karush, Kuhn and Tucker's conditions, relative to the largest slope at zero."""
    H = THRUST_MAP.T @ THRUST_MAP + EPSILON**2 * np.eye(8)
    slope, start = f @ H - wrenches @ THRUST_MAP, np.abs(wrenches @ THRUST_MAP).max(axis=1)
    at_low, at_high = np.maximum(-slope, 0), np.maximum(slope, 0)
    off = np.where(f <= low, at_low, np.where(f >= high, at_high, np.abs(slope)))
    return np.where(low == high, 0.0, off).max(axis=1) / start
