"""Steps, their derivatives, rollouts with their adjoints, the stepper, short runs. Limits where there is no peer."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from ...control import JointPD
from ...simulation import Rollout, Stepper, simulate
from ...system import load
from ...worlds import Ocean, Plant
from .measure import best_time, first_time
from .peers import mujoco_model, peer

_STEP, _PERIOD = 1e-3, 0.02
_SAMPLES, _LENGTH = 4096, 50
#: most seconds to compile and most microseconds per sample of `step_derivatives`
_COMPILE, _DERIVATIVES = 6.0, 15.0
#: an adjoint with its forward pass may take this many forward passes
_ADJOINT = 5.0
#: most microseconds of one call of the stepper with one sample and one step, and of 100 steps above their kernel
_ONE_STEP, _SHORT_RUN = 10.0, 300.0
#: a run of so many samples and steps that keeps every row may take this many of the run that keeps the last one
_RECORDED, _ROWS, _EVERY_ROW = 512, 200, 1.3
#: environment steps per second and core, against MuJoCo's
_ENVIRONMENTS = 30.0


def rows() -> list[dict[str, Any]]:
    """Rows of the table; of limits, `ratio` is the limit over what was measured, so that 1 and more is good."""
    return [*_derivatives(), _adjoint(), _one_step(), _environments(), _short_run(), *_recording()]


def _derivatives() -> Iterator[dict[str, Any]]:
    name, system = "BlueROV2 + Alpha 5", load("bluerov2_heavy_alpha5")
    plant = Plant(system, Ocean())
    q, v, u = _states(plant, _SAMPLES)
    seconds = first_time(lambda: plant.step_jacobian(0.0, q[0], v[0], u[0], _STEP))
    yield _limit("step_derivatives, first compile", name, seconds, _COMPILE * 1e6)
    seconds = best_time(lambda: plant.step_jacobian(0.0, q, v, u, _STEP)) / _SAMPLES
    yield _limit("step_derivatives, batch, per sample", name, seconds, _DERIVATIVES)


def _adjoint() -> dict[str, Any]:
    plant = Plant(load("free_flyer_arm7"))
    q, v, _ = _states(plant, _SAMPLES)
    rng = np.random.default_rng(1)
    u = rng.normal(size=(_SAMPLES, _LENGTH, plant.nu))
    dq, dv = rng.normal(size=(2, _SAMPLES, _LENGTH + 1, plant.nv))
    rollout = Rollout(plant, _LENGTH, _STEP)
    forward = best_time(lambda: rollout(q, v, u), seconds=1.0)
    both = best_time(lambda: rollout.vjp(q, v, u, None, dq, dv), seconds=2.0)
    per_step = _SAMPLES * _LENGTH
    found = _limit("rollout.vjp, 4096 × 50 steps, per step", "6+7 right", both / per_step, 1.0)
    limit = _ADJOINT * forward / per_step * 1e6
    return found | {
        "peer": f"at most {_ADJOINT:g} forward passes", "peer_us": limit, "ratio": limit / found["ours_us"],
    }  # fmt: skip


def _one_step() -> dict[str, Any]:
    plant = Plant(load("free_flyer_arm7"))
    stepper, u = Stepper(plant, 1, step=_STEP), np.random.default_rng(0).normal(size=(1, plant.nu))
    return _limit("Stepper, one sample, one step", "6+7 right", best_time(lambda: stepper.step(u)), _ONE_STEP)


def _environments() -> dict[str, Any]:
    mujoco, system = peer("mujoco"), load("free_flyer_arm7")
    plant = Plant(system)
    q, v, u = _states(plant, _SAMPLES)
    stepper = Stepper(plant, _SAMPLES, step=_STEP, control_step=_PERIOD, q=q, v=0.1 * v)
    ours = best_time(lambda: stepper.step(u), seconds=1.0) / _SAMPLES
    model = mujoco_model(system.tree, timestep=_STEP, fluid=False)
    data, many = mujoco.MjData(model), 64
    data.qvel[:] = 0.1
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros(size)
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    rollout = import_module("mujoco.rollout").rollout
    starts, steps = np.tile(state, (many, 1)), round(_PERIOD / _STEP)
    theirs = best_time(lambda: rollout(model, data, starts, nstep=steps), seconds=1.0) / many
    return {
        "what": "environment steps of 20 ms, 4096", "system": "6+7 right", "ours_us": ours * 1e6,
        "peer": "mujoco.rollout RK4", "peer_us": theirs * 1e6, "ratio": theirs / ours, "bar": _ENVIRONMENTS,
    }  # fmt: skip


def _short_run() -> dict[str, Any]:
    plant = Plant(load("free_flyer_arm7"))
    q, v, _ = _states(plant, 1)
    stepper = Stepper(plant, 1, step=_STEP, control_step=0.1, q=q, v=v)
    run = best_time(lambda: simulate(plant, q[0], v[0], duration=0.1, step=_STEP, record_every=100))
    return _limit(
        "simulate, 100 steps, above the kernel", "6+7 right", run - best_time(stepper.step), _SHORT_RUN
    )


def _recording() -> Iterator[dict[str, Any]]:
    plant = Plant(load("free_flyer_arm7"))
    q, v, _ = _states(plant, _RECORDED)
    arm = {link.name: 0.1 for link in plant.tree.links if link.joint.nv == 1}
    law = JointPD(plant, arm, stiffness=0.05, damping=0.005)
    for words, more in (("bare", {}), ("with a law", {"controller": law, "control_step": 0.01})):
        options: dict[str, Any] = {"duration": _ROWS * _STEP, "step": _STEP, **more}
        last = best_time(lambda: simulate(plant, q, 0.1 * v, record_every=_ROWS, **options), seconds=1.0)  # noqa: B023
        every = best_time(lambda: simulate(plant, q, 0.1 * v, **options), seconds=1.0)  # noqa: B023
        found = _limit(f"simulate {words}, every row, per step", "6+7 right", every / _RECORDED / _ROWS, 1.0)
        limit = _EVERY_ROW * last / _RECORDED / _ROWS * 1e6
        yield found | {
            "peer": f"at most {_EVERY_ROW:g} of the run with its last row", "peer_us": limit,
            "ratio": limit / found["ours_us"],
        }  # fmt: skip


def _states(plant: Plant, samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(samples)])
    return q, rng.normal(size=(samples, plant.nv)), rng.normal(size=(samples, plant.nu))


def _limit(what: str, system: str, seconds: float, limit: float) -> dict[str, Any]:
    return {
        "what": what, "system": system, "ours_us": seconds * 1e6, "peer": f"at most {limit:g} µs", "peer_us": limit,
        "ratio": limit / (seconds * 1e6), "bar": 1.0,
    }  # fmt: skip
