"""The dynamically equivalent manipulator (DEM) of a spacecraft with an arm (theory.md §10).

A manipulator on a passive spherical joint, fixed at the system's centre of mass, whose attitude and joints
move exactly like the spacecraft's, with any constant momentum. Link i carries m'_i = m_i M_t²/(M_{i−1} M_i),
M_i being the mass of the bodies up to i. Its lever arms are scaled, from the joint to the centre of mass by
M_{i−1}/M_t, from there to the next joint by M_i/M_t. Sliding displacements scale by M_{i−1}/M_t as well;
coordinates and joint forces stay.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from ...lie import se3
from ...lie.arrays import join
from ...model import (
    Body,
    CustomJoint,
    Fixed,
    Frame,
    Helical,
    Inertia,
    Joint,
    ModelError,
    Pose,
    Revolute,
    Spherical,
    Tree,
)
from ...model.joints import numbers_from_pose, pose_from_numbers
from .conditions import free_vehicle, rigid_bodies, serial_arm_of_single_dofs

_FORM = "dynamically equivalent manipulator"


def equivalent_manipulator(tree: Tree) -> Tree:
    """The DEM as a tree: same names, `Spherical` first joint at the world origin, to be used without gravity.

    Needs one free vehicle, a serial arm of joints with at most one DoF, and rigid bodies. Frames on the last
    body stay, at the spacecraft's position relative to the centre of mass. Others have no place on a DEM.
    A joint that slides becomes a `CustomJoint`, since its coordinate stays and its travel shrinks.
    """
    _check(tree)
    scales = _mass_fractions(tree)
    vehicle, arm = tree.bodies[0], tree.bodies[1:]
    bodies = [_first_link(vehicle)]
    for i, body in enumerate(arm, start=1):
        xyz = _scaled_point(tree.bodies[i - 1], body.at.xyz, scales, i - 1)
        joint, inertia = _scaled_joint(body.joint, scales[i - 1]), _scaled_inertia(body, scales, i)
        at = Pose(tuple(xyz), rotation=body.at.rotation)
        bodies.append(replace(body, at=at, joint=joint, inertia=inertia, fluid=None, visuals=()))
    return Tree(
        name=f"{tree.name} (equivalent manipulator)",
        bodies=tuple(bodies),
        frames=tuple(_last_frames(tree, scales)),
        description=f"Dynamically equivalent manipulator of {tree.name}",
    )


def equivalent_state(tree: Tree, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q', v') of the DEM at the spacecraft's q (..., nq), v (..., nv): same attitude, joints and rates."""
    vehicle = tree.links[0]
    h = pose_from_numbers(q[..., vehicle.q])
    turned = numbers_from_pose(se3.pose(se3.rotation(h), np.zeros_like(se3.position(h), dtype=float)))
    return join([turned, q[..., vehicle.q.stop :]]), v[..., 3:]


def _check(tree: Tree) -> None:
    vehicle = free_vehicle(tree, _FORM)
    rigid_bodies(tree, _FORM)
    serial_arm_of_single_dofs(tree, _FORM)
    if not vehicle.mass > 0:
        raise ModelError.single(
            vehicle.name, _FORM, expected="a vehicle with mass", given=f"{vehicle.mass} kg"
        )


def _mass_fractions(tree: Tree) -> np.ndarray:
    """M_i / M_t (n+1,): the share of the mass up to and with body i."""
    masses = np.array([body.inertia.mass for body in tree.bodies])
    return np.cumsum(masses) / masses.sum()


def _first_link(vehicle: Body) -> Body:
    """The vehicle on the spherical joint, its centre of mass on the fixed point; its mass does not matter."""
    inertia = Inertia(vehicle.inertia.mass, (0, 0, 0), vehicle.inertia.tensor)
    at = Pose(rotation=vehicle.at.rotation)
    return replace(vehicle, joint=Spherical(), at=at, inertia=inertia, fluid=None, visuals=())


def _scaled_point(body: Body, x: np.ndarray, scales: np.ndarray, i: int) -> np.ndarray:
    """A point x (3,) of body i in the DEM: l_ci + R_i M_i/M_t, from the joint through the centre of mass."""
    com = body.inertia.com
    inner = scales[i - 1] if i else 0.0
    return inner * com + scales[i] * (x - com)


def _scaled_inertia(body: Body, scales: np.ndarray, i: int) -> Inertia:
    inertia = body.inertia
    return Inertia(inertia.mass / (scales[i - 1] * scales[i]), scales[i - 1] * inertia.com, inertia.tensor)


def _last_frames(tree: Tree, scales: np.ndarray) -> list[Frame]:
    last, i = tree.bodies[-1], len(tree.bodies) - 1

    def moved(frame: Frame) -> Frame:
        xyz = _scaled_point(last, frame.at.xyz, scales, i)
        return replace(frame, at=Pose(tuple(xyz), rotation=frame.at.rotation))

    return [moved(frame) for frame in tree.frames if frame.parent == last.name]


def _scaled_joint(joint: Joint, scale: float) -> Joint:
    """The joint with the same coordinate and rotation whose translation is `scale` times as large."""
    if isinstance(joint, Fixed | Revolute):
        return joint
    if isinstance(joint, Helical):
        return replace(joint, pitch=joint.pitch * scale)
    options = {field.name: getattr(joint, field.name) for field in fields(Joint)}
    return CustomJoint(1, _ScaledPose(joint, scale), _ScaledTwist(joint, scale), **options)


@dataclass(frozen=True)
class _ScaledPose:
    """q ↦ h(q) with its translation scaled."""

    joint: Joint
    scale: float

    def __call__(self, q: np.ndarray) -> np.ndarray:
        h = self.joint.transform(q)
        return se3.pose(se3.rotation(h), self.scale * se3.position(h))


@dataclass(frozen=True)
class _ScaledTwist:
    """q ↦ X(q) = Ad_h S with its linear part scaled: ṗ − ω×p scales like p."""

    joint: Joint
    scale: float

    def __call__(self, q: np.ndarray) -> np.ndarray:
        X = se3.Ad(self.joint.transform(q)) @ self.joint.basis(q)
        return np.concatenate([self.scale * X[:3], X[3:]])
