"""Free fall; in an orbit, with the tide that the planet's gravity gradient raises (theory.md §19)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics.regressors import momentum_columns
from ...lie import se3, so3
from ...lie.arrays import apply, blocks, join, scale, scale_vector, transpose, vector
from ...model import Link, ModelError
from ...model.field_types import Number
from ...model.value import frozen_array, replace_arrays
from ...trace import is_zero
from ..scene import BodyWrenches, Scene
from ..world import World
from .orbit import Orbit
from .planet_gravity import dot, relative_acceleration, relative_potential, relative_potential_rate


@dataclass(frozen=True, eq=False, repr=False)
class Space(World):
    """Free fall. With an orbital rate n (rad/s), the tidal force and the gravity-gradient torque on every body.

    The world frame then moves with a circular reference orbit and does not turn; the planet is along −r̂(t), and
    r̂ = (cos nt, sin nt, 0). orbit: any ellipse instead, with the planet's flattening if it has one; forces are then
    exact however far from the reference. `hill_frame` gives positions and velocities in the turning frame (radial,
    along, normal).
    """

    orbital_rate: Number = 0.0
    orbit: Orbit | None = None

    def __post_init__(self) -> None:
        rate = float(frozen_array(self.orbital_rate, (), where="Space", what="orbital_rate (rad/s)"))
        replace_arrays(self, orbital_rate=rate)
        if self.orbit is not None and (rate or not isinstance(self.orbit, Orbit)):
            given = repr(self.orbit) if not rate else "both"
            raise ModelError.single("Space", "orbit", expected="an Orbit, or an orbital_rate", given=given)

    @property
    def structure(self) -> tuple[str, ...]:  # type: ignore[override]
        """Beside an `orbit` the rate is not free: it does not count."""
        return () if self.orbit is None else ("orbital_rate",)

    @property
    def in_orbit(self) -> bool:
        """Whether gravity differs from place to place."""
        return self.orbit is not None or not is_zero(self.orbital_rate)

    def wrenches(self, scene: Scene) -> Mapping[str, BodyWrenches]:
        """Tide m n²(3 r̂r̂ᵀ − 1)ρ at the centre of mass, and torque 3n² r̂_b × J_c r̂_b, on every body."""
        if not self.in_orbit:
            return {}
        return {"potential": {link.index: self._tide(scene, link) for link in scene.tree.links}}

    def inertial_columns(self, scene: Scene) -> Mapping[int, np.ndarray]:
        """−(G (m p_b + m c) ; m c × G p_b + 3n² r̂_b × J r̂_b), G = n²(3 r̂_b r̂_bᵀ − 1), J about the origin."""
        if not self.in_orbit:
            return {}
        if self.orbit is not None:
            expected = "an orbital_rate: forces beside an `orbit` are exact, and not linear in the inertias"
            raise ModelError.single("Space", "regressor", expected=expected, given="an orbit")
        n, r, _ = self._radial(scene.t)
        found = {}
        for i, g in enumerate(scene.poses):
            R_t = transpose(se3.rotation(g))
            r_b, p_b = apply(R_t, r), apply(R_t, se3.position(g))
            G = scale(n**2, 3.0 * r_b[..., :, None] * r_b[..., None, :] - np.eye(3))
            Gp = apply(G, p_b)
            spin = momentum_columns(join([np.zeros(3), r_b]))[..., 3:, 4:]  # J r̂_b over the entries of J
            torque = scale(3.0 * n**2, so3.hat(r_b) @ spin)
            none = np.zeros((3, 1)), np.zeros((3, 6))
            found[i] = -blocks([[Gp[..., None], G, none[1]], [none[0], -so3.hat(Gp), torque]])
        return found

    def potential(self, scene: Scene) -> Any:
        """Tidal energy (...) [J] without its part that depends on neither place nor attitude."""
        if not self.in_orbit:
            return 0.0
        n, r, _ = self._radial(scene.t)
        if self.orbit is not None:
            R = self.orbit.at(scene.t).position
            total = 0.0
            for m, J, ρ, r_b in (self._seen(scene, link, r) for link in scene.tree.links):
                total = (
                    total + 1.5 * n**2 * _quadratic(J, r_b, r_b) + m * relative_potential(self.orbit, R, ρ)
                )
            return total
        return n**2 * sum(
            1.5 * _quadratic(J, r_b, r_b) + 0.5 * m * ((ρ * ρ).sum(axis=-1) - 3.0 * (r * ρ).sum(axis=-1) ** 2)
            for m, J, ρ, r_b in (self._seen(scene, link, r) for link in scene.tree.links)
        )

    def potential_rate(self, scene: Scene) -> Any:
        """∂U/∂t (...) [W]: the planet goes round."""
        if not self.in_orbit:
            return 0.0
        n, r, r_dot = self._radial(scene.t)
        total = 0.0
        for link in scene.tree.links:
            m, J, ρ, r_b = self._seen(scene, link, r)
            r_b_dot = apply(transpose(se3.rotation(scene.poses[link.index])), r_dot)
            if self.orbit is not None:
                R, V, _ = self.orbit.at(scene.t)
                shrinking = -3.0 * dot(R, V) / dot(R, R)  # of μ/R³, relative
                total = total + 1.5 * n**2 * (
                    shrinking * _quadratic(J, r_b, r_b) + 2.0 * _quadratic(J, r_b, r_b_dot)
                )
                total = total + m * relative_potential_rate(self.orbit, R, V, ρ)
                continue
            tide = (r * ρ).sum(axis=-1) * (r_dot * ρ).sum(axis=-1)
            total = total + 3.0 * n**2 * (_quadratic(J, r_b, r_b_dot) - m * tide)
        return total

    def hill_frame(self, t: Any, position: Any, velocity: Any) -> tuple[np.ndarray, np.ndarray]:
        """(ρ_H, ρ̇_H), each (..., 3), in the orbiting frame at time t (...) [s].

        position, velocity: (..., 3) in world axes (m, m/s); their batches broadcast with that of t.
        """
        t, position, velocity = (np.asarray(x, dtype=float) for x in (t, position, velocity))
        if not _fitting(t, position, velocity):
            given = f"shapes {t.shape}, {position.shape}, {velocity.shape}"
            expected = "t (...), position and velocity (..., 3), of batches that fit"
            raise ModelError.single("Space", "hill_frame", expected=expected, given=given)
        R_t, turning = self._orbiting(t)
        drifting = velocity - so3.cross(turning, position)
        return apply(R_t, position), apply(R_t, drifting)

    def _orbiting(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Axes (..., 3, 3) of the turning frame as rows, and its angular velocity (..., 3), both in world axes."""
        if self.orbit is None:
            n, r, _ = self._radial(t)
            along = vector([-r[..., 1], r[..., 0], 0.0 * r[..., 0]])
            return np.stack([r, along, np.broadcast_to(np.eye(3)[2], r.shape)], axis=-2), n * np.eye(3)[2]
        R, V, A = self.orbit.at(t)
        h, square = so3.cross(R, V), dot(R, R)
        spin = np.sqrt(dot(h, h))
        r, normal = scale_vector(1.0 / np.sqrt(square), R), scale_vector(1.0 / spin, h)
        turning = scale_vector(spin / square, normal) + scale_vector(
            np.sqrt(square) / spin * dot(A, normal), r
        )
        return np.stack([r, so3.cross(normal, r), normal], axis=-2), turning

    def tide(self, t: Any, position: np.ndarray) -> np.ndarray:
        """n²(3 r̂r̂ᵀ − 1)ρ (..., 3) [m/s²] at a place ρ (..., 3) and time t (...), world axes; exact beside an orbit."""
        if not self.in_orbit:
            return np.zeros(3)
        if self.orbit is not None:
            return relative_acceleration(self.orbit, self.orbit.at(t).position, position)
        n, r, _ = self._radial(np.asarray(t))
        radial = 3.0 * (r * position).sum(axis=-1, keepdims=True)
        return np.asarray(n**2)[..., None] * (radial * r - position)

    def _tide(self, scene: Scene, link: Link) -> np.ndarray:
        n, r, _ = self._radial(scene.t)
        m, J, ρ, r_b = self._seen(scene, link, r)
        R_t = transpose(se3.rotation(scene.poses[link.index]))
        if self.orbit is not None:
            f = scale_vector(m, relative_acceleration(self.orbit, self.orbit.at(scene.t).position, ρ))
        else:
            radial = 3.0 * (r * ρ).sum(axis=-1, keepdims=True)
            f = np.asarray(m * n**2)[..., None] * (radial * r - ρ)
        f = apply(R_t, f)
        torque = np.asarray(3.0 * n**2)[..., None] * so3.cross(r_b, apply(J, r_b))
        return join([f, so3.cross(link.com, f) + torque])

    def _radial(self, t: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray]:
        """n (...), that is √(μ/R³), r̂ and dr̂/dt (..., 3) in world axes."""
        if self.orbit is not None:
            R, V, _ = self.orbit.at(t)
            square = dot(R, R)
            size = np.sqrt(square)
            r = scale_vector(1.0 / size, R)
            r_dot = scale_vector(1.0 / size, V - scale_vector(dot(r, V), r))
            return np.sqrt(self.orbit.gravitational_parameter / (square * size)), r, r_dot
        n = np.asarray(self.orbital_rate)
        c, s = np.cos(n * t), np.sin(n * t)
        return n, vector([c, s, 0.0 * c]), vector([-n * s, n * c, 0.0 * c])

    def _seen(self, scene: Scene, link: Link, r: np.ndarray) -> tuple[Any, Any, Any, Any]:
        """Mass, J_c (3, 3), position of the centre of mass (..., 3), r̂ in body axes (..., 3)."""
        dry, own = scene.dry.bodies[link.index].inertia, scene.dry.links[link.index]
        c, c_dry = so3.hat(link.com), so3.hat(dry.com)
        # masses and centres of mass may be free numbers
        J = (
            dry.tensor
            + (own.inertia - dry.matrix)[..., 3:, 3:]
            + scale(link.mass, c) @ c
            - dry.mass * c_dry @ c_dry
        )
        R_t = transpose(se3.rotation(scene.poses[link.index]))
        return np.asarray(link.mass), J, scene.point(link.index, link.com), apply(R_t, r)


def _fitting(t: np.ndarray, *vectors: np.ndarray) -> bool:
    """Whether t (...) and vectors (..., 3) broadcast."""
    try:
        np.broadcast_shapes(t.shape, *(vector.shape[:-1] for vector in vectors))
    except ValueError:
        return False
    return all(vector.shape[-1:] == (3,) for vector in vectors)


def _quadratic(J: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * apply(J, b)).sum(axis=-1)
