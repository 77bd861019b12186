"""Whether an explicit method is stable with a run's step: springs, damping and laws that are too stiff for it.

The map of one step is differentiated where samples begin, with the kernel of the run itself. If its largest eigenvalue
makes something grow that the plant, linearised there, does not let grow, the step is too long (docs/simulation.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..error_roots import warn
from ..integrators import IMPLICIT
from ..model import ModelWarning
from .blow_up import FastestMode, divided, fastest, rates_within
from .fixed_steps import Schedule, advance
from .run_kernels import RunKernels
from .step_map import Ends, step_map
from .stiff_causes import cause_of

if TYPE_CHECKING:
    from .task import Task

#: growth over a whole run that is told of, as a logarithm, and the least of a step: differences are no better
_TOLD, _LEAST = np.log(10.0), 1e-5
#: a short step, relative to the step, that stands for the plant itself; a safe step times the fastest rate
_SHORT, _GOOD = 1e-4, 0.5
#: part of the run's work that may be spent on looking, and most samples that are looked at
_SHARE, _MOST = 0.01, 64
#: numbers of states (32 MB) that are stepped at once
_AT_ONCE = 2**22
#: tangents up to which laws are looked at on plants in which nothing else is stiff
_LARGEST = 64
#: parameters of runs that are remembered, in bytes, and how many of them
_KEPT_BYTES, _KEPT = 4096, 256


class Unstable(NamedTuple):
    """growth: in a step, of the mode with shape (nv + nw + nx,).  fastest: of the plant."""

    growth: float
    shape: np.ndarray
    fastest: FastestMode


def warn_of_unstable_steps(task: Task, adapts: bool = True) -> None:
    """Warn once if the run's explicit, fixed steps make something grow by themselves where samples begin.

    adapts: whether the caller could have let the method choose its steps.
    """
    e = task.time_step
    law = e.controller is not None and not e.hold
    if task.adaptive or e.method in IMPLICIT or task.on_device or not task.schedule.steps:
        return
    if not (e.sprung or (law and _tangents(task) <= _LARGEST)):
        return
    if law and (e.controller.place == "python" or not _has_kernels(task)):  # type: ignore[union-attr]
        return  # it may count its calls, or take long by NumPy
    # of laws alone once is enough: other starts of the same kind are the same
    key = (float(task.schedule.span[1]), task.schedule.steps, task.params.tobytes()) if not e.sprung else None
    if key is not None and key in task.kernels.steady:
        return
    numbers = _samples(task)
    size = max(1, _AT_ONCE // ((2 * _tangents(task) + 1) * task.state.shape[1]))
    for k in range(0, len(numbers), size):
        found = _first_unstable(task, np.array(numbers[k : k + size]))
        if found is not None:
            warn(_text(task, *found, adapts), ModelWarning)
            return
    if key is not None and len(key[2]) <= _KEPT_BYTES and len(task.kernels.steady) < _KEPT:
        task.kernels.steady.add(key)


def _tangents(task: Task) -> int:
    layout = task.time_step.layout
    return task.time_step.plant.nv + layout.nw + layout.nx


def _samples(task: Task) -> range:
    """Numbers of the samples that are looked at, spread over the batch."""
    S = len(task.state)
    count = int(_SHARE * task.schedule.steps * S / (2 * _tangents(task) + 1))
    return range(0, S, -(-S // min(max(count, 1), S, _MOST)))


def _has_kernels(task: Task) -> bool:
    """Whether the run's own kernels can be asked: differences need float64."""
    return task.backend == "cpu" and task.time_step.dtype == "float64"


def _first_unstable(task: Task, numbers: np.ndarray) -> tuple[int, Unstable] | None:
    """The first of these samples (N,) in which something grows because of the steps; None if nothing does, or if that
    cannot be told."""
    h, steps = float(task.schedule.span[1]), task.schedule.steps
    maps = _maps(task, numbers, h)
    growing = [k for k, Φ in enumerate(maps) if _told(_log_growth(Φ), steps)]
    if not growing:
        return None
    numbers, maps = numbers[growing], maps[growing]
    slopes = (_maps(task, numbers, _SHORT * h) - np.eye(_tangents(task))) / (_SHORT * h)
    rougher = _maps(task, numbers, h, difference=1e-5)
    for k, i in enumerate(numbers.tolist()):
        found = _unstable(task, maps[k], slopes[k], rougher[k])
        if found is not None:
            return i, found
    return None


