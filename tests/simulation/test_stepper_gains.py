"""A stepper's law can be tuned while it runs, and orbits are known as far ahead as it steps."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm

import unmoored as um
from unmoored.simulation import arguments
from unmoored.simulation import stepper as steppers

SYSTEM = small_arm()
PLANT = um.Plant(SYSTEM, free=["bus.mass", "arm1.mass"])


class Pulling(um.Law):
    """Three gains of different shapes, each in joints of its own."""

    first: float
    turn: np.ndarray
    last: float
    shapes = {"turn": (2, 3)}

    def __call__(self, t, q, v):
        return np.concatenate([self.turn.reshape(6), np.stack([self.first, self.last])]) + 0.0 * v


def forces(of):
    """What the law gave, by what the samples' rates became: M a = u − (what is felt at rest, nothing)."""
    of.reset()
    a = of.step().v / of.control_step
    return np.stack(
        [SYSTEM.mass_matrix(q) @ x for q, x in zip(np.tile(SYSTEM.neutral(), (3, 1)), a, strict=True)]
    )


def test_gains_change_for_all_samples_or_for_some_of_them():
    law = Pulling(0.1, np.arange(6.0).reshape(2, 3) / 10, 0.2)
    stepper = um.Stepper(PLANT, 3, step=1e-6, controller=law, method="euler")
    wanted = np.tile([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.1, 0.2], (3, 1))
    np.testing.assert_allclose(forces(stepper), wanted, atol=1e-9)
    turns = -np.arange(18.0).reshape(3, 2, 3) / 10
    stepper.tune({"turn": turns})
    wanted[:, :6] = turns.reshape(3, 6)
    np.testing.assert_allclose(forces(stepper), wanted, atol=1e-9)
    stepper.tune({"last": 0.7, "first": [0.4, 0.5, 0.6]}, mask=np.array([True, False, True]))
    wanted[[0, 2], 6:] = [[0.4, 0.7], [0.6, 0.7]]
    np.testing.assert_allclose(forces(stepper), wanted, atol=1e-9)
    stepper.tune({"turn": np.ones((2, 3))}, mask=np.array([False, True, False]))
    wanted[1, :6] = 1.0
    np.testing.assert_allclose(forces(stepper), wanted, atol=1e-9)
    stepper.reset(parameters={"arm1.mass": 2.0})  # which leaves the gains as they are
    np.testing.assert_allclose(forces(stepper), wanted, atol=1e-9)
    refused = (
        {"turn": np.ones(3)},
        {"turn": np.ones((1, 3, 2, 3))},
        {"turn": np.full((2, 3), np.nan)},
        {"last": [[1.0]]},
    )
    for gains in refused:
        ((name, given),) = gains.items()
        shape = ", ".join(map(str, np.shape(given)))
        told = rf"^Stepper: {name}: expected finite numbers .*, given shape \({shape},?\)"
        with pytest.raises(um.ModelError, match=told):
            stepper.tune(gains)
    for given in ("fast", {"a": 1}, [[1.0, 2.0], [3.0]]):
        with pytest.raises(um.ModelError, match=r"^Stepper: last: expected finite numbers \(\)"):
            stepper.tune({"last": given})
    with pytest.raises(um.ModelError, match="unknown gain"):
        stepper.tune({"middle": 1.0})
    with pytest.raises(um.ModelError, match="unknown gain"):
        um.Stepper(PLANT, 1, step=0.01).tune({"first": 1.0})


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_stepper_asks_for_the_orbit_as_far_as_it_steps(monkeypatch, dtype):
    """At a reset at the times themselves, at a step one period on, of samples that run; single numbers with slack."""
    asked = []
    monkeypatch.setattr(arguments, "orbit_known_for", lambda plant: 10.0)
    monkeypatch.setattr(
        arguments, "check_orbit", lambda plant, t0, end, where: asked.append((t0, end, where))
    )
    slack = 0.0 if dtype == "float64" else 1e-6
    stepper = um.Stepper(PLANT, 3, step=0.25, control_step=0.5, dtype=dtype)
    asked.clear()
    stepper.reset(t=[1.0, 4.0, 2.0])
    stepper.step()
    assert asked == [(1.0, 4.0 - 4.0 * slack, "Stepper"), (1.0, 4.5 - 4.0 * slack, "Stepper")]
    asked.clear()
    stepper.reset(t=7.0, mask=np.array([False, False, True]))
    assert asked == [(7.0, 7.0 - 7.0 * slack, "Stepper")]
    u = np.zeros((3, PLANT.nu))
    u[1] = np.nan
    stepper.step(u)
    asked.clear()
    stepper.step()
    assert asked == [(2.0, 8.0 - 7.5 * slack, "Stepper")]  # the second stopped at 4.5


