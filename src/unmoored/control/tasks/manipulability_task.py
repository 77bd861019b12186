"""Keeping away from singular postures."""

from __future__ import annotations

from functools import lru_cache, reduce
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np

from ...dynamics.configuration import retract
from ...dynamics.jacobians import jacobian as jacobian_of_frame
from ...lie.arrays import transpose
from ...model import ModelError, Tree
from ...model.field_types import Number
from ...model.value import replace_arrays
from ...trace import Traced, call_traced, cholesky, evaluate, gradient, is_symbolic, jacobian, trace
from ..law_parts import gain
from .task_interface import Task, Wanted, check_frame, smooth_step

_ROWS = {"pose": slice(0, 6), "position": slice(0, 3), "attitude": slice(3, 6)}
#: added to the diagonal of J Jᵀ: at a singular posture the measure is small and smooth, not undefined
_SHIFT = 1e-12


class ManipulabilityTask(Task):
    """Raises the manipulability √det(J Jᵀ) of some joints for a frame, where it is below a goal.

    frame: whose rows count.  joints: whose columns count.  of: "pose", "position" or "attitude".
    goal: below which the task acts, fully from goal − zone on; between it comes smoothly.  zone: half the goal if None.
    """

    frame: str
    joints: Annotated[Any, list[str]]
    goal: Number
    zone: Number = None
    of: Literal["pose", "position", "attitude"] = "position"

    static: ClassVar[tuple[str, ...]] = ("joints",)

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = "ManipulabilityTask"
        if self.of not in _ROWS:
            raise ModelError.single(kind, "of", expected=f"one of {', '.join(_ROWS)}", given=repr(self.of))
        goal = gain(kind, "goal", self.goal, ())
        zone = 0.5 * goal if self.zone is None else gain(kind, "zone", self.zone, ())
        if np.any(goal <= 0) or np.any(zone <= 0):
            raise ModelError.single(kind, "goal, zone", expected="> 0", given=f"{self.goal!r}, {self.zone!r}")
        replace_arrays(self, goal=goal, zone=zone, joints=tuple(self.joints))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return super().shapes | {"goal": (), "zone": ()}

    def on(self, plant: Any) -> Self:
        check_frame("ManipulabilityTask", plant, self.frame)
        rows, columns = _ROWS[self.of], _columns(plant.tree, self.joints)
        if len(columns) < rows.stop - rows.start:
            expected = f"at least {rows.stop - rows.start} DoFs for the rows of the {self.of}"
            raise ModelError.single(
                "ManipulabilityTask", "joints", expected=expected, given=f"{len(columns)}"
            )
        return self

    def value(self, plant: Any, q: np.ndarray) -> Any:
        """The manipulability (...) at q (..., nq)."""
        return _measure(plant.tree, q, self.frame, self.of, self.joints)

    def rows(self, plant: Any, t: Any, q: np.ndarray, v: np.ndarray) -> Wanted:
        slope, along = _derivatives(plant.tree, self.frame, self.of, self.joints)
        missing = np.asarray(self.goal - self.value(plant, q))[..., None]
        J = _at(slope, np.zeros(v.shape), q)[..., None, :]
        bias = _at(along, np.zeros(1), q, v)[..., 0]
        return Wanted(J, missing, bias)

    @property
    def always(self) -> bool:
        """It comes and goes with the posture."""
        return False

    def activity(self, plant: Any, t: Any, q: np.ndarray) -> Any:
        share = smooth_step((self.goal - self.value(plant, q)) / self.zone)
        return super().activity(plant, t, q) * share


def _columns(tree: Tree, joints: tuple[str, ...]) -> list[int]:
    return [i for name in joints for i in range(tree.link(name).v.start, tree.link(name).v.stop)]


def _measure(tree: Tree, q: np.ndarray, frame: str, of: str, joints: tuple[str, ...]) -> Any:
    J = jacobian_of_frame(tree, q, frame)[..., _ROWS[of], :][..., _columns(tree, joints)]
    k = J.shape[-2]
    L = cholesky(J @ transpose(J) + _SHIFT * np.eye(k))
    return reduce(lambda a, b: a * b, [L[..., i, i] for i in range(k)])


@lru_cache(maxsize=64)
def _derivatives(tree: Tree, frame: str, of: str, joints: tuple[str, ...]) -> tuple[Traced, Traced]:
    """Slope of the measure by x (nv,) at q exp(x), and its second derivative by s (1,) along q exp(s v)."""

    def measure(q: np.ndarray) -> Any:
        return _measure(tree, q, frame, of, joints)

    moved = trace(lambda x, q: measure(retract(tree, q, x)), (tree.nv,), (tree.nq,))
    along = trace(lambda s, q, v: measure(retract(tree, q, s[0] * v)), (1,), (tree.nq,), (tree.nv,))
    return gradient(moved, wrt=0), jacobian(jacobian(along, wrt=0), wrt=0)  # type: ignore[return-value]


def _at(function: Traced, *arguments: np.ndarray) -> np.ndarray:
    return call_traced(function, *arguments) if is_symbolic(*arguments) else evaluate(function, *arguments)
