"""Euler angles, quaternions, two charts and projection against the dynamics on the group (theory.md §15)."""

import numpy as np
import pytest
from tests.support.random_trees import random_state, random_tree

from unmoored import System, kernels
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.comparisons import euler_angles, projection, quaternion, two_charts
from unmoored.dynamics.comparisons.classic_runge_kutta import rk4, rk4_step
from unmoored.dynamics.comparisons.euler_chart import ZXY, ZYX, EulerChart
from unmoored.dynamics.configuration import neutral, retract
from unmoored.dynamics.gravity import potential_energy
from unmoored.dynamics.kinematics import body_poses
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics
from unmoored.lie import se3, so3
from unmoored.model import ModelError
from unmoored.trace import evaluate, trace

ARM = ("Free", "Revolute", "Prismatic", "Helical", "Universal")
GRAVITY = np.array([0.5, -1.0, -9.81])
CHARTS = (ZYX, ZXY, EulerChart("xyz"), EulerChart("yzx"))
charts = pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.sequence)


def relative(given, true):
    return np.max(np.abs(given - true)) / np.max(np.abs(true))


def system(seed, chart=ZYX, batch=()):
    """(tree, q, v, tau) with the vehicle well away from the chart's singularity."""
    tree = random_tree(seed, ARM)
    q, v, tau = random_state(tree, seed, batch)
    x = euler_angles.coordinates(tree, q, chart)
    x[..., 4] = np.clip(x[..., 4], -1.2, 1.2)
    return tree, euler_angles.configuration(tree, x, chart), v, tau


@charts
def test_charts_are_coordinates_of_rotations(chart):
    R = so3.exp(np.random.default_rng(1).uniform(-1.7, 1.7, (50, 3)))
    assert np.max(np.abs(chart.rotation(chart.angles(R)) - R)) < 1e-14
    np.testing.assert_allclose(chart.distance(R), np.cos(chart.angles(R)[..., 1]), atol=1e-14)


def test_zyx_is_the_usual_yaw_pitch_roll():
    R = so3.exp(np.random.default_rng(2).uniform(-1.7, 1.7, (20, 3)))
    np.testing.assert_allclose(ZYX.angles(R), so3.euler_zyx(R), atol=1e-14)
    φ, θ = 0.3, -0.8
    T = [[0, np.sin(φ) / np.cos(θ), np.cos(φ) / np.cos(θ)], [0, np.cos(φ), -np.sin(φ)]]
    T += [[1, np.sin(φ) * np.tan(θ), np.cos(φ) * np.tan(θ)]]
    np.testing.assert_allclose(ZYX.rates(np.array([0.5, θ, φ])), T, atol=1e-15)


@charts
def test_rates_are_the_velocity_of_the_angles(chart):
    rng = np.random.default_rng(3)
    Θ, Θ_dot, h = rng.uniform(-1, 1, 3), rng.normal(size=3), 1e-3
    stencil = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]

    def slope(f):
        return sum(w * (f(Θ + k * h * Θ_dot) - f(Θ - k * h * Θ_dot)) for w, k in stencil) / h

    ω = so3.vee(chart.rotation(Θ).T @ slope(chart.rotation))
    np.testing.assert_allclose(chart.inverse_rates(Θ) @ Θ_dot, ω, atol=1e-12)
    np.testing.assert_allclose(chart.rates(Θ) @ ω, Θ_dot, atol=1e-12)
    np.testing.assert_allclose(
        chart.inverse_rates_derivative(Θ, Θ_dot), slope(chart.inverse_rates), atol=1e-12
    )


