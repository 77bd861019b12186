"""Kinetic and potential energy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..model import Tree
from .gravity import potential_energy
from .kinematics import body_velocities
from .tree_scans import split_velocity, total


class Energy(NamedTuple):
    """Energies (...) of a system in joules; the potential is that of uniform gravity, zero at the origin."""

    kinetic: np.ndarray
    potential: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """Kinetic plus potential energy (...)."""
        return self.kinetic + self.potential


def kinetic_energy(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """T = ½ Σ V_iᵀ I_i V_i + ½ Σ Ia u² (...) [J]; armature is in (theory.md §12)."""
    Vs, us = body_velocities(tree, q, v), split_velocity(tree, v)
    doubled = [
        (V * (link.inertia @ V[..., None])[..., 0]).sum(axis=-1) + (link.armature * u * u).sum(axis=-1)
        for link, V, u in zip(tree.links, Vs, us, strict=True)
    ]
    return 0.5 * total(doubled)


def energy(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> Energy:
    """Energies (...) [J] at q (..., nq), v (..., nv), under gravity (..., 3) in world axes (m/s²)."""
    return Energy(kinetic_energy(tree, q, v), potential_energy(tree, q, gravity))
