"""Runs whose arrays stay on the GPU: the numbers of the processor, by a stand-in where there is no GPU."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.simulation.test_memory import Integral
from tests.support.gpu_or_host import on_gpu_or_host

import unmoored as um

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


def test_what_is_refused(monkeypatch, tmp_path):
    on_gpu_or_host(monkeypatch, tmp_path)
    for options, words in [
        ({"keep": "device"}, "cuda"),
        ({"keep": "here", "backend": "cuda"}, "keep"),
        ({"keep": "device", "backend": "cuda", "events": [lambda t, q, v: q[0]]}, "events"),
    ]:
        with pytest.raises(um.ModelError, match=words):
            um.simulate(SYSTEM, Q[0], **GO, **options)
