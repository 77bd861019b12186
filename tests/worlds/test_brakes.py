"""Stiction, brakes, clutches and flexible joints: against closed forms, by schedule and by event, energy in
the balance.
"""

import numpy as np
import pytest

import unmoored as um


def wheels(*inertias, gravity=False, **joint):
    """Flywheels about one axis, or a pendulum."""
    b = um.SystemBuilder("shaft")
    for k, inertia in enumerate(inertias):
        b.vehicle(
            f"w{k}",
            um.Revolute((0, 0, 1), **joint),
            inertia=um.Inertia(1.0, (0, 0, 0), (inertia, inertia, inertia)),
        )
    return b.build()


def block(mass=2.0, stiffness=0.0):
    b = um.SystemBuilder("block")
    joint = um.Prismatic((1, 0, 0), stiffness=stiffness)
    b.vehicle("block", joint, inertia=um.Inertia.sphere(mass, 0.1))
    return b.build()


def test_an_oscillator_with_dry_friction_loses_a_fixed_amplitude_and_rests():
    """Amplitude falls by 2F/k in each half period; it rests where |x| ≤ F/k, and stays there."""
    k, F = 50.0, 3.0
    friction = um.Stiction("block", F, presliding=1e-5, settling=2e-4)
    plant = um.Plant(block(2.0, k), actuators=[friction])
    run = um.simulate(plant, np.array([0.5]), np.zeros(1), duration=6.0, step=1e-4, record_every=20)
    x, half = run.q[:, 0], np.pi * np.sqrt(2.0 / k)
    for n in range(1, 4):
        extreme = np.abs(x[np.abs(run.t - n * half) < 0.1 * half]).max()
        assert extreme == pytest.approx(0.5 - 2 * F * n / k, abs=2e-4)
    assert abs(x[-1]) <= F / k + 1e-4
    assert np.ptp(x[run.t > 5.0]) < 1e-9  # a tanh would creep
    power = plant.power(run.t, run.q, run.v, x=run.x)
    assert np.all(np.isfinite(power.total))


def test_energy_is_in_the_balance():
    plant = um.Plant(
        block(2.0, 50.0), actuators=[um.Stiction("block", 3.0, 4.0, presliding=1e-3, settling=2e-3)]
    )
    run = um.simulate(plant, np.array([0.3]), np.zeros(1), duration=1.0, step=1e-3)
    energy = plant.energy(run.t, run.q, run.v, x=run.x).total
    power = plant.power(run.t, run.q, run.v, x=run.x).total
    work = np.concatenate([[0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t))])
    assert np.abs(energy - energy[0] - work).max() < 2e-3 * energy[0]
    assert np.all(np.diff(energy) < 1e-9)


def test_stiction_breaks_away_at_its_static_force():
    plant = um.Plant(block(), actuators=[um.Stiction("block", 3.0, static=4.0), um.JointMotor("block")])
    for force, moves in ((3.3, False), (4.1, True)):
        run = um.simulate(
            plant,
            np.zeros(1),
            np.zeros(1),
            duration=1.0,
            step=1e-3,
            controller=lambda t, q, v, f=force: np.stack([f * np.minimum(2 * t, 1.0)]),
        )
        assert (abs(run.q[-1, 0]) > 0.01) == moves


def test_a_brake_holds_by_schedule_and_lets_go():
    """On a slope: held within the presliding deflection while engaged, free fall outside."""
    b = um.SystemBuilder("lift")
    b.vehicle("cage", um.Prismatic((0, 0, 1)), inertia=um.Inertia.sphere(10.0, 0.1))
    brake = um.Brake("cage", 150.0, presliding=1e-3, settling=1e-3, engaged=[[0.0, 1.0], [1.5, 9.0]])
    plant = um.Plant(b.build(), world=um.Earth(), actuators=[brake])
    run = um.simulate(plant, np.zeros(1), np.zeros(1), duration=3.0, step=5e-4, record_every=20)
    z, v, t = run.q[:, 0], run.v[:, 0], run.t
    assert np.abs(z[t <= 1.0]).max() < 2e-3
    fallen = t[(t > 1.05) & (t < 1.5)] - 1.0
    assert np.allclose(v[(t > 1.05) & (t < 1.5)], -9.81 * fallen, atol=0.02)
    decelerated = 1.5 + 9.81 * 0.5 / (150 / 10 - 9.81)  # it slides with 150 N against 98.1 N
    assert np.abs(v[t > decelerated + 0.1]).max() < 0.02
    assert z[-1] == pytest.approx(-0.5 * 9.81 * 0.25 - (9.81 * 0.5) ** 2 / 2 / (15 - 9.81), abs=1.5e-2)


