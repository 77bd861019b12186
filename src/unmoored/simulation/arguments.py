"""Checking what `simulate` is given, and laying it out as rows of samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..error_roots import warn
from ..integrators import IMPLICIT, ITERATIONS
from ..integrators.step_control import Tolerances
from ..kernels.cuda import device
from ..kernels.cuda.device import device_array, on_device
from ..model import ModelError, ModelWarning
from ..model.errors import unknown_name
from ..system import System
from ..trace import Recent, plain_array
from ..worlds import Plant, Sea, Space
from ..worlds.loads import split_states
from .fixed_steps import Schedule
from .noise import Noise
from .time_step import TimeStep

#: a duration may be this far from a whole number of steps, in steps
_WHOLE = 1e-9
#: steps that can be counted: whole numbers beyond it are not all known
_MOST = 2**53
_CONSISTENT = 1e-9
_ON_GROUP, _ON_GROUP_SINGLE = 1e-9, 1e-5
BACKENDS = ("cpu", "cuda", "numpy")
DTYPES = ("float64", "float32")
#: plants of systems alone, by the identity of the system
_in_free_fall: Recent[int, Plant] = Recent(8)
_MOST_ITERATIONS = 1000
#: methods that choose their own steps
ADAPTIVE = ("dopri5",)


def wrong(what: str, expected: str, given: Any, where: str = "simulate") -> ModelError:
    """The error for an argument of `simulate`, or of what else takes the same."""
    return ModelError.single(where, what, expected=expected, given=repr(given))


def as_plant(plant: Any, where: str = "simulate") -> Plant:
    """The plant; a system alone is one in free fall, which is kept for the next run."""
    if isinstance(plant, System):
        kept = _in_free_fall.find(id(plant))
        if kept is None or kept.system is not plant:
            kept = _in_free_fall.keep(id(plant), Plant(plant))
        return kept
    if not isinstance(plant, Plant):
        raise wrong("plant", "a Plant or a System", plant, where)
    return plant


def positive(what: str, x: Any, where: str = "simulate") -> float:
    """A positive, finite number."""
    if isinstance(x, bool) or not isinstance(x, int | float | np.number) or not 0 < float(x) < math.inf:
        raise wrong(what, "a number > 0 (s)", x, where)
    return float(x)


def whole(what: str, duration: float, unit: float, of: str, where: str = "simulate") -> int:
    """duration/unit as a whole number ≥ 1, refused if it is not one."""
    if not duration / unit <= _MOST:
        raise wrong(what, f"at most {_MOST:g} times {of} {unit:g} s", duration, where)
    count = round(duration / unit)
    if count < 1 or abs(duration / unit - count) > _WHOLE * max(1.0, count * 1e-3):
        raise wrong(what, f"a multiple of {of} {unit:g} s", duration, where)
    return count


def schedule(duration: Any, step: Any, record_every: Any, control_step: Any, t0: Any) -> Schedule:
    """The steps of a run."""
    h = positive("step", step)
    steps = whole("duration", positive("duration", duration), h, "the step")
    every = (
        1
        if control_step is None
        else whole("control_step", positive("control_step", control_step), h, "the step")
    )
    number = isinstance(record_every, int | np.integer) and not isinstance(record_every, bool)
    if not number or not 1 <= record_every <= _MOST:
        raise wrong("record_every", "a whole number of steps from 1 to 2**53", record_every)
    if isinstance(t0, bool) or not isinstance(t0, int | float | np.number) or not math.isfinite(t0):
        raise wrong("t0", "a time (s)", t0)
    return Schedule(steps, int(record_every), every, np.array([float(t0), h]))


def check_orbit(plant: Plant, t0: float, end: float, where: str = "simulate") -> None:
    """Refuse times from t0 to end (s) at which an orbit that is integrated beforehand is not known."""
    known = orbit_known_for(plant)
    if known is not None and (t0 < 0.0 or end > known * (1.0 + 1e-12)):
        expected = f"from 0 to {known:g} s (Orbit's duration), for which the orbit is known"
        raise ModelError.single(where, "times", expected=expected, given=f"from {t0:g} to {end:g} s")


def orbit_known_for(plant: Plant) -> float | None:
    """How long (s) from zero an orbit that is integrated beforehand is known; None if there is no such orbit."""
    orbits = [world.orbit for world in plant.worlds if isinstance(world, Space)]
    known = [orbit.duration for orbit in orbits if orbit is not None and orbit.j2]
    return min((x for x in known if x is not None), default=None)


def check_states(plant: Plant, x: Any) -> None:
    """Refuse states of actuators (..., nx) in which they cannot be."""
    if plant.nx and not on_device(x):
        for actuator, own in split_states(plant, plant, x):
            actuator.check_states(own)


def warn_of_unsuited_steps(plant: Plant, step: float, t0: float) -> None:
    """Warn of actuators that need other fixed steps (s)."""
    for actuator in plant.actuators or ():
        if told := actuator.unsuited_steps(step, t0):
            warn(f"{actuator.label}: {told}", ModelWarning)


def tolerances(method: str, given: Any, plant: Plant) -> Tolerances | None:
    """The tolerances of an adaptive method, None for fixed steps; `...` stands for those that are usual."""
    if method not in ADAPTIVE:
        if given is not ... and given is not None:
            raise wrong(
                "tolerance", f"none: {method} takes fixed steps; {', '.join(ADAPTIVE)} chooses its own", given
            )
        return None
    if given is None or isinstance(given, Tolerances):
        return given
    if given is ...:
        return Tolerances()
    return Tolerances(given, given, given, given)


def checked_balance(balance: Any, method: str, tolerance: Any) -> bool:
    """Whether work is integrated along; refused where steps are chosen by the method, which it would change."""
    if not isinstance(balance, bool):
        raise wrong("balance", "True or False", balance)
    if balance and method in ADAPTIVE and tolerance is not None:
        raise wrong(
            "balance", "fixed steps: the work's error would choose the steps too", f"{method}'s own steps"
        )
    return balance


def iterations(method: str, given: Any) -> int:
    """How often an implicit method evaluates the right-hand side in a step; None: as usual."""
    if given is None:
        return ITERATIONS
    if method not in IMPLICIT:
        raise wrong("iterations", f"none: {method} does not iterate; {', '.join(IMPLICIT)} do", given)
    whole_number = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not whole_number or not 2 <= int(given) <= _MOST_ITERATIONS:
        raise wrong("iterations", f"a whole number from 2 to {_MOST_ITERATIONS}", given)
    return int(given)


def checked_noise(noise: Any) -> Noise | None:
    """The noise, if it is one."""
    if noise is not None and not isinstance(noise, Noise):
        raise wrong("noise", "a Noise, or None", noise)
    return noise


def checked_backend(backend: Any, time_step: TimeStep) -> str:
    """The backend, if it suits the run."""
    backend = one_of("backend", backend or "cpu", BACKENDS)
    if time_step.tolerances is not None:
        if backend == "cuda" or time_step.dtype != "float64":
            raise wrong("backend", '"cpu" and float64 for adaptive steps', f"{backend}, {time_step.dtype}")
        if time_step.channels and not time_step.hold:
            raise wrong("noise", "a control_step, if steps are adaptive", "none")
    law = time_step.controller
    if backend == "cuda" and law is not None and law.place == "python":
        raise wrong("controller", 'a law that can be traced, for the backend "cuda"', law.law)
    return backend


def kept_on_device(keep: Any, backend: str, time_step: TimeStep, checkpoint: Any) -> bool:
    """Whether results stay on the GPU, if that suits the run."""
    if keep is None:
        return False
    one_of("keep", keep, ("device",))
    if backend != "cuda" or time_step.events or checkpoint is not None:
        expected = 'the backend "cuda", no events and no checkpoint, which are of the host'
        raise wrong("keep", expected, keep)
    if time_step.channels and not time_step.hold:
        raise wrong("keep", "a control_step, if there is noise", keep)
    return True


def sample_numbers(samples: Any, count: int) -> np.ndarray:
    """Numbers (S,) of the samples, which choose their noise."""
    if samples is None:
        return np.arange(count)
    numbers = np.asarray(samples)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu" or np.any(numbers < 0):
        raise wrong("samples", f"{count} whole numbers ≥ 0", samples)
    return numbers


def checked_seed(seed: Any) -> int:
    """The seed of a run's random numbers, which has 64 bits."""
    whole_number = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole_number or not 0 <= int(seed) < 2**64:
        raise wrong("seed", "a whole number from 0 to 2**64 - 1", seed)
    return int(seed)


