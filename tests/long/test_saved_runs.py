"""Two hundred kills and a thousand damages for each format (`make long`)."""

import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.simulation.arms import damper, small_arm, states
from tests.support.damage import damage

import unmoored as um

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("suffix", "more"), [(".zarr", []), (".zarr", ["journal"]), (".nc", []), (".zarr.zip", [])]
)
def test_two_hundred_kills(tmp_path, suffix, more):
    script = [sys.executable, "-m", "tests.support.kills", tmp_path / f"run{suffix}", "200", "11", *more]
    result = subprocess.run(script, check=True, capture_output=True, text=True, cwd=ROOT)
    *states, left = result.stdout.splitlines()
    found = Counter(states)
    assert found["old"] + found["new"] == 200
    assert min(found["old"], found["new"]) > 20
    assert left == f"left ['run{suffix}']"


@pytest.mark.parametrize("suffix", [".zarr", ".zarr.zip", ".nc"])
def test_a_thousand_damages(tmp_path, suffix):
    system = small_arm()
    q, v = states(system, 2)
    path = tmp_path / f"run{suffix}"
    um.simulate(system, q, v, duration=0.2, step=0.01, controller=damper).save(path)
    untouched = tmp_path / "kept"
    shutil.copytree(path, untouched) if path.is_dir() else shutil.copy(path, untouched)
    rng = random.Random(12)
    for _ in range(1000):
        done = damage(path, rng)
        try:
            um.load_run(path)
        except um.DataError:
            pass
        else:
            pytest.fail(f"loaded after {done}")
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(untouched, path) if untouched.is_dir() else shutil.copy(untouched, path)
