"""What `simulate` is given is checked, and named where it is wrong."""

import inspect
import sys

import numpy as np
import pytest
from tests.simulation.arms import damper, small_arm, states

import unmoored as um

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)


def spoilt(x, place, value):
    x = x.copy()
    x[place] = value
    return x


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q0": spoilt(Q, (1, 12), np.nan)}, r"q0\[1, 12\] \(arm1\): expected a finite number, given nan"),
        ({"v0": spoilt(V, (2, 7), np.inf)}, r"v0\[2, 7\] \(arm2\): expected a finite number, given inf"),
        ({"v0": spoilt(V[0], 0, np.nan)}, r"v0\[0\] \(bus.vx\): expected a finite number"),
        ({"q0": Q[:0]}, "q0: expected at least one sample, given a batch of none"),
        ({"q0": Q.astype(complex)}, "q0: expected numbers"),
        ({"q0": Q.astype(str)}, "q0: expected numbers"),
        ({"tolerance": 1e-6}, "tolerance: expected none: rkmk4 takes fixed steps; dopri5 chooses its own"),
        ({"tolerance": um.Tolerances(), "method": "lie_midpoint"}, "lie_midpoint takes fixed steps"),
        ({"tolerance": -1.0, "method": "dopri5"}, "Tolerances: configuration: expected a number"),
        ({"seed": 1.5}, "seed: expected a whole number"),
        ({"seed": -1}, "seed: expected a whole number"),
        ({"seed": True}, "seed: expected a whole number"),
        (
            {"parameters": {"gravity": [0, 0, np.nan]}},
            "gravity: value: expected finite numbers",
        ),
        ({"parameters": {"gravity": "down"}}, "gravity: value: expected numbers"),
        ({"parameters": {"gravity": np.ones((2, 3)), "arm1.mass": np.ones(3)}}, "the same number everywhere"),
    ],
)
@pytest.mark.whole
def test_refusals(given, message):
    plant = um.Plant(SYSTEM, world=um.Earth(), free=["gravity", "arm1.mass"])
    with pytest.raises(um.ModelError, match=message):
        um.simulate(plant, **({"q0": Q, "v0": V, "duration": 0.02, "step": 0.01} | given))


def test_steps_that_cannot_be_counted_are_refused():
    endless = (
        {"duration": 1e308},
        {"step": 1e-320},
        {"duration": 1e300, "tolerance": 1e-6, "method": "dopri5"},
        {"control_step": 1e308, "controller": damper},
    )
    for given in endless:
        with pytest.raises(um.ModelError, match=r"at most 9.0072e\+15 times the step"):
            um.simulate(SYSTEM, Q[0], V[0], **({"duration": 0.02, "step": 0.01} | given))
    with pytest.raises(um.ModelError, match="record_every: expected a whole number of steps from 1 to"):
        um.simulate(SYSTEM, Q[0], V[0], duration=0.02, step=0.01, record_every=10**30)


def test_everything_after_the_state_is_named():
    kinds = [p.kind for p in inspect.signature(um.simulate).parameters.values()]
    assert kinds[:3] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 3
    assert set(kinds[3:]) == {inspect.Parameter.KEYWORD_ONLY}


def test_fixed_steps_of_dopri5_and_its_usual_tolerance():
    run = [
        um.simulate(SYSTEM, Q, V, duration=0.1, step=0.01, method="dopri5", **options)
        for options in ({}, {"tolerance": 1e-9}, {"tolerance": None})
    ]
    assert np.array_equal(run[0].q, run[1].q)
    assert not np.array_equal(run[0].q, run[2].q)


def test_single_numbers_stay_single():
    run = um.simulate(SYSTEM, Q, V, duration=0.05, step=0.01, controller=damper, dtype="float32")
    for name in ("q", "v", "u"):
        assert getattr(run, name).dtype == np.float32
        assert run.end[name].dtype == np.float32


def test_a_system_alone_is_made_a_plant_once():
    runs = [um.simulate(SYSTEM, Q[0], V[0], duration=0.02, step=0.01) for _ in range(2)]
    assert runs[0].plant is runs[1].plant


def test_gains_by_the_thousand_are_not_written_out():
    plant = um.Plant(SYSTEM)
    law = um.JointPD(plant, {"arm1": 0.1, "arm2": 0.2}, np.full((500, 2), 3.0), 5.0)
    run = um.simulate(plant, Q[0], V[0], duration=0.02, step=0.01, controller=law)
    assert "stiffness=<shape (500, 2)>" in run.provenance["controller"]
    assert "damping=[5.0, 5.0]" in run.provenance["controller"]
    assert len(run.provenance["controller"]) < 300


def test_what_a_run_is_if_nothing_more_is_said(tmp_path, monkeypatch):
    """A second in steps of a millisecond, each of which has a row, by the classical method; kept once a minute."""
    module, asked = sys.modules["unmoored.simulation.simulate"], []
    begun = module.Checkpoint.begun
    monkeypatch.setattr(
        module.Checkpoint, "begun", lambda *given: asked.append((given[0], given[2])) or begun(*given)
    )
    run = um.simulate(SYSTEM, Q[0], checkpoint=tmp_path / "kept")
    assert asked == [(tmp_path / "kept", 60.0)]
    told = run.provenance
    assert [told[name] for name in ("t0", "step", "steps", "record_every", "seed", "samples")] == [
        0.0, 1e-3, 1000, 1, 0, [0],
    ]  # fmt: skip
    assert (told["method"], told["equations"], told["dtype"]) == ("rkmk4", "full", "float64")
    np.testing.assert_array_equal(run.v[0], np.zeros(SYSTEM.nv))
    assert run.work is None
    rollout, stepper = um.Rollout(SYSTEM), um.Stepper(SYSTEM)
    assert (rollout.steps, rollout.step, rollout.periods) == (50, 1e-3, 50)
    assert (stepper.samples, stepper.step_size, stepper.control_step) == (1, 1e-3, 1e-3)
    scenario = um.Scenario("s", um.Plant(SYSTEM), Q[0], V[0], 0.02, 0.01)
    assert (scenario.record_every, scenario.seed, scenario.method) == (1, 0, "rkmk4")
    assert scenario.run().t.tolist() == [0.0, 0.01, 0.02]


def test_a_seed_of_a_stepper_is_nought_if_none_is_given():
    gyro = um.Gyro("gyro", "bus", noise=0.1)
    given = {"step": 0.01, "sensors": [gyro]}
    usual, nought, one = (
        um.Stepper(SYSTEM, 2, **given, **seed).state.y["gyro"].value
        for seed in ({}, {"seed": 0}, {"seed": 1})
    )
    np.testing.assert_array_equal(usual, nought)
    assert not np.any(usual == one)
