"""Steps that choose their own size on closed loops: rows between steps are on the closures, switched ones too."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.simulation.test_switching_events import GRASP, LET_GO, SPEEDS, STARTS, TOUCH, carts
from tests.worlds.closed_systems import closed_four_bar, four_bar_angles

import unmoored as um
from unmoored.simulation import adaptive, status


def test_a_loop_moves_as_with_fixed_steps_and_closes_between_them():
    plant = closed_four_bar(actuators=[um.JointMotor("crank", lag=0.1)])
    q = np.array([0.9, *four_bar_angles(0.9)])
    q, v = plant.assemble(q, np.array([1.5, 0.0, 0.0]))
    given = {"duration": 0.5, "controller": lambda t, q, v: np.array([2.0]) - 0.1 * v[:1]}
    fixed = um.simulate(plant, q, v, step=1e-3, record_every=20, **given)
    found = um.simulate(plant, q, v, step=0.02, method="dopri5", tolerance=1e-9, **given)
    loose = um.simulate(plant, q, v, step=0.02, method="dopri5", tolerance=1e-4, **given)
    assert np.abs(found.q - fixed.q).max() < 1e-7
    assert np.abs(found.v - fixed.v).max() < 1e-6
    assert np.abs(loose.q - fixed.q).max() < 1e-2
    for run in (found, loose):  # also in rows that lie inside long steps
        rest = np.stack(four_bar_angles(run.q[:, 0]), axis=-1)
        assert np.abs(run.q[:, 1:] - rest).max() < 1e-9
        kept = np.stack([plant.assemble(*row)[1] for row in zip(run.q, run.v, strict=True)])
        assert np.abs(run.v - kept).max() < 1e-8


def test_carts_that_couple_go_on_together_until_they_are_let_go():
    plant = um.Plant(carts(), closures=[GRASP])
    run = um.simulate(
        plant,
        STARTS,
        SPEEDS,
        duration=3.0,
        step=0.05,
        method="dopri5",
        events=[TOUCH, LET_GO],
        tolerance=1e-9,
    )
    times = {(e.sample, e.name): e.time for e in run.events}
    for i, gap in ((0, 0.8), (1, 1.8)):
        t = gap / 1.5
        assert abs(times[i, "touch"] - t) < 1e-9
        before, after = np.minimum(run.t, t)[:, None], np.maximum(run.t - t, 0.0)[:, None]
        assert np.abs(run.q[i] - STARTS[i] - before * SPEEDS[i] - after * 0.1).max() < 1e-8
    assert np.abs(run.q[2] - STARTS[2] - run.t[:, None] * SPEEDS[2]).max() < 1e-9


@pytest.mark.parametrize(("most", "kind"), [(4, "blew_up"), (5, "completed")])
def test_events_that_follow_each_other_without_end_are_told(monkeypatch, most, kind):
    from unmoored.simulation import event_actions

    monkeypatch.setattr(event_actions, "_MOST", most)
    many = [
        um.Event(lambda t, q, v, at=at: t - at, f"event {k}", "rising", then=[um.Open("spring")])
        for k, at in enumerate((0.11, 0.12, 0.13, 0.14, 0.15))
    ]
    spring = um.SpringDamper("one", "two", stiffness=50.0, rest_length=0.5, name="spring")
    plant = um.Plant(carts(), elements=[spring])
    run = um.simulate(plant, STARTS[0], SPEEDS[0], duration=0.5, step=0.1, events=many)
    assert [e.name for e in run.events] == [f"event {k}" for k in range(most)]
    (status,) = run.status
    assert status.kind == kind
    if kind == "blew_up":
        assert "events follow each other without end in one step" in str(status)
        assert abs(status.time - 0.14) < 1e-12
        assert abs(run.t[-1] - 0.14) < 1e-12
        assert abs(run.q[-1, 0] - run.end["q"][0, 0]) == 0.0


def test_a_prescribed_crank_closes_its_loop_between_rows_at_each_rows_own_time():
    """Coupler and rocker follow from where the crank is driven, also inside long steps."""
    plant = closed_four_bar(prescribed={"crank": lambda t: np.stack([0.9 + 0.8 * t + 0.5 * np.sin(3.0 * t)])})
    q, v = plant.assemble(np.array([0.9, *four_bar_angles(0.9)]), np.array([2.3, 0.0, 0.0]))
    run = um.simulate(
        plant, q, v, duration=0.5, step=0.025, method="dopri5", tolerance=1e-7, record_every=1, t0=0.0
    )
    crank = 0.9 + 0.8 * run.t + 0.5 * np.sin(3.0 * run.t)
    np.testing.assert_allclose(run.q[:, 0], crank, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 1:], np.stack(four_bar_angles(run.q[:, 0]), axis=-1), atol=1e-9)


@pytest.fixture
def tries(monkeypatch):
    """Clocks (t, h), errors and wanted steps of every step that a run of one sample tries."""
    found, made = [], adaptive.AdaptiveDrive.__init__

    def watched(self, *given):
        made(self, *given)
        real, place = self.steps.attempt, self.steps.moving + self.steps.width

        def attempt(clock, *rest):
            out = np.asarray(real(clock, *rest))
            found.append((*clock[0], *out[0, place : place + 2]))
            return out

        self.steps.attempt = attempt

    monkeypatch.setattr(adaptive.AdaptiveDrive, "__init__", watched)
    return found


def test_steps_are_as_long_as_their_errors_allow_and_end_with_periods(tries):
    """A step that a period's end cut short does not shorten those after it; one that was refused is tried shorter."""
    plant = um.Plant(
        carts(), elements=[um.SpringDamper("one", "two", stiffness=400.0, rest_length=0.5, name="spring")]
    )
    law = um.Inputs(plant, [1.0, 0.0])
    run = um.simulate(
        plant, STARTS[0], SPEEDS[0], duration=1.0, step=0.125, control_step=0.125, t0=-3.0, controller=law,
        method="dopri5", tolerance=1e-6,
    )  # fmt: skip
    assert run.completed
    t, h, error, wanted = np.array(tries).T
    good = error <= 1.0
    assert 0 < np.count_nonzero(~good) < np.count_nonzero(good)
    end = -3.0 + 0.125 * np.floor((t + 3.0) / 0.125 + 1.0 + 1e-9)
    assert np.all(t + h <= end + 1e-12)
    np.testing.assert_allclose(t[1:], np.where(good, t + h, t)[:-1], atol=1e-13)
    length = 0.125  # that which errors allow
    for k in range(len(t)):
        assert h[k] == pytest.approx(min(length, end[k] - t[k]), rel=1e-9)
        cut = good[k] and h[k] < length
        length = max(wanted[k], length) if cut else wanted[k]
    assert np.any(np.isclose(t + h, end) & good)


