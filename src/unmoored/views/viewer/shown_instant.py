"""One instant of a system: what every part of the viewer shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...dynamics.kinematics import body_poses
from ...system import System


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The system at time t (s): q (nq,), v (nv,), and the inputs u (nu,) if there are some.

    told(): momentum (6,) of the plant about the centre of mass, None if it is not known.
    """

    system: System
    t: float
    q: np.ndarray
    v: np.ndarray
    u: np.ndarray | None = None
    told: Callable[[], np.ndarray | None] | None = None

    @cached_property
    def momentum(self) -> np.ndarray:
        """Momentum (6,) about the centre of mass in world axes: the plant's if known, else the dry system's."""
        found = None if self.told is None else self.told()
        return self.system.momentum(self.q, self.v, about="com") if found is None else found

    @cached_property
    def poses(self) -> list[np.ndarray]:
        """World poses (4, 4) of all bodies."""
        return body_poses(self.system.tree, self.q)

    def pose(self, frame: str) -> np.ndarray:
        """World pose (4, 4) of a frame or body."""
        index, on_body = self.system.tree.locate(frame)
        return self.poses[index] @ on_body if index >= 0 else on_body

    @cached_property
    def centre_of_mass(self) -> np.ndarray:
        """Centre of mass (3,) in world axes (m)."""
        links, m = self.system.tree.links, self.system.mass
        placed = ((link, self.poses[link.index]) for link in links)
        first = sum(link.mass * (g[:3, :3] @ link.com + g[:3, 3]) for link, g in placed)
        return np.asarray(first) / m if m > 0 else np.zeros(3)


def at_rest(system: System, q: np.ndarray | None = None) -> Snapshot:
    """The system at q (nq,), neutral if not given, at rest at time zero."""
    q = system.neutral() if q is None else np.asarray(q, dtype=float)
    return Snapshot(system, 0.0, q, np.zeros(system.nv))
