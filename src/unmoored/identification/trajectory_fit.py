"""A fit of a model's motions to recorded ones: output error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..worlds import Plant
from ..worlds.plants.plant_step import suitable_method
from .driven_joints import driven_plant
from .fit_result import fit_result
from .identified import Identified, Residuals
from .levenberg_marquardt import minimise, with_prior
from .motion_windows import Shooting, Start
from .outputs import Output, Positions
from .parameter_space import ParameterSpace
from .recorded_windows import windows, with_ramps
from .recording import Array, Recording, as_recordings, is_number, warn_of_unsaid_rules, wrong
from .shared_noise import warn_of_shared_noise
from .step_check import Rows, warn_of_long_steps

#: fits with standard deviations that are estimated anew, and their change below which it is enough
_WEIGHINGS, _SETTLED = 8, 1e-3


@dataclass(frozen=True, eq=False)
class TrajectoryOptions:
    """How motions are compared: see `identify`."""

    driven: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = (Positions(),)
    window: float | None = None
    step: float | None = None
    method: str = "rkmk4"
    settled: tuple[str, ...] = ()
    robust: float | None = None

    def __post_init__(self) -> None:
        if not self.outputs:
            raise wrong("identify", "outputs", "one or more Outputs, such as Positions()", "none")
        for output in self.outputs:
            if not isinstance(output, Output):
                raise wrong("identify", "outputs", "Outputs, such as Positions()", repr(output))
        for what in ("window", "step", "robust"):
            given = getattr(self, what)
            if given is not None and not is_number(given, above=0.0):
                raise wrong("identify", what, "> 0", repr(given))


def problem_of(
    plant: Plant, recordings: Sequence[Recording], options: TrajectoryOptions, where: str
) -> tuple[Shooting, np.ndarray]:
    """The problem, and which of the outputs' standard deviations (k,) are told."""
    warn_of_unsaid_rules(recordings, where)
    return _problem(plant, recordings, options, where)


def _problem(
    plant: Plant, recordings: Sequence[Recording], options: TrajectoryOptions, where: str, parts: int = 1
) -> tuple[Shooting, np.ndarray]:
    """`problem_of`, every step in so many parts, for which nothing is compiled."""
    moved, starts = driven_plant(plant, recordings, options.driven, where)
    if not any(output.names(moved) for output in options.outputs):
        raise wrong(where, "driven", "a joint that is not, whose motion is compared", "all")
    longest = max(float(np.diff(r.t).max()) for r in recordings)
    steps = 1 if options.step is None else max(1, int(np.ceil(longest / options.step - 1e-9)))
    rows = np.array([_deviations(moved, recording, options.outputs) for recording in recordings])
    told = np.isfinite(rows)
    if np.any(told.any(axis=0) & ~told.all(axis=0)):
        raise wrong(where, "noise", "of all recordings or of none, for each output", "of some")
    method = suitable_method(where, moved, options.method)
    cut, rules = windows(recordings, starts, options.window), [r.between or "held" for r in recordings]
    if moved.nu and "linear" in rules:
        cut, steps = with_ramps(cut, rules, parts * 2 * -(-steps // 2)), 1
    elif parts > 1:
        cut = with_ramps(cut, rules, parts)
    made = Shooting(
        moved,
        tuple(recordings),
        cut,
        options.outputs,
        np.where(told, rows, 1.0),
        steps,
        method,
        options.settled,
        options.robust,
    )
    return made, told[0]


def _deviations(plant: Plant, recording: Recording, outputs: Sequence[Output]) -> Array:
    """Standard deviations (k,) of all outputs, NaN where they are not told."""
    parts = []
    for output in outputs:
        σ = output.noise_of(plant, recording)
        parts.append(np.full(len(output.names(plant)), np.nan) if σ is None else σ)
    return np.concatenate(parts)


def fit_trajectories(
    plant: Plant,
    recordings: Sequence[Recording],
    space: ParameterSpace,
    options: TrajectoryOptions,
    limits: Mapping[str, Any],
) -> Identified:
    """The parameters with which the plant moves most nearly as it was recorded to."""
    problem, told = problem_of(plant, recordings, options, "identify")
    θ, hidden = space.start, problem.start()
    if not np.isfinite(problem.cost(space.values(θ), hidden)):
        expected = "finite motions of the plant as built: shorter windows, or smaller steps"
        raise wrong("identify", "start", expected, "motions that are not")
    problem, total = _weighed(problem, space.values(θ), hidden, told, 0.0), 0
    used = float(len(θ))
    for _ in range(_WEIGHINGS):
        end = minimise(problem, space, θ, hidden, **limits)
        θ, hidden, total = end.θ, end.hidden, total + end.iterations
        if told.all():
            break
        before = problem.deviations
        used = len(θ) + problem.linearised(space.values(θ), hidden).taken
        problem = _weighed(problem, space.values(θ), hidden, told, used)
        if np.abs(problem.deviations / before - 1.0).max() < _SETTLED:
            break
    finer = _problem(plant, recordings, options, "identify", parts=2)[0].with_deviations(problem.deviations)
    own, other = (
        Rows(*with_prior(space, θ, x.linearised(space.values(θ), hidden))) for x in (problem, finer)
    )
    warn_of_long_steps(plant.parameter_names, space, θ, problem.longest_step, own, other)
    left = residuals_of(problem, space.values(θ), hidden)
    warn_of_shared_noise(left, told)
    σ = problem.deviations[0]
    rows = int(problem.windows.counted.sum()) * len(problem.names)
    excess = (
        2.0 * problem.cost(space.values(θ), hidden) / rows if told.all() and options.robust is None else 1.0
    )

    def predictor(given: Any, p: Array) -> tuple[Residuals, ...]:
        others = as_recordings(given, plant, "predict")
        whole, _ = problem_of(plant, others, replace(options, window=None), "predict")
        return residuals_of(whole.with_deviations(np.tile(σ, (len(others), 1))), p, whole.start())

    return fit_result(
        plant, space, replace(end, iterations=total), own.J, left,
        freedom=None if told.all() else _freedom(problem, used), by="trajectories", predictor=predictor,
        excess=excess,
    )  # fmt: skip


def _weighed(problem: Shooting, p: Array, hidden: Start, told: np.ndarray, used: float) -> Shooting:
    """The problem with standard deviations that are not told taken from what is left, each output for itself."""
    if told.all():
        return problem
    r, _ = problem.differences(problem.motion(p, hidden), hidden)
    counted = problem.windows.counted
    rms = np.sqrt((r[counted] ** 2).sum(axis=0) / _freedom(problem, used))
    floor = max(1e-9 * float(rms.max()), 1e-14)
    return problem.with_deviations(np.where(told, problem.deviations, np.maximum(rms, floor)))


def _freedom(problem: Shooting, used: float) -> float:
    """Degrees of freedom of each output's residuals, when parameters and starts have taken so many."""
    n, k = int(problem.windows.counted.sum()), len(problem.names)
    return max(n - used / k, 0.1 * n)


def residuals_of(problem: Shooting, p: Array, hidden: Start) -> tuple[Residuals, ...]:
    """What is left of every recording at p."""
    r, _ = problem.differences(problem.motion(p, hidden), hidden)
    W, found = problem.windows, []
    for i, recording in enumerate(problem.recordings):
        own = np.flatnonzero(W.recording == i)
        values = np.concatenate([r[b][W.counted[b]] for b in own])
        rows = np.concatenate([W.rows[b][W.counted[b]] for b in own])
        found.append(
            Residuals(recording.name, recording.t[rows], values, problem.names, problem.deviations[i])
        )
    return tuple(found)
