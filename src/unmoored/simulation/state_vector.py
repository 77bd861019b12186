"""Where everything is in the one vector that the time loop carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from operator import and_
from typing import Any, NamedTuple

import numpy as np

from ..lie.arrays import join, vector
from ..trace import less_equal, where


class Carried(NamedTuple):
    """The state of a run: q (..., nq), w (..., nw), x (..., nx), held inputs u (..., nu or 0), memory of the law m
    (..., n), what events switch s (..., n), signals of the sensors y (..., n), what they keep z (..., n), values of the
    event functions g (..., events), why the sample has stopped (..., 1; 0: it runs), steps taken (..., 1)."""

    q: np.ndarray
    w: np.ndarray
    x: np.ndarray
    u: np.ndarray
    m: np.ndarray
    s: np.ndarray
    y: np.ndarray
    z: np.ndarray
    g: np.ndarray
    code: np.ndarray
    count: np.ndarray


@dataclass(frozen=True)
class Layout:
    """Sizes of the parts of the state vector, in the order of `Carried`."""

    nq: int
    nw: int
    nx: int
    held: int
    memory: int
    events: int
    signals: int = 0
    sensors: int = 0
    switches: int = 0

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """The slice of every part."""
        moving = (self.nq, self.nw, self.nx, self.held, self.memory, self.switches)
        sizes = (*moving, self.signals, self.sensors, self.events, 1, 1)
        return tuple(slice(a, b) for a, b in pairwise(accumulate(sizes, initial=0)))

    @cached_property
    def size(self) -> int:
        """Length of the state vector."""
        return self.slices[-1].stop

    @property
    def shown(self) -> int:
        """Length of what a reader may want of it, its first parts: up to the signals of sensors."""
        return self.slices[7].start

    def split(self, state: np.ndarray) -> Carried:
        """The parts of state vectors (..., size)."""
        return Carried(*[state[..., part] for part in self.slices])

    def join(self, carried: Carried) -> np.ndarray:
        """State vectors (..., size) from their parts."""
        return join([part for part in carried if part.shape[-1]])


def split(vector: Any, sizes: Sequence[int]) -> list[Any]:
    """The parts of vectors (..., n), one after the other; what follows them is left."""
    return [vector[..., a:b] for a, b in pairwise(accumulate(sizes, initial=0))]


def all_within(x: np.ndarray, largest: float) -> Any:
    """Whether all entries of x (..., n) are numbers of at most this size."""
    good = [less_equal(np.abs(x[..., i]), largest) for i in range(x.shape[-1])]
    while len(good) > 1:  # in pairs: of thousands a chain would be too deep
        good = [*map(and_, good[::2], good[1::2]), *good[len(good) // 2 * 2 :]]
    return good[0]


def chosen(condition: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a (..., n) where the condition (...) holds, else b."""
    n = b.shape[-1]
    return vector([where(condition, a[..., i], b[..., i]) for i in range(n)]) if n else b


def column(x: Any) -> np.ndarray:
    """Numbers (...) as vectors (..., 1)."""
    return np.asarray(x)[..., None]
