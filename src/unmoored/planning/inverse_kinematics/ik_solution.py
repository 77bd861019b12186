"""What inverse kinematics gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False, repr=False)
class IkSolution:
    """Configurations that bring frames to poses, or the nearest that were found; leading dimensions are problems.

    q (..., nq).  solved (...): whether every frame is within the tolerance, and what must balance does.
    error (..., 6): the residual twist log(g⁻¹ g_d) in the frame's axes (m, rad); (..., F, 6) of several frames, in the
    order in which they were given.
    frames: their names.  steps (...): taken in all, from all starts.
    imbalance (..., k): what DoFs in equilibrium are off by (m, rad); None without such.
    path (..., N + 1, nq), t (N + 1,): the motion that leads there if the vehicle floats, times as a part of the
    duration, or in seconds if one was given; None otherwise.
    """

    q: np.ndarray
    solved: Any
    error: np.ndarray
    frames: tuple[str, ...]
    steps: Any
    imbalance: np.ndarray | None = None
    path: np.ndarray | None = None
    t: np.ndarray | None = None

    def __repr__(self) -> str:
        if np.ndim(self.solved):
            told = f"{int(np.sum(self.solved))} of {np.size(self.solved)} solved"
        else:
            told = "solved" if self.solved else "not solved"
        largest = np.abs(self.error).max(initial=0.0)
        return f"<IkSolution: {told}; {', '.join(self.frames)} off by at most {largest:.3g}>"
