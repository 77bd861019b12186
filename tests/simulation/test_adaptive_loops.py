"""Steps that choose their own size on closed loops: rows between steps are on the closures, switched ones too."""

import numpy as np
import pytest
from tests.simulation.test_switching_events import GRASP, LET_GO, SPEEDS, STARTS, TOUCH, carts
from tests.worlds.closed_systems import closed_four_bar, four_bar_angles

import unmoored as um


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
