"""What a scenario's run is summed up in: every number of the summary and of the table, of one sample and of several."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.scenario import Scenario
from unmoored.simulation.scenario.summary import _worst, channel_names, save_results, summary, table

PASSES = (
    um.Criterion(name="near", channel="cart", source="§ 1", metric="last", below=0.25, unit="m"),
    um.Criterion(name="far", channel="cart", source="§ 2", metric="peak", above=5.0),
)


def scenario(**given) -> Scenario:
    """A cart that swings on a spring, with a spare motor on it."""
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0), stiffness=4.0), inertia=um.Inertia.sphere(2.0, 0.1))
    plant = um.Plant(b.build(), actuators=[um.JointMotor("cart", name="push", limits=(-4.0, 4.0))])
    options = {"q0": np.array([1.0]), "v0": np.array([0.5]), "duration": 3.0, "step": 0.01}
    law = um.Inputs(plant, {"push": 1.0})
    return Scenario("swing", plant, controller=law, control_step=0.1, passes=PASSES, **(options | given))


def test_the_summary_of_one_sample() -> None:
    s = scenario()
    run = s.run()
    told, x = summary(s, run), run.q[:, 0]
    plain = ("scenario", "system", "duration_s", "method", "step_s", "samples", "completed")
    assert [told[key] for key in plain] == ["swing", "cart", 3.0, "rkmk4", 0.01, 1, True]
    assert told["status"] == {"completed": 1}
    assert told["kinds"] == {"completed": "completed"}
    assert told["blown_up"] == {}
    assert told["invariants"] == {name: float(value) for name, value in run.invariants().items()}
    assert told["channels"]["cart"] == {
        "first": x[0], "last": x[-1], "lowest": x.min(), "highest": x.max(),
    }  # fmt: skip
    assert len({*told["channels"]["cart"].values()}) == 4
    push = told["metrics"]["actuators"]["push"]
    assert push["duty"] == pytest.approx(0.25)
    assert push["impulse"] == pytest.approx(3.0)
    own = run.metrics(channel_names(s)).channels["cart"]._asdict()
    assert told["metrics"]["channels"]["cart"] == {
        word: float(value) if np.isfinite(value) else None for word, value in own.items()
    }
    near, far = told["verdicts"]
    assert near | {"text": ""} == {
        "name": "near", "passed": bool(x[-1] < 0.25), "number": x[-1], "threshold": 0.25, "side": "below", "unit": "m",
        "source": "§ 1", "samples_passed": int(x[-1] < 0.25), "text": "",
    }  # fmt: skip
    assert (far["side"], far["threshold"], far["passed"], far["number"]) == (
        "above",
        5.0,
        False,
        np.abs(x).max(),
    )


def test_the_summary_of_several_is_that_of_the_worst() -> None:
    starts = np.array([[0.5], [3.0], [1.0]])
    s = scenario(
        q0=starts, v0=np.zeros((3, 1)), samples=3, events=(um.Event(lambda t, q, v: q[0] - 2.0, "fast"),)
    )
    run = s.run()
    told = summary(s, run)
    assert "channels" not in told
    assert told["samples"] == 3
    assert told["status"] == {"completed": 2, "stopped: event fast": 1}
    assert told["kinds"] == {"completed": "completed", "stopped: event fast": "event"}
    assert not told["completed"]
    found = run.metrics(channel_names(s)).channels["cart"]
    assert told["metrics"]["channels"]["cart"]["peak"] == np.max(found.peak)
    assert np.ptp(found.peak) > 0.1
    assert told["metrics"]["goals"] == {}
    rows = list(csv.reader(table(s, run).splitlines()))
    assert rows[0] == ["sample", "t", *channel_names(s)]
    assert len(rows) == 1 + run.lengths.sum()
    of_one = np.array([row[1:] for row in rows[1:] if row[0] == "1"], dtype=float)
    assert np.array_equal(of_one[:, 0], run.t[: run.lengths[1]])
    assert np.array_equal(of_one[:, 1], run.q[1, : run.lengths[1], 0])


def test_results_are_written_and_written_again(tmp_path) -> None:
    """The whole run, its table and its summary, as they are, in letters of every alphabet."""
    s = scenario(duration=0.2)
    run, folder = s.run(), tmp_path / "results" / "of this"
    for _ in range(2):
        assert save_results(s, run, folder) == [
            folder / name for name in ("channels.csv", "summary.json", "run.zarr")
        ]
    assert np.array_equal(um.load_run(folder / "run.zarr").q, run.q)
    assert (folder / "channels.csv").read_bytes().decode() == table(s, run)
    assert table(s, run).startswith("t,cart")
    assert "\r" not in table(s, run)
    text = (folder / "summary.json").read_text(encoding="utf-8")
    assert json.loads(text) == summary(s, run)
    assert text.startswith('{\n  "scenario": "swing",\n')
    assert '"source": "§ 1"' in text
    assert text.endswith("}\n")


def test_the_worst_of_numbers_is_the_largest_that_is_one() -> None:
    for given, worst in (
        ([1.0, 3.0, 2.0], 3.0),
        ([np.nan, -2.0, -np.inf], -2.0),
        (np.nan, None),
        (2, 2.0),
        (None, None),
    ):
        assert _worst(given) == worst
