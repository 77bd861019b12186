"""Integral action: the energy with what is not known yet falls as it says; loads are learnt, limits are not."""

import numpy as np
import pytest
from tests.control.tracked_plants import DAMPING, STIFFNESS, moving_targets, off_state, plant_of

import unmoored as um
from unmoored.lie import se3
from unmoored.trace import evaluate, jvp, trace
from unmoored.worlds import Seen


@pytest.mark.parametrize("load", ["world", "body"])
@pytest.mark.parametrize("potential", ["matrix", "log"])
def test_the_energy_with_the_unknown_load_falls_as_stated(load, potential):
    """Ė = −sᵀK_D s − rate·fᵀη exactly, under a load that the law does not know, at a random state far off."""
    plant = plant_of()
    law = um.IntegralTracking(
        plant, moving_targets(), STIFFNESS, DAMPING, potential=potential, load=load, rate=0.7, integral=30.0
    )
    q, v = off_state(plant.system)
    n, t = law.unknowns, 1.3
    rng = np.random.default_rng(8)
    ϱ, true = rng.normal(size=(2, n))
    u, new = law(Seen(t, q, v, period=1.0), {"load": ϱ, "asked": np.zeros(plant.nv)})
    a = plant.forward_dynamics(t, q, v, u - law.regressor(q) @ true)  # the load pulls with −Y ϱ*

    def parts(t, q, v):
        off = law.errors(potential, t, q, v, law.stiffness)
        return off, off.velocity + 0.7 * off.pull - v

    def energy(t, dq, v, ϱ):
        at = plant.system.retract(q, dq)
        off, s = parts(t[0], at, v)
        return np.asarray(
            0.5 * s @ (plant.mass_matrix(at) @ s) + off.energy + ((ϱ - true) ** 2 / law.integral).sum() / 2
        )

    nv = plant.nv
    traced = trace(energy, (1,), (nv,), (nv,), (n,))
    rate = evaluate(jvp(traced), np.array([t]), np.zeros(nv), v, ϱ, np.ones(1), v, a, new["load"] - ϱ)
    off, s = parts(t, q, v)
    lost = s @ (law.damping * s) + 0.7 * off.force @ off.pull
    assert abs(rate + lost) < 1e-10 * lost


def test_a_load_in_world_axes_does_the_work_of_its_force_and_moment():
    """ϱᵀYᵀv = f·(R v) + t·(R ω): by the power of (f, t) at the vehicle's origin, with neither frames nor regressors."""
    plant = plant_of()
    law = um.IntegralTracking(
        plant, moving_targets(), STIFFNESS, DAMPING, load="world", rate=0.7, integral=30.0
    )
    q, v = off_state(plant.system)
    link = plant.tree.links[0]
    R, twist = plant.system.pose(q, link.name)[:3, :3], v[link.v]
    for wrench in np.eye(6):
        ϱ = np.append(wrench, np.zeros(law.unknowns - 6))
        power = wrench[:3] @ (R @ twist[:3]) + wrench[3:] @ (R @ twist[3:])
        assert abs(law.regressor(q) @ ϱ @ v - power) < 1e-12


def turning():
    """A body whose centre of mass is its origin turns about an axis; true gravity differs from what the law knows."""
    builder = um.SystemBuilder("body")
    builder.vehicle("body", um.Free(), inertia=um.Inertia(10.0, (0, 0, 0), (1.0, 1.4, 2.0)))
    plant = um.Plant(builder.build(), um.Earth(), free=["gravity"])
    axis = np.array([0, 0, 0, 0.5, 0.3, 0.6])
    return plant, um.Motion(lambda t: se3.exp(axis * t))


def errors_of(plant, law, **options):
    run = um.simulate(
        plant, plant.system.neutral(), None, duration=30.0, controller=law, parameters={"gravity": [0.3, -0.2, -9.6]},
        record_every=20, **options,
    )  # fmt: skip
    return np.linalg.norm(run.q[run.t > 28.0, 9:12], axis=1).max(), run


def test_a_load_that_is_constant_in_the_world_is_learnt_while_the_vehicle_turns():
    """Without integral action the error is what the spring takes; in body axes the load turns."""
    plant, path = turning()
    gains = {"stiffness": [60, 70, 80, 20, 22, 24], "damping": [40, 45, 50, 15, 16, 17]}
    fine = {"step": 5e-3, "control_step": 5e-3}
    found = {}
    for load, integral in (("body", 40.0), ("world", 0.0), ("world", 40.0)):
        law = um.IntegralTracking(plant, {"body": path}, **gains, load=load, integral=integral, rate=1.0)
        found[load, integral], run = errors_of(plant, law, **fine)
    assert found["world", 0.0] > 0.02
    assert found["body", 40.0] > 0.1 * found["world", 0.0]
    assert found["world", 40.0] < 2e-5  # of the hold: first order in its length
    # −m (γ_true − γ_known), and what the held weight (98 N) lags by as the body turns
    assert np.abs(run.memory["load"][-1, :3] - [-3.0, 2.0, -2.1]).max() < 98.1 * 0.84 * 0.005 / 2