@charts
@pytest.mark.parametrize("seed", range(5))
def test_accelerations_agree_with_the_group(seed, chart):
    tree, q, v, tau = system(seed, chart)
    x = euler_angles.coordinates(tree, q, chart)
    x_dot = euler_angles.coordinate_rates(x, v, chart)
    np.testing.assert_allclose(euler_angles.velocity(x, x_dot, chart), v, atol=1e-13)
    x_ddot = euler_angles.euler_forward_dynamics(tree, x, x_dot, tau, GRAVITY, chart)
    E, E_dot = (
        euler_angles.velocity_map(x, chart),
        euler_angles.velocity_map_derivative(x, x_dot, chart),
    )
    assert relative(E @ x_ddot + E_dot @ x_dot, forward_dynamics(tree, q, v, tau, GRAVITY)) < 1e-11


def test_coriolis_matrix_is_the_printed_transformation():
    """From et al. 2010, eq. (50), corrected: C̃ = 𝒥⁻ᵀ(C(𝒥⁻¹ẋ) − M𝒥⁻¹𝒥̇)𝒥⁻¹, with 𝒥̇ by differences."""
    tree, q, v, _ = system(7)
    x = euler_angles.coordinates(tree, q)
    x_dot = euler_angles.coordinate_rates(x, v)
    E, h = euler_angles.velocity_map(x), 1e-3

    def J(t):
        return np.linalg.inv(euler_angles.velocity_map(x + t * x_dot))

    stencil = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]
    J_dot = sum(w * (J(k * h) - J(-k * h)) for w, k in stencil) / h
    printed = E.T @ (coriolis_matrix(tree, q, v) - mass_matrix(tree, q) @ E @ J_dot) @ E
    assert relative(euler_angles.euler_coriolis_matrix(tree, x, x_dot), printed) < 1e-11


def test_coriolis_matrix_keeps_the_skew_property():
    tree, q, v, _ = system(8)
    x, h = euler_angles.coordinates(tree, q), 1e-3
    x_dot = euler_angles.coordinate_rates(x, v)
    stencil = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]

    def M(t):
        return euler_angles.euler_mass_matrix(tree, x + t * x_dot)

    M_dot = sum(w * (M(k * h) - M(-k * h)) for w, k in stencil) / h
    L = M_dot - 2 * euler_angles.euler_coriolis_matrix(tree, x, x_dot)
    assert np.max(np.abs(L + L.T)) < 1e-10


def test_gravity_is_the_gradient_of_the_potential():
    tree, q, _, _ = system(9)
    x, h = euler_angles.coordinates(tree, q), 1e-2
    stencil = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]

    def U(x):
        return potential_energy(tree, euler_angles.configuration(tree, x), GRAVITY)

    gradient = [
        sum(w * (U(x + k * h * e) - U(x - k * h * e)) for w, k in stencil) / h for e in np.eye(tree.nv)
    ]
    assert relative(euler_angles.euler_gravity_forces(tree, x, GRAVITY), np.array(gradient)) < 1e-11


def test_damping_in_euler_form_takes_the_same_power():
    """From et al. 2010, (49): −D̃ ẋ are the forces −D ν in the coordinates' rates, and ẋᵀ D̃ ẋ = νᵀ D ν."""
    tree, q, v, _ = system(12, batch=(3,))
    x = euler_angles.coordinates(tree, q)
    x_dot = euler_angles.coordinate_rates(x, v)
    D = np.random.default_rng(13).normal(size=(tree.nv, tree.nv))
    damping = euler_angles.euler_damping_matrix(x, D)
    forces = (damping @ x_dot[..., None])[..., 0]
    np.testing.assert_allclose(forces, euler_angles.euler_forces(x, v @ D.T), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        (x_dot * forces).sum(axis=-1), (v * (v @ D.T)).sum(axis=-1), rtol=0, atol=1e-12
    )


