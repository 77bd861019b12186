"""`simulate`: from a plant and an initial state to a `Run`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import EllipsisType
from typing import Any

import numpy as np

from ..integrators.step_control import Tolerances
from ..model import ModelError
from ..sensing.sensor_suite import Suite, suite_of
from ..worlds import Plant
from ..worlds.plants.assembly import closed_start
from ..worlds.plants.floating_plant import EQUATIONS, check_floats
from ..worlds.plants.plant_step import suitable_method
from . import arguments
from .checkpoint import Checkpoint
from .contact_steps import warn_of_long_steps
from .controller import Controller, as_controller, as_rows
from .events import as_events
from .kept_steps import time_step_of
from .noise import Draws, Noise
from .on_group import check_on_group
from .run import Run
from .run_kernels import run_kernels
from .stiff_steps import warn_of_unstable_steps
from .switchboard import switchboard
from .task import Task
from .time_step import TimeStep


def simulate(
    plant: Any,
    q0: Any,
    v0: Any = None,
    *,
    duration: float = 1.0,
    step: float = 1e-3,
    method: str = "rkmk4",
    equations: str = "full",
    balance: bool = False,
    controller: Any = None,
    record_every: int = 1,
    control_step: float | None = None,
    controller_in: str | None = None,
    events: Any = (),
    parameters: Any = None,
    x0: Any = None,
    t0: float = 0.0,
    noise: Noise | None = None,
    sensors: Any = (),
    seed: int = 0,
    samples: Any = None,
    tolerance: float | Tolerances | EllipsisType | None = ...,
    iterations: int | None = None,
    backend: str | None = None,
    dtype: str = "float64",
    keep: str | None = None,
    progress: bool | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: float = 60.0,
    scenario: Mapping[str, Any] | None = None,
) -> Run:
    """The motion of a plant (a system alone: in free fall) from q0 (nq,), v0 (nv,) over `duration` (s).

    Leading dimensions (S,) of q0, v0, x0, parameters and the controller's gains are samples of a batch.

    step: size (s); the number of steps is round(duration/step), refused if that is off by more than 1e-9.
    method: "euler", "heun", "rkmk4", "lie_midpoint", "variational" with fixed steps; "dopri5" chooses its own within
    `tolerance` (1e-9), starting with `step`, and gives rows by dense output (tolerance=None: fixed steps).
    equations: "full", or "reduced": of a plant that nothing outside pushes, with its momentum as a constant, which no
    step changes; anything that could push is refused by name.
    balance: integrate the power of all that acts with the run's own steps, and count what switches add: `run.work`, by
    which `run.invariants()` tells energy that nothing explains; without it that is estimated from the rows.
    iterations: how often the implicit methods (lie_midpoint, variational) evaluate the right-hand side in a step
    (10); a sample whose step they do not solve to rounding stops, with a `Status` "not_converged".
    record_every: a row every so many steps; the last row is the final time.
    controller: u = law(t, q, v) for one sample, in traceable NumPy, or a `Law`. It acts in every stage, or every
    `control_step` (s, a multiple of the step) with its inputs held in between.
    controller_in: "kernel", "python", or None: in the kernel if it can be traced, else with a warning by Python.
    events: functions g(t, q, v), `Event` or `ChannelEvent`; where one goes through zero a sample stops, or what the
    event says is switched in it; `run.events` has all of them.
    parameters: {name: value (size,) or (S, size)} of those that the plant declares.
    x0: states of the actuators at the start, zero if not given.  t0: time at the start (s).
    sensors: what is measured, at multiples of `control_step`: laws with memory see it as `seen.y[name]`, the run keeps
    it in `run.y[name]`. Leading dimensions of sensors' numbers are samples, too.
    noise: see `Noise`; its numbers depend on (seed, number of the sample, period, channel) only, those of sensors on
    the sensor's name, too. samples: the numbers of the samples (S,), 0, 1, … if not given: one sample of a batch is
    found again alone with samples=[its number].
    backend: "cpu", "cuda" or "numpy" (the reference).  dtype: "float64" or "float32".
    keep: "device": the run's arrays stay on the GPU, as CuPy arrays (backend "cuda", no events, no checkpoint).
    progress: a bar on standard error; None: for runs over a second if that is a terminal.
    checkpoint: a directory to keep the run in every `checkpoint_every` seconds; `resume` goes on from there.
    """
    plant = arguments.as_plant(plant)
    watched = as_events(events, plant.tree)
    board, bare = switchboard(plant, watched), plant
    plant = plant if board is None else board.plant
    schedule = arguments.schedule(duration, step, record_every, control_step, t0)
    arguments.check_orbit(plant, float(t0), float(t0) + float(duration))
    xp = arguments.place_of(keep, backend, plant, equations)
    q = arguments.vector("q0", q0, plant.coordinate_names, xp=xp)
    v = np.zeros(plant.nv) if v0 is None else arguments.vector("v0", v0, plant.tree.dof_names, xp=xp)
    x = np.zeros(plant.nx) if x0 is None else arguments.vector("x0", x0, plant.state_names, xp=xp)
    arguments.check_states(plant, x)
    p = _with_masks(arguments.parameter_vector(bare, parameters, xp=xp), bare, plant)
    check_on_group(plant, q, arguments.on_group_tolerance(q0, dtype), backend="cpu" if xp is np else "cuda")
    suite = suite_of(sensors, plant, control_step)
    modes = () if board is None else board.modes
    law = as_controller(controller, controller_in, bare, control_step, suite, modes)
    time_step = time_step_of(
        plant,
        suitable_method("simulate", plant, method),
        law,
        watched,
        arguments.checked_noise(noise),
        control_step is not None,
        arguments.one_of("dtype", dtype, arguments.DTYPES),
        arguments.tolerances(method, tolerance, plant),
        arguments.iterations(method, iterations),
        suite,
        board,
        arguments.one_of("equations", equations, EQUATIONS),
        arguments.checked_balance(balance, method, tolerance),
    )
    if equations == "reduced":
        check_floats("simulate", plant, method, controller)
    backend = arguments.checked_backend(backend, time_step)
    on_device = arguments.kept_on_device(keep, backend, time_step, checkpoint)
    q, v, x, p, memory, params, batched = _rows(q, v, x, p, law, suite, xp)
    if equations == "reduced":
        w = run_kernels(time_step, backend).carried(q, v, params)
    else:
        w = arguments.independent(plant, float(t0), q, v, p)
    q, w = closed_start(plant, float(t0), q, w, p)
    if plant.elements and not on_device:
        warn_of_long_steps(bare, q[0], v[0], float(step))
    state = _initial(time_step, backend, float(t0), q, w, x, memory, params, xp)
    numbers = arguments.sample_numbers(samples, len(q))
    draws = Draws(arguments.checked_seed(seed), numbers, time_step.noise_channels, time_step.streams)
    task = Task(time_step, backend, schedule, state, params, draws, batched, scenario, on_device)
    warn_of_unstable_steps(task)
    if not task.adaptive:
        arguments.warn_of_unsuited_steps(plant, float(step), float(t0))
    keeper = None if checkpoint is None else Checkpoint.begun(checkpoint, task, checkpoint_every)
    return task.drive(task.fresh(), progress, keeper)


def _with_masks(p: Any, bare: Plant, plant: Plant) -> Any:
    """Parameters p (..., n) of the plant as given, followed by those that events switch, as they are at the start."""
    new = np.array(plant.nominal_parameters)[len(bare.nominal_parameters) :]
    return (
        p if not len(new) else np.concatenate([p, np.broadcast_to(new, (*p.shape[:-1], len(new)))], axis=-1)
    )


def _rows(
    q: Any, v: Any, x: Any, p: Any, law: Controller | None, suite: Suite | None, xp: Any
) -> tuple[Any, Any, Any, Any, Any, Any, bool]:
    """q, v, x, p, memory (S, n) of all samples; p, gains, sensors' numbers as one (S, n); whether it is a batch."""
    gains, memory = (np.zeros(0), np.zeros(0)) if law is None else (law.gains, law.start)
    measuring = np.zeros(0) if suite is None else suite.gains
    batch = arguments.common_batch(q0=q, v0=v, x0=x, parameters=p, gains=gains, sensors=measuring)
    given = (q, v, x, p, gains, memory, measuring)
    q, v, x, p, gains, memory, measuring = (as_rows(xp.asarray(a), batch) for a in given)
    return q, v, x, p, memory, xp.concatenate([p, gains, measuring], axis=1), bool(batch)


