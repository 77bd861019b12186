"""simulate(balance=True): work and switches explain the energy to the method's own error; a wrong force shows."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.invariants import energy_balance
from unmoored.worlds.scene import Scene


def grasping(**options):
    """A floating body with an arm, and a spring to a second body that an event switches on: stored energy comes in."""
    b = um.SystemBuilder("pair")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(5.0, (0.4, 0.3, 0.2)))
    b.link("arm", parent=bus, joint=um.Revolute((0, 1, 0), damping=0.2), at=um.Pose(xyz=(0.3, 0, 0)),
           inertia=um.Inertia(1.0, (0.2, 0, 0), np.diag([0.01, 0.05, 0.05])))  # fmt: skip
    b.frame("hand", parent="arm", at=um.Pose(xyz=(0.4, 0, 0)))
    jaws = um.SpringDamper(
        "bus", "hand", stiffness=50.0, rest_length=0.2, damping=0.5, active=0.0, name="jaws"
    )
    given = {
        "world": um.Earth(),
        "elements": [jaws],
        "actuators": [um.JointMotor("arm", name="motor", lag=0.05)],
    }
    return um.Plant(b.build(), **given | options)


V0 = np.array([0.3, -0.2, 0.5, 0.4, -0.3, 0.6, 0.5])
GRIP = um.Event(lambda t, q, v: t - 0.333, name="grip", then=[um.Close("jaws")])


def law(t, q, v):
    return np.array([0.6 * np.cos(5.0 * t)])


@pytest.fixture(scope="module")
def gripped():
    plant = grasping()
    options = {"duration": 1.0, "step": 0.005, "record_every": 20, "events": [GRIP], "controller": law}
    held = {"control_step": 0.05, **options}
    return {
        kept: um.simulate(plant, plant.system.neutral(), V0, balance=kept, **held) for kept in (True, False)
    }


def test_work_and_energy_count_from_the_first_of_the_rows_that_there_are(gripped):
    run = gripped[True]
    rows = {name: getattr(run, name)[4:] for name in ("t", "q", "v", "u", "x", "work")}
    switches = {name: values[4:] for name, values in run.switches.items()}
    later = replace(run, **rows, switches=switches, lengths=run.lengths - 4)
    off = energy_balance(run)
    np.testing.assert_allclose(energy_balance(later), off[4:] - off[4], atol=1e-12)
    assert np.abs(run.work[4]).max() > 0.1


def test_switches_held_inputs_and_coarse_rows_are_accounted_for(gripped):
    """The rows are 0.1 s apart, inputs jump between them, and the spring brings its energy along at 0.333 s."""
    run = gripped[True]
    assert run.invariants()["energy_balance"] < 1e-7
    switched = run.work[:, 1]
    assert switched[3] == 0.0
    at = np.linalg.norm(run.plant.system.pose(run.q[3], "hand")[:3, 3] - run.q[3, 9:12])
    assert switched[4] == pytest.approx(0.5 * 50.0 * (at - 0.2) ** 2, rel=0.2)
    assert np.ptp(run.work[:, 0]) > 0.1
    assert gripped[False].work is None
    assert (
        gripped[False].invariants()["energy_balance"] > 1e-4
    )  # of the rows' distance; nothing jumps at the switch


def test_nothing_else_changes(gripped):
    assert np.abs(gripped[True].q - gripped[False].q).max() < 1e-13
    assert gripped[True].x.shape == gripped[False].x.shape


def test_the_residual_falls_with_the_methods_order():
    plant = grasping()
    off = [
        um.simulate(plant, plant.system.neutral(), V0, duration=0.4, step=h, controller=law, balance=True)
        .invariants()["energy_balance"] for h in (0.02, 0.01)
    ]  # fmt: skip
    assert 12 < off[0] / off[1] < 40


@dataclass(frozen=True, eq=False, repr=False)
class Pull(um.World):
    """A force −k z on the bus, whose potential is ½ k z²; `wrong` is how much stronger it is than that."""

    wrong: float = 1.0

    def wrenches(self, scene: Scene):
        z = scene.point(0, np.zeros(3))[..., 2]
        R = scene.poses[0][..., :3, :3]
        force = -self.wrong * 30.0 * z[..., None] * R[..., 2, :]
        return {"potential": {0: np.concatenate([force, np.zeros_like(force)], axis=-1)}}

    def potential(self, scene: Scene):
        return 15.0 * scene.point(0, np.zeros(3))[..., 2] ** 2


@pytest.mark.parametrize(("wrong", "least", "most"), [(1.0, 0.0, 1e-7), (1.05, 1e-3, 1.0), (-1.0, 0.1, 10.0)])
def test_a_wrong_force_shows(wrong, least, most):
    plant = grasping(world=Pull(wrong), elements=[])
    run = um.simulate(
        plant, plant.system.neutral(), V0, duration=0.5, step=0.005, record_every=10, balance=True
    )
    assert least <= run.invariants()["energy_balance"] < most


def test_impulses_of_closures_count():
    """Two bodies that lock lose kinetic energy; the run knows how much."""
    b = um.SystemBuilder("two")
    for name, x in (("one", 0.0), ("two", 1.0)):
        b.vehicle(
            name, um.Prismatic((1, 0, 0)), at=um.Pose(xyz=(x, 0, 0)), inertia=um.Inertia.sphere(1.0, 0.1)
        )
    plant = um.Plant(b.build(), closures=[um.Closure("one", "two", um.Fixed(), name="lock", active=0.0)])
    event = um.Event(lambda t, q, v: t - 0.05, name="shut", then=[um.Close("lock")])
    run = um.simulate(plant, [0.0, 0.0], [1.0, 0.0], duration=0.1, step=0.01, events=[event], balance=True)
    assert run.work[-1, 1] == pytest.approx(-0.25, abs=1e-12)
    assert run.invariants()["energy_balance"] < 1e-12


def test_batches_resuming_saving_and_own_steps(tmp_path, gripped):
    run = gripped[True]
    plant = run.plant.system and grasping()
    two = um.simulate(plant, plant.system.neutral(), np.stack([V0, 0.5 * V0]), duration=1.0, step=0.005,
                      record_every=20, events=[GRIP], controller=law, control_step=0.05, balance=True)  # fmt: skip
    assert np.array_equal(two.work[0], run.work)
    assert two.sample(1).work.shape == run.work.shape
    run.save(tmp_path / "run.nc")
    assert np.array_equal(um.load_run(tmp_path / "run.nc").work, run.work)
    with pytest.raises(um.ModelError, match="balance: expected fixed steps"):
        um.simulate(plant, plant.system.neutral(), method="dopri5", balance=True)


class Sum(um.Law):
    """Acts on all that it sees of the actuators' states."""

    memory = {"seen": 1}

    def __call__(self, seen, memory):
        total = seen.x.sum()
        return np.stack([0.5 - total]), {"seen": np.stack([total])}


