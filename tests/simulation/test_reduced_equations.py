"""simulate(equations="reduced"): momentum is a constant, and the motion that of the full equations (theory.md §9)."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree
from tests.support.thinning import one_in

import unmoored as um
from unmoored.worlds.plants.floating_plant import carried, floating_rates, recovered


def servicer(**options):
    b = um.SystemBuilder("servicer")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(20.0, (0.6, 0.5, 0.4)))
    arm = b.link(
        "upper", parent=bus, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.3, 0, 0.1)),
        inertia=um.Inertia(4.0, (0.3, 0, 0.05), np.diag([0.1, 0.2, 0.2])),
    )  # fmt: skip
    b.link(
        "lower", parent=arm, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(0.6, 0, 0)),
        inertia=um.Inertia(3.0, (0.25, 0.02, 0), np.diag([0.05, 0.1, 0.1])),
    )  # fmt: skip
    motors = [um.JointMotor("upper"), um.JointMotor("lower")]
    return um.Plant(b.build(), **{"actuators": motors, **options})


PLANT = servicer()
V0 = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2, 0.4, -0.5])


def law(t, q, v):
    return np.array([1.5 * np.cos(2.0 * t), -np.sin(3.0 * t)]) - 0.2 * v[6:]


def moved(equations, **options):
    given = {"duration": 4.0, "step": 0.02, "controller": law, **options}
    return um.simulate(PLANT, PLANT.system.neutral(), V0, equations=equations, **given)


@pytest.fixture(scope="module")
def rough():
    """Steps so long that momentum drifts where it can."""
    return {name: moved(name, method="heun", step=0.05) for name in ("full", "reduced")}


def test_momentum_does_not_drift(rough):
    drifts = {
        name: np.abs(run.momentum() - run.momentum()[0]).max() / np.abs(run.momentum()).max()
        for name, run in rough.items()
    }
    assert drifts["reduced"] < 1e-15 * 10
    assert drifts["full"] > 1e-4
    told = rough["reduced"].invariants()
    assert max(told["linear_momentum_drift"], told["angular_momentum_drift"]) < 1e-14


def test_the_motion_is_that_of_the_full_equations():
    """Two sets of equations, one motion: the difference falls with the fourth power of the step."""
    far = [
        np.abs(moved("full", step=h).q[-1] - moved("reduced", step=h).q[-1]).max() for h in (0.04, 0.02, 0.01)
    ]
    assert 12 < far[0] / far[1] < 20
    assert 12 < far[1] / far[2] < 20
    assert far[2] < 1e-7


@pytest.mark.parametrize("vehicle", one_in(4, ["Free", "Planar", "Spherical", "Translation3", "Cylindrical"]))
def test_rates_are_those_of_the_lagrange_poincare_equations(vehicle):
    """Multi-DoF joints and a branch; the momentum is that of `system.free_floating`."""
    system = um.System(random_tree(7, [vehicle, "Revolute", "Spherical", "Prismatic"]))
    plant = um.Plant(system)
    q, v, tau = random_state(system.tree, 8, (3,))
    tau[..., system.tree.dofs(system.tree.vehicles[0])] = 0.0
    p, x = np.zeros((3, 0)), np.zeros((3, 0))
    y = carried(plant, q, v, p)
    assert np.abs(recovered(plant, q, y, p) - v).max() < 1e-12
    expected = system.free_floating(q, v, tau)
    at = system.tree.dofs(system.tree.vehicles[0])
    assert np.abs(y[..., at] - expected.momentum).max() < 1e-12 * np.abs(y).max()
    rates, _ = floating_rates(plant, np.zeros(3), q, v, x, tau, p)
    rest = [i for i in range(system.nv) if i not in at]
    assert np.all(rates[..., at] == 0.0)
    scale = np.abs(expected.acceleration).max()
    assert np.abs((rates - expected.acceleration)[..., rest]).max() < 1e-10 * scale


def test_kernel_reference_batch_and_adaptive_steps_agree():
    one = moved("reduced", duration=0.2)
    assert np.abs(moved("reduced", duration=0.2, backend="numpy").v - one.v).max() < 1e-13
    two = um.simulate(
        PLANT, PLANT.system.neutral(), np.stack([V0, 0.5 * V0]), duration=0.2, step=0.02, controller=law,
        equations="reduced",
    )  # fmt: skip
    assert np.array_equal(two.v[0], one.v)
    own = moved("reduced", duration=0.2, method="dopri5", tolerance=1e-11)
    assert np.abs(own.q - one.q).max() < 1e-7
    assert np.abs(own.momentum() - own.momentum()[0]).max() < 1e-13


@pytest.mark.long
def test_held_inputs_sensors_and_events_see_velocities():
    """An inertial unit feels the acceleration, an event a velocity."""
    options = {
        "control_step": 0.02, "duration": 0.4, "sensors": [um.Imu("imu", "bus")],
        "events": [um.Event(lambda t, q, v: v[6] - 0.8, "faster")],
    }  # fmt: skip
    runs = {name: moved(name, **options) for name in ("full", "reduced")}
    assert runs["full"].events[0].name == runs["reduced"].events[0].name
    assert abs(runs["full"].events[0].time - runs["reduced"].events[0].time) < 1e-6
    for name, y in runs["full"].y.items():
        assert np.nanmax(np.abs(runs["reduced"].y[name].value - y.value)) < 1e-4


def test_only_plants_that_nothing_pushes():
    q = PLANT.system.neutral()

    def refused(plant, match, **options):
        with pytest.raises(um.ModelError, match=match):
            um.simulate(plant, q, equations="reduced", **options)

    refused(servicer(world=um.Earth()), "world: expected Space.*given Earth")
    refused(servicer(world=um.Space(1e-3)), "given an orbit, whose tide pushes")
    refused(servicer(free=["gravity"]), "given gravity")
    refused(servicer(actuators=[um.Thruster("bus", (0, 0, 0), (1, 0, 0))]), "actuators: expected motors")
    refused(servicer(actuators=[um.ReactionWheel("bus", 1e-3)]), "a wheel that is a body on a Revolute joint")
    refused(servicer(actuators=[um.JointMotor("bus.vx")]), "none on 'bus', which nothing may push")
    refused(servicer(actuators=None), "inputs are forces along all DoFs", controller=lambda t, q, v: 0.0 * v)
    spring = um.SpringDamper("world", "lower", stiffness=1.0)
    refused(servicer(elements=[spring]), "elements between two bodies")
    refused(servicer(closures=[um.Closure("world", "lower", um.Spherical())]), "closures: expected none")
    refused(servicer(prescribed={"upper": um.Motion(lambda t: 0.1 * t)}), "prescribed: expected none")
    refused(PLANT, "method: expected one of euler, heun", method="lie_midpoint")
    with pytest.raises(um.ModelError, match="unknown equations: expected one of full, reduced"):
        um.simulate(PLANT, q, equations="reducd")


@pytest.mark.long
def test_springs_between_bodies_and_without_inputs():
    plant = servicer(elements=[um.SpringDamper("bus", "lower", stiffness=20.0)], actuators=None)
    q, options = plant.system.neutral(), {"duration": 1.0, "step": 0.01}
    full, reduced = (um.simulate(plant, q, V0, equations=name, **options) for name in ("full", "reduced"))
    assert np.abs(full.q - reduced.q).max() < 1e-7
    assert np.abs(reduced.momentum() - reduced.momentum()[0]).max() < 1e-14


SCENARIO = """
unmoored_scenario: 1
name: drift
system: free_flyer_arm7
duration: 0.1
integrator: {{step: 0.01, equations: reduced}}
{more}
initial:
  velocities: {{bus: [0.1, 0, 0, 0, 0.2, 0]}}
"""


def test_scenario_files_say_which_equations(tmp_path):
    path = tmp_path / "drift.yaml"
    path.write_text(SCENARIO.format(more=""))
    run = um.load_scenario(path).run()
    assert run.provenance["equations"] == "reduced"
    path.write_text(SCENARIO.format(more="world: {type: Earth}"))
    with pytest.raises(um.ModelError, match=r"integrator\.equations.*given Earth"):
        um.load_scenario(path)


def test_free_numbers_of_bodies_count():
    """Masses of each sample's own are in its momentum."""
    plant = servicer(free=["lower.mass"])
    options = {"duration": 0.2, "step": 0.01, "parameters": {"lower.mass": [3.0, 9.0]}, "controller": law}
    q = plant.system.neutral()
    full, reduced = (um.simulate(plant, q, V0, equations=name, **options) for name in ("full", "reduced"))
    assert np.abs(full.q - reduced.q).max() < 1e-9
    momentum = reduced.momentum()
    assert np.abs(momentum - momentum[:, :1]).max() < 1e-13
    assert np.abs(momentum[0, 0] - momentum[1, 0]).max() > 0.1
