"""A skate with a slider-crank on it, in the plane: a constraint that turns with the crank, and a loop."""

from __future__ import annotations

from functools import cache

import numpy as np
from tests.worlds.closed_systems import rod
from tests.worlds.test_tied_derivatives import Skate

import unmoored as um

HINGE = um.Revolute((0, 0, 1), damping=0.05)


@cache
def skating_slider_crank(mass: float = 1.5, damping: float = 2.0) -> um.Plant:
    """mass: of the slider (kg).  damping: of its slide (N s/m).  A motor turns the crank, `arm`."""
    b = um.SystemBuilder("skating slider-crank")
    b.vehicle("sled", um.Planar(), inertia=um.Inertia.box(5.0, (1, 0.5, 0.2), com=(0.1, 0.05, 0)))
    b.link("arm", parent="sled", joint=HINGE, inertia=rod(0.8, 0.2))
    b.link("rod", parent="arm", joint=HINGE, at=um.Pose(xyz=(0.2, 0, 0)), inertia=rod(0.5, 0.5))
    b.frame("end", parent="rod", at=um.Pose(xyz=(0.5, 0, 0)))
    slide = um.Prismatic((1, 0, 0), damping=damping)
    block = um.Inertia(mass, (0, 0, 0), (0.002, 0.002, 0.003))
    b.link("slider", parent="sled", joint=slide, inertia=block)
    pin = um.Closure("end", "slider", joint=um.Revolute((0, 0, 1)), name="pin")
    return um.Plant(
        b.build(), actuators=[um.JointMotor("arm")], constraints=[Skate("sled")], closures=[pin],
        free=["slider.mass", "slider.damping"],
    )  # fmt: skip


def skating_start(plant: um.Plant, angle: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    """A state that glides, turns and cranks, on the loop."""
    lean = -np.arcsin(0.4 * np.sin(angle))
    q = plant.system.pack(
        {"arm": angle, "rod": lean - angle, "slider": 0.2 * np.cos(angle) + 0.5 * np.cos(lean)}
    )
    return plant.assemble(q, plant.full_velocity(0.0, q, [0.8, 0.2, 1.0, 0.0, 0.0]))
