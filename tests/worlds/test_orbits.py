"""Elliptic orbits and the planet's flattening: closed forms of Kepler, and of Yamanaka and Ankersen (theory.md §19)."""

import numpy as np
import pytest
from tests.worlds.support import central_rate, random_state, relative_error

import unmoored as um
from unmoored.lie import se3
from unmoored.worlds.orbits.orbit import eccentric_anomaly

J2 = 1.0826e-3
MU, RADIUS = 3.986004418e14, 6378136.6


def satellite():
    b = um.SystemBuilder("satellite")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(100.0, (0, 0, 0), (20.0, 30.0, 40.0)))
    return b.build()


def flown(orbit, place, velocity, duration, steps):
    """The run of a satellite from a place and velocity (3,) beside the reference, in world axes."""
    plant = um.Plant(satellite(), um.Space(orbit=orbit))
    q = plant.system.pack({"bus": se3.pose(np.eye(3), np.asarray(place, dtype=float))})
    v = np.concatenate([velocity, np.zeros(3)])
    return um.simulate(plant, q, v, duration=duration, step=duration / steps, record_every=steps // 4)


@pytest.mark.parametrize("e", [0.0, 0.1, 0.7, 0.94])
def test_kepler_s_equation(e):
    M = np.linspace(-20.0, 20.0, 4001)
    E = eccentric_anomaly(M, e)
    wrapped = M - 2 * np.pi * np.floor(M / (2 * np.pi) + 0.5)
    assert np.abs(E - e * np.sin(E) - wrapped).max() < 1e-14


@pytest.mark.parametrize("e", [0.0, 0.1, 0.7])
def test_the_reference_falls_as_it_should(e):
    """R̈ = −μR/R³, kept energy −μ/2a and angular momentum √(μp), and it comes round."""
    orbit = um.Orbit(7.2e6 / (1 - e), eccentricity=e, true_anomaly_rad=0.7)
    t = np.linspace(0.0, orbit.period, 13)
    R, V, A = orbit.at(t)
    r = np.linalg.norm(R, axis=-1, keepdims=True)
    assert relative_error(A, -MU * R / r**3) < 1e-13
    assert 0.5 * (V**2).sum(-1) - MU / r[:, 0] == pytest.approx(
        np.full(13, -MU / 2 / orbit.semi_major_axis), rel=1e-12
    )
    p = orbit.semi_major_axis * (1 - e * e)
    assert np.cross(R, V)[:, 2] == pytest.approx(np.full(13, np.sqrt(MU * p)), rel=1e-12)
    assert R[-1] == pytest.approx(R[0], rel=1e-9, abs=1e-3)
    assert np.arctan2(R[0, 1], R[0, 0]) == pytest.approx(0.7, abs=1e-12)
    rate = central_rate(lambda s: orbit.at(300.0 + s).position, h=0.5)
    assert relative_error(rate, orbit.at(300.0).velocity) < 1e-9


def yamanaka_ankersen(orbit, t, x0, v0):
    """Radial, along and normal places (3,) at t from those at 0, in the turning frame: the closed form for ρ ≪ R.

    Solutions of x̃″ = 2z̃′, z̃″ = 3z̃/ϱ − 2x̃′, ỹ″ = −ỹ over the true anomaly, ϱ = 1 + e cos θ, with x along, z to the
    planet and y against the normal, x̃ = ϱx; J = ∫dθ/ϱ².
    """
    e, p = orbit.eccentricity, orbit.semi_major_axis * (1 - orbit.eccentricity**2)
    k2 = np.sqrt(MU / p**3)  # h/p²

    def anomaly(t):
        R = orbit.at(t).position
        return np.arctan2(R[1], R[0])

    def fundamental(θ, J):
        ϱ = 1 + e * np.cos(θ)
        s, c = ϱ * np.sin(θ), ϱ * np.cos(θ)
        s1, c1 = np.cos(θ) + e * np.cos(2 * θ), -(np.sin(θ) + e * np.sin(2 * θ))
        return np.array([
            [1, -c * (1 + 1 / ϱ), s * (1 + 1 / ϱ), 3 * ϱ**2 * J],
            [0, s, c, 2 - 3 * e * s * J],
            [0, 2 * s, 2 * c - e, 3 * (1 - 2 * e * s * J)],
            [0, s1, c1, -3 * e * (s1 * J + s / ϱ**2)],
        ])  # fmt: skip

    # the columns solve the equations: slopes over θ by differences, J′ = 1/ϱ²
    θ, d = 1.1, 1e-5
    ϱ = 1 + e * np.cos(θ)
    ahead, here, behind = (fundamental(θ + i * d, 0.4 + i * d / ϱ**2) for i in (1, 0, -1))
    slopes = (ahead - behind) / (2 * d)
    assert slopes[:2] == pytest.approx(here[2:], abs=1e-4)  # J itself is followed to first order only
    assert slopes[2] == pytest.approx(2 * here[3], abs=1e-3)
    assert slopes[3] == pytest.approx(3 * here[1] / ϱ - 2 * here[2], abs=1e-3)

    def tilded(θ, x, v):
        ϱ = 1 + e * np.cos(θ)
        return ϱ * x, -e * np.sin(θ) * x + v / (k2 * ϱ)

    θ0, θ1 = anomaly(0.0), anomaly(t)
    (x, xd), (z, zd) = tilded(θ0, x0[1], v0[1]), tilded(θ0, -x0[0], -v0[0])
    constants = np.linalg.solve(fundamental(θ0, 0.0), [x, z, xd, zd])
    found = fundamental(θ1, k2 * t) @ constants
    (y, yd), ϱ = tilded(θ0, -x0[2], -v0[2]), 1 + e * np.cos(θ1)
    out = y * np.cos(θ1 - θ0) + yd * np.sin(θ1 - θ0)
    return np.array([-found[1], found[0], -out]) / ϱ


@pytest.mark.parametrize("e", [0.1, 0.7])
def test_yamanaka_and_ankersen(e):
    """A centimetre off the reference, over most of a turn: what is left is second order in ρ/R, and rounding."""
    orbit = um.Orbit(7.0e6 / (1 - e), eccentricity=e, true_anomaly_rad=0.4)
    space, rng = um.Space(orbit=orbit), np.random.default_rng(1)
    x0, v0 = 1e-2 * rng.normal(size=3), 1e-5 * rng.normal(size=3)
    R_t, turning = space._orbiting(np.asarray(0.0))
    place = R_t.T @ x0
    run = flown(orbit, place, R_t.T @ v0 + np.cross(turning, place), 0.8 * orbit.period, 4000)
    assert space.hill_frame(0.0, run.q[0, 9:], run.v[0, :3])[1] == pytest.approx(v0, abs=1e-12)
    for k in (2, 4):
        R = run.q[k, :9].reshape(3, 3)
        found = space.hill_frame(run.t[k], run.q[k, 9:], R @ run.v[k, :3])[0]
        expected = yamanaka_ankersen(orbit, run.t[k], x0, v0)
        assert found == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("e", [0.1, 0.7])
def test_far_from_the_reference_it_is_an_orbit_of_its_own(e):
    """R + ρ of a satellite some hundred kilometres off is its own Kepler ellipse: exact, not linear in ρ."""
    reference = um.Orbit(7.0e6 / (1 - e), eccentricity=e, true_anomaly_rad=-0.3)
    other = um.Orbit(7.3e6 / (1 - e), eccentricity=e, true_anomaly_rad=-0.25)
    R, V, _ = reference.at(0.0)
    X, Y, _ = other.at(0.0)
    run = flown(reference, X - R, Y - V, 3000.0, 4000)
    assert np.linalg.norm(X - R) > 1e5
    for k in (2, 4):
        assert reference.at(run.t[k]).position + run.q[k, 9:] == pytest.approx(
            np.asarray(other.at(run.t[k]).position), abs=1e-4
        )


def test_a_circular_orbit_is_hill_s():
    orbit = um.Orbit(7.0e6)
    system = um.load("spart_sc_3dof")
    exact, linear = (um.Plant(system, w) for w in (um.Space(orbit=orbit), um.Space(orbit.mean_motion)))
    q, v = random_state(system, 2)
    for t in (0.0, 700.0):
        a, b = (plant.forward_dynamics(t, q, v) for plant in (exact, linear))
        pulled = b - um.Plant(system).forward_dynamics(t, q, v)
        assert np.abs(a - b).max() < 1e-5 * np.abs(pulled).max() + 1e-15


@pytest.mark.parametrize("j2", [0.0, J2])
def test_power_is_the_rate_of_the_energy_in_an_orbit(j2):
    """Of two bodies far from the reference, whose own attitude the gradient turns."""
    tilt = {"inclination_rad": 0.9, "argument_of_perigee_rad": 0.4}
    orbit = um.Orbit(9.0e6, eccentricity=0.2, true_anomaly_rad=1.0, j2=j2, duration=2000.0, **tilt)
    system = um.load("spart_sc_3dof")
    plant = um.Plant(system, um.Space(orbit=orbit), joints=um.JointEffects(damping=False, friction=False))
    q, v = random_state(system, 2)
    q[9:12] = (2e5, -1e5, 3e5)
    v[:6] = 0.0
    t = 600.0
    a = plant.forward_dynamics(t, q, v)
    assert plant.forward_dynamics(t, q, v, backend="numpy") == pytest.approx(a, abs=1e-12)
    scale = np.abs(plant.energy(t, q, v).potential)
    rate = central_rate(
        lambda s: plant.energy(t + s, system.retract(q, s * v), v + s * a, backend="numpy").total, h=0.2
    )
    assert rate == pytest.approx(plant.power(t, q, v).total, abs=1e-10 * scale)
    # the force is the slope of the energy
    for k in range(3):
        d = 10.0 * np.eye(system.nv)[k]
        ahead, behind = (plant.energy(t, system.retract(q, s * d), 0 * v).potential for s in (1, -1))
        assert (ahead - behind) / 20.0 == pytest.approx(
            plant.restoring_forces(t, q)[k], abs=2e-9 * scale / 10.0
        )


def test_flattening_turns_the_node():
    """Ω̇ = −(3/2) n J₂ (R_e/p)² cos i of a sun-synchronous orbit, 0.9856° a day, over three turns; and the satellite
    beside the reference falls as an orbit integrated apart, in axes of the equator."""
    i, a = np.radians(98.6), RADIUS + 800e3
    orbit = um.Orbit(
        a, eccentricity=0.001, inclination_rad=i, argument_of_perigee_rad=0.5, j2=J2, duration=19000.0
    )
    turn = se3.rotation(um.Pose(rpy=(i, 0, 0)).matrix) @ se3.rotation(um.Pose(rpy=(0, 0, 0.5)).matrix)
    assert turn[2] == pytest.approx(orbit.pole, abs=1e-15)
    t = np.linspace(0.0, 3 * orbit.period, 4001)
    R, V, A = orbit.at(t)
    h = np.cross(R, V) @ turn.T
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    # a line, and what comes twice a turn: the latitude's argument u
    x = R @ turn.T
    u = np.arctan2(x[:, 2] / np.sin(i), x[:, 0] * np.cos(node) + x[:, 1] * np.sin(node))
    columns = np.stack([t, np.ones_like(t), np.sin(2 * u), np.cos(2 * u)], axis=-1)
    rate = np.degrees(np.linalg.lstsq(columns, node, rcond=None)[0][0]) * 86400.0
    p = a * (1 - 0.001**2)
    assert rate == pytest.approx(
        np.degrees(-1.5 * orbit.mean_motion * J2 * (RADIUS / p) ** 2 * np.cos(i)) * 86400, rel=5e-3
    )
    assert rate == pytest.approx(0.9856, abs=0.02)
    assert np.abs(A - orbit.acceleration(R)).max() < 1e-7
    assert np.isnan(orbit.at(-1.0).position).all()
    assert np.isnan(orbit.at(19001.0).position).all()

    def fall(x):  # in axes of the equator
        r = np.linalg.norm(x)
        w = 5 * x[2] ** 2 / r**2
        return -MU * x / r**3 - 1.5 * J2 * MU * RADIUS**2 / r**5 * x * [1 - w, 1 - w, 3 - w]

    place, velocity = np.array([3e4, -2e4, 1e4]), np.array([5.0, 2.0, -8.0])
    run = flown(orbit, place, velocity, 3000.0, 3000)
    x, y, step = turn @ (R[0] + place), turn @ (V[0] + velocity), 2.0
    for _ in range(1500):
        k1, l1 = y, fall(x)
        k2, l2 = y + 0.5 * step * l1, fall(x + 0.5 * step * k1)
        k3, l3 = y + 0.5 * step * l2, fall(x + 0.5 * step * k2)
        k4, l4 = y + step * l3, fall(x + step * k3)
        x, y = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), y + step / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    assert turn @ (orbit.at(3000.0).position + run.q[-1, 9:]) == pytest.approx(x, abs=1e-3)


