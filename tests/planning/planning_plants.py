"""Small plants for the tests of planning, and their costs once more, in plain NumPy over `plant.step`."""

from functools import cache

import numpy as np

import unmoored as um


@cache
def cart(lag=None):
    """A mass of 2 kg on a rail; with a lag its motor has a state."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia(2.0, (0, 0, 0), np.eye(3)))
    return um.Plant(b.build(), actuators=[um.JointMotor("cart", name="motor", lag=lag)])


@cache
def turner():
    """A body on a ball joint with one arm, in weight: four DoFs that do not commute."""
    b = um.SystemBuilder("turner")
    b.vehicle("bus", um.Spherical(), inertia=um.Inertia(3.0, (0.1, 0, -0.2), np.diag([0.5, 0.7, 0.4])))
    b.link(
        "arm",
        parent="bus",
        joint=um.Revolute((0, 1, 0)),
        at=um.Pose(xyz=(0, 0, 0.4)),
        inertia=um.Inertia(1.0, (0, 0, 0.3), np.diag([0.03, 0.04, 0.01])),
    )
    b.frame("tool", parent="arm", at=um.Pose(xyz=(0, 0, 0.6), rpy=(0.2, 0.1, 0)))
    motors = [um.Wrench("bus", name="bus_wrench"), um.JointMotor("arm", name="motor", lag=0.05)]
    return um.Plant(b.build(), um.Earth(), actuators=motors)


def rolled(plant, q0, v0, u, period, steps=1, x0=None, t0=0.0, p=None):
    """q, v, x (N + 1, …) of the motion with inputs u (N, nu)."""
    state = np.asarray(q0, float), np.asarray(v0, float), np.zeros(plant.nx) if x0 is None else x0
    rows = [state]
    for k, given in enumerate(u):
        q, v, x = rows[-1]
        rows.append(tuple(plant.step(t0 + k * period, q, v, given, period / steps, x=x, p=p, steps=steps)))
    return [np.stack(part) for part in zip(*rows, strict=True)]


def differences(function, u, ε=1e-5):
    """The gradient of function(u), u (N, nu), by central differences."""
    g = np.zeros_like(u)
    for place in np.ndindex(u.shape):
        moved = [u.copy(), u.copy()]
        moved[0][place] += ε
        moved[1][place] -= ε
        g[place] = (function(moved[0]) - function(moved[1])) / (2 * ε)
    return g