def test_a_rollout_asks_for_the_orbit_from_its_first_start_to_its_last_end(monkeypatch):
    asked = []
    monkeypatch.setattr(arguments, "orbit_known_for", lambda plant: 10.0)
    monkeypatch.setattr(
        arguments, "check_orbit", lambda plant, t0, end, where: asked.append((t0, end, where))
    )
    um.Rollout(PLANT, 4, 0.25)(SYSTEM.neutral(), t0=[2.0, 5.0, 3.0])
    assert asked == [(2.0, 6.0, "Rollout")]


def test_a_state_says_how_many_samples_have_stopped():
    stepper = um.Stepper(PLANT, 3, step=0.01)
    u = np.zeros((3, PLANT.nu))
    assert repr(stepper.step(u)) == "<StepperState of 3 samples, 0 stopped>"
    u[:2] = np.nan
    assert repr(stepper.step(u)) == "<StepperState of 3 samples, 2 stopped>"


def test_steps_are_looked_at_where_the_first_sample_begins(monkeypatch):
    """Before anything runs: one state, its parameters and gains without addresses and start, and a thousand steps."""
    asked = []
    monkeypatch.setattr(steppers, "warn_of_unstable_steps", lambda task, adapts: asked.append((task, adapts)))
    plant = um.Plant(SYSTEM, actuators=[um.JointMotor("arm1", lag=0.1)], free=["bus.mass", "arm1.mass"])
    q = np.tile(SYSTEM.neutral(), (3, 1))
    q[:, 9] = [1.0, 2.0, 3.0]
    law = um.Inputs(plant, {"arm1_motor": 0.5})
    um.Stepper(plant, 3, step=0.25, control_step=0.5, q=q, controller=law)
    ((task, adapts),) = asked
    assert not adapts
    assert task.state.shape == (1, task.time_step.layout.size)
    assert task.state[0, 9] == 1.0
    assert task.params.tolist() == [[20.0, 2.0, 0.5]]
    assert (task.schedule.steps, task.schedule.record_every, task.schedule.update_every) == (1000, 1, 2)
    assert task.schedule.span.tolist() == [0.0, 0.25]
    assert (task.batched, task.backend) == (True, "numpy")
    um.Stepper(um.Plant(SYSTEM), 3, step=0.25)
    assert len(asked) == 1  # where nothing is stiff nothing is looked at


def test_actuators_are_asked_about_the_steps_of_a_stepper_from_nought_on(monkeypatch):
    asked = []
    monkeypatch.setattr(arguments, "warn_of_unsuited_steps", lambda *given: asked.append(given))
    stepper = um.Stepper(PLANT, 2, step=0.25, control_step=0.5)
    assert asked == [(stepper.plant, 0.25, 0.0)]


def test_what_is_prescribed_or_follows_begins_where_it_is_put():
    """Without a start of its own a stepper begins where its plant is at the time that it is given."""
    b = um.SystemBuilder("pair")
    b.vehicle("base", um.Fixed(), inertia=um.Inertia.point(1.0))
    for name, parent in (("led", "base"), ("one", "led"), ("two", "one")):
        b.link(name, parent=parent, joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.rod(1.0, 0.5))
    b.mimic("two", "one", multiplier=-2.0, offset=0.3)
    path = um.Sine(0.5, 4.0, mean=0.2)
    own = um.Stepper(um.Plant(b.build(), prescribed={"led": path}), 3, step=0.01)
    t = np.array([0.25, 0.5, 1.0])
    for times in (np.zeros(3), t):
        found = own.reset(t=times).q
        np.testing.assert_allclose(
            found, np.column_stack([path(times)[:, 0], 0 * times, 0 * times + 0.3]), atol=1e-15
        )
