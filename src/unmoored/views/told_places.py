"""Places that the law of a run tells, for all that draws in 3D: targets over time, and where its filter believes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError
from .shown_rows import row_at


@dataclass(frozen=True, eq=False)
class TargetTrack:
    """A target over the rows of a trajectory: poses (T, 4, 4); a position is a pose without axes. NaN: not in force."""

    name: str
    poses: np.ndarray
    turns: bool

    @property
    def path(self) -> np.ndarray:
        """Its positions (n, 3) where it is in force, each once: one point if it stands still."""
        p = self.poses[:, :3, 3]
        p = p[np.isfinite(p).all(axis=1)]
        moved = np.linalg.norm(np.diff(p, axis=0), axis=1) > 1e-9
        return p[np.concatenate([[True], moved])] if len(p) else p

    def at(self, row: int) -> np.ndarray | None:
        """The pose (4, 4) in a row; None where it is not in force."""
        g = self.poses[row]
        return g if np.isfinite(g).all() else None


@dataclass(frozen=True, eq=False)
class ToldPlaces:
    """t: times of the rows (T,).  targets: of the law.  estimate: where the filter believes its frame, None without."""

    t: np.ndarray
    targets: tuple[TargetTrack, ...] = ()
    estimate: Any = None

    def row(self, t: float) -> int:
        """The last row at or before time t (s)."""
        return row_at(self.t, t)


def told_places(run: Any) -> ToldPlaces:
    """Those of a run of one trajectory; none where its law tells none. Anything with t and q is taken as a run."""
    goals = getattr(run, "goals", {})
    tracks = [_track(name, goal) for name, goal in goals.items() if goal.kind in ("pose", "position")]
    return ToldPlaces(np.asarray(run.t), tuple(tracks), _estimate(run))


def _track(name: str, goal: Any) -> TargetTrack:
    if goal.kind == "pose":
        return TargetTrack(name, goal.target, True)
    g = np.broadcast_to(np.eye(4), (len(goal.target), 4, 4)).copy()
    g[:, :3, 3] = goal.target
    return TargetTrack(name, g, False)


def _estimate(run: Any) -> Any:
    try:
        return run.estimated_position
    except (ModelError, AttributeError):  # no filter, or something else with t and q
        return None
