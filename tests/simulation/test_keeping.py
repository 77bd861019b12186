"""Checkpoints, resuming, and runs on disk."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.simulation.arms import damper, first_link_up, small_arm, states
from tests.support.thinning import one_in

import unmoored as um
from unmoored.simulation import fixed_steps

ROOT = Path(__file__).parents[2]
SCRIPT = """
import numpy as np, sys
import unmoored as um
from tests.simulation.arms import damper, small_arm, states
system = small_arm()
q, v = states(system, 2)
um.simulate(system, q, v, duration={duration}, step=1e-3, method={method!r}, record_every=500,
            controller=damper, control_step=0.01, noise=um.Noise(velocity=0.01), seed=3,
            checkpoint=sys.argv[1], checkpoint_every=0.05)
"""


@pytest.mark.parametrize(("method", "duration"), one_in(2, [("rkmk4", 800.0), ("dopri5", 20.0)]))
def test_a_killed_run_resumes_to_the_same_bits(tmp_path, method, duration):
    kept = tmp_path / "kept"
    script = SCRIPT.format(duration=duration, method=method)
    process = subprocess.Popen([sys.executable, "-c", script, str(kept)], cwd=ROOT)
    deadline = time.monotonic() + 60
    while not (kept / "course").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    process.kill()
    process.wait()
    system = small_arm()
    q, v = states(system, 2)
    options = {"controller": damper, "control_step": 0.01, "noise": um.Noise(velocity=0.01), "seed": 3}
    whole = um.simulate(
        system, q, v, duration=duration, step=1e-3, method=method, record_every=500, **options
    )
    resumed = um.resume(kept, system, controller=damper)
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name))
    assert resumed.status == whole.status
    assert whole.completed


def test_a_run_that_has_come_to_its_end_takes_no_step_more(tmp_path, monkeypatch):
    system = small_arm()
    q, v = states(system, 2)
    kept = {"checkpoint": tmp_path / "a", "checkpoint_every": 0.0}
    run = um.simulate(system, q, v, duration=0.1, step=0.01, record_every=3, **kept)
    monkeypatch.setattr(fixed_steps, "_advance", None)
    resumed = um.resume(tmp_path / "a", system)
    assert np.array_equal(resumed.q, run.q)
    assert resumed.completed


def test_resuming_before_the_first_checkpoint_and_after_the_end(tmp_path):
    system = small_arm()
    q, v = states(system, 1)
    run = um.simulate(
        system, q[0], v[0], duration=0.5, step=0.01, checkpoint=tmp_path / "a", events=first_link_up
    )
    assert np.array_equal(um.resume(tmp_path / "a", system, events=first_link_up).q, run.q)
    with pytest.raises(um.ModelError, match="a directory that does not exist or is empty"):
        um.simulate(system, q[0], v[0], duration=0.5, step=0.01, checkpoint=tmp_path / "a")
    with pytest.raises(um.ModelError, match="the directory of a checkpoint"):
        um.resume(tmp_path / "b")


@pytest.mark.parametrize("suffix", [".nc", ".zarr", ".zarr.zip"])
@pytest.mark.parametrize("samples", [None, 3])
def test_runs_come_back_from_disk_bit_for_bit(tmp_path, suffix, samples):
    system = small_arm()
    q, v = states(system, 3)
    q[:, 12], v[0, 6] = 0.0, 2.0
    q, v = (q, v) if samples else (q[0], v[0])
    scenario = {"name": "test", "steps": [1, 2]}
    run = um.simulate(
        um.Plant(system, world=um.Earth()),
        q,
        v,
        duration=0.5,
        step=0.01,
        controller=damper,
        events=first_link_up,
        scenario=scenario,
    )
    path = tmp_path / f"run{suffix}"
    run.save(path)
    back = um.load_run(path)
    for name in ("t", "q", "v", "u", "lengths"):
        assert np.array_equal(getattr(back, name), getattr(run, name), equal_nan=True)
    assert back.status == run.status
    assert back.system == run.system
    assert back.scenario == scenario
    assert back.provenance == run.provenance
    assert back.input_names == run.input_names
    for a, b in zip(back.energy(), run.energy(), strict=True):
        assert np.array_equal(a, b, equal_nan=True)
    for name in ("t", "q", "v", "u"):
        assert np.array_equal(back.end[name], run.end[name])
    if samples:
        assert np.array_equal(back.sample(0).q, run.sample(0).q)


def test_channels_have_names_and_units():
    system = small_arm()
    q, v = states(system, 1)
    data = um.simulate(system, q[0], v[0], duration=0.1, step=0.01, controller=damper).dataset()
    assert data["v"].sel(dof="arm1").shape == (11,)
    assert data["q"].sel(coordinate="bus.x").shape == (11,)
    units = dict(zip(data["dof"].values, data["v_units"].values, strict=True))
    assert units["bus.vx"] == "m/s"
    assert units["arm2"] == "rad/s"
    assert data["time"].attrs["units"] == "s"
    assert data["kinetic_energy"].attrs["units"] == "J"
    assert list(data["input"].values) == list(system.dof_names)


def test_a_wrong_file_is_refused(tmp_path):
    system = small_arm()
    q, v = states(system, 1)
    run = um.simulate(system, q[0], v[0], duration=0.1, step=0.01)
    with pytest.raises(um.ModelError, match=r"expected one of .zarr, .zarr.zip, .nc"):
        run.save(tmp_path / "run.csv")
    with pytest.raises(um.ModelError, match="a file or directory that exists"):
        um.load_run(tmp_path / "run.nc")


def test_provenance_says_how_to_make_the_run_again():
    system = small_arm()
    q, v = states(system, 2)
    run = um.simulate(system, q, v, duration=0.1, step=0.01, seed=17, samples=[4, 9])
    about = run.provenance
    assert about["unmoored"] == um.__version__
    assert about["system_digest"] == system.tree.digest
    assert (about["seed"], about["samples"], about["method"], about["steps"]) == (17, [4, 9], "rkmk4", 10)
    assert run.sample(1).provenance["samples"] == [9]


@pytest.mark.parametrize("seed", [2**70, -1, 1.7, True, "1"])
@pytest.mark.whole
def test_a_seed_is_a_whole_number_of_64_bits(seed):
    system = small_arm()
    with pytest.raises(um.ModelError, match="seed"):
        um.simulate(system, system.neutral(), None, duration=0.1, step=0.01, seed=seed)


def test_an_empty_batch_is_refused():
    system = small_arm()
    with pytest.raises(um.ModelError, match="at least one sample"):
        um.simulate(system, np.zeros((0, system.nq)), None, duration=0.1, step=0.01)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rows_are_recorded_where_they_stay(dtype):
    """No copies: recording every row costs little more than computing it. The numbers are those of fewer rows."""
    system = small_arm()
    q, v = states(system, 5, seed=3)
    go = {"duration": 0.4, "step": 0.01, "dtype": dtype}
    every, some = (um.simulate(system, q, v, record_every=k, **go) for k in (1, 4))
    assert every.q.base is every.v.base is not None
    assert np.array_equal(every.q[:, ::4], some.q)
    assert np.array_equal(every.v[:, ::4], some.v)
    stops = um.Event(lambda t, q, v: t - 0.213 - 0.01 * q[9] + 0.0 * v[0], "late")
    stopped = um.simulate(system, q, v, events=[stops], **go)
    for i, n in enumerate(stopped.lengths):
        assert np.array_equal(stopped.q[i, :n], every.q[i, :n])
        assert np.all(np.isnan(stopped.q[i, n:]))
        assert np.all(np.isnan(stopped.v[i, n:]))