def test_angle_accelerations_blow_up_near_the_singularity():
    """The same harmless motion, with the nose ever closer to vertical: ours stays, Θ̈ grows without bound."""
    tree, q, v, tau = system(10)
    x = euler_angles.coordinates(tree, q)
    grown, kept = [], []
    for gap in (1e-1, 1e-2, 1e-3, 1e-4):
        x[4] = np.pi / 2 - gap
        at = euler_angles.configuration(tree, x)
        x_dot = euler_angles.coordinate_rates(x, v)
        x_ddot = euler_angles.euler_forward_dynamics(tree, x, x_dot, tau, GRAVITY)
        grown.append(np.max(np.abs(x_ddot[3:6])))
        kept.append(np.max(np.abs(forward_dynamics(tree, at, v, tau, GRAVITY))))
    growth = np.array(grown[1:]) / grown[:-1]
    assert np.all(growth > 8)
    assert max(kept) < 1.5 * min(kept)


def test_quaternion_rates_agree_with_the_group():
    tree, q, v, tau = system(11)
    y = quaternion.quaternion_state(tree, q, v)
    y_dot = quaternion.quaternion_rates(tree, y, tau, GRAVITY)
    back_q, back_v = quaternion.quaternion_configuration(tree, y)
    np.testing.assert_allclose(back_q, q, atol=1e-14)
    np.testing.assert_array_equal(back_v, v)
    assert relative(y_dot[-tree.nv :], forward_dynamics(tree, q, v, tau, GRAVITY)) < 1e-12
    assert abs(y[3:7] @ y_dot[3:7]) < 1e-15  # |Q| is kept by the equation itself, not by an integrator


def test_quaternion_rate_is_the_velocity_of_the_quaternion():
    R, ω, h = so3.exp(np.array([0.4, -0.7, 0.9])), np.array([0.3, 1.1, -0.6]), 1e-2
    stencil = [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]

    def Q(t):
        return so3.quaternion_wxyz(R @ so3.exp(t * ω))

    slope = sum(w * (Q(k * h) - Q(-k * h)) for w, k in stencil) / h
    np.testing.assert_allclose(quaternion.quaternion_rate(Q(0.0), ω), slope, atol=1e-13)


def test_quaternion_norm_drifts_with_the_fifth_power_of_the_step():
    """Over a fixed time Runge–Kutta of order four loses |Q| = 1 by O(h⁵): half the step, 1/32."""
    tree, q, v, tau = system(12)
    y = quaternion.quaternion_state(tree, q, 3 * v)
    rates = kernels.compile(lambda y: quaternion.quaternion_rates(tree, y, tau, GRAVITY), [y.shape])
    drifts = []
    for steps in (40, 80):
        end = rk4(rates, y, 1 / steps, steps)
        drifts.append(abs(quaternion.quaternion_drift(end)))
    assert drifts[0] > 1e-9
    assert 4.7 < np.log2(drifts[0] / drifts[1]) < 5.3


STEP, STEPS = 0.02, 40
SPACE = np.zeros(3)


def pitching_system(pitch):
    """(tree, q, v): a free body in space with a moving arm, pitching fast at a given pitch angle."""
    tree = random_tree(13, ("Free", "Revolute", "Helical"))
    v = np.array([0.2, -0.1, 0.3, 0.05, 2.0, -0.03, 0.4, -0.3])
    x = np.array([0.0, 0.0, 0.0, 0.2, pitch, 0.1, 0.3, -0.4])
    return tree, euler_angles.configuration(tree, x), v


def two_chart_run(tree, q, v, step, steps, chart=None):
    """(states, q and v at the end) with switching charts."""
    states = [two_charts.chart_state(tree, q, v, chart)]
    for _ in range(steps):
        states.append(two_charts.two_chart_step(tree, states[-1], np.zeros(tree.nv), SPACE, step))
    return states, np.concatenate(two_charts.chart_configuration(tree, states[-1]))


def group_solution(tree, q, v, duration):
    """Lie midpoint steps with one extrapolation: the reference on the group, good to 1e-6."""
    system, τ = System(tree), np.zeros(tree.nv)

    def solve(n):
        qk, vk, h = q, v, duration / n
        for _ in range(n):
            a = system.forward_dynamics(qk, vk, τ)
            v_mid, q_mid = vk + h / 2 * a, system.retract(qk, h / 2 * vk)
            vk = vk + h * system.forward_dynamics(q_mid, v_mid, τ)
            qk = system.retract(qk, h * v_mid)
        return np.concatenate([qk, vk])

    return (4 * solve(240) - solve(120)) / 3


