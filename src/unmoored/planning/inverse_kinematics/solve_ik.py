"""`solve_ik`: configurations that bring frames to poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...lie import se3
from ...system import System
from ...worlds import Plant
from . import ik_arguments as arguments
from .balanced_dofs import BalancedDofs, stable
from .floating_path import FloatingPath
from .floating_search import FloatingEnds, floating_burst
from .frame_targets import FrameTargets, numbers_of, pose_of
from .ik_arguments import wrong
from .ik_solution import IkSolution
from .lane_search import Found, compiled_burst, searched_lanes
from .nearest_solutions import INSIDE, nearest_met, nearest_slid
from .pose_problem import Numbers, PoseProblem
from .search_kernels import BURST, SearchKernels, search_kernels
from .starts import Starts
from .unknowns import Unknowns


def solve_ik(
    system: System | Plant,
    targets: Mapping[str, Any],
    q0: npt.ArrayLike | None = None,
    *,
    passive: Mapping[str, str] | None = None,
    weights: Any = None,
    nearest: bool = False,
    cost: Mapping[str, float] | None = None,
    starts: int = 64,
    tolerance: float = 1e-6,
    momentum: npt.ArrayLike | None = None,
    duration: float | None = None,
    path_steps: int = 64,
    t: float = 0.0,
    p: npt.ArrayLike | None = None,
    seed: int = 0,
) -> IkSolution:
    """Configurations q (..., nq) within the limits that bring frames to poses; the nearest, if none does.

    targets: {frame: pose}, poses a `Pose` or (..., 4, 4) in the world.  q0 (..., nq): where the search begins, and what
    is not solved for stays. Leading dimensions of q0 and the poses are problems, solved side by side.
    passive: {joint or DoF: "held", as in q0; "equilibrium", where weight, buoyancy and springs balance along it (of a
    Plant); "floating", a vehicle that nothing holds}. It must be given if a vehicle has several DoFs; {} solves for
    all.
    weights: {frame: six numbers ≥ 0} of (x, y, z, about x, y, z) in the frame's axes (1/m, 1/rad), or six for all
    frames; zero leaves a direction free.
    nearest: of all solutions that `starts` lead to, the nearest to q0, brought as near as redundancy allows; else the
    first one.  cost: {joint or DoF: how dear its way is (1/rad, 1/m)}, one if it is not named.
    starts: configurations to start from: q0, if given, then those of a table that are near.  seed: of the table.
    tolerance: of the distance (m) and of the angle (rad) of every frame.
    momentum (m,) of a vehicle that floats, constant, as in `system.free_floating`; zero if None, else `duration` (s)
    says how long the motion takes. Joints go straight from q0 to their end, from rest to rest, in `path_steps` steps.
    t (s), p (np,): time and free parameters of a Plant.
    """
    tree, plant = _owner_at(system, p)
    modes = arguments.modes_of(tree, plant, passive)
    poses, unknowns = arguments.poses_of(tree, targets), Unknowns(tree, modes.active)
    rows = arguments.weights_of(tuple(poses), weights)
    scales = 1.0 / arguments.costs_of(unknowns, cost)
    arguments.check_numbers(starts, tolerance, path_steps, seed, duration, momentum, modes.floating)
    t = arguments.time(t)
    if not isinstance(nearest, bool | np.bool_):
        raise wrong("nearest", "True or False", nearest)
    start = arguments.start_of(tree, unknowns, q0)
    if plant is not None and plant.prescribed:
        start = np.asarray(plant.configuration(t, start))
    batch = _batch(poses, start)
    q = np.broadcast_to(start, (*batch, tree.nq)).reshape(-1, tree.nq)
    if not len(q):
        return _empty(batch, tree.nq, tuple(poses))
    world = [t] if not modes.balanced else [t, *_parameters(plant, p)]
    asked = _asked(_problem(unknowns, rows, scales, plant, modes), rows, scales, _goals(poses, batch), world)
    ends = None
    if modes.floating is not None:
        ends = _floating_ends(asked.kernels, modes.floating, path_steps, q, momentum, duration)
    picked = Starts(asked.kernels, q, asked.given, asked.row_weights, q0 is not None, starts, seed)
    found = _searched(asked, q, picked, ends, nearest, tolerance)
    return _solution(asked, found, batch, tuple(poses), tolerance, ends, duration)


class _Asked(NamedTuple):
    """The compiled problem, its numbers (P or 1, …), and the weights (m,) of its rows that are not zero."""

    kernels: SearchKernels
    given: Numbers
    row_weights: np.ndarray


def _owner_at(system: System | Plant, p: Any) -> tuple[Any, Any]:
    """(tree, plant or None) with the free parameters p."""
    tree, plant = arguments.owner_of(system)
    if p is None:
        return tree, plant
    if plant is None:
        raise wrong("p", "None for a System", p)
    return plant.system_at(p).tree, plant


def _goals(poses: dict[str, np.ndarray], batch: tuple[int, ...]) -> np.ndarray:
    """Targets (P, 12 F) of all problems."""
    spread = [np.broadcast_to(g, (*batch, 4, 4)).reshape(-1, 4, 4) for g in poses.values()]
    return np.concatenate([numbers_of(g) for g in spread], axis=-1)


def _asked(
    problem: PoseProblem, rows: dict[str, np.ndarray], scales: np.ndarray, goals: np.ndarray, world: list[Any]
) -> _Asked:
    row_weights = np.concatenate([x[x > 0] for x in rows.values()])
    box = np.concatenate(problem.unknowns.box)[None]
    given = Numbers(goals, box, np.concatenate([row_weights, scales])[None], np.array([world], float))
    return _Asked(search_kernels(problem), given, row_weights)


def _floating_ends(
    kernels: SearchKernels, vehicle: str, steps: int, q: np.ndarray, momentum: Any, duration: float | None
) -> FloatingEnds:
    """Where motions of a vehicle that floats end, from q (P, nq)."""
    path, P = _floating_path(kernels, vehicle, steps), len(q)
    m = len(path.at.group)
    μ = np.zeros(m) if momentum is None else arguments.numbers("momentum", momentum, m)
    T = np.full(P, 0.0 if duration is None else float(duration))
    return FloatingEnds(kernels, path, q, np.broadcast_to(μ, (P, m)), T)


def _searched(
    asked: _Asked, q: np.ndarray, picked: Starts, ends: FloatingEnds | None, nearest: bool, tolerance: float
) -> Found:
    """The first solution of each problem, or of all that are found the nearest to q (P, nq)."""
    (kernels, given, _), P = asked, len(q)
    if ends is None:
        burst = compiled_burst(kernels, given, BURST)
    else:
        burst = floating_burst(ends, Numbers(*(np.broadcast_to(x, (P, *x.shape[1:])) for x in given)))
    solves = _judge(kernels.problem, tolerance)
    found = searched_lanes(burst, picked, P, picked.count, q.shape[-1], solves, every=nearest)
    if not nearest or not found.solved.any():
        return found
    return (
        nearest_slid(kernels, given, found, q, tolerance)
        if ends is None
        else nearest_met(kernels.problem, found, q)
    )


def _problem(
    unknowns: Unknowns, rows: dict[str, np.ndarray], scales: np.ndarray, plant: Any, modes: Any
) -> PoseProblem:
    kept = tuple(tuple(np.flatnonzero(x).tolist()) for x in rows.values())
    alike = all(len(set(x[:3])) == 1 and len(set(x[3:])) == 1 for x in map(np.ndarray.tolist, rows.values()))
    balanced = BalancedDofs(plant, modes.balanced) if modes.balanced else None
    scaled = any(x[x > 0].max() != 1.0 or x[x > 0].min() != 1.0 for x in rows.values()) or bool(
        np.any(scales != 1.0)
    )
    return PoseProblem(unknowns, FrameTargets(tuple(rows), kept, alike), balanced, scaled)


def _parameters(plant: Any, p: Any) -> np.ndarray:
    return plant.nominal_parameters if p is None else arguments.numbers("p", p, len(plant.nominal_parameters))


def _batch(poses: dict[str, np.ndarray], start: np.ndarray) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(start.shape[:-1], *(g.shape[:-2] for g in poses.values()))
    except ValueError:
        given = ", ".join([f"q0 {start.shape}", *(f"{name} {g.shape}" for name, g in poses.items())])
        raise wrong("problems", "leading dimensions that broadcast", given) from None


def _floating_path(kernels: SearchKernels, vehicle: str, steps: int) -> FloatingPath:
    key = vehicle, steps
    if key not in kernels.paths:
        kernels.paths[key] = FloatingPath(kernels.problem.unknowns.tree, vehicle, steps)
    return kernels.paths[key]


def _judge(problem: PoseProblem, tolerance: float) -> Any:
    """Whether lanes are solved, by their errors (L, m) and imbalances (L,)."""
    parts, first = [], 0
    for rows in problem.targets.rows:
        at = {row: first + k for k, row in enumerate(rows)}
        first += len(rows)
        parts += [[at[row] for row in some if row in at] for some in ((0, 1, 2), (3, 4, 5))]
    limit = (INSIDE * tolerance) ** 2

    def solves(e: np.ndarray, off: np.ndarray) -> np.ndarray:
        good = off <= INSIDE * tolerance
        squares = e * e
        for places in parts:
            if places:
                good &= squares[:, places].sum(-1) <= limit
        return good

    return solves


def _solution(
    asked: _Asked, found: Found, batch: tuple[int, ...], frames: tuple[str, ...], tolerance: float,
    ends: FloatingEnds | None, duration: float | None,
) -> IkSolution:  # fmt: skip
    kernels, given = asked.kernels, asked.given
    q, path, t = found.q, None, None
    if ends is not None:
        every = np.arange(len(q))
        q, rows = ends.travelled(q, every)
        path = np.concatenate([ends.q0[:, None], rows], axis=1).reshape(*batch, -1, q.shape[-1])
        t = np.linspace(0.0, 1.0 if duration is None else float(duration), path.shape[-2])
    shown, problem = kernels.poses(q), kernels.problem
    errors, good = [], np.ones(len(q), dtype=bool)
    for k, rows in enumerate(problem.targets.rows):
        here, there = (pose_of(x[:, 12 * k : 12 * k + 12]) for x in (shown, given.targets))
        g_e = se3.inverse(here) @ there
        e = se3.log(g_e)
        place, turn = [i for i in rows if i < 3], [i for i in rows if i >= 3]
        good &= np.linalg.norm(g_e[:, :3, 3][:, place], axis=-1) <= tolerance
        good &= np.linalg.norm(e[:, turn], axis=-1) <= tolerance
        errors.append(e)
    error = errors[0] if len(errors) == 1 else np.stack(errors, axis=1)
    imbalance = None
    if problem.balanced is not None:
        imbalance, K = kernels.balance(q, given.world[0])
        good &= (np.abs(imbalance).max(-1) <= tolerance) & stable(K)
        imbalance = imbalance.reshape(*batch, -1)
    solved, steps = (
        (good.reshape(batch), found.steps.reshape(batch)) if batch else (bool(good[0]), int(found.steps[0]))
    )
    error = error.reshape(*batch, *error.shape[1:])
    return IkSolution(q.reshape(*batch, -1), solved, error, frames, steps, imbalance, path, t)


def _empty(batch: tuple[int, ...], nq: int, frames: tuple[str, ...]) -> IkSolution:
    shape = (*batch, 6) if len(frames) == 1 else (*batch, len(frames), 6)
    return IkSolution(
        np.zeros((*batch, nq)), np.zeros(batch, bool), np.zeros(shape), frames, np.zeros(batch, int)
    )
