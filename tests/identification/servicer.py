"""A servicer with a three-joint arm that holds a target, and its motion in space: the arm moves, nothing else acts."""

from functools import cache

import numpy as np

import unmoored as um
from unmoored import lie

TARGET = um.Inertia(60.0, (0.25, -0.12, 0.4), [[9.0, 0.8, -0.5], [0.8, 11.0, 0.6], [-0.5, 0.6, 7.0]])
FREE = ["target.mass", "target.com", "target.tensor"]
TRUE = np.array([60.0, 0.25, -0.12, 0.4, 9.0, 11.0, 7.0, 0.8, -0.5, 0.6])


@cache
def servicer(target=TARGET):
    b = um.SystemBuilder("servicer")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia(120.0, (0.05, 0.02, -0.03), (20.0, 24.0, 18.0)))
    axes, lengths = ((0, 0, 1), (0, 1, 0), (1, 0, 0)), (0.6, 0.7, 0.5)
    parent = bus
    for k, (axis, length) in enumerate(zip(axes, lengths, strict=True)):
        at = um.Pose(xyz=(0.5, 0, 0.3) if k == 0 else (0, 0, lengths[k - 1]))
        inertia = um.Inertia.rod(5.0, length, com=(0, 0, length / 2))
        inertia = um.Inertia(5.0, inertia.com, inertia.tensor + 0.01 * np.eye(3))
        parent = b.link(f"arm{k}", parent=parent, joint=um.Revolute(axis), inertia=inertia, at=at)
    b.link(
        "target",
        parent=parent,
        joint=um.Fixed(),
        inertia=target,
        at=um.Pose(xyz=(0, 0, 0.5), rpy=(0.3, -0.2, 0.5)),
    )
    return b.build()


@cache
def motion(rows=200):
    """The run of the true servicer, its joints driven along sines, with drift and spin at the start; T rows."""
    sines = {
        "arm0": um.Sine(0.9, 7.0),
        "arm1": um.Sine(0.7, 5.0, phase=0.4),
        "arm2": um.Sine(1.1, 4.0, phase=1.0),
    }
    plant = um.Plant(servicer(), prescribed=sines)
    v0 = np.zeros(9)
    v0[:6] = 0.02, -0.01, 0.03, 0.01, -0.02, 0.015
    return um.simulate(
        plant, plant.system.neutral(), v0, duration=20.0, step=20.0 / 2000, record_every=2000 // rows
    )


def momentum_rows():
    """(poses (T, 4, 4), twists (T, 6) of the target, momentum (T, 6) of all the rest) of the motion."""
    run, system = motion(), servicer()
    g, V = system.pose(run.q, "target"), system.velocity(run.q, run.v, "target")
    whole = system.momentum(run.q, run.v)
    own = np.einsum("tji,jk,tk->ti", lie.se3.Ad(lie.se3.inverse(g)), TARGET.matrix, V)
    return g, V, whole - np.einsum("ti->ti", own)
