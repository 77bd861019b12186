"""What a joint does by itself: springs, damping, friction and end stops, from the options of the joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dynamics import configuration
from ..dynamics.mass_matrix import mass_matrix
from ..dynamics.tree_scans import split_configuration, split_velocity
from ..lie.arrays import apply, blocks, join, transpose
from ..model import Link, ModelError, Tree
from ..model.joints import SubgroupJoint
from ..model.value import Value, frozen_array, replace_arrays
from ..trace import is_zero, less, maximum, sign, where

#: tanh(y) / y is 1 − y²/3 to rounding below this
_SMALL = 1e-4


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class JointEffects(Value):
    """Which effects act, and what the joints' options do not say.

    friction_speed: speed (m/s, rad/s) over which Coulomb friction turns round: −friction · tanh(u / friction_speed).
    stop_frequency: of a joint that bounces on its end stop (rad/s): the stop's stiffness is that frequency squared
    times the inertia that the joint feels at the neutral pose with all other joints free.
    stop_stiffness: the stops' stiffness itself (N/m, N m/rad), instead.
    stop_damping: s/m, s/rad; the stop pushes with stiffness · depth · (1 + stop_damping · speed into it), never pulls.
    """

    springs: bool = True
    damping: bool = True
    friction: bool = True
    stops: bool = True
    friction_speed: float = 1e-2
    stop_frequency: float = 200.0
    stop_stiffness: float | None = None
    stop_damping: float = 1.0

    def __post_init__(self) -> None:
        for name in ("friction_speed", "stop_frequency", "stop_stiffness", "stop_damping"):
            if (value := getattr(self, name)) is None:
                continue
            number = float(frozen_array(value, (), where="JointEffects", what=name))
            if number < 0 or (number == 0 and name != "stop_damping"):
                raise ModelError.single("JointEffects", name, expected="> 0", given=repr(value))
            replace_arrays(self, **{name: number})

    def conservative_forces(self, tree: Tree, q: np.ndarray, stop_stiffness: np.ndarray) -> np.ndarray:
        """Forces (..., nv) of springs and of the stops' stiffness at q (..., nq): −∂U along the velocity directions.

        stop_stiffness: (nv,) as `stop_stiffnesses` gives it.
        """
        ks = split_velocity(tree, stop_stiffness)
        return join(
            [self._elastic(link, q_i, k) for (link, q_i), k in zip(_placed(tree, q), ks, strict=True)]
        )

    def dissipative_forces(
        self, tree: Tree, q: np.ndarray, v: np.ndarray, stop_stiffness: np.ndarray
    ) -> np.ndarray:
        """Forces (..., nv) of damping, of friction and of the stops' damping at q (..., nq), v (..., nv)."""
        us, ks = split_velocity(tree, v), split_velocity(tree, stop_stiffness)
        parts = zip(_placed(tree, q), us, ks, strict=True)
        return join(
            [self._rubbing(link, u) + self._stop_loss(link, q_i, u, k) for (link, q_i), u, k in parts]
        )

    def damping_matrix(
        self, tree: Tree, q: np.ndarray, v: np.ndarray, stop_stiffness: np.ndarray
    ) -> np.ndarray:
        """D (..., nv, nv) with −D v the dissipative forces at q (..., nq), v (..., nv)."""
        us, ks = split_velocity(tree, v), split_velocity(tree, stop_stiffness)
        own = [
            _diagonal(self._rubbing_factors(link, u)) + self._stop_damping_matrix(link, q_i, u, k)
            for (link, q_i), u, k in zip(_placed(tree, q), us, ks, strict=True)
        ]
        rows = range(len(own))
        zeros = [[np.zeros((a.joint.nv, b.joint.nv)) for b in tree.links] for a in tree.links]
        filled = [[own[i] if i == j else zeros[i][j] for j in rows] for i in rows]
        moving = [i for i in rows if tree.links[i].joint.nv]
        return blocks([[filled[i][j] for j in moving] for i in moving])

    def potential(self, tree: Tree, q: np.ndarray, stop_stiffness: np.ndarray) -> Any:
        """Energy (...) [J] of springs ½ k (x − rest)² and of stops ½ k depth² at q (..., nq)."""
        doubled = []
        for (link, q_i), k in zip(_placed(tree, q), split_velocity(tree, stop_stiffness), strict=True):
            if self._has_spring(link):
                x = link.joint.coordinates(q_i)
                doubled.append((link.joint.stiffness * (x - link.joint.rest) ** 2).sum(axis=-1))
            if self._has_stops(link):
                depth = _depth(link, link.joint.coordinates(q_i))
                doubled.append((k * depth * depth).sum(axis=-1))
        return 0.5 * sum(doubled)

    def stop_stiffnesses(self, tree: Tree) -> np.ndarray:
        """Stiffness (nv,) of the end stops of all DoFs."""
        if self.stop_stiffness is not None:
            return np.full(tree.nv, self.stop_stiffness)
        free, stiffness = tree.free_dofs, np.zeros(tree.nv)  # none where the motion is given anyway
        M = mass_matrix(tree, configuration.neutral(tree))[np.ix_(free, free)]
        stiffness[free] = self.stop_frequency**2 / np.diag(np.linalg.inv(M))
        return stiffness

    def _has_spring(self, link: Link) -> bool:
        return self.springs and not is_zero(link.joint.stiffness)

    def _has_stops(self, link: Link) -> bool:
        return self.stops and link.joint.limits is not None

    def _elastic(self, link: Link, q: np.ndarray, k: np.ndarray) -> np.ndarray:
        if not self._has_spring(link) and not self._has_stops(link):
            return np.zeros(link.joint.nv)
        x = link.joint.coordinates(q)
        force = np.zeros(link.joint.nv)
        if self._has_spring(link):
            force = force - link.joint.stiffness * (x - link.joint.rest)
        if self._has_stops(link):
            force = force - k * _depth(link, x)
        return apply(transpose(_coordinate_rates(link, x)), force)

    def _rubbing(self, link: Link, u: np.ndarray) -> np.ndarray:
        force = np.zeros(link.joint.nv)
        if self.damping and not is_zero(link.joint.damping):
            force = force - link.joint.damping * u
        if self.friction and not is_zero(link.joint.friction):
            force = force - link.joint.friction * np.tanh(u / self.friction_speed)
        return force

    def _rubbing_factors(self, link: Link, u: np.ndarray) -> np.ndarray:
        """Damping and friction (..., nv_i) as force over velocity: friction · tanh(y) / u, y = u / friction_speed."""
        factors = 0.0 * u
        if self.damping and not is_zero(link.joint.damping):
            factors = factors + link.joint.damping
        if self.friction and not is_zero(link.joint.friction):
            y = u / self.friction_speed
            small = less(y * y, _SMALL**2)
            ratio = where(small, 1.0 - y * y / 3.0, np.tanh(y) / where(small, 1.0, y))
            factors = factors + link.joint.friction / self.friction_speed * ratio
        return factors

    def _stop_damping_matrix(self, link: Link, q: np.ndarray, u: np.ndarray, k: np.ndarray) -> np.ndarray:
        """Ratesᵀ diag(k |depth| c / max(1, −c · outward speed)) rates (..., nv_i, nv_i): the loss as matrix times u."""
        if not self._has_stops(link) or self.stop_damping == 0:
            return np.zeros((link.joint.nv, link.joint.nv))
        x = link.joint.coordinates(q)
        rates, depth = _coordinate_rates(link, x), _depth(link, x)
        leaving = -self.stop_damping * sign(depth) * apply(rates, u)
        factors = k * np.abs(depth) * self.stop_damping / maximum(leaving, 1.0)
        return transpose(rates) @ (factors[..., None] * rates)

    def _stop_loss(self, link: Link, q: np.ndarray, u: np.ndarray, k: np.ndarray) -> np.ndarray:
        """What the damping adds to a stop's push; it takes the whole push away from a body that leaves fast."""
        if not self._has_stops(link) or self.stop_damping == 0:
            return np.zeros(link.joint.nv)
        x = link.joint.coordinates(q)
        rates, depth = _coordinate_rates(link, x), _depth(link, x)
        outward = sign(depth)
        loss = outward * maximum(self.stop_damping * outward * apply(rates, u), -1.0)
        return apply(transpose(rates), -k * np.abs(depth) * loss)


def _diagonal(x: np.ndarray) -> np.ndarray:
    """The matrix (..., n, n) with x (..., n) on its diagonal."""
    return x[..., None] * np.eye(x.shape[-1])


def _depth(link: Link, x: np.ndarray) -> np.ndarray:
    """How far x (..., nv) is beyond the upper limit (positive) or the lower one (negative), else zero."""
    lower, upper = link.joint.limits
    return maximum(x - upper, 0.0) - maximum(lower - x, 0.0)


def _placed(tree: Tree, q: np.ndarray) -> list[tuple[Link, np.ndarray]]:
    return list(zip(tree.links, split_configuration(tree, q), strict=True))


def _coordinate_rates(link: Link, x: np.ndarray) -> np.ndarray:
    """dexp⁻¹(x) (..., nv, nv) with ẋ = dexp⁻¹(x) u for a pose h = exp(x); 1 for true coordinates."""
    if link.joint.nv > 1 and isinstance(link.joint, SubgroupJoint):
        return link.joint.group.dexp_inv(x)
    return np.eye(link.joint.nv)