def test_the_gradient_s_torque_follows_the_distance():
    orbit = um.Orbit(1.2e7, eccentricity=0.4, true_anomaly_rad=0.5)
    plant = um.Plant(satellite(), um.Space(orbit=orbit))
    q, _ = random_state(plant.system, 1)
    q[9:] = 0.0
    Rb, J = q[:9].reshape(3, 3), np.diag([20.0, 30.0, 40.0])
    for t in (0.0, 4000.0):
        R = np.asarray(orbit.at(t).position)
        size = np.linalg.norm(R)
        r = Rb.T @ R / size
        α = plant.forward_dynamics(t, q, np.zeros(6))[3:]
        assert relative_error(J @ α, 3 * MU / size**3 * np.cross(r, J @ r)) < 1e-12


def test_orbits_in_files_and_what_is_refused(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        "unmoored_scenario: 1\nname: s\nsystem: spart_sc_3dof\nduration: 10\nintegrator: {step: 0.5}\n"
        "world: {type: Space, orbit: {semi_major_axis: 7.5e+6, eccentricity: 0.1, j2: 0.00108, duration: 20}}\n"
    )
    (space,) = um.load_scenario(path).plant.worlds
    assert space.orbit == um.Orbit(7.5e6, eccentricity=0.1, j2=0.00108, duration=20.0)
    assert "space.orbital_rate" not in um.load_scenario(path).plant.available_parameters()
    for wrong, says in (
        (lambda: um.Space(0.1, orbit=um.Orbit(7e6)), "orbital_rate"),
        (lambda: um.Orbit(7e6, eccentricity=0.99), "0.95"),
        (lambda: um.Orbit(7e6, j2=J2), "duration"),
        (lambda: um.Orbit(-7e6), "semi_major_axis"),
        (lambda: um.Orbit(7000.0), "perigee"),  # kilometres
        (lambda: um.Orbit(7e6, eccentricity=0.2), "perigee"),
        (lambda: um.Orbit(7e6, true_anomaly_rad=90.0), "radians"),
    ):  # fmt: skip
        with pytest.raises(um.ModelError, match=says):
            wrong()
    plant = um.Plant(satellite(), um.Space(orbit=um.Orbit(7e6)))
    with pytest.raises(um.ModelError, match="not linear"):
        plant.regressor(0.0, plant.system.neutral(), np.zeros(6), np.zeros(6))


