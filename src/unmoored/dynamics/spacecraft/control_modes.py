"""Ways to fly a spacecraft: which of the vehicle's DoFs have their force given and which their acceleration.

Each is the hybrid recursion (theory.md §12) with another mask; the joints' forces are always given. The
results are complete: accelerations (..., nv), and forces (..., nv) whose vehicle entries are what thrusters
and wheels must supply.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...model import ModelError, Tree
from ..lagrange_poincare.vehicle_split import split
from ..recursive import forward_dynamics, hybrid_dynamics

_NO_GRAVITY = np.zeros(3)


class ControlledMotion(NamedTuple):
    """acceleration (..., nv) and tau (..., nv), both complete."""

    acceleration: np.ndarray
    tau: np.ndarray


def free_flying(tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> ControlledMotion:
    """Thrusters give the vehicle's entries of tau (..., nv), in its axes; at q (..., nq), v (..., nv)."""
    return ControlledMotion(forward_dynamics(tree, q, v, tau, _NO_GRAVITY), tau)


def attitude_controlled(
    tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray, acceleration: np.ndarray, vehicle: str
) -> ControlledMotion:
    """The vehicle's angular accelerations are given, its translation is free; at q (..., nq), v (..., nv).

    acceleration: (..., nv), of which only the vehicle's angular entries are used (zero: the turning is kept).
    tau: (..., nv), the forces on the others; no force acts on a floating vehicle, so its entries are zero.
    """
    at = split(tree, vehicle)
    angular = [name.startswith("w") for name in at.joint.dof_names]
    if not any(angular):
        expected = "a vehicle that can turn"
        raise ModelError.single(vehicle, "attitude control", expected=expected, given=at.joint.kind)
    passive = np.ones(tree.nv)
    passive[at.group[angular]] = 0.0
    return ControlledMotion(*hybrid_dynamics(tree, q, v, tau, acceleration, passive, _NO_GRAVITY))


def held_fixed(tree: Tree, q: np.ndarray, v: np.ndarray, tau: np.ndarray, vehicle: str) -> ControlledMotion:
    """The vehicle stands still while the others move, with v and tau (..., nv), at q (..., nq).

    The vehicle's entries of v are taken as zero, those of tau are ignored: in the result they are the
    wrench, along the vehicle's DoFs in its axes, that holds it.
    """
    at = split(tree, vehicle)
    passive = np.ones(tree.nv)
    passive[at.group] = 0.0
    still = at.joined(np.zeros(len(at.group)), at.others(v))
    return ControlledMotion(*hybrid_dynamics(tree, q, still, tau, np.zeros(tree.nv), passive, _NO_GRAVITY))
