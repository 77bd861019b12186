"""Where a tool can be, and in how many ways it can be turned there, by inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..lie import so3
from ..model.value import checked_numbers
from ..system import System
from ..worlds import Plant
from .inverse_kinematics import solve_ik
from .problem_checks import array, count

_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


@dataclass(frozen=True, eq=False, repr=False)
class ReachMap:
    """points (..., 3): places in the world (m).  reached (...): whether the frame's origin can be there.

    dexterity (...): share of the orientations (k, 3, 3) in which it can, from 0 to 1.
    manipulability (...): √det JJᵀ of the best solution found, of the rows of J that have any effect.
    q (..., nq): that solution, or the nearest configuration.
    """

    points: np.ndarray
    reached: np.ndarray
    dexterity: np.ndarray
    manipulability: np.ndarray
    orientations: np.ndarray
    q: np.ndarray

    def __repr__(self) -> str:
        met = f"{int(self.reached.sum())} of {self.reached.size} points"
        return f"<ReachMap: {met}, dexterity up to {self.dexterity.max(initial=0.0):.2f}>"


def spread_rotations(directions: int, rolls: int) -> np.ndarray:
    """Rotation matrices (directions · rolls, 3, 3): the third axis spread over the sphere, turned about it evenly."""
    k = np.arange(directions)
    z, φ = 1.0 - (2 * k + 1) / directions, _GOLDEN_ANGLE * k
    tilt = np.arccos(z)[:, None] * np.stack([-np.sin(φ), np.cos(φ), 0.0 * φ], axis=-1)
    roll = 2.0 * np.pi * np.arange(rolls)[:, None] / rolls * np.array([0.0, 0.0, 1.0])
    return (so3.exp(tilt)[:, None] @ so3.exp(roll)).reshape(-1, 3, 3)


def reach_map(
    system: System | Plant,
    frame: str,
    points: npt.ArrayLike,
    q0: npt.ArrayLike | None = None,
    *,
    passive: Mapping[str, str] | None = None,
    directions: int = 16,
    rolls: int = 3,
    starts: int = 6,
    tolerance: float = 1e-5,
    seed: int = 0,
) -> ReachMap:
    """Reachability and dexterity of a frame's origin at points (..., 3) in the world.

    Every point is tried in directions · rolls orientations (`spread_rotations`), and in any. A pose counts as out of
    reach if `starts` searches do not meet it: more starts, fewer poses missed. q0, passive: as in `solve_ik`.
    """
    where = "reach_map"
    at = checked_numbers(points, where=where, what="points")
    at = array(where, "points", at.reshape(-1, at.shape[-1]) if at.ndim else at, (3,))
    batch = np.shape(points)[:-1]
    turns = spread_rotations(count(where, "directions", directions), count(where, "rolls", rolls))
    poses = np.zeros((len(at), len(turns), 4, 4))
    poses[..., :3, :3], poses[..., :3, 3], poses[..., 3, 3] = turns, at[:, None], 1.0
    given = {"passive": passive, "starts": starts, "tolerance": tolerance, "seed": seed}
    anyhow = solve_ik(system, {frame: poses[:, 0]}, q0, weights=[1, 1, 1, 0, 0, 0], **given)  # type: ignore[arg-type]
    turned = solve_ik(system, {frame: poses}, q0, **given)  # type: ignore[arg-type]
    owner = system.system if isinstance(system, Plant) else system
    J = owner.jacobian(turned.q, frame)
    σ = np.linalg.svd(J, compute_uv=False)
    least = min(J.shape[-2:])
    measure = np.where(turned.solved, np.prod(σ[..., :least], axis=-1), -1.0)
    best = np.argmax(measure, axis=1)
    every = np.arange(len(at))
    some = turned.solved.any(1)
    q = np.where(some[:, None], turned.q[every, best], anyhow.q)
    return ReachMap(
        at.reshape(*batch, 3), (anyhow.solved | some).reshape(batch), turned.solved.mean(1).reshape(batch),
        np.where(some, measure[every, best], 0.0).reshape(batch), turns, q.reshape(*batch, -1),
    )  # fmt: skip