def one_of(what: str, x: Any, known: tuple[str, ...], where: str = "simulate") -> str:
    """A name among those that are known."""
    if x not in known:
        raise unknown_name(where, what, x, known)
    return x


def vector(what: str, x: Any, names: Sequence[str], where: str = "simulate", xp: Any = np) -> Any:
    """Numbers (n,) or (S, n), finite, one for each name; xp: NumPy, or CuPy for an array on the GPU."""
    size = len(names)
    try:
        array: Any = device_array(x) if on_device(x) else plain_array(x)
        if array.dtype.kind not in "iuf" and array.size:
            raise TypeError
        array = xp.asarray(array.get() if xp is np and on_device(array) else array, dtype=float)
    except (TypeError, ValueError):
        raise wrong(what, f"numbers ({size},) or (samples, {size})", x, where) from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise ModelError.single(
            where, what, expected=f"shape ({size},) or (samples, {size})", given=f"shape {array.shape}"
        )
    if array.ndim == 2 and not len(array):
        raise ModelError.single(where, what, expected="at least one sample", given="a batch of none")
    if not bool(xp.isfinite(array).all()):
        place = tuple(xp.argwhere(~xp.isfinite(array))[0].tolist())
        entry = f"{what}[{', '.join(map(str, place))}] ({names[place[-1]]})"
        raise ModelError.single(where, entry, expected="a finite number", given=str(array[place]))
    return array


