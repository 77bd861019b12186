"""Why the numbers of a sample went wrong: the quantity in which they did, the joint that drove it, a step that helps.

The plant with its law is linearised where the sample began. If its fastest rate ρ times the step (with held inputs:
the control period) is too large, the step is why, and the joint that takes most part in that mode drove it. Steps of at
most 0.5/ρ are safe (docs/simulation.md: held inputs diverge beyond 2/ρ, explicit methods at about 2/ρ to 3/ρ).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..model import ModelError, Tree
from .run_kernels import RunKernels, to_host
from .step_map import step_map

if TYPE_CHECKING:
    from .task import Task

#: ρ times the step beyond which the step is to blame, and what it should be at most
_TOO_FAST, _GOOD = 1.0, 0.5
#: size of the short step that stands for the rate, relative to the step
_SHORT = 1e-4
#: samples that are linearised at a time
_TOGETHER = 256
#: samples for which a better step is looked for, the first of a batch: by the kernels of the run, by NumPy (20 ms each)
_MOST, _MOST_BY_NUMPY = 10_000, 64


class FastestMode(NamedTuple):
    """The fastest mode of a plant with its law: rate ρ (1/s) and, of every DoF, the part that it takes (nv,)."""

    rate: float
    participation: np.ndarray


def fastest_modes(task: Task, samples: np.ndarray) -> dict[int, FastestMode]:
    """Of the first of these samples, where they began.

    Left out are those in which nothing decays or oscillates, and all if the law is Python's.
    """
    controller = task.time_step.controller
    if controller is not None and controller.place == "python":
        return {}  # it may count its calls
    found = {}
    samples = samples[: _MOST if _has_kernels(task) else _MOST_BY_NUMPY]
    for some in np.array_split(samples, -(-len(samples) // _TOGETHER)):
        for i, A in zip(some.tolist(), _linearised(task, some), strict=True):
            within = rates_within(task, _SHORT * float(task.schedule.span[1]))
            mode = fastest(A, task.time_step.plant.nv, task.time_step.layout.nw, within)
            if mode is not None:
                found[i] = mode
    return found


def rates_within(task: Task, short: float) -> float:
    """Rates (1/s) that a short step (s) can tell from those of directions that closures do not allow: one step each."""
    return 0.5 / short if task.time_step.plant.closures else np.inf


def _has_kernels(task: Task) -> bool:
    """Whether the run's own kernels can be asked: differences need float64."""
    return task.backend == "cpu" and task.time_step.dtype == "float64"


def _linearised(task: Task, samples: np.ndarray) -> np.ndarray:
    """A (S, n, n) of ż = A z, z = (dq, w, x), of the plant with its law where samples began: by a very short step."""
    e, h = task.time_step, _SHORT * float(task.schedule.span[1])
    kernels = task.kernels if _has_kernels(task) else RunKernels(e, "numpy", {}, {})

    def ends(rows: np.ndarray, params: np.ndarray) -> np.ndarray:
        clock = np.broadcast_to([float(task.schedule.span[0]), h], (len(rows), 2))
        noise = np.zeros((len(rows), e.channels))
        if kernels.update is not None:
            rows = kernels.update(clock, rows, params, noise)
        return kernels.moved(clock, rows, params, noise)

    Φ = step_map(e, float(task.schedule.span[0]), task.state[samples], task.params[samples], ends)
    return (Φ - np.eye(Φ.shape[1])) / h


def fastest(A: np.ndarray, nv: int, nw: int, within: float = np.inf) -> FastestMode | None:
    """Of ż = A z, z = (dq, w, x), among the modes that a smaller step can tame: not those that really grow.

    within: rates (1/s) beyond this are no motions, but what closures take away.
    """
    if not np.all(np.isfinite(A)):
        return None
    rates, modes = np.linalg.eig(A)
    tame = np.flatnonzero((np.real(rates) < 0.1 * np.abs(rates)) & (np.abs(rates) < within))
    if not tame.size or np.linalg.cond(modes) > 1e14:
        return None
    k = int(tame[np.argmax(np.abs(rates[tame]))])
    share = np.abs(modes[:, k] * np.linalg.inv(modes)[k])  # free of units
    return FastestMode(float(abs(rates[k])), share[:nv] + (share[nv : nv + nw] if nw == nv else np.zeros(nv)))


