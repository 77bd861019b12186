"""Random numbers that depend on (seed, episode, position) and on nothing else, on the CPU and the GPU alike.

SplitMix64 (Steele, Lea, Flood 2014) as a hash of counters: the same bits for a sample whatever else runs beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
_FIRST, _SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def mixed(z: Any, xp: Any) -> Any:
    """SplitMix64's finaliser of whole numbers (...), uint64."""
    z = (z ^ (z >> xp.uint64(30))) * xp.uint64(_FIRST)
    z = (z ^ (z >> xp.uint64(27))) * xp.uint64(_SECOND)
    return z ^ (z >> xp.uint64(31))


def uniforms(seeds: Any, episodes: Any, count: int, xp: Any = np) -> Any:
    """Numbers (S, count) in (0, 1), float64, from seeds (S,) and numbers of episodes (S,), both uint64.

    xp: NumPy, or CuPy for arrays on the GPU.
    """
    stream = mixed(mixed(seeds + xp.uint64(GOLDEN), xp) ^ (episodes * xp.uint64(GOLDEN)), xp)
    places = xp.arange(1, count + 1, dtype=xp.uint64) * xp.uint64(GOLDEN)
    raw = mixed(stream[:, None] + places, xp)
    return ((raw >> xp.uint64(11)).astype(xp.float64) + 0.5) * 2.0**-53
