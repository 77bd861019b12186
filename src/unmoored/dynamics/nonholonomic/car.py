"""A car: a rear axle that does not slip sideways and one steered front wheel (theory.md §13)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...lie import se3
from ...lie.arrays import matrix
from ...model import Link, Tree
from ...model.value import replace_arrays
from .constraint import VelocityConstraint, check_radius, frame_on, planar_motion, vehicle_link
from .wheels import rolling_rates, steering


@dataclass(frozen=True, eq=False, repr=False)
class Car(VelocityConstraint):
    """One speed, that of the front wheel along its heading δ: (v_x, ω_z) = (cos δ, sin δ / wheelbase) s at
    the rear axle.

    With the front wheel's speed the constraint is regular at every steering angle. The steering rate is free.
    steering: name of the body turned by the steering joint, Revolute about the vertical, straight ahead of
    the rear axle; the wheel heads along that body's x axis, and the wheelbase is the distance in the model.
    axle: a frame on the vehicle at the middle of the rear axle, x forward; the vehicle's own if None.
    rear_wheels, front_wheel: names of wheels that are bodies (the front one on the steering body); they roll.
    radius: of those wheels (m).
    """

    steering: str
    axle: str | None = None
    rear_wheels: tuple[str, ...] = ()
    front_wheel: str | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        replace_arrays(self, rear_wheels=tuple(self.rear_wheels))
        front = () if self.front_wheel is None else (self.front_wheel,)
        check_radius(self.vehicle, "radius", self.radius, (*self.rear_wheels, *front))

    @property
    def speeds(self) -> tuple[str, ...]:
        return ("front",)

    def dofs(self, tree: Tree) -> np.ndarray:
        link = vehicle_link(tree, self.vehicle, "Car")
        wheels = [*self.rear_wheels, *([self.front_wheel] if self.front_wheel else [])]
        indices = [range(link.v.start, link.v.stop), *(tree.dofs(name) for name in wheels)]
        return np.array([int(i) for part in indices for i in part])

    def embedding(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        G, front, wheelbase = self._geometry(tree)
        c, s, _ = self._heading(tree, q)
        rear = G @ matrix([[c], [s / wheelbase]])
        return np.concatenate([rear, np.broadcast_to(front, (*rear.shape[:-2], *front.shape))], axis=-2)

    def embedding_rate(self, tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        G, front, wheelbase = self._geometry(tree)
        c, s, sign = self._heading(tree, q)
        rate = sign * v[..., tree.link(self.steering).v.start]
        rear = G @ matrix([[-s * rate], [c * rate / wheelbase]])
        return np.concatenate([rear, np.zeros((*rear.shape[:-2], *front.shape))], axis=-2)

    def coordinates(self, tree: Tree, q: np.ndarray) -> np.ndarray:
        link, axle = self._axle(tree)
        _, Y = planar_motion(tree, link, axle, "Car")
        wheelbase = steering(tree, link, axle, self.steering)[1]
        c, s, _ = self._heading(tree, q)
        of_vehicle = matrix([[c, wheelbase * s]]) @ Y
        wheels = len(self.dofs(tree)) - link.joint.nv
        return np.concatenate([of_vehicle, np.zeros((*of_vehicle.shape[:-1], wheels))], axis=-1)

    def _axle(self, tree: Tree) -> tuple[Link, np.ndarray]:
        link = vehicle_link(tree, self.vehicle, "Car")
        return link, frame_on(tree, link, self.axle, "Car")

    def _geometry(self, tree: Tree) -> tuple[np.ndarray, np.ndarray, float]:
        """G (k, 2) from (v_x, ω_z) to vehicle and rear wheels, the front wheel's, the wheelbase (m)."""
        link, axle = self._axle(tree)
        X, _ = planar_motion(tree, link, axle, "Car")
        steered, wheelbase, _ = steering(tree, link, axle, self.steering)
        front = [self.front_wheel] if self.front_wheel else []
        rolling = rolling_rates(tree, steered, np.eye(4), front, self.radius)[:, :1]
        rear = rolling_rates(tree, link, axle, self.rear_wheels, self.radius)
        return np.concatenate([X, rear]), rolling, wheelbase

    def _heading(self, tree: Tree, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """(cos δ, sin δ), each (...), and the sense of the steering joint."""
        link, axle = self._axle(tree)
        steered, _, sign = steering(tree, link, axle, self.steering)
        R = se3.rotation(se3.inverse(axle) @ steered.placement @ steered.joint.transform(q[..., steered.q]))
        return R[..., 0, 0], R[..., 1, 0], sign