def independent(
    plant: Plant, t0: Any, q: np.ndarray, v: np.ndarray, p: np.ndarray, what: str = "v0"
) -> np.ndarray:
    """Independent velocities (..., nw) of v (..., nv), which must keep constraints; prescribed parts do not count."""
    _check_followers(plant, t0, q, p)
    if plant.velocities.is_plain:
        return v
    velocities = plant._velocities(p)
    q = velocities.configuration(t0, q)
    w = np.asarray(velocities.independent(q, v))
    off = np.abs(velocities.full(t0, q, w) - v)
    off[..., plant.velocities.driven] = 0.0
    if np.any(off > _CONSISTENT * (1.0 + np.abs(v).max())):
        dof = plant.tree.dof_names[int(np.argmax(off.reshape(-1, plant.nv).max(axis=0)))]
        raise ModelError.single(
            dof,
            what,
            expected="a velocity that keeps the plant's constraints and couplings (plant.full_velocity gives one)",
            given=f"off by {off.max():.3g}",
        )
    return w


def _check_followers(plant: Plant, t0: Any, q: np.ndarray, p: np.ndarray) -> None:
    """Refuse a configuration (..., nq) whose followers are not where their leaders put them."""
    if not plant.velocities.couplings:
        return
    placed = np.asarray(plant._velocities(p).configuration(t0, q))
    driven = set(plant.velocities.driven.tolist())
    for coupling in plant.velocities.couplings:
        link = plant.tree.link(coupling.joint)
        i = link.q.start
        off = np.abs(placed[..., i] - q[..., i])
        if link.v.start not in driven and np.any(off > _CONSISTENT * (1.0 + np.abs(placed[..., i]))):
            worst = int(np.argmax(off))
            x, y = (np.ravel(a[..., i])[worst] for a in (placed, q))
            expected = f"{x:.9g}, where {coupling.leader} puts it; plant.configuration(t, q) gives such a q0"
            raise ModelError.single(link.name, "q0", expected=expected, given=f"{y:.9g}")


def on_group_tolerance(q: Any, dtype: str) -> float:
    """How far q may be from the group: more if it is given in single precision, for a run in single precision."""
    single = dtype == "float32" and str(getattr(q, "dtype", "")).endswith("float32")
    return _ON_GROUP_SINGLE if single else _ON_GROUP


def place_of(keep: Any, backend: Any, plant: Plant, equations: str = "full") -> Any:
    """Where a run's numbers are laid out: CuPy if they stay on the GPU, else NumPy.

    Where closures, constraints, couplings or prescribed motions tie velocities together they are looked at on the host.
    """
    there = keep == "device" and backend == "cuda" and plant.velocities.is_plain and not plant.closures
    there = there and equations == "full"
    return device.cupy() if there else np


def parameter_vector(plant: Plant, given: Any, where: str = "simulate", xp: Any = np) -> Any:
    """p (..., n) from {name: value (..., size)}; what is not given is as the plant was built."""
    if given is None:
        return np.array(plant.nominal_parameters)
    if not isinstance(given, Mapping):
        return _seen_by_worlds(plant, vector("parameters", given, plant.parameter_names, where, xp))
    known = {parameter.name: parameter for parameter in plant._declared}
    for name in given:
        if name not in known:
            raise unknown_name(where, "parameter (declare it: Plant(…, free=[…]))", name, known)
    parts = {
        name: parameter.flat(given[name]) if name in given else parameter.nominal
        for name, parameter in known.items()
    }
    samples = common_batch(**parts)
    full = [np.broadcast_to(a, (*samples, a.shape[-1])) for a in parts.values()]
    return _seen_by_worlds(plant, np.concatenate([np.zeros((*samples, 0)), *full], -1))


def _seen_by_worlds(plant: Plant, p: Any) -> Any:
    """p (..., n), after warnings of seas whose periods a ship's response does not know."""
    for sea in plant.worlds:
        if not isinstance(sea, Sea) or sea.trajectory is not None:
            continue
        for parameter in plant._declared:
            if parameter.name == f"{sea.name}.peak_period":
                values = p[..., parameter.place]
                for period in {float(values.min()), float(values.max())} - {sea.peak_period}:
                    sea.warn_of_waves_beyond(period)
    return p


def common_batch(**arrays: np.ndarray) -> tuple[int, ...]:
    """The leading dimensions () or (S,) that all arrays agree on."""
    batches = {name: array.shape[:-1] for name, array in arrays.items()}
    sizes = {batch[0] for batch in batches.values() if batch and batch[0] != 1}
    if len(sizes) > 1:
        given = ", ".join(f"{name} {batch[0]}" for name, batch in batches.items() if batch)
        raise ModelError.single("simulate", "samples", expected="the same number everywhere", given=given)
    if any(batches.values()):
        return (sizes.pop(),) if sizes else (1,)
    return ()
