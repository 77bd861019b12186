"""A craft with a turned arm for the tests of sensors: a free body, one revolute link, frames off their origins."""

from functools import cache

import numpy as np

import unmoored as um


@cache
def system():
    b = um.SystemBuilder("craft")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(0.6, 0.4, 0.3)))
    arm = b.link(
        "arm",
        parent=bus,
        joint=um.Revolute(axis=(0.6, 0.0, 0.8)),
        at=um.Pose(xyz=(0.3, 0.1, 0.2), rpy=(0.2, -0.4, 0.3)),
        inertia=um.Inertia(mass=3.0, com=(0.1, 0.05, 0.2), tensor=np.diag([0.05, 0.06, 0.02])),
    )
    b.frame("box", parent=bus, at=um.Pose(xyz=(0.2, -0.1, 0.3), rpy=(0.3, -0.2, 0.5)))
    b.frame("wrist", parent=arm, at=um.Pose(xyz=(0.05, 0.1, -0.05), rpy=(-0.3, 0.2, 0.4)))
    return b.build()


@cache
def plant():
    return um.Plant(system(), world=um.Earth())


def start(seed=3, samples=None):
    """q, v of a tumbling craft."""
    rng = np.random.default_rng(seed)
    lead = () if samples is None else (samples,)
    q = np.array([system().random_configuration(rng) for _ in range(samples or 1)])
    return q.reshape(*lead, -1), rng.standard_normal((*lead, 7))