def test_a_step_without_numbers_is_tried_at_a_fifth_of_its_length(tries):
    def law(t, q, v):
        return np.stack([np.sqrt(0.3 - t), 0.0 * t])

    run = um.simulate(
        carts(),
        STARTS[0],
        SPEEDS[0],
        duration=1.0,
        step=0.25,
        controller=law,
        method="dopri5",
        tolerance=1e-6,
    )
    assert run.status[0].kind == "blew_up"
    assert run.status[0].time == pytest.approx(0.3, abs=1e-6)
    t, h, error, _ = np.array(tries).T
    gone = np.flatnonzero(~np.isfinite(error[:-1]))
    assert len(gone) > 3
    np.testing.assert_array_equal(t[gone + 1], t[gone])
    np.testing.assert_allclose(h[gone + 1], 0.2 * h[gone], rtol=1e-14)


def test_steps_fall_to_nothing_at_a_part_in_1e14_of_the_time():
    """Or of a second; where there is no error at all, numbers have gone."""
    t = np.array([0.5, 0.5, -0.5, 1e3, 1e3, -1e3, 1e3, 0.0])
    h = np.array([0.9e-14, 1.1e-14, 0.9e-14, 0.9e-11, 1.1e-11, 0.9e-11, 1e-12, 0.9e-14])
    error = np.array([3.0, 3.0, np.nan, 3.0, np.nan, np.inf, 2.0, 2.0])
    course = SimpleNamespace(t=t, h=h, state=np.zeros((8, 5)))
    adaptive.AdaptiveDrive._reject(None, course, np.arange(7), error[:7])
    fell, gone = status.STEP_UNDERFLOW, status.NOT_FINITE
    assert course.state[:, -2].tolist() == [fell, 0.0, gone, fell, 0.0, gone, fell, 0.0]
    assert not np.delete(course.state, -2, axis=1).any()


def test_events_inside_held_periods_are_those_of_fixed_steps():
    """Events inside a step: rows before it, behind it and in the rest of a run are those of the exact motion."""
    plant = um.Plant(carts(), closures=[GRASP])
    law = um.Inputs(plant, [2.0, -3.0])
    far = um.Event(lambda t, q, v: q[0] - 0.205, "there", "rising", then=[um.Open("grasp")])
    given = {"duration": 0.8, "step": 0.05, "control_step": 0.2, "controller": law, "events": [far, TOUCH]}
    found = um.simulate(plant, STARTS, SPEEDS, method="dopri5", tolerance=1e-9, **given)
    wanted = um.simulate(plant, STARTS, SPEEDS, **given)
    assert [(e.sample, e.name) for e in found.events] == [(e.sample, e.name) for e in wanted.events]
    assert [e.time for e in found.events] == pytest.approx([e.time for e in wanted.events], abs=1e-9)
    np.testing.assert_allclose(found.q, wanted.q, atol=1e-9)
    np.testing.assert_allclose(found.v, wanted.v, atol=1e-9)
    np.testing.assert_array_equal(found.u, wanted.u)
    for i in range(3):
        alone = um.simulate(plant, STARTS[i], SPEEDS[i], method="dopri5", tolerance=1e-9, **given)
        np.testing.assert_array_equal(alone.q, found.q[i])
