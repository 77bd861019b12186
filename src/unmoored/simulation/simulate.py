"""`simulate`: from a plant and an initial state to a `Run`."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import arguments
from .controller import as_controller, as_rows
from .driver import Course, Draws, drive
from .events import as_events
from .finish import Trajectories, finished
from .loop import Schedule
from .noise import Noise
from .program import Program, program
from .provenance import provenance
from .run import Run
from .stepping import Equations


def simulate(
    plant: Any,
    q0: Any,
    v0: Any = None,
    duration: float = 1.0,
    step: float = 1e-3,
    method: str = "rkmk4",
    controller: Any = None,
    record_every: int = 1,
    *,
    control_step: float | None = None,
    controller_in: str | None = None,
    events: Any = (),
    parameters: Any = None,
    x0: Any = None,
    t0: float = 0.0,
    noise: Noise | None = None,
    seed: int = 0,
    samples: Any = None,
    backend: str | None = None,
    dtype: str = "float64",
    progress: bool | None = None,
    scenario: Any = None,
) -> Run:
    """The motion of a plant (or a system in free fall) from q0 (nq,), v0 (nv,) over `duration` (s) in steps (s).

    With leading dimensions of q0, v0, x0, parameters or gains, all samples of the batch.
    """
    plant = arguments.as_plant(plant)
    h = arguments.positive("step", step)
    steps = arguments.whole("duration", arguments.positive("duration", duration), h, "the step")
    every = 1 if control_step is None else arguments.whole("control_step", control_step, h, "the step")
    q = arguments.vector("q0", q0, plant.nq)
    v = np.zeros(plant.nv) if v0 is None else arguments.vector("v0", v0, plant.nv)
    x = np.zeros(plant.nx) if x0 is None else arguments.vector("x0", x0, plant.nx)
    p = arguments.parameter_vector(plant, parameters)
    arguments.check_on_group(plant, q)
    law = as_controller(controller, controller_in, plant, t0, q, v)
    gains = np.zeros(0) if law is None else law.gains
    batch = arguments.common_batch(q0=q, v0=v, x0=x, parameters=p, gains=gains)
    equations = Equations(
        plant,
        arguments.checked_method(method, plant),
        law,
        as_events(events),
        noise,
        hold=control_step is not None,
        dtype=arguments.one_of("dtype", dtype, arguments.DTYPES),
    )
    compiled = program(equations, arguments.one_of("backend", backend or "cpu", arguments.BACKENDS))
    q, v, x, p, gains = (as_rows(a, batch) for a in (q, v, x, p, gains))
    params = np.concatenate([p, gains], axis=-1)
    state = _initial(compiled, float(t0), q, arguments.independent(plant, t0, q, v, p), x, params)
    schedule = Schedule(steps, int(record_every), every, np.array([float(t0), h]))
    draws = Draws(
        int(seed), np.arange(len(q)) if samples is None else np.asarray(samples), equations.channels
    )
    course = drive(
        compiled, schedule, Course(_placed(compiled, state)), _placed(compiled, params), draws, progress
    )
    found = finished(compiled, schedule, course, params, draws)
    about = provenance(plant, equations, schedule, draws, compiled.backend)
    return as_run(plant, found, bool(batch), p, equations, about, scenario)


def as_run(
    plant: Any,
    found: Trajectories,
    batched: bool,
    p: np.ndarray,
    equations: Equations,
    about: dict,
    scenario: Any,
) -> Run:
    """The run of finished trajectories."""
    names = ("t", "q", "v", "x", "u")
    run = Run(
        system=plant.system,
        t=found.t,
        q=found.q,
        v=found.v,
        u=found.u,
        x=found.x if plant.nx else None,
        status=found.status,
        lengths=found.lengths,
        end=dict(zip(names, found.end, strict=True)),
        plant=plant,
        parameters=p if p.shape[-1] else None,
        input_names=plant.input_names,
        state_names=plant.state_names,
        scenario=scenario,
        provenance=about,
    )
    return run if batched else run.sample(0)


def _initial(
    compiled: Program, t0: float, q: np.ndarray, w: np.ndarray, x: np.ndarray, params: np.ndarray
) -> np.ndarray:
    """State vectors (S, n) at the start."""
    layout, S = compiled.equations.layout, len(q)
    g = np.zeros((S, 0))
    if layout.events:
        dtype = compiled.equations.dtype
        given = (np.full((S, 1), t0), q, w, params)
        g = np.asarray(compiled.event_values(*(a.astype(dtype) for a in given)))
    return np.concatenate([q, w, x, np.zeros((S, layout.held)), g, np.zeros((S, 2))], axis=-1)


def _placed(compiled: Program, array: np.ndarray) -> Any:
    """The array in the number format and on the device of the run."""
    array = np.ascontiguousarray(array, dtype=compiled.equations.dtype)
    if compiled.backend != "cuda":
        return array
    from ..kernels.cuda import device_array

    return device_array(array)
