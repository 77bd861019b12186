"""Runs whose arrays stay on the GPU: the numbers of the processor, by a stand-in where there is no GPU."""

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states
from tests.simulation.test_memory import Integral
from tests.support.gpu_or_host import on_gpu_or_host

import unmoored as um
from unmoored.kernels.cuda import device_array
from unmoored.simulation import task
from unmoored.simulation.on_group import is_rotation

SYSTEM = small_arm()
Q, V = states(SYSTEM, 5, seed=3)
GO = {"duration": 0.2, "step": 0.01, "record_every": 3}


def on_host(x):
    return x.get() if hasattr(x, "get") else np.asarray(x)


@pytest.mark.parametrize("law", [None, "memory"])
def test_the_run_of_the_processor(monkeypatch, tmp_path, law):
    on_gpu_or_host(monkeypatch, tmp_path)
    plant = um.Plant(SYSTEM, um.Earth())
    v = V.copy()
    v[2] = 1e149  # blows up
    options = GO if law is None else GO | {"controller": Integral(0.7), "control_step": 0.02}
    here = um.simulate(plant, Q, v, **options)
    there = um.simulate(plant, Q, v, backend="cuda", keep="device", **options)
    assert np.array_equal(there.t, here.t)
    for name in ("q", "v", "u"):
        a, b = getattr(there, name), getattr(here, name)
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(on_host(a), b, equal_nan=True)
    assert [s.kind for s in there.status] == [s.kind for s in here.status]
    assert there.lengths.tolist() == here.lengths.tolist()
    assert np.array_equal(on_host(there.end["q"]), here.end["q"])
    for name, kept in there.memory.items():
        assert np.array_equal(on_host(kept), here.memory[name], equal_nan=True)
    alone = um.simulate(plant, Q[1], V[1], backend="cuda", keep="device", **options)
    assert np.array_equal(on_host(alone.q), here.q[1])


@pytest.mark.parametrize(("steps", "rows"), [(6, 2), (7, 3)])
def test_a_run_that_is_interrupted_has_the_times_of_its_rows(monkeypatch, tmp_path, steps, rows):
    """Ctrl-C after six or seven of twenty steps: rows were taken at 0 and 3, and at 6 before the seventh step."""
    on_gpu_or_host(monkeypatch, tmp_path)
    drive = task.drive

    def cut(*given, **options):
        course = drive(*given, **options)
        course.rows, course.place = [course.all_rows()[:, :rows]], None
        course.state[:, -1], course.interrupted = steps, True
        return course

    monkeypatch.setattr(task, "drive", cut)
    run = um.simulate(um.Plant(SYSTEM, um.Earth()), Q, V, backend="cuda", keep="device", **GO)
    assert np.allclose(run.t, 0.03 * np.arange(rows), rtol=0, atol=1e-15)
    assert run.q.shape[1] == rows
    assert run.lengths.tolist() == [rows] * 5
    assert {(s.kind, round(s.time, 12)) for s in run.status} == {("interrupted", round(0.01 * steps, 12))}


