"""A vehicle whose motion is prescribed, such as a ship in waves: the arm moves, the vehicle reacts (§14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..lie import se3
from ..lie.arrays import apply, solved
from ..model import ModelError, Tree
from ..model.joints import SubgroupJoint, numbers_from_pose
from ..trace import evaluate, jacobian, trace
from .closed_form.closed_form_dynamics import bias_forces
from .closed_form.vehicle_arm_blocks import block
from .lagrange_poincare.vehicle_split import split
from .mass_matrix import mass_matrix
from .recursive import hybrid_dynamics
from .wrenches import Wrenches

_ON_GROUP = 1e-9


class ForcedMotion(NamedTuple):
    """acceleration: complete (..., nv).  reaction: what drives the vehicle (..., m), along its DoFs."""

    acceleration: np.ndarray
    reaction: np.ndarray


class PrescribedMotion(NamedTuple):
    """A vehicle's motion at an instant: configuration (..., nq_i), u (..., m), u̇ (..., m) (m, rad, s)."""

    configuration: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


def forced_base(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    acceleration: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    vehicle: str,
) -> ForcedMotion:
    """The motion at q (..., nq), v (..., nv) when the vehicle's acceleration is given: the hybrid recursion.

    tau: (..., nv), the vehicle's entries are ignored.  acceleration: (..., nv), only the vehicle's entries
    are used.
    gravity: γ (..., 3), world axes (m/s²).  wrenches: {frame: (..., 6) in its own axes}.
    """
    link = tree.link(vehicle)
    passive = np.ones(tree.nv)
    passive[link.v] = 0.0
    a, forces = hybrid_dynamics(tree, q, v, tau, acceleration, passive, gravity, wrenches)
    return ForcedMotion(a, forces[..., link.v])


def forced_base_by_blocks(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    acceleration: np.ndarray,
    gravity: np.ndarray,
    wrenches: Wrenches | None,
    vehicle: str,
) -> ForcedMotion:
    """The same as `forced_base`, from the blocks of the closed form; arrays (..., nv) as there."""
    at, M = split(tree, vehicle), mass_matrix(tree, q)
    bias = bias_forces(tree, q, v, gravity, wrenches)
    u_dot = at.vehicle(acceleration)
    driven = at.others(tau - bias) - apply(block(M, at.shape, at.group), u_dot)
    a = at.joined(u_dot, solved(block(M, at.shape, at.shape), driven))
    return ForcedMotion(a, at.vehicle(apply(M, a) + bias))


def prescribed_motion(
    tree: Tree, vehicle: str, pose: Callable[[np.ndarray], np.ndarray]
) -> Callable[..., PrescribedMotion]:
    """The function of time t (...) ↦ `PrescribedMotion` of a vehicle, from its joint's pose as a function of
    time.

    pose: t (a number, s) ↦ h (4, 4), the vehicle in its joint's placement, in traceable NumPy. It is
    differentiated exactly. The pose must stay in the joint's group, which is checked when the motion is
    evaluated.
    """
    at = split(tree, vehicle)
    h = trace(lambda t: pose(t[0]), (1,), name="prescribed pose", exact_zeros=True)
    if h.output_shapes != ((4, 4),):
        raise ModelError.single(
            vehicle, "prescribed pose", expected="a pose (4, 4)", given=str(h.output_shapes)
        )
    h_dot = jacobian(h)
    h_ddot = jacobian(h_dot)

    def motion(t: float | np.ndarray) -> PrescribedMotion:
        t = np.asarray(t, dtype=float)[..., None]
        return _motion_of(
            at.joint, evaluate(h, t), evaluate(h_dot, t)[..., 0], evaluate(h_ddot, t)[..., 0, 0]
        )

    return motion


def _motion_of(
    joint: SubgroupJoint, h: np.ndarray, h_dot: np.ndarray, h_ddot: np.ndarray
) -> PrescribedMotion:
    """V = h⁻¹ḣ and V̇ = h⁻¹ḧ − V V as matrices, in coordinates of the joint's algebra."""
    V = se3.inverse(h) @ h_dot
    V_dot = se3.inverse(h) @ h_ddot - V @ V
    L, H = joint.group.coordinates, joint.group.basis
    twist = se3.vee(V)
    if (
        not np.all(joint.group.contains(h, _ON_GROUP))
        or np.abs(twist - apply(H @ L, twist)).max() > _ON_GROUP
    ):
        raise ModelError.single(
            joint.kind, "prescribed pose", expected=f"poses in {joint.group.name}", given=str(h.tolist())
        )
    configuration = joint.group.log(h) if joint.nv == 1 else numbers_from_pose(h)
    return PrescribedMotion(configuration, apply(L, twist), apply(L, se3.vee(V_dot)))
