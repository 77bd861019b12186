"""What `simulate` is given is checked, and named where it is wrong."""

import inspect

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