def test_runs_longer_than_the_orbit_is_known_are_refused():
    orbit = um.Orbit(7e6, j2=J2, duration=10.0)
    plant = um.Plant(satellite(), um.Space(orbit=orbit))
    q = plant.system.neutral()
    with pytest.raises(um.ModelError, match=r"from 0 to 10 s .Orbit's duration.*given from 0 to 20 s"):
        um.simulate(plant, q, duration=20.0, step=0.5)
    with pytest.raises(um.ModelError, match="given from -1 to 9 s"):
        um.simulate(plant, q, duration=10.0, step=0.5, t0=-1.0)
    stepper = um.Stepper(plant, 2, step=0.5, control_step=4.0)
    stepper.reset(t=[0.0, 2.0])
    assert stepper.step().t.tolist() == [4.0, 6.0]
    stepper.step(np.array([[0.0] * 6, [np.nan] * 6]))  # the second has stopped: it does not count any more
    assert stepper.state.status[0] == 0
    with pytest.raises(um.ModelError, match=r"Stepper: times.*given from 8 to 12 s"):
        stepper.step()
    assert stepper.state.t[0] == 8.0
    with pytest.raises(um.ModelError, match=r"Stepper: times: expected from 0 to 10 s.*given from 11"):
        stepper.reset(t=11.0)
    stepper.reset(t=11.0, mask=np.zeros(2, bool))
    rollout = um.Rollout(plant, steps=8, step=0.5)
    with pytest.raises(um.ModelError, match=r"Rollout: times.*given from 7 to 11 s"):
        rollout(q, t0=7.0)


def test_weight_beside_an_orbit_is_refused():
    for space in (um.Space(orbit=um.Orbit(7e6)), um.Space(orbital_rate=1e-3)):
        with pytest.raises(um.ModelError, match="space: orbit: expected no weight beside an orbit"):
            um.Plant(satellite(), (space, um.Earth()))
    um.Plant(satellite(), (um.Space(), um.Earth()))
