"""Systems, states and laws for tests of the simulation; functions of a module, so that they can be pickled."""

import numpy as np

import unmoored as um


def small_arm():
    """A free vehicle with two links."""
    builder = um.SystemBuilder("small")
    bus = builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    link = um.Inertia(mass=2.0, com=(0, 0, 0.3), tensor=np.diag([0.1, 0.12, 0.02]))
    first = builder.link(
        "arm1", parent=bus, joint=um.Revolute(axis=(0, 1, 0)), at=um.Pose(xyz=(0.2, 0, 0.3)), inertia=link
    )
    builder.link(
        "arm2", parent=first, joint=um.Revolute(axis=(1, 0, 0)), at=um.Pose(xyz=(0, 0, 0.6)), inertia=link
    )
    return builder.build()


def states(system, samples, seed=0, speed=0.5):
    """q0 (S, nq), v0 (S, nv)."""
    rng = np.random.default_rng(seed)
    q = np.stack([system.random_configuration(rng) for _ in range(samples)])
    return q, rng.uniform(-speed, speed, (samples, system.nv))


def damper(t, q, v):
    """A law of plain arithmetic, which rounds in NumPy as in the kernel."""
    return -0.3 * v - 0.1 * v * v + 0.05 * q[9] * t / (1.0 + t * t)


def slow_damper(t, q, v):
    """The same law, which cannot be traced."""
    float(q[0])
    return damper(t, q, v)


def first_link_up(t, q, v):
    """Zero where the first link has turned by half a radian."""
    return q[12] - 0.5