def test_what_is_refused(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    for options, words in [
        ({"keep": "device"}, "cuda"),
        ({"keep": "here", "backend": "cuda"}, "keep"),
        ({"keep": "device", "backend": "cuda", "events": [lambda t, q, v: q[0]]}, "events"),
        ({"keep": "device", "backend": "cuda", "checkpoint": tmp_path / "kept"}, "no checkpoint"),
        (
            {"keep": "device", "backend": "cuda", "noise": um.Noise(velocity=0.1)},
            "a control_step, if there is noise",
        ),
        (
            {"backend": "cuda", "controller": damper, "controller_in": "python"},
            "controller: expected a law that can be",
        ),
        ({"backend": "cuda", "method": "dopri5"}, 'backend: expected "cpu" and float64 for adaptive'),
        ({"dtype": "float32", "method": "dopri5"}, "for adaptive steps, given 'cpu, float32'"),
        (
            {"noise": um.Noise(velocity=0.1), "method": "dopri5"},
            "noise: expected a control_step, if steps are adaptive",
        ),
    ]:
        with pytest.raises(um.ModelError, match=words):
            um.simulate(SYSTEM, Q[0], **GO, **options)


def test_what_is_taken_there(monkeypatch, tmp_path):
    """Laws in the kernel, noise that is held, fixed steps of either precision, and of a method that could choose."""
    on_gpu_or_host(monkeypatch, tmp_path)
    for options in (
        {"controller": damper, "dtype": "float32"},
        {"noise": um.Noise(velocity=0.1, input=0.1), "controller": damper, "control_step": 0.02},
        {"method": "dopri5", "tolerance": None},
    ):
        here = um.simulate(SYSTEM, Q, V, **GO, **options)
        there = um.simulate(SYSTEM, Q, V, backend="cuda", keep="device", **GO, **options)
        assert np.array_equal(on_host(there.q), here.q)
        assert there.input_names == here.input_names
        assert there.provenance["backend"] == "cuda"


@pytest.mark.parametrize("kind", ["held", "stages", "prescribed"])
def test_rows_of_several_chunks_are_those_of_the_processor(monkeypatch, tmp_path, kind):
    """Samples lie side by side on the GPU; what a reader sees is recorded there, in the run's own memory."""
    on_gpu_or_host(monkeypatch, tmp_path)
    prescribed = {"arm1": um.Quintic([0.0, 1.0], [0.1, 0.4])} if kind == "prescribed" else None
    plant = um.Plant(SYSTEM, um.Earth(), prescribed=prescribed)
    law = um.JointPD(um.Plant(SYSTEM, um.Earth()), {"arm2": 0.3}, stiffness=5.0, damping=1.0)
    options = GO | {"controller": law, "record_every": 1} | ({"control_step": 0.02} if kind == "held" else {})
    q = plant.configuration(0.0, Q)
    v = plant.full_velocity(0.0, q, plant.independent_velocity(q, V))
    here = um.simulate(plant, q, v, **options)
    monkeypatch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)  # one step at a time
    for keep in (None, "device"):
        there = um.simulate(plant, q, v, backend="cuda", keep=keep, **options)
        for name in ("q", "v", "u"):
            assert np.array_equal(on_host(getattr(there, name)), getattr(here, name))
            assert np.array_equal(on_host(there.end[name]), here.end[name])


def test_a_start_on_the_gpu_stays_there_and_is_checked_there(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    options = GO | {"backend": "cuda", "keep": "device"}
    here = um.simulate(SYSTEM, Q, V, **GO)
    q, v = device_array(Q), device_array(V)
    um.simulate(SYSTEM, q, v, **options)  # which makes the kernels
    monkeypatch.setattr("unmoored.simulation.on_group.defect", None)  # of the host
    there = um.simulate(SYSTEM, q, v, **options)
    assert np.array_equal(on_host(there.q), here.q)
    single = um.simulate(SYSTEM, q[0], v, **options)  # one configuration for all samples
    assert np.array_equal(on_host(single.q)[0], here.q[0])
    bad = Q.copy()
    bad[4, :9] *= -1.0
    with pytest.raises(um.ModelError, match="a pose in SE"):
        um.simulate(SYSTEM, device_array(bad), v, **options)
    bad[4, 13] = np.inf
    with pytest.raises(um.ModelError, match=r"q0\[4, 13\]"):
        um.simulate(SYSTEM, device_array(bad), v, **options)


def test_a_rotation_as_far_off_as_may_be_is_one_there_too(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    R = device_array(np.tile(np.diag([1.0 + 2.0**-20, 1.0, 1.0]).ravel(), (5, 1)))
    off = 2.0**-19 + 2.0**-40
    assert is_rotation(R, off, "cuda")
    assert not is_rotation(R, np.nextafter(off, 0.0), "cuda")
