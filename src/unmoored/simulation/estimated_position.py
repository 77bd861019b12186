"""Where a filter believes that its frame is, and how sure it is, in world axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..dynamics.kinematics import pose
from ..lie import se3
from ..lie.arrays import transpose
from ..model import Tree
from ..sensing.estimated import Estimate
from .run_goals import EstimateErrors


@dataclass(frozen=True, eq=False)
class EstimatedPosition:
    """position: (T, 3) of the origin of `frame` in the world (m).  covariance: (T, 3, 3) of it, in world axes (m²)."""

    frame: str
    position: np.ndarray
    covariance: np.ndarray


def estimated_position(tree: Tree, estimate: Estimate, errors: EstimateErrors) -> EstimatedPosition | None:
    """That of the frame of a filter's unit, or of the first vehicle with three translations; None if it estimates none.

    The position error of both is ξ with p = p̂ + R̂ ξ, R̂ the estimated rotation: R̂ P R̂ᵀ in world axes.
    """
    for frame, names in _candidates(tree, errors.of):
        if set(names) <= set(errors.names):
            k = [errors.names.index(name) for name in names]
            g = pose(tree, np.asarray(estimate.q), frame)
            R = se3.rotation(g)
            P = np.asarray(estimate.covariance)[..., k, :][..., :, k]
            return EstimatedPosition(frame, se3.position(g), R @ P @ transpose(R))
    return None


def _candidates(tree: Tree, unit: str) -> list[tuple[str, tuple[str, ...]]]:
    """Frames that may be estimated, each with the names of its position's error."""
    if unit:
        return [(unit, tuple(f"position.{axis}" for axis in "xyz"))]
    return [(name, tuple(f"d {name}.v{axis}" for axis in "xyz")) for name in tree.vehicles]