def rov(limit, lag):
    system = um.load("bluerov2_heavy")
    thrusters = [
        um.Thruster(name, limits=(-limit, limit), lag=lag)
        for name in system.frames
        if name.startswith("thruster")
    ]
    return um.Plant(system, um.Ocean(), actuators=thrusters, free=["ocean.current"])


GAMMA = [80, 80, 80, 15, 15, 15]
GAINS = {"stiffness": [120, 120, 150, 20, 25, 22], "damping": [100, 100, 120, 12, 12, 12]}


def moved(plant, law, duration=40.0):
    run = um.simulate(
        plant, plant.system.neutral(), None, duration=duration, step=0.01, control_step=0.01, record_every=10,
        controller=um.Allocated(plant, law), parameters={"ocean.current": [0.25, 0.15, 0.0]},
    )  # fmt: skip
    return run


def test_what_thrusters_cut_off_is_not_learnt_as_a_load():
    """A step of 3 m with weak, lagging thrusters at 100 Hz in an unknown current, with and without unwinding."""
    plant = rov(limit=8.0, lag=0.15)
    target = um.Pose(xyz=(3, 0, 0), rpy=(0, 0, 1.0))
    over = {}
    for unwinding in (0.0, 2.0):
        law = um.IntegralTracking(
            plant, {"rov": target}, **GAINS, integral=GAMMA, rate=1.0, unwinding=unwinding
        )
        run = moved(plant, law)
        assert run.provenance["controller_in"] == "kernel"
        over[unwinding] = run.q[:, 9].max() - 3.0
    assert over[0.0] > 0.5
    assert over[2.0] < 0.01
    off = se3.log(se3.inverse(plant.system.pose(run.q[-1], "rov")) @ target.matrix)
    assert np.linalg.norm(off[:3]) < 1e-3
    assert np.degrees(np.linalg.norm(off[3:])) < 0.05
    assert np.abs(run.unallocated).max() > 1.0  # the limits were met
    thrusts = plant.delivered_forces(0.0, run.q[-1], run.v[-1], run.u[-1], x=run.x[-1])
    B = plant.allocation_matrix(run.q[-1])
    assert np.abs(thrusts - B @ run.x[-1]).max() < 1e-12


def test_loads_in_world_axes_are_those_of_vehicles_alone():
    """A boat with an arm: six unknowns for the hull, turned into its axes, and one for each joint above it."""
    b = um.SystemBuilder("boat")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(20.0, (1, 0.5, 0.3)))
    one = b.link(
        "one", parent=hull, joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.box(1.0, (0.3, 0.1, 0.1))
    )
    b.link("two", parent=one, joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.box(1.0, (0.3, 0.1, 0.1)))
    plant = um.Plant(b.build())
    targets = {"hull": np.eye(4), "one": 0.1, "two": 0.2}
    q = plant.system.pack({"hull": um.Pose(rpy=(0.3, -0.2, 0.9)).matrix})
    R = um.Pose(rpy=(0.3, -0.2, 0.9)).rotation
    for load, turn in (("world", R.T), ("body", np.eye(3))):
        law = um.IntegralTracking(plant, targets, 1.0, 1.0, load=load)
        expected = np.eye(8)
        expected[:3, :3] = expected[3:6, 3:6] = turn
        assert law.unknowns == 8
        np.testing.assert_allclose(law.regressor(q), expected, atol=1e-14)


def test_refusals():
    plant = plant_of()
    with pytest.raises(um.ModelError, match="load: expected 'world' or 'body'"):
        um.IntegralTracking(plant, moving_targets(), STIFFNESS, DAMPING, load="earth")
    with pytest.raises(um.ModelError, match="integral: expected one number"):
        um.IntegralTracking(plant, moving_targets(), STIFFNESS, DAMPING, integral=[1.0, 2.0])
    law = um.IntegralTracking(plant, moving_targets(), STIFFNESS, DAMPING)
    for around in (
        law + law,
        um.Phases([law]),
        um.Allocated(rov(8.0, 0.1), um.Inputs(rov(8.0, 0.1), {}) + law),
    ):
        assert around.wants_delivered or "allocation.inputs" in around.memory
    with pytest.raises(um.ModelError, match="control_step"):
        um.simulate(plant, plant.system.neutral(), None, duration=0.1, step=0.01, controller=law)