@pytest.mark.parametrize("backend", ["cpu", "numpy"])
def test_a_law_sees_no_work_among_the_actuators_states(backend):
    plant = grasping()
    given = {"duration": 0.04, "step": 0.01, "control_step": 0.02, "controller": Sum(), "backend": backend}
    runs = [
        um.simulate(plant, plant.system.neutral(), V0, x0=[0.3], balance=kept, **given)
        for kept in (True, False)
    ]
    for name in ("q", "v", "u", "x"):
        np.testing.assert_array_equal(getattr(runs[0], name), getattr(runs[1], name))
    assert runs[0].work.shape == (5, 2)
    assert runs[0].memory["seen"][0] == 0.3


@pytest.mark.whole
@pytest.mark.parametrize("way", ["full", "moved", "reduced"])
@pytest.mark.parametrize("control_step", [None, 0.01])
def test_all_ways_to_carry_velocities_account_for_their_work(way, control_step):
    """A law in every stage and a held one: all of v, what is left beside a joint that is moved, a momentum."""
    options = {
        "full": {},
        "moved": {"actuators": None, "prescribed": {"arm": um.Sine(0.5, 2.0, mean=0.1)}},
        "reduced": {"world": um.Space(), "elements": []},
    }
    plant = grasping(**options[way])
    q, nu = plant.configuration(0.0, plant.system.neutral()), plant.nu
    v = plant.full_velocity(0.0, q, plant.independent_velocity(q, V0))

    def push(t, q, v):
        return np.stack([0.4 * np.cos(5.0 * t) - 0.1 * v[k] for k in range(nu)])

    run = um.simulate(
        plant, q, v, duration=0.3, step=0.005, controller=push, control_step=control_step, balance=True,
        equations="reduced" if way == "reduced" else "full", record_every=20,
    )  # fmt: skip
    assert run.invariants()["energy_balance"] < 1e-7
    assert np.ptp(run.work[:, 0]) > 1e-3
