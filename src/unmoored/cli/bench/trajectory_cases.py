"""Whole trajectories: steps per second of `simulate` beside MuJoCo's own time loop in C, one core."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...simulation import simulate
from ...system import System, load
from ...worlds import Ocean, Plant
from .cases import Case
from .peers import mujoco_model, peer

_STEP = 1e-3
_ALONE, _TOGETHER = 5000, 100
_SAMPLES = 4096
RECORDING = "RKMK4 steps, 4096, every row recorded"


def trajectory_cases() -> Iterator[Case]:
    """One trajectory, a batch of them, and a batch under water, all with fourth-order steps of 1 ms."""
    flyer = load("free_flyer_arm7")
    theirs = _mujoco_loop(flyer, fluid=False)
    yield _case("RKMK4 steps, one trajectory", "6+7 right", Plant(flyer), 1, theirs, "mj_step RK4, C loop")
    yield _case(
        "RKMK4 steps, 4096 trajectories", "6+7 right", Plant(flyer), _SAMPLES, theirs, "mj_step RK4, C loop"
    )
    yield _recording(Plant(flyer))
    diver = load("bluerov2_heavy_alpha5")
    under_water = _mujoco_loop(diver, fluid=True)
    plant = Plant(diver, world=Ocean(current=(0.3, 0.0, 0.0)))
    name = "BlueROV2 + Alpha 5"
    yield _case(
        "RKMK4 steps under water, 4096",
        name,
        plant,
        _SAMPLES,
        under_water,
        "mj_step RK4 with its fluid, C loop",
    )


def _case(what: str, name: str, plant: Plant, samples: int, theirs, peer_name: str) -> Case:
    steps = _ALONE if samples == 1 else _TOGETHER
    rng = np.random.default_rng(0)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(samples)])
    v = 0.1 * rng.normal(size=(samples, plant.nv))
    q, v = (q[0], v[0]) if samples == 1 else (q, v)

    def ours() -> object:
        return simulate(plant, q, v, duration=steps * _STEP, step=_STEP, record_every=steps, progress=False)

    return Case(what, name, ours, steps * samples, theirs, _ALONE, peer_name)


def _recording(plant: Plant) -> Case:
    """A batch with every step recorded, beside the same one without."""
    rng = np.random.default_rng(0)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(_SAMPLES)])
    v = 0.1 * rng.normal(size=(_SAMPLES, plant.nv))

    def run(record_every: int) -> object:
        return simulate(
            plant, q, v, duration=_TOGETHER * _STEP, step=_STEP, record_every=record_every, progress=False
        )

    count = _TOGETHER * _SAMPLES
    return Case(RECORDING, "6+7 right", lambda: run(1), count, lambda: run(_TOGETHER), count, "not recorded")


def _mujoco_loop(system: System, *, fluid: bool):
    mujoco = peer("mujoco")
    model = mujoco_model(system.tree, timestep=_STEP, fluid=fluid)
    data = mujoco.MjData(model)
    data.qvel[:] = 0.1 * np.random.default_rng(0).normal(size=model.nv)
    return lambda: mujoco.mj_step(model, data, _ALONE)
