"""Systems with loops for tests: four-bar, slider-crank, two arms that hold each other."""

from __future__ import annotations

from functools import cache

import numpy as np

import unmoored as um

#: ground, crank, coupler, rocker (m)
BARS = (1.0, 0.4, 1.1, 0.9)
MASSES = (1.0, 1.5, 1.2)
EARTH = um.Earth(gravity=(0, -9.81, 0))


def rod(mass: float, length: float) -> um.Inertia:
    """A slender rod along x."""
    about = mass * length**2 / 12
    return um.Inertia(mass=mass, com=(length / 2, 0, 0), tensor=np.diag([1e-4, about, about]))


@cache
def four_bar() -> um.System:
    """Crank and coupler, and the rocker beside them."""
    ground, a, b, c = BARS
    build = um.SystemBuilder("four-bar")
    crank = build.link("crank", parent="world", joint=um.Revolute((0, 0, 1)), inertia=rod(MASSES[0], a))
    coupler = build.link(
        "coupler",
        parent=crank,
        joint=um.Revolute((0, 0, 1)),
        at=um.Pose(xyz=(a, 0, 0)),
        inertia=rod(MASSES[1], b),
    )
    rocker = build.link(
        "rocker", parent="world", joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(ground, 0, 0)),
        inertia=rod(MASSES[2], c),
    )  # fmt: skip
    build.frame("tip", parent=coupler, at=um.Pose(xyz=(b, 0, 0)))
    build.frame("end", parent=rocker, at=um.Pose(xyz=(c, 0, 0)))
    return build.build()


def closed_four_bar(**options) -> um.Plant:
    pin = um.Closure("tip", "end", joint=um.Revolute((0, 0, 1)), name="pin")
    return um.Plant(four_bar(), EARTH, closures=[pin], **options)


def four_bar_angles(crank):
    """Coupler (relative to the crank) and rocker angles for a crank angle: law of cosines at the diagonal."""
    ground, a, b, c = BARS
    x, y = ground - a * np.cos(crank), -a * np.sin(crank)
    d2, lean = x * x + y * y, np.arctan2(y, x)
    coupler = lean + np.arccos((d2 + b * b - c * c) / (2 * b * np.sqrt(d2)))
    tip = a * np.cos(crank) + b * np.cos(coupler), a * np.sin(crank) + b * np.sin(coupler)
    return coupler - crank, np.arctan2(tip[1], tip[0] - ground)


@cache
def two_arms(free: bool = False, joints: int = 4) -> um.System:
    """Two arms on the ground or on a free bus, whose hands face each other; unsymmetric, with turned frames."""
    rng, build = np.random.default_rng(3), um.SystemBuilder("two arms")
    base = "world"
    if free:
        base = build.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=30.0, size=(0.6, 0.5, 0.4)))
    axes = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 1, 0), (0, 0, 1), (0, 1, 0)]
    for side, y in (("left", 0.4), ("right", -0.4)):
        parent, at = base, um.Pose(xyz=(0, y, 0.2))
        for k in range(joints):
            tensor = np.diag(rng.uniform(0.01, 0.02, 3))
            inertia = um.Inertia(mass=3.0 - 0.3 * k, com=rng.normal(size=3) * 0.05, tensor=tensor)
            parent = build.link(
                f"{side}{k}", parent=parent, joint=um.Revolute(axes[k]), at=at, inertia=inertia
            )
            at = um.Pose(xyz=(0.05, 0, 0.3), rpy=rng.normal(size=3) * 0.1)
        build.frame(f"{side}_hand", parent=parent, at=um.Pose(xyz=(0, 0, 0.2), rpy=rng.normal(size=3)))
    return build.build()


@cache
def arm_with_load(loose: bool, joints: int = 2) -> um.Plant:
    """An arm in the plane with motors, and a load: with three DoFs of its own, which a closure welds to the hand, or a
    part of the last link."""
    at, hinge = um.Pose(xyz=(0.7, 0, 0)), um.Revolute((0, 0, 1))
    load = um.Inertia(mass=3.0, com=(0.1, 0.05, 0), tensor=np.diag([0.1, 0.1, 0.2]))
    b, names, parent = um.SystemBuilder("arm with load"), ("arm", "fore")[:joints], "world"
    for k, name in enumerate(names):
        place = at if k else um.Pose()
        parent = b.link(name, parent=parent, joint=hinge, at=place, inertia=rod(2.0 - k, 0.7))
    b.frame("hand", parent=parent, at=at)
    if loose:
        b.vehicle("load", um.Planar(), inertia=load)
    else:
        b.link("load", parent=parent, joint=um.Fixed(), at=at, inertia=load)
    grip = [um.Closure("hand", "load", name="grip")] if loose else []
    return um.Plant(b.build(), EARTH, [um.JointMotor(name) for name in names], closures=grip)


def with_load_in_hand(plant: um.Plant, *angles: float) -> np.ndarray:
    """The configuration of an arm with load at the joint angles."""
    q, n = plant.system.neutral(), len(angles)
    q[:n] = angles
    if plant.closures:
        joint = plant.system.tree.link("load").joint
        q = plant.system.retract(q, np.r_[np.zeros(n), joint.group.log(plant.system.pose(q, "hand"))])
    return q


def holding(plant: um.Plant, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A state on the plant's closures."""
    rng, system = np.random.default_rng(seed), plant.system
    for _ in range(20):
        q = system.retract(system.neutral(), rng.normal(size=system.nv) * 0.6)
        try:
            return plant.assemble(q, rng.normal(size=system.nv))
        except um.ModelError:
            continue
    raise AssertionError("no state found")
