"""Contact between two shapes: Hunt and Crossley's force with Coulomb friction, made smooth (theory.md §30)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ...lie import so3
from ...lie.arrays import join, scale, scale_vector, transpose
from ...model.value import replace_arrays
from ...trace import greater, maximum, where
from ..distances.proximity import Near, check_pair, proximity
from ..distances.shapes import Shape
from .element import Element, positive


@dataclass(frozen=True, eq=False, repr=False)
class Contact(Element):
    """shape_a on frame_a pushes shape_b on frame_b away: stiffness · depth^exponent · max(0, 1 + damping · its rate).

    Pairs as for `Distance`; each of several points of shape_b by itself.
    stiffness: N/m^exponent.  exponent: 1.5 for round bodies (Hertz), 1 for flat ones.  damping: s/m; a body of mass m
    that hits at speed v leaves with e v, damping · v (1 + e) = ln((1 + damping v)/(1 − damping v e)), about
    1 − ⅔ damping v.
    friction: coefficient; against the sliding speed u of the contact point with friction · normal force ·
    u/√(u² + slip_speed²). Nothing sticks: under a load of t < 1 times what it can hold a contact creeps at
    slip_speed · t/√(1 − t²) (m/s).
    """

    kind: ClassVar[str] = "contact"
    structure: ClassVar[tuple[str, ...]] = ("exponent",)

    shape_a: Annotated[Any, Shape]
    shape_b: Annotated[Any, Shape]
    stiffness: float
    exponent: float = 1.5
    damping: float = 0.0
    friction: float = 0.0
    slip_speed: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        check_pair(self.label, self.shape_a, self.shape_b)
        rules = {"stiffness": "N/m^exponent", "exponent": "none", "slip_speed": "m/s"}
        for what, unit in (rules | {"damping": "s/m", "friction": "none"}).items():
            number = positive(self.label, what, getattr(self, what), unit, zero=what not in rules)
            replace_arrays(self, **{what: number})

    def elastic(self, g_ab: np.ndarray) -> np.ndarray:
        parts = [_at(at.point, scale_vector(self._push(at.gap), at.normal)) for at in self._near(g_ab)]
        return sum(parts[1:], parts[0])

    def damping_matrix(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """Σ Aᵀ(c_n n nᵀ + c_t (1 − n nᵀ))A, A = [1 −r̂] of the contact points, c_n and c_t ≥ 0."""
        total = np.zeros((6, 6))
        for at in self._near(g_ab):
            along, across = self._factors(at, _velocity(at.point, V_ab))
            nn = at.normal[..., :, None] * at.normal[..., None, :]
            D = scale(along - across, nn) + scale(across, np.eye(3))
            A = np.concatenate(
                [np.broadcast_to(np.eye(3), so3.hat(at.point).shape), -so3.hat(at.point)], axis=-1
            )
            total = total + transpose(A) @ D @ A
        return total

    def dissipative(self, g_ab: np.ndarray, V_ab: np.ndarray) -> np.ndarray:
        """The same times −V_ab, point by point."""
        total = np.zeros(6)
        for at in self._near(g_ab):
            u, push = _velocity(at.point, V_ab), self._push(at.gap)
            away = (at.normal * u).sum(axis=-1)
            pressed = push * maximum(1.0 - self.damping * away, 0.0)
            rubbing = pressed * self._rubbing(u, away, at.normal)
            force = scale_vector(pressed - push + rubbing * away, at.normal) - scale_vector(rubbing, u)
            total = total + _at(at.point, force)
        return total

    def potential(self, g_ab: np.ndarray) -> Any:
        """Σ stiffness · depth^(exponent + 1)/(exponent + 1) (...)."""
        parts = [
            self._push(at.gap) * maximum(-at.gap, 0.0) / (self.exponent + 1.0) for at in self._near(g_ab)
        ]
        return sum(parts)

    def duration(self, mass: float, speed: float) -> float:
        """How long (s) a body of this mass (kg) that hits at this speed (m/s) touches, without damping."""
        p, n = self.exponent, 4096
        deepest = ((p + 1.0) * mass * speed**2 / (2.0 * float(self.stiffness))) ** (1.0 / (p + 1.0))
        s = (np.arange(n) + 0.5) / n * np.pi / 2  # depth = deepest · sin²s takes the root's ends away
        depth = np.sin(s) ** 2
        rate = 2.0 * np.sin(s) * np.cos(s) / np.sqrt(1.0 - depth ** (p + 1.0))
        return float(2.0 * deepest / speed * rate.mean() * np.pi / 2)

    def _near(self, g_ab: np.ndarray) -> list[Near]:
        return proximity(self.shape_a, self.shape_b)(g_ab)

    def _push(self, gap: Any) -> Any:
        """stiffness · depth^exponent (...) [N]."""
        touching = greater(-gap, 0.0)
        depth = where(touching, -gap, 1.0)
        return where(touching, self.stiffness * _power(depth, self.exponent), 0.0)

    def _factors(self, at: Near, u: np.ndarray) -> tuple[Any, Any]:
        """Resistance (...) [N s/m] of a point along and across the normal, at its velocity u (..., 3)."""
        push, away = self._push(at.gap), (at.normal * u).sum(axis=-1)
        along = push * self.damping / maximum(self.damping * away, 1.0)
        return along, (push - along * away) * self._rubbing(u, away, at.normal)

    def _rubbing(self, u: np.ndarray, away: Any, normal: np.ndarray) -> Any:
        """friction / √(sliding speed² + slip_speed²) (...) [s/m] of a point with velocity u (..., 3)."""
        sliding = u - scale_vector(away, normal)
        return self.friction / np.sqrt((sliding * sliding).sum(axis=-1) + self.slip_speed * self.slip_speed)


def _power(x: Any, exponent: float) -> Any:
    if exponent == 1.5:
        return x * np.sqrt(x)
    return x if exponent == 1.0 else x * x if exponent == 2.0 else np.exp(exponent * np.log(x))


def _at(point: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Wrench (..., 6) of a force (..., 3) at a point (..., 3)."""
    return join([force, so3.cross(point, force)])


def _velocity(point: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Velocity (..., 3) of a point (..., 3) at the twist V (..., 6)."""
    return V[..., :3] + so3.cross(V[..., 3:], point)
