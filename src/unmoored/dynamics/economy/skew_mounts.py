"""The same system with the frame of its vehicle where an arm is mounted askew.

Where on a free vehicle its body frame is makes no difference to its motion. With the frame moved by B

    g' = g B,    V' = Ad_B⁻¹ V,    τ' = Ad_Bᵀ τ,    V̇ = Ad_B V̇',

and if B is the frame of the arm's first axis, three vectors of six cross from one frame to the other. Else a twist, a
wrench, an acceleration and the articulated inertia of the whole arm do, by a placement that has no zeros to fold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ...lie import se3
from ...lie.arrays import join
from ...model import Free, Tree
from ...model.joints import numbers_from_pose, pose_from_numbers
from ...trace import is_symbolic
from ..tree_scans import without_armature
from ..wrenches import Wrenches, body_wrenches
from .axis_turns import axis_turns, product_of
from .cheap_frames import exact_pose, first_axis, moved_inertia, redrawn

_NQ, _NV = 12, 6


@dataclass(frozen=True)
class MovedVehicle:
    """A system, and the same with the frame of its first body, which is free, moved by `move` (4, 4)."""

    drawn: Tree
    tree: Tree
    move: np.ndarray

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """q' (..., nq)."""
        return join([numbers_from_pose(pose_from_numbers(q[..., :_NQ]) @ self.move), q[..., _NQ:]])

    def velocity(self, v: np.ndarray) -> np.ndarray:
        """v' (..., nv)."""
        return join([se3.Ad_inv_apply(self.move, v[..., :_NV]), v[..., _NV:]])

    def forces(self, tau: np.ndarray) -> np.ndarray:
        """τ' (..., nv)."""
        return join([se3.Ad_transpose_apply(self.move, tau[..., :_NV]), tau[..., _NV:]])

    def wrenches(self, wrenches: Wrenches | None) -> Wrenches | None:
        """The same wrenches on the bodies as they are in `tree`."""
        if not wrenches:
            return wrenches
        vehicle, *others = body_wrenches(self.drawn, wrenches)
        return dict(zip(self.tree.names, [se3.Ad_transpose_apply(self.move, vehicle), *others], strict=True))

    def acceleration_as_drawn(self, acceleration: np.ndarray) -> np.ndarray:
        """v̇ (..., nv) from v̇' (..., nv)."""
        return join([se3.Ad_apply(self.move, acceleration[..., :_NV]), acceleration[..., _NV:]])


def at_skew_mount(tree: Tree, q: np.ndarray) -> MovedVehicle | None:
    """The system with its vehicle's frame at the arm that carries most, if that saves operations of a kernel at q."""
    return _moved(tree) if is_symbolic(q) and not tree.has_own_links else None


@lru_cache(maxsize=64)
def _moved(tree: Tree) -> MovedVehicle | None:
    vehicle = tree.links[0]
    if not isinstance(vehicle.joint, Free) or not without_armature(vehicle).all():
        return None
    B = first_axis(tree)
    if B is None or not _is_skew(se3.rotation(B)):
        return None
    name, back = vehicle.name, se3.inverse(B)
    first = replace(tree.bodies[0], inertia=moved_inertia(tree.bodies[0].inertia, B), visuals=(), fluid=None)
    others = [
        replace(x, at=exact_pose(back @ x.at.matrix)) if x.parent == name else x for x in tree.bodies[1:]
    ]
    frames = [replace(x, at=exact_pose(back @ x.at.matrix)) if x.parent == name else x for x in tree.frames]
    return MovedVehicle(tree, redrawn(tree, [first, *others], frames), B)


def _is_skew(R: np.ndarray) -> bool:
    """Whether R (3, 3) is more than right angles and a turn about z, which a joint about z takes over."""
    *others, last = axis_turns(R)
    rest = product_of(others if last.axis == 2 else [*others, last])
    return not np.isin(rest, (0.0, 1.0, -1.0)).all()
