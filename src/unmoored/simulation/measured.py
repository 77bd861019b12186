"""Numbers of a run over time, by name: channels of its state, loads, inputs, losses of tasks, errors of poses."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..control.allocation.channels import FAR
from ..control.allocation.input_limits import limits_of
from ..control.pose_targets import FollowedFrame, Relative, checked_pose
from ..control.references import Reference
from ..dynamics.kinematics import pose
from ..lie import se3, so3
from ..lie.arrays import transpose
from ..model import Free, ModelError, ModelWarning, Tree
from ..model.errors import unknown_name
from ..model.joints.subgroup_joint import pose_from_numbers
from ..model.value import frozen_array
from ..worlds import Trajectory
from ..worlds.law_memory import MemoryLayout
from .channel import channel, known_channels
from .law_channels import LawChannel, duty, error_of, estimated_state, law_channel, told_names

if TYPE_CHECKING:
    from .run import Run

#: of any frame, with a pose as the target: how far its origin is from the target's (m), and by what angle it is turned
OF_POSES = ("distance", "angle")
#: of elements and closures: sizes of the force (N) and of the moment (N m) on their frames b
OF_TIES = ("force", "moment")
_TURNS = (".roll", ".pitch", ".yaw")


def channel_values(run: Run, names: Iterable[str]) -> dict[str, np.ndarray]:
    """{name: values ([S,] T)} of channels (docs/scenarios.md), of every sample with its own free parameters."""
    return {name: measured(run, name) for name in names}


def measured(run: Run, name: str, target: Any = None) -> np.ndarray:
    """Values ([S,] T) of a channel, less the target if there is one: a number, a `Reference` of one coordinate.

    Of "FRAME.distance" and "FRAME.angle" the target is a pose, a trajectory of poses, or a frame to follow.
    Angles of frames are taken within half a turn of the target.
    """
    check_measured(run.system.tree, name, target, run_plant(run), _inputs(run), _kept(run))
    kind = _pose_kind(run.system.tree, name)
    if kind is not None:
        frame, error = kind
        target = target if isinstance(target, Trajectory | FollowedFrame) else checked_pose(name, target)
        return _by_sample(run, lambda tree, t, q, v: _pose_error(tree, frame, error, target, t, q))
    values = _values(run, name)
    if target is None:
        return values
    off = values - (target(run.t)[..., 0] if isinstance(target, Reference) else float(target))
    return np.remainder(off + np.pi, 2 * np.pi) - np.pi if name.endswith(_TURNS) else off


def check_measured(
    tree: Tree, name: str, target: Any, plant: Any, inputs: Iterable[str] = (), memory: MemoryLayout = ()
) -> None:
    """Refuse a channel that is not there, listing those that are, and a target that does not fit it."""
    if isinstance(target, FollowedFrame):
        _check_frame(tree, target.frame)
    if isinstance(target, Relative) and isinstance(target.to, FollowedFrame):
        _check_frame(tree, target.to.frame)
    if _pose_kind(tree, name) is not None:
        _check_pose_target(name, target)
        return
    if isinstance(target, Reference) and target.size == 1:
        pass
    elif target is not None:
        _number_target(name, target)
    owner, _, what = name.rpartition(".")
    ties = {} if plant is None else _ties(plant)
    if what in OF_TIES and owner in ties:
        return
    if law_channel(tree, name, tuple(inputs), memory) is not None:
        return
    try:
        channel(tree, name)
    except ModelError:
        rest = _further(ties) + told_names(tuple(inputs), memory)
        raise ModelError.single(
            "run", "unknown channel", expected=f"{known_channels(tree)}{rest}", given=repr(name)
        ) from None


def run_plant(run: Run) -> Any:
    """The run's plant; of a run from disk that of its scenario, and None where there is none."""
    if run.plant is not None or not run.scenario:
        return run.plant
    return run._scenario.plant


def scenario_of(run: Run) -> Any:
    """The scenario that the run was made from, built again."""
    from .scenario.scenario_reader import scenario_from_data

    assert run.scenario
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # told when the run was made
        return scenario_from_data(run.scenario, "scenario of the run", run.system)


def duties(run: Run) -> np.ndarray:
    """|command| over the largest one of its sign ([S,] T, nu); NaN where no limit is known."""
    assert run.u is not None
    limits = run.input_limits
    if limits is None and (plant := run_plant(run)) is not None and plant.actuators:
        limits = limits_of(plant)
    limits = np.full((len(run.input_names), 2), [-FAR, FAR]) if limits is None else limits
    return duty(run.u, limits)


def losses(run: Run) -> np.ndarray:
    """What the levels of a `TaskPriority` law were missing ([S,] T, levels); no levels without one."""
    for name, kept in run.memory.items():
        if name.rpartition(".")[2] == "loss":
            return kept
    return np.zeros((*run.q.shape[:-1], 0))


def _inputs(run: Run) -> tuple[str, ...]:
    """Names of the inputs that the run tells of."""
    return () if run.u is None else tuple(run.input_names)