def explained(
    task: Task,
    t: float,
    last: np.ndarray,
    end: dict[str, Any],
    noise: np.ndarray,
    i: int,
    mode: FastestMode | None,
) -> tuple[str, str]:
    """(where, hint) for sample i: the quantity in which its numbers went wrong, and what may help.

    last: its last good state vector (n,), at time t (s).  end: v, u and memory that a reader sees there.
    """
    e, tree = task.time_step, task.time_step.plant.tree
    u, memory = end["u"], end["memory"]
    if u is not None and not np.all(np.isfinite(u)):
        k = int(np.flatnonzero(~np.isfinite(u))[0])
        return f"input {e.plant.input_names[k]}", f"the law gave {u[k]:g}"
    for name, values in memory.items():
        if not np.all(np.isfinite(values)):
            return f"memory {name}", "the law made it so"
    held = e.hold and e.controller is not None
    step = float(task.schedule.span[1]) * (task.schedule.update_every if held else 1)
    if mode is not None and (held or not task.adaptive) and mode.rate * step > _TOO_FAST:
        what = "control period" if held else "step"
        hint = (
            f"the fastest closed-loop rate, {mode.rate:.3g}/s, times the {what} of {step:g} s is"
            f" {mode.rate * step:.2g}; try a {what} of {divided(step, _GOOD / mode.rate):.6g} s"
        )
        if mode.participation.any():
            return f"joint {joint_of(tree, int(np.argmax(mode.participation)))}", hint
        return _first_wrong(task, t, last, end["v"], noise, i), hint
    return _first_wrong(task, t, last, end["v"], noise, i), ""


def divided(step: float, largest: float) -> float:
    """A round part of the step that is not larger than this: durations stay multiples of it."""
    parts = (k * 10**n for n in range(300) for k in (1, 2, 4, 5, 8))
    return step / next(k for k in parts if step / k <= largest)


def _first_wrong(task: Task, t: float, last: np.ndarray, v: np.ndarray, noise: np.ndarray, i: int) -> str:
    """The joint or actuator's state whose numbers are the first to go: the last step is taken again, unguarded."""
    e, layout, plant = task.time_step, task.time_step.layout, task.time_step.plant
    span = np.array([t, task.schedule.span[1]])
    with np.errstate(all="ignore"):
        bad = task.kernels.moved(*(a[None].astype(e.dtype) for a in (span, last, task.params[i], noise)))
    new = to_host(bad)[0]
    w, x = new[layout.nq : layout.nq + layout.nw], new[layout.nq + layout.nw :]
    if np.all(np.isfinite(w)) and not np.all(np.isfinite(x)):
        return f"state {plant.state_names[int(np.flatnonzero(~np.isfinite(x))[0])]}"
    v_next = w if layout.nw == plant.nv and e.equations == "full" else np.full(plant.nv, np.nan)
    now = layout.split(last)
    return culprit(plant.tree, v, v_next, _kinetic_shares(task, now.q, v, i))


def _kinetic_shares(task: Task, q: np.ndarray, v: np.ndarray, i: int) -> np.ndarray:
    """What every DoF has of the kinetic energy, |v_k (M v)_k| (nv,): units do not matter, unlike those of v."""
    largest = np.abs(v).max(initial=0.0)
    if not largest:
        return np.abs(v)
    u = v / largest
    p = task.time_step.plant_parameters(task.params[i])
    try:
        M = task.time_step.plant.mass_matrix(q.astype(float), p=p.astype(float))
    except ModelError:  # a configuration that has already gone
        return np.abs(u)
    shares = np.abs(u * (M @ u))
    return shares if np.all(np.isfinite(shares)) else np.abs(u)


def culprit(tree: Tree, v: np.ndarray, v_next: np.ndarray, shares: Sequence[float] | np.ndarray) -> str:
    """The joint where numbers went wrong: v (nv,) is the last good velocity, v_next (nv,) the one after.

    If only some joints are not finite, the first of these; else the one with the largest share (nv,).
    """
    bad = ~np.isfinite(v_next)
    if bad.any() and not bad.all():
        return f"joint {joint_of(tree, int(np.flatnonzero(bad)[0]))}"
    return f"joint {joint_of(tree, int(np.argmax(shares)) if v.size else 0)}"


def joint_of(tree: Tree, dof: int) -> str:
    """Name of the joint that a DoF belongs to."""
    return next((link.name for link in tree.links if link.v.start <= dof < link.v.stop), tree.names[0])
