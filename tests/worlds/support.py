"""Random wet systems, and the rate of a function along a plant's motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.support.random_trees import random_tree

from unmoored import Fluid, System
from unmoored.dynamics import configuration


def random_fluid(rng: np.random.Generator) -> Fluid:
    """Full added mass, full dissipative drag, buoyancy off the origin."""
    A, D = rng.normal(size=(6, 6)), rng.normal(size=(6, 6))
    return Fluid(
        added_mass=A @ A.T,
        linear_drag=D @ D.T + rng.normal() * (A - A.T),
        quadratic_drag=rng.uniform(0, 3, 6),
        volume=rng.uniform(0.5e-3, 4e-3),
        centre_of_buoyancy=rng.uniform(-0.3, 0.3, 3),
    )


def wet_system(
    seed: int, kinds=("Free", "Revolute", "Spherical", "Prismatic", "Universal", "Helical"), **options
) -> System:
    """A branched system whose bodies all have random fluid data."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, kinds, **options)
    return System(replace(tree, bodies=tuple(replace(body, fluid=random_fluid(rng)) for body in tree.bodies)))


def random_state(system: System, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """q (nq,), v (nv,)."""
    rng = np.random.default_rng(seed)
    return configuration.random_configuration(system.tree, rng), rng.normal(size=system.nv)


def central_rate(function, h: float = 2e-3) -> np.ndarray:
    """d/ds of function(s) at 0 by central differences of order 8: errors near 1e-12 of its size."""
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    return sum(w * (np.asarray(function(k * h)) - np.asarray(function(-k * h))) for k, w in weights) / h


def relative_error(a, b) -> float:
    """Largest difference by the largest entry."""
    return float(np.abs(np.asarray(a) - b).max() / max(np.abs(b).max(), 1e-300))