def _kept(run: Run) -> MemoryLayout:
    """Names and shapes of the memory that the run tells of."""
    return tuple((name, a.shape[run.q.ndim - 1 :]) for name, a in run.memory.items())


def _values(run: Run, name: str) -> np.ndarray:
    owner, _, what = name.rpartition(".")
    if what in OF_TIES and (plant := run_plant(run)) is not None and owner in _ties(plant):
        loads = _with_plant(run, plant)
        wrench = {**loads.element_loads, **loads.closure_loads}[owner]
        return np.linalg.norm(wrench[..., :3] if what == "force" else wrench[..., 3:], axis=-1)
    told = law_channel(run.system.tree, name, _inputs(run), _kept(run))
    if told is not None:
        return _told(run, told)
    return _of_state(run, name)


def _told(run: Run, told: LawChannel) -> np.ndarray:
    """Values ([S,] T) of a number that the law tells."""
    if told.kind == "memory":
        return run.memory[told.owner][(..., *told.entry)]
    if told.kind in ("input", "duty"):
        assert run.u is not None
        values = run.u if told.kind == "input" else duties(run)
        return values[..., run.input_names.index(told.owner)]
    believed = np.asarray(channel(run.system.tree, told.owner)(run.t, *estimated_state(run.memory)), float)
    return believed if told.kind == "estimate" else error_of(told.owner, believed, _of_state(run, told.owner))


def _of_state(run: Run, name: str) -> np.ndarray:
    return _by_sample(run, lambda tree, t, q, v: np.asarray(channel(tree, name)(t, q, v), dtype=float))


def _by_sample(run: Run, values: Callable[..., np.ndarray]) -> np.ndarray:
    """values(tree, t, q, v) ([S,] T), of samples that differ in their free parameters one by one."""
    trees = [run.system_of(i).tree for i in range(run.samples)] if run.batched else [run.system.tree]
    if all(tree is trees[0] for tree in trees):
        return values(trees[0], run.t, run.q, run.v)
    return np.stack([values(tree, run.t, run.q[i], run.v[i]) for i, tree in enumerate(trees)])


def _pose_kind(tree: Tree, name: str) -> tuple[str, str] | None:
    """(frame, "distance" or "angle") if the channel is an error of a pose."""
    owner, _, what = name.rpartition(".")
    frames = {*tree.names, *(frame.name for frame in tree.frames)}
    return (owner, what) if what in OF_POSES and owner in frames else None


def _pose_error(tree: Tree, frame: str, what: str, target: Any, t: np.ndarray, q: np.ndarray) -> np.ndarray:
    g, wanted = pose(tree, q, frame), _target_pose(tree, target, t, q)
    if what == "distance":
        return np.linalg.norm(se3.position(g) - se3.position(wanted), axis=-1)
    R = transpose(se3.rotation(g)) @ se3.rotation(wanted)
    return np.linalg.norm(so3.log(R), axis=-1)


def _target_pose(tree: Tree, target: Any, t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """g (..., 4, 4) of a target at times t (T,) and configurations q (..., T, nq)."""
    if isinstance(target, Relative):
        return _target_pose(tree, target.to, t, q) @ _target_pose(tree, target.by, t, q)
    if isinstance(target, FollowedFrame):
        return pose(tree, q, target.frame)
    if isinstance(target, Trajectory):
        return pose_from_numbers(target.motion(np.asarray(t), Free()).configuration)
    return target @ se3.exp(np.zeros((len(t), 6)))


def _with_plant(run: Run, plant: Any) -> Run:
    if run.plant is not None:
        return run
    from dataclasses import replace

    return replace(run, plant=plant)


def _ties(plant: Any) -> dict[str, Any]:
    """Elements and closures by name."""
    return {tie.label: tie for tie in (*plant.elements, *plant.closures)}


def _check_pose_target(name: str, target: Any) -> None:
    if isinstance(target, Relative):
        return
    if isinstance(target, Trajectory):
        target.check(name, Free())
    elif target is None or (
        np.ndim(target) == 0 and not isinstance(target, FollowedFrame) and not hasattr(target, "matrix")
    ):
        expected = "a pose, a trajectory of poses, or a FollowedFrame"
        raise ModelError.single(name, "target", expected=expected, given=repr(target))
    elif not isinstance(target, FollowedFrame):
        checked_pose(name, target)


def _check_frame(tree: Tree, name: str) -> None:
    known = [*tree.names, *(frame.name for frame in tree.frames)]
    if name not in known:
        raise unknown_name("target", "frame to follow", name, known)


def _number_target(name: str, target: Any) -> None:
    if isinstance(target, Trajectory | FollowedFrame) or hasattr(target, "matrix"):
        expected = "a number, or a reference of one coordinate (poses: of .distance and .angle)"
        raise ModelError.single(name, "target", expected=expected, given=repr(target))
    frozen_array(target, (), where=name, what="target")


def _further(ties: dict[str, Any]) -> str:
    found = f"; .{', .'.join(OF_POSES)} of a frame from a target pose"
    return found + (f"; .{', .'.join(OF_TIES)} of {', '.join(ties)}" if ties else "")
