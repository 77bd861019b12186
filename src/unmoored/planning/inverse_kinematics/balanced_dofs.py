"""Passive DoFs in equilibrium: weight, buoyancy and springs balance along them, wherever the others are.

With n_p(q) the restoring forces along the passive DoFs p, K = ∂n_p, and a the unknowns, a step has

    δ_p = δ_0 − X δ_a ,   δ_0 = −K_pp⁻¹ n_p ,   X = K_pp⁻¹ K_pa ,   e − J δ = (e − J_p δ_0) − (J_a − J_p X) δ_a.

δ_0 is what the passive DoFs are off by, in their own units, so that |δ_0|² can be added to |e|².
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...dynamics.configuration import retract
from ...trace import jacobian, solve
from ...worlds import Plant
from ...worlds.plants.matrix_form import restoring_forces
from .unknowns import Unknowns


@dataclass(frozen=True, eq=False)
class BalancedDofs:
    """The DoFs (velocity indices) of a plant that must be in equilibrium."""

    plant: Plant
    dofs: tuple[int, ...]

    def forces(self, q: np.ndarray, step: np.ndarray, world: np.ndarray) -> np.ndarray:
        """n_p (k,) at the configuration after a step (nv,) from q (nq,); world: time (s), then free parameters."""
        q = retract(self.plant.tree, q, step)
        return restoring_forces(self.plant, world[0], q, world[1:])[..., list(self.dofs)]

    @cached_property
    def slopes(self) -> Any:
        """(q, step, world) → ∂n_p (k, nv) by the step."""
        return jacobian(self.forces, wrt=1)

    def eliminated(
        self, q: np.ndarray, world: np.ndarray, unknowns: Unknowns
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(δ_0 (k,), X (k, n), K_pp (k, k)) at q (nq,)."""
        still = np.zeros(self.plant.nv)
        n_p, K = self.forces(q, still, world), self.slopes(q, still, world)
        K_pp, K_pa = K[:, list(self.dofs)], unknowns.columns(q, K)
        found = solve(K_pp, np.concatenate([-n_p[:, None], K_pa], axis=1))
        return found[:, 0], found[:, 1:], K_pp

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """q (nq,) after a step (k,) of these DoFs."""
        full: list[Any] = [0.0] * self.plant.nv
        for k, dof in enumerate(self.dofs):
            full[dof] = step[k]
        return retract(self.plant.tree, q, np.array(full))


def stable(K_pp: np.ndarray) -> np.ndarray:
    """Whether an equilibrium comes back after a push (...): the symmetric part of K_pp (..., k, k) is positive."""
    whole = np.asarray(np.isfinite(K_pp).all((-1, -2)))
    K_pp = np.where(whole[..., None, None], K_pp, -np.eye(K_pp.shape[-1]))
    return np.linalg.eigvalsh(0.5 * (K_pp + np.swapaxes(K_pp, -1, -2)))[..., 0] > 0.0
