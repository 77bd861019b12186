"""Rolling vehicles by reduction, against Lagrange multipliers and closed forms (docs/theory.md §13)."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.group_integration import integrate
from tests.support.random_trees import random_state, random_tree
from tests.support.rolling_vehicles import CASES, R_WHEEL, ball, car, rover

from unmoored.dynamics.closed_form.closed_form_dynamics import bias_forces
from unmoored.dynamics.closed_form.coriolis import coriolis_matrix
from unmoored.dynamics.closed_form.mass_matrix_from_jacobians import mass_matrix, mass_matrix_derivatives
from unmoored.dynamics.configuration import retract
from unmoored.dynamics.energy import kinetic_energy
from unmoored.dynamics.nonholonomic import (
    Car,
    ChaplyginSleigh,
    DifferentialDrive,
    OmniDrive,
    RollingBall,
    constrained_coriolis_matrix,
    constrained_forward_dynamics,
    constrained_mass_matrix,
    constrained_velocity,
    embedding,
    embedding_rate,
    independent_speeds,
    speed_names,
)
from unmoored.model import Body, Free, Inertia, ModelError, Planar, Pose, Tree
from unmoored.system import System
from unmoored.trace import evaluate, jacobian, trace

GRAVITY = np.array([1.0, 0.5, -9.7])


def relative(a, b):
    return np.abs(a - b).max() / max(1e-300, np.abs(b).max())


def multipliers(tree, q, v, tau, rows, gravity, wrenches):
    """(a, Aᵀλ) of [[M, −Aᵀ], [A, 0]](a; λ) = (τ − C v − n; −Ȧ v), Ȧ differentiated exactly."""
    A = rows(tree, q)
    traced = trace(lambda ε: rows(tree, retract(tree, q, ε[0] * v)), (1,))
    A_dot = evaluate(jacobian(traced), np.zeros(1))[..., 0]
    k = len(A)
    matrix = np.block([[mass_matrix(tree, q), -A.T], [A, np.zeros((k, k))]])
    right = np.concatenate([tau - bias_forces(tree, q, v, gravity, wrenches), -A_dot @ v])
    solution = np.linalg.solve(matrix, right)
    return solution[: tree.nv], A.T @ solution[tree.nv :]


every_case = pytest.mark.parametrize(("tree", "constraint", "rows"), CASES.values(), ids=CASES)


@every_case
def test_embedding_spans_what_the_constraint_leaves(tree, constraint, rows):
    q, v, _ = random_state(tree, 3)
    P = embedding(tree, q, [constraint])
    A = rows(tree, q)
    assert np.abs(A @ P).max() < 1e-13
    assert np.linalg.matrix_rank(P) == P.shape[1] == tree.nv - np.linalg.matrix_rank(A)
    s = independent_speeds(tree, q, v, [constraint])
    kept = constrained_velocity(tree, q, s, [constraint])
    assert relative(independent_speeds(tree, q, kept, [constraint]), s) < 1e-13
    assert len(speed_names(tree, [constraint])) == P.shape[1]


@every_case
def test_embedding_rate_against_exact_differentiation(tree, constraint, rows):
    q, v, _ = random_state(tree, 4)
    along = trace(lambda ε: embedding(tree, retract(tree, q, ε[0] * v), [constraint]), (1,))
    exact = evaluate(jacobian(along), np.zeros(1))[..., 0]
    assert np.abs(embedding_rate(tree, q, v, [constraint]) - exact).max() < 1e-14


@every_case
def test_same_motion_as_with_multipliers(tree, constraint, rows):
    q, v, tau = random_state(tree, 5)
    v = constrained_velocity(tree, q, independent_speeds(tree, q, v, [constraint]), [constraint])
    wrenches = {"tool": np.array([1.0, -2.0, 0.5, 0.3, 0.2, -0.6])}
    motion = constrained_forward_dynamics(tree, q, v, tau, GRAVITY, wrenches, [constraint])
    a, reaction = multipliers(tree, q, v, tau, rows, GRAVITY, wrenches)
    assert relative(motion.acceleration, a) < 1e-11
    assert relative(motion.reaction, reaction) < 1e-11
    assert abs(motion.reaction @ v) < 1e-12 * np.abs(motion.reaction).max()


@every_case
def test_putting_the_embedding_into_the_mass_matrix_alone_is_wrong(tree, constraint, rows):
    """Errata F27: Ṁ_r and ½[sᵀ∂M_r s] of M_r = PᵀMP miss the bracket with the forbidden momentum."""
    q, v, _ = random_state(tree, 6)
    P = embedding(tree, q, [constraint])
    s = independent_speeds(tree, q, v, [constraint])
    v = P @ s
    motion = constrained_forward_dynamics(tree, q, v, 0 * v, np.zeros(3), None, [constraint])

    def inertia(ε):
        moved = retract(tree, q, embedding(tree, q, [constraint]) @ ε)
        return constrained_mass_matrix(tree, moved, [constraint])

    dM = evaluate(jacobian(trace(inertia, (len(s),))), np.zeros(len(s)))
    bias = np.einsum("ijk,k,j->i", dM, s, s) - 0.5 * np.einsum("ijk,i,j->k", dM, s, s)
    bare = np.linalg.solve(constrained_mass_matrix(tree, q, [constraint]), -bias)
    assert relative(bare, motion.speed_rates) > 0.01


@every_case
def test_coriolis_matrix_is_skew_with_the_inertia_and_gives_the_motion(tree, constraint, rows):
    q, v, tau = random_state(tree, 7)
    P = embedding(tree, q, [constraint])
    s = independent_speeds(tree, q, v, [constraint])
    v = P @ s
    C = constrained_coriolis_matrix(tree, q, v, [constraint])
    P_dot = embedding_rate(tree, q, v, [constraint])
    M = mass_matrix(tree, q)
    M_dot = np.einsum("kij,k->ij", mass_matrix_derivatives(tree, q), v)
    half = P_dot.T @ M @ P
    defect = P.T @ M_dot @ P + half + half.T - 2 * C
    assert np.abs(defect + defect.T).max() < 1e-12 * np.abs(C).max()
    motion = constrained_forward_dynamics(tree, q, v, tau, np.zeros(3), None, [constraint])
    assert relative(P.T @ M @ P @ motion.speed_rates + C @ s, P.T @ tau) < 1e-11


def test_bracket_of_the_unicycle():
    """C_LC-free check of K_nh = [[0, −p_y], [p_y, 0]] with the lateral momentum of vehicle and arm."""
    tree = rover(Planar(), wheels=False)
    tree = replace(tree, frames=(replace(tree.frames[0], at=Pose()), tree.frames[1]))
    q, v, _ = random_state(tree, 8)
    constraint = DifferentialDrive("rover")
    v = constrained_velocity(tree, q, independent_speeds(tree, q, v, [constraint]), [constraint])
    P = embedding(tree, q, [constraint])
    p = mass_matrix(tree, q) @ v
    dM = mass_matrix_derivatives(tree, q)
    n = P.shape[1]
    M_dot, W = np.einsum("kij,k->ij", dM, v), np.einsum("kij,j->ik", dM, v)
    K = np.zeros((n, n))
    K[0, 1], K[1, 0] = -p[1], p[1]
    joints = coriolis_matrix(tree, q, v, "simple")[3:, 3:] - 0.5 * (M_dot + W - W.T)[3:, 3:]
    K[2:, 2:] = joints  # the brackets of the arm's own ball joint
    assembled = P.T @ (0.5 * (M_dot + W - W.T)) @ P + K
    s = independent_speeds(tree, q, v, [constraint])
    ours = constrained_coriolis_matrix(tree, q, v, [constraint]) @ s
    assert relative(assembled @ s, ours) < 1e-12


def sleigh(a=0.4, m=3.0, J=0.7):
    body = Body(name="sleigh", parent="world", joint=Planar(), inertia=Inertia(m, (a, 0, 0), (J, J, J)))
    return System(Tree(name="sleigh", bodies=(body,)))


def test_chaplygin_sleigh_closed_form():
    """v̇ = aω², (J + ma²)ω̇ = −m a v ω; bare substitution would give no acceleration at all."""
    a, m, J = 0.4, 3.0, 0.7
    system = sleigh(a, m, J)
    for speed, rate in ((1.3, -0.8), (-0.4, 2.0)):
        motion = constrained_forward_dynamics(
            system.tree, system.neutral(), np.array([speed, 0, rate]), np.zeros(3), np.zeros(3), None,
            [ChaplyginSleigh("sleigh")],
        )  # fmt: skip
        expected = [a * rate**2, -m * a * speed * rate / (J + m * a**2)]
        assert np.abs(motion.speed_rates - expected).max() < 1e-15
        assert np.abs(motion.acceleration - [expected[0], 0, expected[1]]).max() < 1e-15


def test_chaplygin_sleigh_trajectory():
    """With k² = J/m + a² the sleigh moves on v² + k²ω² = E² as v = E tanh(aEt/k² + c), kω = E sech(…)."""
    a, m, J = 0.4, 3.0, 0.7
    system = sleigh(a, m, J)
    constraint, k = ChaplyginSleigh("sleigh"), np.sqrt(J / m + a**2)
    E, c = 1.2, -0.9

    def rates(t, q, s):
        v = np.array([s[0], 0.0, s[1]])
        return v, system.constrained_forward_dynamics(q, v, np.zeros(3), [constraint]).speed_rates

    start = np.array([E * np.tanh(c), E / np.cosh(c) / k])
    T = 2.0
    _, s = integrate(system, system.neutral(), start, rates, T, 400)
    x = a * E * T / k**2 + c
    assert np.abs(s - [E * np.tanh(x), E / np.cosh(x) / k]).max() < 1e-10


def test_rolling_ball_closed_form():
    """A homogeneous ball on a slope: the centre accelerates with 5/7 of gravity along it, and rolls without spin."""
    r, m = 0.3, 2.0
    normal = np.array([np.sin(0.3), 0, np.cos(0.3)])
    body = Body(name="ball", parent="world", joint=Free(), inertia=Inertia.sphere(m, r))
    tree = Tree(name="ball", bodies=(body,))
    q, v, _ = random_state(tree, 9)
    constraint = RollingBall("ball", r, normal=normal)
    g = np.array([0, 0, -9.81])
    v = constrained_velocity(tree, q, v[3:], [constraint])
    motion = constrained_forward_dynamics(tree, q, v, np.zeros(6), g, None, [constraint])
    R = q[:9].reshape(3, 3)
    acceleration = R @ (motion.acceleration[:3] + np.cross(v[3:], v[:3]))
    along = g - (g @ normal) * normal
    assert np.abs(acceleration - 5 / 7 * along).max() < 1e-13
    assert abs(normal @ R @ motion.acceleration[3:]) < 1e-13


@pytest.mark.parametrize("name", ["planar rover", "car", "ball"])
def test_energy_balance_along_the_motion(name):
    tree, constraint, rows = CASES[name]
    system = System(tree)
    q, v, tau = random_state(tree, 10)
    s0 = independent_speeds(tree, q, 0.5 * v, [constraint])

    def rates(t, q, y):
        v = system.embedding(q, [constraint]) @ y[:-1]
        motion = system.constrained_forward_dynamics(q, v, tau, [constraint])
        return v, np.append(motion.speed_rates, v @ tau)  # the last entry is the work of tau

    q1, y = integrate(system, q, np.append(s0, 0.0), rates, 0.2, 200)
    v0, v1 = (system.embedding(x, [constraint]) @ s for x, s in ((q, s0), (q1, y[:-1])))
    gained = kinetic_energy(tree, q1, v1) - kinetic_energy(tree, q, v0)
    assert abs(gained - y[-1]) < 1e-8 * kinetic_energy(tree, q1, v1)
    assert np.abs(rows(tree, q1) @ v1).max() < 1e-12


def test_two_constrained_vehicles_in_one_system():
    first, second = rover(Planar(), 11, wheels=False), ball(12)
    second = replace(
        second, bodies=tuple(_other(b) for b in second.bodies), frames=tuple(_other(f) for f in second.frames)
    )
    tree = Tree(name="two", bodies=(*first.bodies, *second.bodies), frames=(*first.frames, *second.frames))
    constraints = [RollingBall("2ball", R_WHEEL, "2centre"), DifferentialDrive("rover", "axle")]
    q, v, tau = random_state(tree, 13)
    motion = constrained_forward_dynamics(tree, q, v, tau, GRAVITY, None, constraints)
    n1, q1 = first.nv, first.nq
    alone = constrained_forward_dynamics(first, q[:q1], v[:n1], tau[:n1], GRAVITY, None, constraints[1:])
    assert relative(motion.acceleration[:n1], alone.acceleration) < 1e-12
    beside = constrained_forward_dynamics(second, q[q1:], v[n1:], tau[n1:], GRAVITY, None, constraints[:1])
    assert relative(motion.acceleration[n1:], beside.acceleration) < 1e-12
    assert speed_names(tree, constraints)[:5] == ("2ball.wx", "2ball.wy", "2ball.wz", "rover.vx", "rover.wz")
    with pytest.raises(ModelError, match=r"expected each velocity tied once, given rover\.vx in two of them"):
        embedding(tree, q, [DifferentialDrive("rover"), ChaplyginSleigh("rover")])


def _other(part):
    """The part under another name."""
    parent = part.parent if part.parent == "world" else f"2{part.parent}"
    return replace(part, name=f"2{part.name}", parent=parent)


def test_batches_and_kernels():
    for tree, constraint, _ in CASES.values():
        system = System(tree)
        q, v, tau = random_state(tree, 14, (3,))
        batch = system.constrained_forward_dynamics(q, v, tau, [constraint], backend="numpy")
        one = constrained_forward_dynamics(tree, q[1], v[1], tau[1], np.zeros(3), None, [constraint])
        assert relative(batch.acceleration[1], one.acceleration) < 1e-12
    for call in (
        lambda backend: system.constrained_forward_dynamics(q, v, tau, [constraint], backend=backend),
        lambda backend: (system.embedding(q, [constraint], backend=backend),),
        lambda backend: (system.independent_velocity(q, v, [constraint], backend=backend),),
        lambda backend: (system.constrained_mass_matrix(q, [constraint], backend=backend),),
        lambda backend: (system.constrained_coriolis_matrix(q, v, [constraint], backend=backend),),
    ):
        for compiled, plain in zip(call("cpu"), call("numpy"), strict=True):
            assert np.abs(compiled - plain).max() <= 1e-12 * max(1.0, np.abs(plain).max())


CAR, ROVER = car(), rover(Planar())


@pytest.mark.parametrize(
    ("tree", "constraint", "reason"),
    [
        (ROVER, DifferentialDrive("tank"), "DifferentialDrive: unknown vehicle: expected one of rover"),
        (ROVER, DifferentialDrive("rover", "tool"), "unknown frame on rover: expected one of rover, axle"),
        (ROVER, DifferentialDrive("rover", None, ("left",), 0.2), "left: wheel: expected an axis along"),
        (ROVER, DifferentialDrive("rover", "axle", ("b2",), 0.2), "expected a Revolute joint on rover"),
        (CAR, DifferentialDrive("car", "axle", ("fork",), 0.2), "fork: wheel: expected an axis along"),
        (CAR, Car("car", "rear", "axle"), "rear: wheel: expected an axis along"),
        (ROVER, RollingBall("rover", 0.2), "rover: RollingBall: expected a Free joint, given Planar"),
        (
            random_tree(0, ["Spherical"]),
            ChaplyginSleigh("b0"),
            "expected a vehicle joint that can move along",
        ),
        (random_tree(0, ["Universal"]), ChaplyginSleigh("b0"), "expected a joint that is a subgroup"),
    ],
)
def test_misfits_are_refused(tree, constraint, reason):
    q, v, tau = random_state(tree, 0)
    with pytest.raises(ModelError, match=reason):
        constrained_forward_dynamics(tree, q, v, tau, GRAVITY, None, [constraint])


@pytest.mark.parametrize("radius", [None, 0.0, -0.1, np.nan, np.inf, "1", True, 1j])
def test_wheels_have_a_radius(radius):
    """Without wheels there is none, or one that is a radius."""
    for make in (
        lambda radius, *wheels: DifferentialDrive("rover", "axle", wheels, radius),
        lambda radius, *wheels: Car("car", "fork", "axle", wheels, None, radius),
        lambda radius, *wheels: Car("car", "fork", "axle", (), *(wheels or (None,)), radius),
        lambda radius, *wheels: OmniDrive("rover", wheels, radius),
    ):
        with pytest.raises(ModelError, match="radius: expected the radius > 0"):
            make(radius, "left")
        assert make(np.float64(0.2), "left").radius == make(0.2).radius == 0.2
        if radius is None:
            assert make(radius).radius is None
            continue
        with pytest.raises(ModelError, match="radius: expected the radius > 0"):
            make(radius)


def test_a_ball_has_a_size():
    with pytest.raises(ModelError, match="RollingBall: radius: expected > 0 m"):
        RollingBall("ball", 0.0)
