"""`solve_ik`: configurations that bring frames to poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from .pose_problem import Numbers, PoseProblem
from .search_kernels import BURST, SearchKernels, search_kernels
from .starts import Starts
from .unknowns import Unknowns

#: solutions are brought to this part of the tolerance before they count, so that rounding at the end does not undo them
_INSIDE = 0.9
_SLIDES, _AT_REST = 40, 1e-9


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
    tree, plant = arguments.owner_of(system)
    if p is not None:
        if plant is None:
            raise wrong("p", "None for a System", p)
        tree = plant.system_at(p).tree
    modes = arguments.modes_of(tree, plant, passive)
    poses = arguments.poses_of(tree, targets)
    frames = tuple(poses)
    rows = arguments.weights_of(frames, weights)
    unknowns = Unknowns(tree, modes.active)
    scales = 1.0 / _costs(unknowns, cost)
    _check_numbers(starts, tolerance, path_steps, seed, duration, momentum, modes.floating)
    start = arguments.start_of(tree, unknowns, q0)
    if plant is not None and plant.prescribed:
        start = np.asarray(plant.configuration(t, start))
    batch = _batch(poses, start)
    P = int(np.prod(batch, dtype=int))
    q = np.broadcast_to(start, (*batch, tree.nq)).reshape(P, tree.nq)
    goal = np.concatenate(
        [numbers_of(np.broadcast_to(g, (*batch, 4, 4)).reshape(P, 4, 4)) for g in poses.values()], axis=-1
    )
    problem = _problem(unknowns, rows, scales, plant, modes)
    kernels = search_kernels(problem)
    row_weights = np.concatenate([x[x > 0] for x in rows.values()])
    world = [t] if not modes.balanced else [t, *_parameters(plant, p)]
    given = Numbers(
        goal,
        np.concatenate(unknowns.box)[None],
        np.concatenate([row_weights, scales])[None],
        np.array([world], float),
    )
    if P == 0:
        return _empty(batch, tree.nq, frames)
    ends = None
    if modes.floating is None:
        burst = compiled_burst(kernels, given, BURST)
    else:
        path = _floating_path(kernels, modes.floating, path_steps)
        m = len(path.at.group)
        μ = np.zeros(m) if momentum is None else arguments.numbers("momentum", momentum, m)
        T = np.full(P, 0.0 if duration is None else float(duration))
        ends = FloatingEnds(kernels, path, q, np.broadcast_to(μ, (P, m)), T)
        burst = floating_burst(ends, Numbers(*(np.broadcast_to(x, (P, *x.shape[1:])) for x in given)))
    own_start = q0 is not None
    picked = Starts(kernels, q, given, row_weights, own_start, starts, seed)
    solves = _judge(problem, tolerance)
    found = searched_lanes(burst, picked, P, picked.count, tree.nq, solves, every=nearest)
    if nearest and found.solved.any():
        found = (
            _nearest(kernels, given, found, q, tolerance) if ends is None else _nearest_met(problem, found, q)
        )
    return _solution(kernels, given, found, goal, batch, frames, tolerance, ends, duration)


def _check_numbers(
    starts: Any, tolerance: Any, path_steps: Any, seed: Any, duration: Any, momentum: Any, floating: Any
) -> None:
    for name, x, least in (("starts", starts, 1), ("path_steps", path_steps, 1), ("seed", seed, 0)):
        if isinstance(x, bool) or not isinstance(x, int | np.integer) or x < least:
            raise wrong(name, f"a whole number ≥ {least}", x)
    for name, x in (("tolerance", tolerance), ("duration", duration)):
        if x is not None and (
            isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < x < np.inf
        ):
            raise wrong(name, "a number > 0", x)
    if floating is None and (momentum is not None or duration is not None):
        raise wrong("momentum, duration", 'a vehicle that is "floating"', "none")
    if momentum is not None and duration is None:
        raise wrong("duration", "how long the motion takes (s), since there is momentum", "none")


def _costs(unknowns: Unknowns, cost: Any) -> np.ndarray:
    """How dear the unknowns are (n,)."""
    found = np.ones(unknowns.tree.nv)
    if cost is not None and not isinstance(cost, Mapping):
        raise wrong("cost", "{joint or DoF: number > 0}", cost)
    for name, x in (cost or {}).items():
        if isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < x < np.inf:
            raise wrong(f"cost of {name!r}", "a number > 0", x)
        found[unknowns.tree.dofs(name)] = float(x)
    return found[list(unknowns.dofs)]


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
    return plant.nominal_parameters if p is None else np.asarray(p, dtype=float)


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
    limit = (_INSIDE * tolerance) ** 2

    def solves(e: np.ndarray, off: np.ndarray) -> np.ndarray:
        good = off <= _INSIDE * tolerance
        squares = e * e
        for places in parts:
            if places:
                good &= squares[:, places].sum(-1) <= limit
        return good

    return solves


def _nearest(
    kernels: SearchKernels, given: Numbers, found: Found, wanted: np.ndarray, tolerance: float
) -> Found:
    """Every solution brought as near to `wanted` (P, nq) as it goes; the nearest of each problem."""
    q, owner = found.solutions.copy(), found.owners
    numbers = [x[owner] if len(x) > 1 else x[0] for x in given]
    least = float(given.weights[0, : kernels.problem.targets.count].min())
    how = np.tile([1.0, 0.5 * (0.5 * _INSIDE * tolerance * least) ** 2], (len(q), 1))
    todo, distance = np.arange(len(q)), np.full(len(q), np.inf)
    for _ in range(_SLIDES):
        some = [x if x.ndim == 1 else x[todo] for x in numbers]
        q[todo], facts = kernels.slide(q[todo], *some, wanted[owner[todo]], how[todo])
        distance[todo], how[todo, 0] = facts[:, 1], facts[:, 0]
        todo = todo[(facts[:, 2] > _AT_REST) & (facts[:, 0] > 1e-9)]
        if not todo.size:
            break
    return _least(found, q, distance)


def _nearest_met(problem: PoseProblem, found: Found, wanted: np.ndarray) -> Found:
    way = problem.unknowns.tangent(found.solutions, wanted[found.owners])
    return _least(found, found.solutions, np.linalg.norm(way, axis=-1))


def _least(found: Found, q: np.ndarray, distance: np.ndarray) -> Found:
    order = np.argsort(-distance, kind="stable")
    best = found.q.copy()
    best[found.owners[order]] = q[order]
    return found._replace(q=best)


def _solution(
    kernels: SearchKernels, given: Numbers, found: Found, goal: np.ndarray, batch: tuple[int, ...],
    frames: tuple[str, ...], tolerance: float, ends: FloatingEnds | None, duration: float | None,
) -> IkSolution:  # fmt: skip
    q, path, t = found.q, None, None
    if ends is not None:
        every = np.arange(len(q))
        q, rows = ends.travelled(q, every)
        path = np.concatenate([ends.q0[:, None], rows], axis=1).reshape(*batch, -1, q.shape[-1])
        t = np.linspace(0.0, 1.0 if duration is None else float(duration), path.shape[-2])
    shown, problem = kernels.poses(q), kernels.problem
    errors, good = [], np.ones(len(q), dtype=bool)
    for k, rows in enumerate(problem.targets.rows):
        here, there = (pose_of(x[:, 12 * k : 12 * k + 12]) for x in (shown, goal))
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
