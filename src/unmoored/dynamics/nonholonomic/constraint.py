"""What a velocity constraint offers: velocities it ties, and how they follow from fewer (theory.md §13)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...lie import se3
from ...model import Link, ModelError, Tree
from ...model.errors import unknown_name
from ...model.joints import SubgroupJoint
from ...model.value import Value
from ...trace import is_symbolic

_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class VelocityConstraint(Value, ABC):
    """Velocities of some joints, tied: v[dofs] = P(q) s with fewer independent speeds s. Frozen.

    vehicle: name of the vehicle whose motion is constrained.
    """

    vehicle: str

    @property
    @abstractmethod
    def speeds(self) -> tuple[str, ...]:
        """Names of the independent speeds s, in order."""

    @abstractmethod
    def dofs(self, tree: Tree) -> np.ndarray:
        """Indices (k,) of the tied velocities in v. Refuses a tree that the constraint does not fit."""

    @abstractmethod
    def embedding(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        """P (..., k, r) at q (..., nq): v[dofs] = P s."""

    @abstractmethod
    def embedding_rate(self, tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Ṗ (..., k, r) at q (..., nq), v (..., nv)."""

    @abstractmethod
    def coordinates(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        """L (..., r, k) at q (..., nq) with L P = 1: s = L v[dofs]."""


def vehicle_link(tree: Tree, vehicle: str, constraint: str) -> Link:
    """The link of a vehicle with a constant twist basis."""
    if vehicle not in tree.vehicles:
        raise unknown_name(constraint, "vehicle", vehicle, tree.vehicles)
    link = tree.link(vehicle)
    if not isinstance(link.joint, SubgroupJoint):
        expected = "a joint that is a subgroup of SE(3)"
        raise ModelError.single(vehicle, constraint, expected=expected, given=link.joint.kind)
    return link


def frame_on(tree: Tree, link: Link, frame: str | None, constraint: str) -> np.ndarray:
    """Pose (4, 4) on a body of one of its frames; its own frame for None."""
    if frame is None:
        return np.eye(4)
    index, on_body = tree.locate(frame)
    if index != link.index:
        known = [f.name for f in tree.frames if f.parent == link.name]
        raise unknown_name(constraint, f"frame on {link.name}", frame, [link.name, *known])
    refuse_run_time_place(frame, on_body)
    return on_body


def refuse_run_time_place(where: str, g: np.ndarray) -> None:
    """Refuse a pose g (..., 4, 4) that is a symbol or has a batch."""
    if is_symbolic(g) or g.ndim > 2:
        expected = "its place as built: the constraint is made from it"
        raise ModelError.single(where, "place", expected=expected, given="a place given at run time")


def planar_motion(
    tree: Tree, link: Link, frame: np.ndarray, constraint: str, axes: Sequence[int] = (0, 5)
) -> tuple[np.ndarray, np.ndarray]:
    """(X (m, k), Y (k, m)): the vehicle's velocities u = X (v_x, ω_z) when a frame on it moves forward and
    turns, and back; or along other `axes` of its twist, (0, 1, 5) for (v_x, v_y, ω_z).

    frame: its pose (4, 4) on the vehicle. The vehicle's joint must allow that motion.
    """
    B = se3.Ad(se3.inverse(frame)) @ link.joint.basis(link.joint.neutral())
    axes = list(axes)
    wanted = np.eye(6)[:, axes]
    X = np.linalg.lstsq(B, wanted, rcond=None)[0]
    if np.abs(B @ X - wanted).max() > _TOLERANCE:
        along = "x axis" if len(axes) == 2 else "x and y axes"
        expected = f"a vehicle joint that can move along the frame's {along} and turn about its z axis"
        raise ModelError.single(link.name, constraint, expected=expected, given=link.joint.kind)
    return X, B[axes]


def parallel(direction: np.ndarray, axis: np.ndarray) -> int:
    """+1 or −1 if two unit vectors (3,) are parallel or opposite, 0 if neither."""
    along = float(direction @ axis)
    return int(np.sign(along)) if abs(abs(along) - 1) < _TOLERANCE else 0


def check_radius(where: str, what: str, radius: float | None, names: tuple[str, ...]) -> None:
    """Refuse wheels without a radius > 0 (m), and what is no such radius where there are none."""
    good = (
        isinstance(radius, int | float | np.number) and not isinstance(radius, bool) and 0 < radius < np.inf
    )
    if not good and (names or radius is not None):
        raise ModelError.single(where, what, expected="the radius > 0 (m) of the wheels", given=repr(radius))
