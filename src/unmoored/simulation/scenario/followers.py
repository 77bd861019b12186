"""Joints that follow others, at the start of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...worlds import Plant
from ..arguments import parameter_vector


def with_followers(
    plant: Plant,
    parameters: Mapping[str, Any],
    q0: np.ndarray,
    v0: np.ndarray,
    placed: Iterable[str],
    moving: Iterable[str],
) -> tuple[np.ndarray, np.ndarray]:
    """The state (..., nq), (..., nv), with followers where their leaders put them, but for joints that are given.

    placed, moving: joints or bodies whose configurations or velocities are given.
    """
    tree = plant.tree
    followers = [tree.link(coupling.joint) for coupling in tree.couplings]
    if not followers:
        return q0, v0
    at, fast = ({tree.link(name).name for name in names} for names in (placed, moving))
    p = parameter_vector(plant, parameters)
    batch = np.broadcast_shapes(q0.shape[:-1], v0.shape[:-1], p.shape[:-1])
    q0, v0 = (np.array(np.broadcast_to(x, (*batch, x.shape[-1]))) for x in (q0, v0))
    p = np.broadcast_to(p, (*batch, p.shape[-1]))
    q = np.asarray(plant.configuration(0.0, q0, p), dtype=float)
    v = np.asarray(plant.full_velocity(0.0, q, plant.independent_velocity(q, v0), p), dtype=float)
    for link in followers:
        if link.name not in at:
            q0[..., link.q] = q[..., link.q]
        if link.name not in fast:
            v0[..., link.v] = v[..., link.v]
    return q0, v0
