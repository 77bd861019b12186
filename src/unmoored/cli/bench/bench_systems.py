"""The systems that are measured: a free-flying bus with arms of growing size."""

from __future__ import annotations

import numpy as np

from ...lie import so3
from ...model import Free, Inertia, Pose, Revolute
from ...system import System, SystemBuilder, load

_RIGHT_ANGLES = ((np.pi / 2, 0.0, 0.0), (-np.pi / 2, 0.0, 0.0))


def measured_systems() -> dict[str, System]:
    """Name and system of every case; "right" has right-angle frames and principal inertias, "random" neither."""
    return {
        "6+2 right": free_flyer([2]),
        "6+7 right": load("free_flyer_arm7"),
        "6+7 random": free_flyer([7], random=True),
        "6+7+7 right": free_flyer([7, 7]),
        "6+30 right": free_flyer([30]),
    }


def free_flyer(arms: list[int], *, random: bool = False) -> System:
    """A free bus with arms of revolute joints about z."""
    rng = np.random.default_rng(0)
    b = SystemBuilder(f"free_flyer_{'_'.join(map(str, arms))}{'_random' if random else ''}")
    b.vehicle("bus", Free(), inertia=_inertia(rng, 200.0, random))
    for k, joints in enumerate(arms):
        parent = "bus"
        for i in range(joints):
            name = f"arm{k}_{i}"
            at = _random_pose(rng) if random else Pose(xyz=(0, 0, 0.3), rpy=_RIGHT_ANGLES[i % 2])
            b.link(name, parent=parent, joint=Revolute((0, 0, 1)), at=at, inertia=_inertia(rng, 5.0, random))
            parent = name
        b.frame("tool" if k == 0 else f"tool{k}", parent=parent, at=Pose(xyz=(0, 0, 0.2)))
    return b.build()


def _random_pose(rng: np.random.Generator) -> Pose:
    return Pose(xyz=rng.uniform(-0.5, 0.5, 3), rotation=so3.exp(rng.uniform(-1.7, 1.7, 3)))


def _inertia(rng: np.random.Generator, mass: float, random: bool) -> Inertia:
    x, y, z = rng.uniform(0.1, 0.3, 3)
    tensor = mass * np.diag([y + z, x + z, x + y]) / 10
    if not random:
        return Inertia(mass, (0, 0, 0.1), tensor)
    turn = so3.exp(rng.uniform(-1, 1, 3))
    return Inertia(mass, rng.uniform(-0.2, 0.2, 3), turn @ tensor @ turn.T)
