"""Several tasks at once, the more important ones first."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from ...dynamics.configuration import random_configuration, retract
from ...lie.arrays import apply
from ...model import ModelError
from ...model.field_types import NumberOrSeries
from ...model.value import replace_arrays
from ...worlds import UntilFailure
from ...worlds.goal import Goal, Told
from ...worlds.law import Law
from ..law_parts import check_plant, gain
from ..tasks import TASKS, Task, Wanted
from .levels import Level, prioritised
from .task_rows import Unknowns, bounded_rows, wanted_rows, with_passive

_WHERE = "TaskPriority"


class Motion(NamedTuple):
    """What the law wants: speeds or accelerations (..., nv), the loss (..., levels), and 1 where one is unsolved."""

    motion: np.ndarray
    loss: np.ndarray
    unsolved: Any


class TaskPriority(Law):
    """Does several tasks at once, in levels: a level never changes what those above it do, and uses what they leave.

    plant: in which it acts.  levels: lists of tasks, the most important first. Tasks that bound something hold at all
    levels if they are in the first one; further down they are passed over where levels above want it, as little as
    possible. The tasks of a level come and go together (`start`, `stop`, `ramp`).
    order: "velocity": the levels choose speeds, which loops with `bandwidth` (1/s, one number or one per active DoF)
    follow; "acceleration": the levels choose accelerations. Forces are the plant's inverse dynamics of them.
    passive: joints or DoFs that nothing drives; they give way as the equations of motion say.
    weights: of the active DoFs, one number or one each: where there is a choice, DoFs with larger ones move less.
    singular_below: ε, in the units of the tasks' rows. Directions in which unit speeds do less than this for a level
    are damped; see `loss`.

    The law gives forces (..., nv) along all DoFs, zero along the passive ones. With a `control_step` it keeps `loss`
    (levels): what of each level is missing, |b − J x|; and the number of periods without an optimum, `run.unsolved`.
    """

    plant: Any
    levels: Annotated[Any, list[list[Task]]]
    order: Literal["velocity", "acceleration"] = "velocity"
    bandwidth: NumberOrSeries = 10.0
    passive: Annotated[Any, list[str]] = ()
    weights: NumberOrSeries = 1.0
    singular_below: float = 0.02
    #: how many directions the levels above leave to each, where nothing is singular
    freedom: tuple[int, ...] = field(init=False, default=())
    #: whether the law remembers what it reports, as `simulate` asks of it
    recorded: bool = field(init=False, default=False)
    static: ClassVar[tuple[str, ...]] = ("passive",)

    def __post_init__(self) -> None:
        check_plant(_WHERE, self.plant)
        if self.order not in ("velocity", "acceleration"):
            expected = "one of velocity, acceleration"
            raise ModelError.single(_WHERE, "order", expected=expected, given=repr(self.order))
        _check_suitable(self.plant)
        passive = _dofs(self.plant, self.passive)
        n = len(_active(self.plant, passive))
        if not n:
            raise ModelError.single(_WHERE, "passive", expected="some DoFs left to drive", given="all")
        replace_arrays(
            self,
            levels=_checked_levels(self.plant, self.levels),
            passive=passive,
            bandwidth=gain(_WHERE, "bandwidth", self.bandwidth, (n,)),
            weights=gain(_WHERE, "weights", self.weights, (n,)),
            singular_below=gain(_WHERE, "singular_below", self.singular_below, ()),
        )
        replace_arrays(self, freedom=_freedom(self.plant, self.levels, passive))
        for name in ("bandwidth", "weights", "singular_below"):
            if np.any(np.asarray(getattr(self, name)) <= 0):
                raise ModelError.single(_WHERE, name, expected="> 0", given=repr(getattr(self, name)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        n = len(_active(self.plant, self.passive))
        return {"bandwidth": (n,), "weights": (n,), "singular_below": ()}

    @property
    def has_memory(self) -> bool:
        """Whether what is reported is remembered."""
        return self.recorded

    @property
    def memory(self) -> dict[str, Any]:
        """The loss of every level, and how many periods had no optimum."""
        return {"loss": len(self.levels), "unsolved": 0.0}

    def _when_held(self) -> Law:
        held = copy.copy(self)
        replace_arrays(held, recorded=True)
        return held

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            return self._forces(*seen)[0]
        now, memory = seen
        forces, wanted = self._forces(now.t, now.q, now.v)
        return forces, {"loss": wanted.loss, "unsolved": memory["unsolved"] + wanted.unsolved}

    def goals(self) -> tuple[Goal, ...]:
        """Those of all tasks, level by level; while a task is not in force it has no error."""
        tasks = [(k, task) for k, level in enumerate(self.levels) for task in level]
        return tuple(
            _while_active(self.plant, task, g) for k, task in tasks for g in task.goals(self.plant, k)
        )

    def wanted(self, t: Any, q: np.ndarray, v: np.ndarray) -> Motion:
        """Speeds or accelerations (..., nv) at time t (...), q (..., nq), v (..., nv), and what is reported of them."""
        return self._solved(t, q, v)[0]

    def _solved(self, t: Any, q: np.ndarray, v: np.ndarray) -> tuple[Motion, Unknowns]:
        at = self._unknowns(t, q, v)
        levels, limits, freedom = [], None, []
        for k, tasks in enumerate(self.levels):
            rows = [(task.rows(self.plant, t, q, v), task.rate) for task in tasks]
            wants = [pair for pair in rows if isinstance(pair[0], Wanted)]
            keeps = [pair for pair in rows if not isinstance(pair[0], Wanted)]
            bounds = bounded_rows(keeps, at, v) if keeps else None
            if k == 0:
                limits, bounds = bounds, None
            J, b = wanted_rows(wants, at, v) if wants else (None, None)
            if wants or bounds is not None or len(self.levels) == 1:
                levels.append((k, Level(J, b, bounds, tasks[0].activity(self.plant, t, q))))
                freedom.append(self.freedom[k])
        n = len(at.active)
        found = prioritised([level for _, level in levels], limits, n, self.singular_below, freedom)
        loss = {k: found.loss[..., i] for i, (k, _) in enumerate(levels)}
        none = np.zeros(np.shape(found.loss)[:-1])
        every = np.stack([loss.get(k, none) for k in range(len(self.levels))], axis=-1)
        return Motion(at.full(found.x), every, found.unsolved), at

    def _unknowns(self, t: Any, q: np.ndarray, v: np.ndarray) -> Unknowns:
        scale = 1.0 / np.sqrt(self.weights)
        fast = self.order == "velocity"
        bandwidth = self.bandwidth if fast else None
        active = _active(self.plant, self.passive)
        velocities = self.plant.velocities
        if not self.passive and velocities.is_plain:
            return Unknowns(None, None, scale, active, bandwidth)
        P, v_0, a_0 = np.eye(self.plant.nv), np.zeros(self.plant.nv), np.zeros(self.plant.nv)
        if not velocities.is_plain:  # followers move with their leaders, prescribed joints by themselves
            P = velocities.joints.rows(P)
            v_0, a_0 = velocities.full(t, q, np.zeros(self.plant.nw)), velocities.accelerations(t)
        if not self.passive:
            return Unknowns(P[..., active], v_0 if fast else a_0, scale, active, bandwidth, a_0)
        M, h = self.plant.mass_matrix(q), self.plant.inverse_dynamics(t, q, v, a_0)
        P, v_p, a_p = with_passive(P, M, h, v, active, list(self.passive))
        v_0, a_0 = v_0 + v_p, a_0 + a_p
        return Unknowns(P, v_0 if fast else a_0, scale, active, bandwidth, a_0)

    def _forces(self, t: Any, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, Motion]:
        wanted, at = self._solved(t, q, v)
        a = wanted.motion
        if at.bandwidth is not None:
            a = at.bandwidth * (a - v)[..., at.active]
            a = a if at.P is None else apply(at.P, a) + at.a
        forces = self.plant.inverse_dynamics(t, q, v, a)
        if len(at.active) < self.plant.nv:
            forces = forces * np.array([1.0 if k in at.active else 0.0 for k in range(self.plant.nv)])
        return forces, wanted


def _check_suitable(plant: Any) -> None:
    """Refuse plants whose motion is not speeds of DoFs: rolling constraints, closed loops, joints that fail later."""
    failing = [name for name, path in plant.velocities.prescribed if isinstance(path, UntilFailure)]
    for what, given in (
        ("constraints", plant.constraints),
        ("closures", plant.closures),
        ("prescribed", failing),
    ):
        if len(given):
            expected = "nothing that ties DoFs to each other, and no prescribed joint that fails"
            raise ModelError.single(_WHERE, f"{what} of the plant", expected=expected, given=repr(given))


def _active(plant: Any, passive: Sequence[int]) -> list[int]:
    """Places in v of the DoFs that the law drives: neither passive, nor prescribed, nor led by others."""
    moved = {int(k) for k in plant.velocities.driven} | set(plant.velocities.joints.dofs)
    return [k for k in range(plant.nv) if k not in moved and k not in passive]


def _dofs(plant: Any, passive: Any) -> tuple[int, ...]:
    """Places of passive DoFs in v; places already are taken as they are."""
    if isinstance(passive, str):
        raise ModelError.single(_WHERE, "passive", expected="a list of names", given=repr(passive))
    if all(isinstance(k, int) for k in passive):
        return tuple(passive)
    found = tuple(int(k) for k in plant.tree.dofs(list(passive)))
    plant.velocities.refuse_passive(found)
    plant.velocities.joints.of_active(np.eye(plant.nv - len(found)), found)  # refuses leaders and followers
    return found


def _checked_levels(plant: Any, levels: Any) -> tuple[tuple[Task, ...], ...]:
    """The tasks, made ready for the plant; what is none is refused, with the names of all kinds."""
    kinds = ", ".join(cls.__name__ for cls in TASKS)
    if isinstance(levels, Task | str) or not isinstance(levels, Sequence) or not levels:
        expected = "a list of levels, each a list of tasks"
        raise ModelError.single(_WHERE, "levels", expected=expected, given=repr(levels))
    found = []
    for k, level in enumerate(levels):
        tasks = (level,) if isinstance(level, Task) else level
        if isinstance(tasks, str) or not isinstance(tasks, Sequence) or not tasks:
            expected = "a list of tasks"
            raise ModelError.single(_WHERE, f"levels[{k}]", expected=expected, given=repr(level))
        for task in tasks:
            if not isinstance(task, Task):
                expected = f"tasks ({kinds}, or a Task of your own)"
                raise ModelError.single(_WHERE, f"levels[{k}]", expected=expected, given=repr(task))
        ready = tuple(task.on(plant) for task in tasks)
        _check_together(k, ready)
        found.append(ready)
    return tuple(found)


def _check_together(k: int, tasks: Sequence[Task]) -> None:
    """The tasks of a level come and go together, and those of the first one stay if they bound something."""
    times = {tuple(map(_content, (task.start, task.stop, task.ramp))) for task in tasks}
    own = {type(task).activity for task in tasks}
    if len(times) > 1 or (len(tasks) > 1 and own != {Task.activity}):
        expected = "tasks that come and go together: the others in levels of their own"
        raise ModelError.single(_WHERE, f"levels[{k}]", expected=expected, given="several")
    if k == 0 and any(task.keeps and (task.start is not None or task.stop is not None) for task in tasks):
        expected = "bounds that hold always; those that come and go further down"
        raise ModelError.single(_WHERE, "levels[0]", expected=expected, given="start or stop")


def _freedom(plant: Any, levels: Sequence[Sequence[Task]], passive: Sequence[int]) -> tuple[int, ...]:
    """What the levels above leave to each, at a configuration in no special place."""
    rng = np.random.default_rng(0)
    tree, n = plant.tree, len(_active(plant, passive))
    q = retract(tree, random_configuration(tree, rng), 0.3 * rng.normal(size=tree.nv))
    found, taken = [], np.zeros((0, n))
    for tasks in levels:
        found.append(n - (np.linalg.matrix_rank(taken, tol=1e-9) if len(taken) else 0))
        if n < plant.nv or not tasks[0].always:  # other rows, or not always there: they may leave all
            continue
        wants = [task.rows(plant, 0.0, q, np.zeros(tree.nv)).J for task in tasks if not task.keeps]
        taken = np.concatenate([taken, *(np.asarray(J).reshape(-1, *J.shape[-2:])[0] for J in wants)])
    return tuple(map(int, found))


def _content(x: Any) -> Any:
    return None if x is None else (np.shape(x), np.asarray(x).tobytes())


def _while_active(plant: Any, task: Task, goal: Goal) -> Goal:
    """The goal, with a target and errors that are no numbers while nothing of the task is in force."""
    if task.always and type(task).activity is Task.activity:
        return goal

    def only_then(told: Told) -> Told:
        def shown(t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
            values = told(t, q, v)
            share = np.broadcast_to(task.activity(plant, t, q), q.shape[:-1])
            return np.where(
                share.reshape(*share.shape, *[1] * (values.ndim - share.ndim)) > 0.0, values, np.nan
            )

        return shown

    return replace(goal, error=only_then(goal.error), target=goal.target and only_then(goal.target))
