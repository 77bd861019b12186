"""What became of a sample: a small frozen type, its text, and its way through files."""

import dataclasses

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation import status

SYSTEM = small_arm()
Q, V = states(SYSTEM, 2, seed=4)
GO = {"duration": 0.2, "step": 0.01}


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_an_event_says_which_and_when(method):
    event = um.Event(lambda t, q, v: t - 0.055 + 0.0 * v[0], "late at night")
    found = um.simulate(SYSTEM, Q, V, events=[event], method=method, **GO).status[1]
    assert found.kind == "event"
    assert found.where == "late at night"
    assert found.time == pytest.approx(0.055, abs=1e-12)
    assert str(found) == f"stopped: event late at night at t={found.time:.9g} s"
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.kind = "completed"  # type: ignore[misc]


def test_blowing_up_and_completing():
    run = um.simulate(SYSTEM, Q, V, controller=lambda t, q, v: 1e4 * v**3 * (q[12] - Q[1, 12]), **GO)
    kinds = {found.kind for found in run.status}
    assert "blew_up" in kinds
    gone = next(found for found in run.status if found.kind == "blew_up")
    assert gone.where.startswith(("joint ", "input "))
    assert gone.reason == "its state is no longer finite"
    assert str(gone) == f"blew up at t={gone.time:.9g} s in {gone.where}: {gone.reason} ({gone.hint})"
    assert not run.completed
    assert um.simulate(SYSTEM, Q, V, **GO).status == (um.Status("completed"),) * 2


def test_words_of_codes():
    assert um.Status.of(0).kind == "running"
    assert [um.Status.of(code).kind for code in (1, 2, 3)] == ["blew_up", "not_converged", "blew_up"]
    assert len({um.Status.of(code).reason for code in (1, 2, 3)}) == 3
    assert um.Status.of(status.FIRST_EVENT + 2) == um.Status("event", where="2")
    assert um.Status.of(-2) == um.Status("blew_up", where="event 1", reason="its value is not a number")
    assert all(um.Status.of(code).kind in status.KINDS for code in range(-3, 12) if not 3 < code < 8)


@pytest.mark.parametrize(
    "text",
    [
        "completed",
        "stopped: event lowest point at t=0.25 s",
        "blew up at t=0.06 s in joint arm1: its state is no longer finite",
        "interrupted at t=1.5 s",
    ],
)
def test_texts_of_older_files_are_read(text):
    assert str(um.Status.from_record(text)) == text
    again = um.Status.from_record(um.Status.from_record(text).record)
    assert str(again) == text


@pytest.mark.parametrize("method", ["rkmk4", "dopri5"])
def test_an_event_whose_value_is_not_a_number_is_told(method):
    events = [
        um.Event(lambda t, q, v: q[12] - 99.0, "never"),
        um.Event(lambda t, q, v: np.sqrt(0.055 - t), "root"),
    ]
    run = um.simulate(SYSTEM, Q, V, events=events, method=method, **GO)
    for found in run.status:
        assert (found.kind, found.where) == ("blew_up", "event root")
        assert found.reason == "its value is not a number"
        assert 0.0 <= found.time <= 0.055
    assert np.all(np.isfinite(run.end["q"]))
    with pytest.raises(um.ModelError, match="event root: value: expected a number at the start of sample 0"):
        um.simulate(SYSTEM, Q, V, events=[um.Event(lambda t, q, v: np.sqrt(-1.0 - t), "root")], **GO)


def test_of_two_events_in_one_step_the_first_in_the_list_counts():
    events = [um.Event(lambda t, q, v, s=s: t - s + 0.0 * v[0], f"at {s}") for s in (0.056, 0.052)]
    assert um.simulate(SYSTEM, Q[0], V[0], events=events, **GO).status[0].where == "at 0.056"
    assert um.simulate(SYSTEM, Q[0], V[0], events=events[::-1], **GO).status[0].where == "at 0.052"


def test_status_survives_files(tmp_path):
    event = um.Event(lambda t, q, v: q[12] - Q[0, 12] - 0.02, "turned")
    run = um.simulate(SYSTEM, Q, V, events=[event], **GO)
    run.save(tmp_path / "run.nc")
    assert um.load_run(tmp_path / "run.nc").status == run.status
