"""Rolling vehicles for tests: models, their constraints, and the same constraints as rows A v = 0."""

from dataclasses import replace

import numpy as np
from tests.support.random_trees import random_inertia, random_pose, random_tree

from unmoored.dynamics import jacobians, kinematics
from unmoored.dynamics.nonholonomic import Car, ChaplyginSleigh, DifferentialDrive, RollingBall
from unmoored.model import Body, Frame, Free, Inertia, Planar, Pose, Revolute, Tree

R_WHEEL = 0.2


def arm(rng, parent, kinds):
    """A random arm of these joints, to be put on a vehicle."""
    part = random_tree(int(rng.integers(1000)), ["Free", *kinds], branching=False)
    bodies = [
        replace(body, parent=parent if body.parent == "b0" else body.parent) for body in part.bodies[1:]
    ]
    return bodies, replace(part.frames[0])


def rover(vehicle_joint, seed=0, kinds=("Revolute", "Spherical", "Prismatic"), wheels=True):
    """A vehicle with an axle frame off its origin, two wheels on it (one axis reversed), and an arm."""
    rng = np.random.default_rng(seed)
    axle = Pose((0.3, -0.1, -0.05), rpy=(0, 0, 0.4))
    left, right = (axle @ Pose((0, y, -0.1)) for y in (0.35, -0.25))
    bodies = [
        Body(
            name="rover",
            parent="world",
            joint=vehicle_joint,
            inertia=random_inertia(rng),
            at=random_pose(rng),
        )
    ]
    if wheels:
        inertia = Inertia(2.0, (0.0, 0.02, 0.0), (0.03, 0.05, 0.03))
        for name, at, way in (("left", left, 1), ("right", right, -1)):
            bodies.append(
                Body(name=name, parent="rover", joint=Revolute((0, way, 0)), inertia=inertia, at=at)
            )
    links, tool = arm(rng, "rover", kinds)
    frames = (Frame(name="axle", parent="rover", at=axle), tool)
    return Tree(name="rover", bodies=(*bodies, *links), frames=frames)


def car(seed=1, wheels=True):
    """A planar vehicle with a rear axle, a steered front wheel that rolls, and an arm."""
    rng = np.random.default_rng(seed)
    axle = Pose((-0.4, 0.1, 0.0), rpy=(0, 0, -0.3))
    rigid = lambda: random_inertia(rng)  # noqa: E731
    bodies = [
        Body(name="car", parent="world", joint=Planar(), inertia=rigid(), at=random_pose(rng)),
        Body(
            name="fork",
            parent="car",
            joint=Revolute((0, 0, -1)),
            inertia=rigid(),
            at=axle @ Pose((1.3, 0, 0)),
        ),
        Body(name="front", parent="fork", joint=Revolute((0, 1, 0)), inertia=rigid()),
        Body(
            name="rear",
            parent="car",
            joint=Revolute((0, -1, 0)),
            inertia=rigid(),
            at=axle @ Pose((0, 0.6, 0)),
        ),
    ]
    links, tool = arm(rng, "car", ("Revolute", "Helical"))
    kept = bodies if wheels else bodies[:2]
    return Tree(name="car", bodies=(*kept, *links), frames=(Frame(name="axle", parent="car", at=axle), tool))


def ball(seed=2):
    """A ball with its mass off its geometric centre, which is off its origin, and a pendulum inside."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body(name="ball", parent="world", joint=Free(), inertia=random_inertia(rng), at=random_pose(rng))
    ]
    links, tool = arm(rng, "ball", ("Universal", "Revolute"))
    centre = Frame(name="centre", parent="ball", at=random_pose(rng, 0.1))
    return Tree(name="ball", bodies=(*bodies, *links), frames=(centre, tool))


def rows_of_axle(tree, q, vehicle):
    """Twist of the axle frame along all directions but forward and turning."""
    J = jacobians.jacobian(tree, q, "axle")
    return J[1:2] if isinstance(tree.link(vehicle).joint, Planar) else J[1:5]


def row_of_rolling(tree, q, wheel, heading, down, radius=R_WHEEL):
    """Velocity along `heading` of the wheel's point at its bottom, both directions in world axes."""
    J = jacobians.mixed_jacobian(tree, q, wheel)
    lever = radius * down
    return (heading @ (J[:3] + np.stack([np.cross(J[3:, k], lever) for k in range(tree.nv)], axis=-1)))[None]


def wheel_rows(tree, q, wheels, frame="axle"):
    R = kinematics.pose(tree, q, frame)[:3, :3]
    return [row_of_rolling(tree, q, wheel, R[:, 0], -R[:, 2]) for wheel in wheels]


def rover_rows(tree, q):
    wheels = [name for name in ("left", "right") if name in tree.names]
    return np.concatenate([rows_of_axle(tree, q, "rover"), *wheel_rows(tree, q, wheels)])


def car_rows(tree, q):
    sideways = jacobians.jacobian(tree, q, "fork")[1:2]
    rows = [rows_of_axle(tree, q, "car"), sideways]
    if "front" in tree.names:
        rows += [*wheel_rows(tree, q, ["rear"]), *wheel_rows(tree, q, ["front"], "fork")]
    return np.concatenate(rows)


def ball_rows(tree, q):
    """The ball's point under its centre stands still."""
    J = jacobians.mixed_jacobian(tree, q, "centre")
    lever = np.array([0, 0, -R_WHEEL])
    return J[:3] + np.stack([np.cross(J[3:, k], lever) for k in range(tree.nv)], axis=-1)


WHEELS = {"wheels": ("left", "right"), "radius": R_WHEEL}
CASES = {
    "planar rover": (rover(Planar()), DifferentialDrive("rover", "axle", **WHEELS), rover_rows),
    "free rover": (rover(Free()), DifferentialDrive("rover", "axle", **WHEELS), rover_rows),
    "rover without wheels": (rover(Planar(), wheels=False), DifferentialDrive("rover", "axle"), rover_rows),
    "sleigh": (rover(Planar(), wheels=False), ChaplyginSleigh("rover", "axle"), rover_rows),
    "car": (
        car(),
        Car("car", "fork", "axle", rear_wheels=("rear",), front_wheel="front", radius=R_WHEEL),
        car_rows,
    ),
    "car without wheels": (car(wheels=False), Car("car", "fork", "axle"), car_rows),
    "ball": (ball(), RollingBall("ball", R_WHEEL, "centre"), ball_rows),
}
