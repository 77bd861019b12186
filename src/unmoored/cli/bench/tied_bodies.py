"""What a closed loop, a contact and strips of drag add to a step: the plant without them is the peer, in turn."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...model import Fluid, Free, Inertia, Pose, Revolute, Sphere
from ...simulation import Stepper
from ...system import System, SystemBuilder, load
from ...worlds import Closure, Contact, Earth, HalfSpace, Ocean, Plant

_SAMPLES, _STEPS, _STEP = 512, 50, 1e-3
_TURNS = 31
#: a step with a closure, a contact, or strips instead of six numbers of drag, may take so many of one without
_CLOSURE, _CONTACT, _STRIPS = 2.5, 1.2, 1.5


def rows() -> list[dict[str, Any]]:
    """Rows of the table; `ratio` is the limit over what was measured, so that 1 and more is good."""
    return [_closure(), _contact(), _strips()]


def _closure() -> dict[str, Any]:
    system = _two_arms()
    grip = Closure("left_hand", "right_hand", name="grip")
    loose, tied = Plant(system, Earth()), Plant(system, Earth(), closures=[grip])
    q = np.array([-1.5, 0.6, 0.1, 0.7, 0.2, 0.5, 0.1, 1.5, 0.6, -0.1, 0.7, -0.2, 0.5, -0.1])
    return _row("RKMK4 step, two arms that hold each other", "7+7", loose, tied, tied.assemble(q).q, _CLOSURE)


def _contact() -> dict[str, Any]:
    system = load("bluerov2_heavy_alpha5")
    seabed = HalfSpace(at=Pose(xyz=(0.0, 0.0, -2.0)))
    jaws = Contact(
        "world",
        system.names[-1],
        seabed,
        Sphere(0.05),
        stiffness=1e4,
        damping=0.2,
        friction=0.3,
        name="seabed",
    )
    loose, tied = Plant(system, Ocean()), Plant(system, Ocean(), elements=[jaws])
    return _row("RKMK4 step with a contact", "BlueROV2 + Alpha 5", loose, tied, system.neutral(), _CONTACT)


def _strips() -> dict[str, Any]:
    """Six bodies in water: drag across slender bodies, strip by strip, against drag entry by entry."""
    plain, slender = (Plant(swimmer(strips), Ocean(current=(0.2, 0.1, 0.0))) for strips in (False, True))
    return _row(
        "RKMK4 step with cross-flow strips", "6+5 in water", plain, slender, plain.system.neutral(), _STRIPS
    )


def swimmer(strips: bool) -> System:
    """A vehicle and five links, cylinders all, with drag by strips or by six numbers each."""
    shape = Fluid.cylinder(0.1, 0.6, (1, 0, 0), 1026.0)
    rough = Fluid(
        added_mass=shape.added_mass, volume=shape.volume, quadratic_drag=(4.0, 60.0, 60.0, 0.1, 2.0, 2.0)
    )
    water, body = shape if strips else rough, Inertia.cylinder(19.0, 0.1, 0.6)
    b = SystemBuilder("swimmer")
    parent = b.vehicle("body0", Free(), inertia=body, fluid=water)
    for k in range(1, 6):
        axis = ((0, 0, 1), (0, 1, 0))[k % 2]
        parent = b.link(
            f"body{k}",
            parent=parent,
            joint=Revolute(axis),
            at=Pose(xyz=(0.7, 0, 0)),
            inertia=body,
            fluid=water,
        )
    return b.build()


def _row(what: str, name: str, loose: Plant, tied: Plant, q: np.ndarray, limit: float) -> dict[str, Any]:
    """Least times per step, without and with, taken in turn."""
    steppers = [
        Stepper(plant, _SAMPLES, step=_STEP, control_step=_STEPS * _STEP, q=q) for plant in (loose, tied)
    ]
    times = np.full((2, _TURNS), np.inf)
    for turn in range(_TURNS):
        for k, stepper in enumerate(steppers):
            stepper.reset()
            begin = time.process_time()
            stepper.step()
            times[k, turn] = time.process_time() - begin
    without, with_it = times.min(axis=1) / (_SAMPLES * _STEPS) * 1e6
    return {
        "what": what, "system": name, "ours_us": with_it, "peer": f"at most {limit:g} of a step without",
        "peer_us": limit * without, "ratio": limit * without / with_it, "bar": 1.0,
    }  # fmt: skip


def _two_arms() -> System:
    """Two arms of seven revolute joints side by side on the ground, with hands that can meet."""
    b = SystemBuilder("two arms")
    axes = [(0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1)]
    for side, y, turned in (("left", 0.5, 0.0), ("right", -0.5, np.pi)):
        parent: Any = "world"
        for k, axis in enumerate(axes):
            at = Pose(xyz=(0, y, 0.3)) if k == 0 else Pose(xyz=(0, 0, 0.25))
            inertia = Inertia(mass=3.0 - 0.3 * k, com=(0, 0.01, 0.12), tensor=np.diag([0.02, 0.02, 0.01]))
            parent = b.link(f"{side}{k}", parent=parent, joint=Revolute(axis), at=at, inertia=inertia)
        b.frame(f"{side}_hand", parent=parent, at=Pose(xyz=(0, 0, 0.1), rpy=(turned, 0, 0)))
    return b.build()