def test_a_clutch_closed_by_an_event_loses_what_momentum_says():
    I, J, ratio = 2.0, 3.0, 1.0
    clutch = um.Clutch("w0", 40.0, "w1", ratio, active=0.0, presliding=1e-3, settling=2e-3)
    plant = um.Plant(wheels(I, J), actuators=[clutch])
    event = um.Event(lambda t, q, v: t - 0.25, name="shift", direction="rising", then=[um.Close("w0_clutch")])
    run = um.simulate(
        plant, np.zeros(2), np.array([10.0, 0.0]), duration=1.5, step=1e-3, events=[event], record_every=10
    )
    before, after = run.v[run.t < 0.25], run.v[-1]
    assert np.allclose(before, [10.0, 0.0], atol=1e-12)
    assert np.allclose(after, I * 10 / (I + J), atol=1e-4)
    lost = 0.5 * I * J / (I + J) * 100
    kinetic = 0.5 * (I * run.v[:, 0] ** 2 + J * run.v[:, 1] ** 2)
    assert kinetic[0] - kinetic[-1] == pytest.approx(lost, rel=1e-4)
    slipping = 10 / (40 * (1 / I + 1 / J))
    closed = run.t[np.abs(run.v[:, 0] - run.v[:, 1]) < 0.05][0]
    assert closed == pytest.approx(0.25 + slipping, abs=0.02)
    assert run.events[0].name == "shift"


def test_a_flexible_joint_swings_at_its_frequency_and_keeps_energy():
    """Free–free: √(K(1/I + 1/B))."""
    I, B, K = 2.0, 0.5, 800.0
    plant = um.Plant(wheels(I), actuators=[um.ElasticMotor("w0", B, K)])
    assert plant.state_names == ("w0_drive.deflection", "w0_drive.speed")
    run = um.simulate(
        plant, np.zeros(1), np.zeros(1), x0=np.array([0.01, 0.0]), duration=1.0, step=1e-4, record_every=10
    )
    omega = np.sqrt(K * (1 / I + 1 / B))
    assert np.allclose(run.x[:, 0], 0.01 * np.cos(omega * run.t), atol=1e-8)
    assert np.ptp(plant.energy(run.t, run.q, run.v, x=run.x).total) < 1e-12
    a = plant.forward_dynamics(0.0, np.zeros((3, 1)), np.ones((3, 1)), x=np.tile([0.02, 3.0], (3, 1)))
    assert np.allclose(a, K * 0.02 / I)


def test_play_in_a_gear():
    """A wheel that bounces in the gap, motor held by a heavy rotor: period 4b/u + 2π√(I/K)."""
    I, K, b, u = 2.0, 8000.0, 0.02, 0.5
    plant = um.Plant(wheels(I), actuators=[um.ElasticMotor("w0", 1e9, K, backlash=b)])
    run = um.simulate(plant, np.zeros(1), np.array([u]), duration=1.0, step=1e-4)
    x = run.q[:, 0]
    rising = run.t[1:][(x[1:] > 0) & (x[:-1] <= 0)]
    period = np.diff(rising).mean()
    assert period == pytest.approx(4 * b / u + 2 * np.pi * np.sqrt(I / K), rel=0.01)
    energy = plant.energy(run.t, run.q, run.v, x=run.x).total
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_kernels_agree_with_numpy_and_batches():
    actuators = [
        um.ElasticMotor("w0", 0.5, 80.0, 0.3, 0.01),
        um.Stiction("w1", 2.0, 3.0),
        um.Brake("w1", 4.0, engaged=[[0, 1]]),
    ]
    plant = um.Plant(wheels(2.0, 3.0), actuators=actuators, free=["w1_brake.active", "w1_brake.torque"])
    rng = np.random.default_rng(0)
    q, v, u = rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 1))
    x = rng.normal(size=(5, 4)) * [0.05, 1, 1e-3, 1e-3]
    for t in (0.5, 1.5):
        a = plant.forward_dynamics(t, q, v, u, x=x)
        assert np.allclose(
            a, plant.forward_dynamics(t, q, v, u, x=x, backend="numpy"), rtol=1e-12, atol=1e-12
        )
        assert np.isfinite(plant.forward_dynamics_derivatives(t, q[0], v[0], u[0], x=x[0]).dv).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda s: um.Brake("w0", 0.0), "torque: expected > 0"),
        (lambda s: um.Brake("w0", 1.0, active=0.5), "1 \\(on\\) or 0"),
        (lambda s: um.Brake("w0", 1.0, engaged=[[2, 1]]), "in the order of time"),
        (lambda s: um.Stiction("w0", 2.0, static=1.0), "at least the friction"),
        (lambda s: um.Stiction("w0", 2.0, lag=0.1), "takes no command"),
        (lambda s: um.Plant(s, actuators=[um.Clutch("w0", 1.0, "w0")]), "another joint"),
        (
            lambda s: um.Plant(um.load("bluerov2_heavy"), actuators=[um.Brake("rov", 1.0)]),
            "a joint of one DoF",
        ),
        (lambda s: um.ElasticMotor("w0", 0.0, 1.0), "inertia: expected > 0"),
    ],
)
def test_mistakes_are_told(make, words):
    with pytest.raises(um.ModelError, match=words):
        make(wheels(1.0, 1.0))
