"""Why a sample stopped, as the number that kernels carry and as words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model import Tree

RUNNING = 0.0
NOT_FINITE = 1.0
NOT_SOLVED = 2.0
STEP_UNDERFLOW = 3.0
#: event i stops a sample with the code FIRST_EVENT + i
FIRST_EVENT = 8.0

#: numbers beyond this are as good as infinite: products of two still are finite
LARGEST = {"float64": 1e150, "float32": 1e18}

COMPLETED = "completed"
_REASONS = {
    NOT_FINITE: "its state is no longer finite",
    NOT_SOLVED: "the implicit step was not solved",
    STEP_UNDERFLOW: "the step size fell to nothing",
}


def is_event(code: float) -> bool:
    """Whether an event stopped the sample."""
    return code >= FIRST_EVENT


def blew_up(code: float) -> bool:
    """Whether the sample stopped because its numbers went wrong."""
    return RUNNING < code < FIRST_EVENT


def stopped_by(name: str, time: float) -> str:
    """Text for a sample that an event stopped."""
    return f"stopped: event {name} at t={time:.9g} s"


def interrupted(time: float) -> str:
    """Text for a sample whose run was interrupted."""
    return f"interrupted at t={time:.9g} s"


def blow_up(code: float, time: float, where: str) -> str:
    """Text for a sample whose numbers went wrong after `time` (s)."""
    return f"blew up at t={time:.9g} s in {where}: {_REASONS[code]}"


def culprit(tree: Tree, v: np.ndarray, v_next: np.ndarray, u: np.ndarray, input_names: Sequence[str]) -> str:
    """The joint (or input) where numbers went wrong: v (nv,) is the last good velocity, v_next (nv,) the one after.

    If only some joints are not finite, the first of these; else the one that is fastest for its size.
    """
    if u.size and not np.all(np.isfinite(u)):
        return f"input {input_names[int(np.flatnonzero(~np.isfinite(u))[0])]}"
    bad = ~np.isfinite(v_next)
    if bad.any() and not bad.all():
        return f"joint {_joint_of(tree, int(np.flatnonzero(bad)[0]))}"
    return f"joint {_joint_of(tree, int(np.argmax(np.abs(v))) if v.size else 0)}"


def _joint_of(tree: Tree, dof: int) -> str:
    return next((link.name for link in tree.links if link.v.start <= dof < link.v.stop), tree.names[0])
