"""Where a free-floating vehicle is after its joints have gone from one configuration straight to another.

Joints go along q_0 exp(σ δ), σ = 10τ³ − 15τ⁴ + 6τ⁵ of τ = t/T, from rest to rest; the vehicle follows the connection,

    u = M₀⁻¹ Ad_hᵀ μ − A w ,   w = σ̇ δ ,

with the momentum μ constant (theory.md §9). Without momentum the duration T does not matter. The end depends on the
path, not only on where the joints end; what the end changes by along the joints is found by central differences of the
whole path (`floating_search`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ... import kernels
from ...dynamics.lagrange_poincare.connection import reduction
from ...dynamics.lagrange_poincare.vehicle_split import split
from ...dynamics.mass_matrix import mass_matrix
from ...integrators.runge_kutta import runge_kutta_step
from ...integrators.state import Rate, State
from ...integrators.tableau import RK4
from ...lie.arrays import apply, transpose
from ...model import Tree
from ...trace import repeat_rows

_NONE = np.zeros(0)


class FloatingPath:
    """The motion of a tree whose vehicle floats, in so many steps of a fourth-order method on the group."""

    def __init__(self, tree: Tree, vehicle: str, steps: int) -> None:
        self.tree, self.vehicle, self.steps = tree, vehicle, steps
        self.at = split(tree, vehicle)

    def rate(self, τ: Any, q: np.ndarray, δ: np.ndarray, μ: np.ndarray, T: Any) -> np.ndarray:
        """v (nv,) per unit of τ at q (nq,), with joints that go by δ (nv,) in all."""
        r = reduction(mass_matrix(self.tree, q), self.at)
        h = self.at.joint.transform(q[..., self.at.link.q])
        w = 30.0 * τ * τ * (1.0 - τ) * (1.0 - τ) * self.at.others(δ)
        P = apply(transpose(self.at.joint.group.Ad(h)), μ)
        return self.at.joined(T * apply(r.locked_inverse, P) - apply(r.connection, w), w)

    def travelled(self, q: np.ndarray, δ: np.ndarray, μ: np.ndarray, T: Any) -> tuple[np.ndarray, np.ndarray]:
        """(the configuration at the end (nq,), those after every step (steps, nq)) from q (nq,)."""
        h = 1.0 / self.steps

        def f(τ: Any, y: State) -> Rate:
            return Rate(self.rate(τ, y.q, δ, μ, T), _NONE, _NONE)

        def step(_: Any, q: Any, row: Any) -> tuple[Any, Any]:
            new = runge_kutta_step(RK4, self.tree, f, row[0], State(q, _NONE, _NONE), h).q
            return new, new

        times = h * np.arange(self.steps)[:, None] + 0.0 * q[0]
        return repeat_rows(step, q, times)

    @cached_property
    def kernel(self) -> Any:
        """(q, δ, μ, T) → (end (nq,), path (steps, nq))."""
        m = len(self.at.group)
        shapes = [(self.tree.nq,), (self.tree.nv,), (m,), ()]
        return kernels.compile(self.travelled, shapes, name="floating_path", exact_zeros=False)