def _initial(
    time_step: TimeStep,
    backend: str,
    t0: float,
    q: np.ndarray,
    w: np.ndarray,
    x: np.ndarray,
    memory: np.ndarray,
    params: np.ndarray,
    xp: Any,
) -> Any:
    """State vectors (S, n) at the start; xp: NumPy, or CuPy for arrays on the GPU."""
    layout, S = time_step.layout, len(q)
    x = xp.concatenate([x, xp.zeros((S, layout.nx - x.shape[1]))], axis=1)
    s = np.zeros((S, 0)) if time_step.switches is None else time_step.switches.initial(params)
    g = xp.zeros((S, 0))
    if layout.events:
        given = (np.full((S, 1), t0), q, w, params)
        values = run_kernels(time_step, backend).event_values(*(a.astype(time_step.dtype) for a in given))
        g = np.asarray(values.get() if backend == "cuda" else values)  # type: ignore[attr-defined]
        for i, k in np.argwhere(np.isnan(g)):
            where, when = f"event {time_step.events[k].name}", f"at the start of sample {i}"
            raise ModelError.single(where, "value", expected=f"a number {when}", given="nan")
    sensing = xp.zeros((S, layout.signals + layout.sensors))
    return xp.concatenate(
        [q, w, x, xp.zeros((S, layout.held)), memory, xp.asarray(s), sensing, g, xp.zeros((S, 2))], axis=1
    )