@pytest.mark.long
def test_switching_passes_straight_through_the_vertical():
    """Run back in time from a pitch of 90°, then forward through it to the other side."""
    tree, q, v = pitching_system(np.pi / 2)
    back, _ = two_chart_run(tree, q, v, -STEP, STEPS // 2)
    start = two_charts.chart_configuration(tree, back[-1])
    states, reached = two_chart_run(tree, *start, STEP, STEPS, ZYX)
    poses = [body_poses(tree, two_charts.chart_configuration(tree, state)[0])[0] for state in states]
    gaps = [float(ZYX.distance(se3.rotation(g))) for g in poses]
    assert {state.chart.sequence for state in states} == {"zyx", "zxy"}
    assert min(gaps) < 1e-6
    assert gaps[0] > 0.5
    assert gaps[-1] > 0.5
    assert np.max(np.abs(reached - group_solution(tree, *start, STEP * STEPS))) < 1e-5


@pytest.mark.long
def test_one_chart_fails_where_two_pass():
    """The vertical lies in the middle of step 21: there one chart leaves the solution, two do not."""
    tree, q, v = pitching_system(np.pi / 2)
    back, _ = two_chart_run(tree, q, v, -STEP / 2, 41)
    q, v = two_charts.chart_configuration(tree, back[-1])
    x = euler_angles.coordinates(tree, q)
    one = np.concatenate([x, euler_angles.coordinate_rates(x, v)])
    for _ in range(21):
        one = rk4_step(lambda y: euler_angles.euler_rates(tree, y, np.zeros(tree.nv), SPACE), one, STEP)
    x, x_dot = one[: tree.nv], one[tree.nv :]
    fixed = np.concatenate([euler_angles.configuration(tree, x), euler_angles.velocity(x, x_dot)])
    _, two = two_chart_run(tree, q, v, STEP, 21, ZYX)
    reference = group_solution(tree, q, v, 21 * STEP)
    assert np.max(np.abs(two - reference)) < 1e-5
    assert np.max(np.abs(fixed - reference)) > 0.1


def test_switching_keeps_the_state():
    tree, steep, v = pitching_system(1.4)
    state = two_charts.chart_state(tree, steep, v, ZYX)
    moved = two_charts.switched(tree, state)
    assert moved.chart is ZXY
    for ours, same in zip(two_charts.chart_configuration(tree, moved), (steep, v), strict=True):
        np.testing.assert_allclose(ours, same, atol=1e-13)


def test_projection_keeps_the_group_to_rounding():
    """Without it RᵀR leaves 1 with the integrator's error; with it, some roundings at every step, for all joints.

    LAPACK's factors of a 3×3 matrix are orthogonal to a few roundings each, and how many depends on the library.
    """
    tree = random_tree(14, ("Free", "Revolute", "Spherical", "Planar"))
    q, v, tau = random_state(tree, 14)
    y = projected = np.concatenate([q, 2 * v])
    for _ in range(20):
        y = rk4_step(lambda y: projection.matrix_rates(tree, y, tau, GRAVITY), y, 0.02)
        projected = projection.projected_step(tree, projected, tau, GRAVITY, 0.02)
        assert projection.group_defect(tree, projected[: tree.nq]) < 16 * np.finfo(float).eps
    assert projection.group_defect(tree, y[: tree.nq]) > 1e-8


def test_projection_follows_the_group_solution():
    tree, q, v = pitching_system(1.4)
    y = np.concatenate([q, v])
    for _ in range(20):
        y = projection.projected_step(tree, y, np.zeros(tree.nv), SPACE, 0.02)
    assert np.max(np.abs(y - group_solution(tree, q, v, 0.4))) < 1e-5


def test_quaternions_follow_the_group_solution():
    tree, q, v = pitching_system(1.4)
    y = quaternion.quaternion_state(tree, q, v)
    y = rk4(lambda y: quaternion.quaternion_rates(tree, y, np.zeros(tree.nv), SPACE), y, 0.02, 20)
    reached = np.concatenate(quaternion.quaternion_configuration(tree, y))
    assert np.max(np.abs(reached - group_solution(tree, q, v, 0.4))) < 1e-5


def test_stored_rates_are_those_of_retract():
    tree = random_tree(15, ("Free", "Spherical", "Planar", "Universal", "Helical"))
    q, v, _ = random_state(tree, 15)
    h, stencil = 1e-3, [(4 / 5, 1), (-1 / 5, 2), (4 / 105, 3), (-1 / 280, 4)]
    slope = sum(w * (retract(tree, q, k * h * v) - retract(tree, q, -k * h * v)) for w, k in stencil) / h
    np.testing.assert_allclose(projection.configuration_rates(tree, q, v), slope, atol=1e-11)


def test_rk4_has_order_four():
    errors = [abs(rk4(lambda y: -y, np.array([1.0]), 1 / n, n)[0] - np.exp(-1)) for n in (20, 40)]
    assert 3.9 < np.log2(errors[0] / errors[1]) < 4.1


def test_batches_give_what_single_samples_give():
    tree, q, v, tau = system(16, batch=(2, 3))
    x = euler_angles.coordinates(tree, q)
    x_dot = euler_angles.coordinate_rates(x, v)
    y, z = quaternion.quaternion_state(tree, q, v), np.concatenate([q, v], axis=-1)
    all_at_once = (
        euler_angles.euler_rates(tree, np.concatenate([x, x_dot], axis=-1), tau, GRAVITY),
        quaternion.quaternion_rates(tree, y, tau, GRAVITY),
        projection.projected_step(tree, z, tau, GRAVITY, 0.01),
    )
    i = (1, 2)
    one = (
        euler_angles.euler_rates(tree, np.concatenate([x[i], x_dot[i]]), tau[i], GRAVITY),
        quaternion.quaternion_rates(tree, y[i], tau[i], GRAVITY),
        projection.projected_step(tree, z[i], tau[i], GRAVITY, 0.01),
    )
    for many, single in zip(all_at_once, one, strict=True):
        assert relative(many[i], single) < 1e-12


def test_rates_can_be_traced():
    tree = random_tree(17, ("Free", "Revolute", "Helical"))
    q, v, tau = random_state(tree, 17)
    x = euler_angles.coordinates(tree, q)
    state = np.concatenate([x, euler_angles.coordinate_rates(x, v)])
    cases = (
        (lambda s, t: euler_angles.euler_rates(tree, s, t, GRAVITY), state),
        (
            lambda s, t: quaternion.quaternion_rates(tree, s, t, GRAVITY),
            quaternion.quaternion_state(tree, q, v),
        ),
        (lambda s, t: projection.matrix_rates(tree, s, t, GRAVITY), np.concatenate([q, v])),
    )
    for rates, s in cases:
        traced = trace(rates, s.shape, tau.shape)
        assert relative(evaluate(traced, s, tau), rates(s, tau)) < 1e-12


def test_other_systems_are_refused():
    for kinds, vehicles, given in (
        (("Planar", "Revolute"), 1, "Planar"),
        (("Free", "Free"), 2, "b1"),
        (("Free", "Spherical"), 1, "Spherical"),
    ):
        tree = random_tree(18, kinds, vehicles=vehicles)
        q = neutral(tree)
        with pytest.raises(ModelError, match=given):
            euler_angles.coordinates(tree, q)
        with pytest.raises(ModelError, match=given):
            quaternion.quaternion_state(tree, q, np.zeros(tree.nv))
    with pytest.raises(ValueError, match="zyz"):
        EulerChart("zyz")
