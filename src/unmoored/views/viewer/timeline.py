"""The rows of a run by time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...dynamics.configuration import local, retract
from ...model import ModelError
from ...system import System
from ..shown_rows import row_at, spread_rows
from .shown_instant import Snapshot


@dataclass(frozen=True, eq=False)
class Timeline:
    """One trajectory. built: makes its system.  Times t (T,) in s, increasing; q (T, nq), v (T, nv), u (T, nu) or None.

    energy (2, T): kinetic and potential (J), None if the run does not tell.  told(about): momentum (T, 6) of the plant
    about the "world" or the "com", with water and wheels; None if the run does not tell.
    """

    built: Callable[[], System]
    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    u: np.ndarray | None = None
    energy: np.ndarray | None = None
    told: Callable[[str], np.ndarray | None] | None = None

    @cached_property
    def system(self) -> System:
        """The system that moves so, with the numbers of its sample; built when it is first asked for."""
        return self.built()

    @property
    def start(self) -> float:
        """First time (s)."""
        return float(self.t[0])

    @property
    def end(self) -> float:
        """Last time (s)."""
        return float(self.t[-1])

    def row(self, t: float) -> int:
        """The last row at or before time t (s); the first one if t is earlier."""
        return row_at(self.t, t)

    def at(self, t: float) -> Snapshot:
        """The snapshot at time t (s), held at the ends; between rows q moves on the group, v and u on lines."""
        t = float(np.clip(t, self.start, self.end))
        i = self.row(t)
        if t == self.t[i]:
            u = None if self.u is None else self.u[i]
            return Snapshot(self.system, t, self.q[i], self.v[i], u, partial(self._momentum_at, t))
        s = (t - self.t[i]) / (self.t[i + 1] - self.t[i])
        tree = self.system.tree
        q = retract(tree, self.q[i], s * local(tree, self.q[i], self.q[i + 1]))
        u = None if self.u is None else (1 - s) * self.u[i] + s * self.u[i + 1]
        v = (1 - s) * self.v[i] + s * self.v[i + 1]
        return Snapshot(self.system, t, q, v, u, partial(self._momentum_at, t))

    def momentum(self, about: str) -> np.ndarray | None:
        """Momentum (T, 6) of the plant about the "world" or the "com"; None if the run does not tell."""
        return None if self.told is None else self.told(about)

    @cached_property
    def _impulse(self) -> np.ndarray | None:
        return self.momentum("com")

    def _momentum_at(self, t: float) -> np.ndarray | None:
        if self._impulse is None:
            return None
        return np.array([np.interp(t, self.t, entry) for entry in self._impulse.T])

    def thinned(self, most: int) -> Timeline:
        """At most that many rows, evenly spread, first and last kept."""
        if len(self.t) <= most:
            return self
        rows = spread_rows(len(self.t), most)
        u = None if self.u is None else self.u[rows]
        energy = None if self.energy is None else self.energy[:, rows]
        return Timeline(
            lambda: self.system, self.t[rows], self.q[rows], self.v[rows], u, energy,
            lambda about: None if (found := self.momentum(about)) is None else found[rows],
        )  # fmt: skip


def timelines(run: Any) -> tuple[Timeline, ...]:
    """The trajectories of a run, one for each sample; rows after a sample ended are left out."""
    t = np.asarray(run.t, dtype=float)
    q, v = _by_sample(run.q), _by_sample(run.v)
    u = _by_sample(run.u) if getattr(run, "u", None) is not None else None
    energy = run.energy() if callable(getattr(run, "energy", None)) else None
    if energy is not None:
        energy = np.stack([np.reshape(x, q.shape[:2]) for x in (energy.kinetic, energy.potential)])
    lengths = np.asarray(getattr(run, "lengths", ()))
    lengths = np.broadcast_to(lengths if lengths.size else len(t), (len(q),))
    if len(lengths) == 0 or np.min(lengths) < 1:
        raise ModelError.single(
            "view", "run", expected="at least one row in every sample", given=f"{lengths}"
        )
    return tuple(
        Timeline(
            partial(run.system_of, i), t[:n], q[i, :n], v[i, :n],
            None if u is None else u[i, :n],
            None if energy is None else energy[:, i, :n],
            partial(_momentum, run, i, int(n)),
        )
        for i, n in enumerate(lengths)
    )  # fmt: skip


def _momentum(run: Any, i: int, rows: int, about: str) -> np.ndarray | None:
    """Momentum (T, 6) of sample i of a run; None if it does not tell: water that is not known, or no run of ours."""
    if not (hasattr(run, "sample") and hasattr(run, "momentum")):
        return None
    try:
        return run.sample(i).momentum(about)[:rows]
    except ModelError:
        return None


def _by_sample(x: Any) -> np.ndarray:
    """(S, T, n) from (T, n) or (S, T, n)."""
    x = np.asarray(x, dtype=float)
    return x if x.ndim == 3 else x[None]