def _told(per_step: float, steps: int) -> bool:
    """Whether a growth, as a logarithm, is worth a word."""
    return per_step >= _LEAST and per_step * steps >= _TOLD


def _unstable(task: Task, Φ: np.ndarray, slopes: np.ndarray, rougher: np.ndarray) -> Unstable | None:
    """What the steps make grow; None if the plant does, or if that cannot be told."""
    h, steps, per_step = float(task.schedule.span[1]), task.schedule.steps, _log_growth(Φ)
    if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(rougher))):
        return None
    if abs(_log_growth(rougher) - per_step) > 0.2 * per_step:
        return None  # a jump, or rounding: no slope that could be told
    own = max(0.0, float(np.linalg.eigvals(slopes).real.max()))
    if (per_step - h * own) * steps < _TOLD or per_step < 2.0 * h * own:
        return None
    rates, shapes = np.linalg.eig(Φ)
    within = rates_within(task, _SHORT * h)
    mode = fastest(slopes, task.time_step.plant.nv, task.time_step.layout.nw, within)
    shape = shapes[:, np.argmax(np.abs(rates))]
    if mode is None:  # modes that are the same
        sizes = np.abs(np.linalg.eigvals(slopes))
        mode = FastestMode(float(sizes[sizes < within].max()), np.abs(shape[: task.time_step.plant.nv]))
    return Unstable(float(np.exp(per_step)), shape, mode)


def _log_growth(Φ: np.ndarray) -> float:
    """Of the fastest mode, −∞ where the map is not finite."""
    if not np.all(np.isfinite(Φ)):
        return -np.inf
    with np.errstate(divide="ignore"):  # of a map to zero
        return float(np.log(np.abs(np.linalg.eigvals(Φ)).max()))


def _maps(task: Task, numbers: np.ndarray, h: float, difference: float = 1e-6) -> np.ndarray:
    """Φ (N, n, n) of one step of size h (s) of these samples (N,), inputs held if a law holds them."""
    t = float(task.schedule.span[0])
    state, params = task.state[numbers], task.params[numbers]
    return step_map(task.time_step, t, state, params, _ends(task, h), difference)


def _ends(task: Task, h: float) -> Ends:
    e = task.time_step
    kernels = task.kernels if _has_kernels(task) else RunKernels(e, "numpy", {}, {})
    # the second step of a control period of two: no new inputs
    schedule = Schedule(2, 2, 2, np.array([float(task.schedule.span[0]) - h, h]))
    code, loop = e.layout.slices[9], kernels.loop(len(task.state)) if kernels.in_one else None

    def ends(rows: np.ndarray, params: np.ndarray) -> np.ndarray:
        noise = np.zeros((len(rows), 1, e.channels))
        new, _ = advance(kernels, schedule, rows, np.ascontiguousarray(params), noise, 1, 2, loop=loop)
        return np.where(new[:, code] == 0.0, new, np.nan)  # one that stops has no end

    return ends


def _text(task: Task, i: int, found: Unstable, adapts: bool) -> str:
    e, rate = task.time_step, found.fastest.rate
    t, h = task.schedule.span.tolist()
    who = cause_of(e, t, task.state[i], task.params[i], found.shape, found.fastest)
    sample = f" (sample {int(task.draws.samples[i])})" if task.batched else ""
    ways = [f"take a step of {divided(h, _GOOD / rate):.6g} s"]
    if e.method in ("euler", "heun"):
        ways.append('method="rkmk4"')
    if adapts:
        own = "a tolerance" if e.method == "dopri5" else 'method="dopri5"'
        ways.append(f"{own}: dopri5 then chooses its own")
    return (
        f"{who}{sample}: too fast for steps of {h:g} s: {e.method} lets it grow {found.growth:.3g} times in every"
        f" step; the fastest rate, {rate:.3g}/s, times the step is {rate * h:.2g}; {', or '.join(ways)}"
    )
