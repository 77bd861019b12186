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


def test_every_code_has_its_words():
    wrong = {
        1: ("blew_up", "its state is no longer finite"),
        2: ("not_converged", "the implicit step was not solved: take a smaller step or more iterations"),
        3: ("blew_up", "the step size fell to nothing"),
        4: (
            "blew_up",
            "a closure could not be kept: the step is too long, or the loop is at the end of its reach",
        ),
        5: (
            "blew_up",
            "events follow each other without end in one step: give the function of one a dead band",
        ),
    }
    for code, (kind, reason) in wrong.items():
        assert um.Status.of(code) == um.Status(kind, reason=reason)
    for code, found in (
        (0, um.Status("running")),
        (8, um.Status("event", where="0")),
        (9, um.Status("event", where="1")),
        (-1, um.Status("blew_up", where="event 0", reason="its value is not a number")),
        (-3, um.Status("blew_up", where="event 2", reason="its value is not a number")),
    ):
        assert um.Status.of(code) == found


def test_titles_are_the_same_for_samples_that_ended_alike():
    cure = " (take a smaller step or more iterations)"
    for found, title, text in (
        (um.Status("completed"), "completed", "completed"),
        (um.Status("event", 0.5, "far"), "stopped: event far", "stopped: event far at t=0.5 s"),
        (um.Status("interrupted", 0.123456789012), "interrupted", "interrupted at t=0.123456789 s"),
        (um.Status("blew_up", 0.5, "joint a", "gone", "rest"), "blew up in joint a",
         "blew up at t=0.5 s in joint a: gone (rest)"),
        (um.Status("blew_up", None, "", "gone"), "blew up", "blew up: gone"),
        (um.Status("not_converged", 1.0, "joint a", "off"), f"did not converge in joint a{cure}",
         "did not converge at t=1 s in joint a: off"),
        (um.Status("not_converged", 1.0, "", "off"), f"did not converge{cure}", "did not converge at t=1 s: off"),
    ):  # fmt: skip
        assert (found.title, str(found)) == (title, text)


def test_older_texts_are_taken_apart():
    for text, found in (
        ("completed", um.Status("completed")),
        ("stopped: event lowest point at t=0.25 s", um.Status("event", 0.25, "lowest point")),
        (
            "blew up at t=0.06 s in joint arm1: it is: gone",
            um.Status("blew_up", 0.06, "joint arm1", "it is: gone"),
        ),
        ("interrupted at t=1.5 s", um.Status("interrupted", 1.5)),
        ("something else", um.Status("interrupted", reason="something else")),
    ):
        assert um.Status.from_record(text) == found
    assert um.Status.from_record({"kind": "event", "time": 2.0}) == um.Status("event", 2.0)
