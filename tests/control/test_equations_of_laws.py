"""Laws by the equations that they promise, of the own poses, Jacobians and forces of a plant."""

import numpy as np
import pytest
from tests.control.test_tool_laws import PLANT, SYSTEM, bent, moving

import unmoored as um
from unmoored.control.pose_targets import pose_motion
from unmoored.lie import se3
from unmoored.sensing import Signal
from unmoored.worlds import Seen

K, D = np.array([30.0, 40.0, 50.0, 6.0, 7.0, 8.0]), np.array([9.0, 8.0, 7.0, 3.0, 2.5, 2.0])
EARTH = um.Plant(SYSTEM, um.Earth())
T = 0.8


def seen_from(g, V, path, t=T):
    """(e, V_r − V, V̇_r) of a frame at g with twist V toward a path: e = log(g⁻¹g_d), V_r = Ad V_d, V̇_r = Ad V̇_d."""
    target = path.at(t)
    g_e = se3.inverse(g) @ target.pose
    return se3.log(g_e), se3.Ad(g_e) @ target.twist - V, se3.Ad(g_e) @ target.twist_rate


def frame(name, q, v):
    return SYSTEM.pose(q, name), SYSTEM.jacobian(q, name) @ v


def path_near(name, q):
    g = SYSTEM.pose(q, name) @ se3.exp(np.array([0.1, -0.2, 0.15, 0.3, -0.2, 0.25]))
    return um.ScrewPath([0.0, 2.0], [g, g @ se3.exp(np.array([0.3, 0.2, -0.4, 0.5, -0.3, 0.2]))])


@pytest.mark.parametrize("compensation", [True, False])
def test_station_keeping_is_a_spring_and_a_damper_at_the_vehicle(compensation):
    q, v = bent()
    path = path_near("bus", q)
    law = um.StationKeeping(EARTH, "bus", path, K, D, compensation=compensation)
    e, rate, _ = seen_from(*frame("bus", q, v), path)
    expected = np.r_[K * e + D * rate, np.zeros(7)]
    expected[:6] += EARTH.holding_forces(T, q)[:6] * compensation
    np.testing.assert_allclose(law(T, q, v), expected, atol=1e-10)


@pytest.mark.parametrize("compensation", [True, False])
def test_link_keeping_does_the_work_of_its_wrench_by_the_joints_below_the_body(compensation):
    q, v = bent()
    path = path_near("fore", q)
    law = um.LinkKeeping(EARTH, "fore", path, K, D, compensation=compensation)
    e, rate, _ = seen_from(*frame("fore", q, v), path)
    driven = np.r_[np.zeros(6), np.ones(4), np.zeros(3)]  # not the vehicle, nor the hand above the body
    expected = SYSTEM.jacobian(q, "fore").T @ (K * e + D * rate)
    expected += EARTH.holding_forces(T, q) * compensation
    np.testing.assert_allclose(law(T, q, v), driven * expected, atol=1e-10)


@pytest.mark.parametrize("compensation", [True, False])
def test_joints_are_pulled_to_places_and_along_references(compensation):
    """In whatever order they are told: a ball joint that rests, one that turns, and an elbow between them."""
    q, v = bent()
    rest, elbow = um.Pose(rpy=(0.2, 0.5, -0.3)), um.Sine(0.4, 2.0, phase=0.3)
    turning = um.ScrewPath([0.0, 2.0], [np.eye(4), se3.exp(np.array([0, 0, 0, 0.5, -0.7, 0.4]))])
    stiff, damp = np.arange(10.0, 17.0), np.arange(3.0, 10.0)
    law = um.JointPD(
        EARTH, {"hand": turning, "upper": rest, "fore": elbow}, stiff, damp, compensation=compensation
    )
    below = {name: SYSTEM.tree.link(name).joint for name in ("upper", "fore", "hand")}
    q_of = {name: q[SYSTEM.tree.link(name).q] for name in below}
    ball, twist = below["hand"].transform(q_of["hand"]), np.r_[np.zeros(3), v[10:]]
    e, rate, _ = seen_from(ball, twist, turning)
    x, x_dot, _ = (part[0] for part in elbow.at(T))
    e_upper = se3.log(se3.inverse(below["upper"].transform(q_of["upper"])) @ rest.matrix)[3:]
    errors = np.r_[e_upper, x - q_of["fore"], e[3:]]
    rates = np.r_[-v[6:9], x_dot - v[9], rate[3:]]
    expected = stiff * errors + damp * rates + EARTH.holding_forces(T, q)[6:] * compensation
    np.testing.assert_allclose(law(T, q, v), np.r_[np.zeros(6), expected], atol=1e-10)


def test_a_vehicle_in_reaction_mode_is_pushed_by_what_is_beyond_its_bounds():
    """Beyond one of them, both, or none; the damper acts along what is pushed alone."""
    q, v = bent()
    g, V = frame("bus", q, v)
    ξ = np.array([0.3, -0.4, 1.2, 0.2, 0.4, -0.4])  # 1.3 m and 0.6 rad
    goal = g @ se3.exp(ξ)
    for far, turned in ((0.5, 0.2), (0.5, 0.7), (1.4, 0.2), (1.4, 0.7), (0.0, 0.0)):
        law = um.ReactionMode(EARTH, "bus", goal, K, D, position_bound=far, angle_bound=turned)
        length = np.array([np.linalg.norm(ξ[:3])] * 3 + [np.linalg.norm(ξ[3:])] * 3)
        share = np.maximum(1.0 - np.repeat([far, turned], 3) / length, 0.0)
        np.testing.assert_allclose(law(T, q, v)[:6], K * share * ξ - (share > 0) * D * V, atol=1e-10)


def test_resolved_motion_asks_for_the_twist_of_its_target_and_what_is_missing():
    """(V_r + rate e − V_0) by the damped inverse of the generalized Jacobian; forces are inertia times bandwidth."""
    q, v = bent()
    path, rate, w = path_near("tip", q), np.arange(1.0, 7.0), np.arange(7.0, 14.0)
    law = um.ResolvedMotion(PLANT, "tip", path, ["bus"], rate=rate, bandwidth=w, regularization=0.3)
    J = SYSTEM.generalized_jacobian(q, "tip", passive=["bus"])
    g, V = frame("tip", q, v)
    e, off, _ = seen_from(g, V, path)
    task = (off + V) + rate * e - (V - J @ v[6:])
    wanted = J.T @ np.linalg.solve(J @ J.T + 0.09 * np.eye(6), task)
    M = SYSTEM.mass_matrix(q)
    S = M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:])
    np.testing.assert_allclose(law(T, q, v), np.r_[np.zeros(6), S @ (w * (wanted - v[6:]))], atol=1e-9)


def reading(g, V, stamp):
    return {"unit": Signal(np.r_[g[:3, :3].ravel(), g[:3, 3], V], 1.0, stamp)}


@pytest.mark.parametrize("rows", [(0, 1, 2, 3, 4, 5), (5, 1, 3)])
def test_a_tool_on_a_ship_is_held_by_what_is_known_of_the_ship(rows):
    """q̇_w = J⁺(rate e + V_r − J_b u) within ± fastest, a = bandwidth (q̇_w − q̇) + J⁺(V̇_r − J_b u̇): all of the ship
    is what its unit read some time ago, and forces are those of the plant there."""
    q, v = bent()
    path, w, chosen = path_near("tip", q), np.arange(7.0, 14.0), list(rows)
    ship = SYSTEM.pose(q, "bus") @ se3.exp(0.1 * np.arange(6.0))
    u, ω, lead = np.array([0.2, -0.1, 0.3, 0.15, -0.2, 0.1]), 0.9, 0.25
    mean = ship @ se3.exp(0.2 * np.arange(5.0, -1.0, -1.0) / 5)
    fastest = np.array([9.0, 9.0, 0.02, 9.0, 9.0, 0.03, 9.0])
    law = um.WorldFixedTool(
        EARTH, "tip", path, "bus", "unit", rows=rows, frequency=ω, mean=mean, rate=1.7, bandwidth=w, lead=lead,
        fastest=fastest, damping=0.2,
    )  # fmt: skip
    tau, memory = law(Seen(T, q, v, y=reading(ship, u, T - 0.15), period=0.01), {})
    ξ, after = se3.log(se3.inverse(mean) @ ship), 0.15 + lead
    ξ_dot = np.linalg.solve(se3.dexp(ξ), u)
    later = np.cos(ω * after) * ξ + np.sin(ω * after) / ω * ξ_dot
    u_then = se3.dexp(later) @ (np.cos(ω * after) * ξ_dot - ω * np.sin(ω * after) * ξ)
    u_dot = -(ω**2) * se3.dexp(later) @ later
    there = SYSTEM.pack({"bus": mean @ se3.exp(later)})
    there, moves = np.r_[there[: len(there) - len(q) + 12], q[12:]], np.r_[u_then, v[6:]]
    J = SYSTEM.jacobian(there, "tip")
    e, _, ahead = seen_from(SYSTEM.pose(there, "tip"), np.zeros(6), path)
    V_r = se3.Ad(se3.inverse(SYSTEM.pose(there, "tip")) @ path.at(T).pose) @ path.at(T).twist
    J_q, J_b = J[chosen, 6:], J[chosen, :6]
    inverse = J_q.T @ np.linalg.inv(J_q @ J_q.T + 0.04 * np.eye(len(rows)))
    speeds = inverse @ ((1.7 * e + V_r)[chosen] - J_b @ u_then)
    assert (np.abs(speeds) > fastest).any()
    a = w * (np.clip(speeds, -fastest, fastest) - v[6:]) + inverse @ (ahead[chosen] - J_b @ u_dot)
    expected = EARTH.inverse_dynamics(T, there, moves, np.r_[u_dot, a])
    np.testing.assert_allclose(tau, np.r_[np.zeros(6), expected[6:]], rtol=1e-9, atol=1e-9)
    assert memory == {}


def test_before_anything_was_read_the_ship_is_at_its_mean_pose():
    q, v = bent()
    mean = SYSTEM.pose(q, "bus") @ se3.exp(0.1 * np.arange(6.0))
    law = um.WorldFixedTool(EARTH, "tip", path_near("tip", q), "bus", "unit", mean=mean)
    nothing = {"unit": Signal(np.zeros(18), 1.0, 0.0)}
    blind = law(Seen(T, q, v, y=nothing, period=0.01), {})[0]
    rest = law(Seen(T, q, v, y=reading(mean, np.zeros(6), 0.0), period=0.01), {})[0]
    np.testing.assert_allclose(blind, rest, atol=1e-9)


def test_a_ship_that_heaves_only_is_known_by_one_number():
    """A load on a winch of a platform that goes up and down: the same as on a free ship at that height."""

    def hoist(joint):
        b = um.SystemBuilder("hoist")
        deck = b.vehicle("deck", joint, inertia=um.Inertia.box(1e4, (20, 6, 3)))
        box = um.Inertia.box(50.0, (1, 1, 1))
        b.link("load", parent=deck, joint=um.Prismatic((0, 0, 1)), at=um.Pose(xyz=(0, 0, 4)), inertia=box)
        return um.Plant(b.build(), um.Earth())

    ship, u = um.Pose(xyz=(0.0, 0.0, 0.4)).matrix, np.array([0, 0, 0.3, 0, 0, 0])
    found = []
    for joint, q, v in (
        (um.Prismatic((0, 0, 1)), [0.1, 0.2], [0.5, 0.6]),
        (um.Free(), None, [0] * 6 + [0.6]),
    ):
        plant = hoist(joint)
        q = np.array(q) if q else np.r_[plant.system.neutral()[:12], 0.2]
        law = um.WorldFixedTool(plant, "load", um.Pose(xyz=(0, 0, 4.3)), "deck", "unit", rows=(2,))
        found.append(law(Seen(T, q, np.array(v, dtype=float), y=reading(ship, u, T), period=0.01), {})[0])
    assert found[0][-1] == pytest.approx(found[1][-1], rel=1e-9)
    assert abs(found[0][-1]) > 1.0
    assert np.all(found[0][:-1] == 0.0)


def test_a_tumbling_body_is_braked_against_its_momentum():
    """Torque −n_max L/|L| in the vehicle's axes, and less in proportion where |L| is below the band."""
    q, v = bent()
    L = SYSTEM.pose(q, "bus")[:3, :3].T @ SYSTEM.momentum(q, v, about="com")[3:]
    size = np.linalg.norm(L)
    for band, share in ((0.1 * size, 1.0), (4.0 * size, 0.25)):
        law = um.Detumbling(PLANT, "bus", 0.7, band=band)
        tau, memory = law(Seen(T, q, v, period=0.01), {})
        np.testing.assert_allclose(tau, np.r_[np.zeros(3), -0.7 * share * L / size, np.zeros(7)], atol=1e-12)
        assert memory == {}


def test_a_tool_that_is_with_its_target_stays_with_it():
    """Where the frame is on its target and moves with it, what is asked for is the target's own acceleration."""
    q, v = bent()
    path = moving(q)
    law = um.ToolTracking(PLANT, "tip", path, rate=2.0, bandwidth=9.0)
    off = law.error(T, q, v)
    J = SYSTEM.jacobian(q, "tip")
    at = um.Relative(path, se3.inverse(path.at(T).pose) @ SYSTEM.pose(q, "tip"))
    there = um.ToolTracking(PLANT, "tip", at, rate=2.0, bandwidth=9.0)
    v = v + np.linalg.pinv(J) @ there.error(T, q, v).rate
    a = PLANT.forward_dynamics(T, q, v, there(T, q, v))
    wanted = SYSTEM.acceleration(q, v, a, "tip")
    np.testing.assert_allclose(wanted, pose_motion(PLANT, at, T).twist_rate, atol=1e-9)
    assert np.abs(off.rate).max() > 0.1


@pytest.mark.parametrize("softened", [0.0, 0.4])
def test_joints_do_what_the_posture_wants_as_far_as_the_tool_allows(softened):
    """a = a_0 + S⁻¹J_GᵀΛ(V̇ − b − J_G a_0), Λ = (J_G S⁻¹J_Gᵀ + λ²)⁻¹, on a bus that floats; a_0 of two joints."""
    q, v = bent()
    path, k, w = path_near("tip", q), np.arange(1.0, 7.0), np.arange(9.0, 3.0, -1.0)
    rest = um.Pose(rpy=(0.2, 0.5, -0.3))
    law = um.ToolTracking(
        PLANT, "tip", path, passive=["bus"], posture={"fore": 0.3, "upper": rest}, posture_stiffness=7.0,
        posture_damping=3.0, regularization=softened, rate=k, bandwidth=w,
    )  # fmt: skip
    a = PLANT.forward_dynamics(T, q, v, law(T, q, v))
    M, J = SYSTEM.mass_matrix(q), SYSTEM.generalized_jacobian(q, "tip", passive=["bus"])
    S = M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:])
    b = SYSTEM.acceleration(q, v, a, "tip") - J @ a[6:]
    a_0 = -3.0 * v[6:] + 7.0 * SYSTEM.local(q, SYSTEM.pack({"fore": 0.3, "upper": rest.matrix}))[6:]
    a_0[4:] = -3.0 * v[10:]  # the hand has no place
    off = law.error(T, q, v)
    e = se3.log(off.pose)
    wanted = off.acceleration + k * (se3.dexp_inv(-e) @ off.rate) + w * (off.rate + k * e)
    back = np.linalg.solve(S, J.T)
    Λ = np.linalg.inv(J @ back + softened**2 * np.eye(6))
    np.testing.assert_allclose(a[6:], a_0 + back @ (Λ @ (wanted - b - J @ a_0)), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(law.mobility(q), J @ back, atol=1e-11)
    if softened:
        assert np.abs(b + J @ a[6:] - wanted).max() > 1e-2


def test_a_tool_that_gives_way_does_so_as_its_own_inertia_does():
    """Without a mass of its own and without a sensor: V̇ = V̇_r + J S⁻¹Jᵀ(K_D Ṽ + f), also along some directions."""
    q, v = bent()
    options = {"stiffness": [200, 220, 240, 20, 22, 24], "damping": [80, 85, 90, 9, 10, 11]}
    for directions in (("x", "y", "z", "rx", "ry", "rz"), ("z", "rx")):
        law = um.ToolImpedance(
            PLANT, "tip", path_near("tip", q), **options, passive=["bus"], directions=directions
        )
        a = SYSTEM.acceleration(q, v, PLANT.forward_dynamics(T, q, v, law(T, q, v)), "tip")
        off, places = law.error(T, q, v), list(law.places)
        push = np.array(options["damping"]) * off.rate + law.spring(off).force
        yielding = law.mobility(q)[np.ix_(places, places)] @ push[places]
        np.testing.assert_allclose(a[places], off.acceleration[places] + yielding, atol=1e-8)


def test_a_drone_is_lifted_by_the_force_that_its_place_calls_for():
    """T = z·m (ẍ_d + D ė + K e − γ) of the centre of mass, which is the body's own where there is no arm."""
    b = um.SystemBuilder("drone")
    b.vehicle("drone", um.Free(), inertia=um.Inertia.box(2.5, (0.4, 0.4, 0.1)), at=um.Pose((0.3, -0.2, 0.5)))
    plant = um.Plant(b.build(), um.Earth())
    q = plant.system.retract(plant.system.neutral(), np.array([0.4, -0.3, 0.2, 0.3, -0.2, 0.5]))
    v = np.array([0.3, -0.2, 0.1, 0.4, 0.5, -0.6])
    way, K, D = (
        um.Sine([0.5, 0.4, 0.3], [3.0, 4.0, 5.0], phase=[0.0, 0.5, 1.0]),
        [4.0, 5.0, 6.0],
        [3.0, 2.5, 2.0],
    )
    law = um.ThrustVectoring(plant, {}, "drone", way, 0.3, stiffness=K, damping=D)
    g, twist = plant.system.pose(q, "drone"), v
    x, x_dot, x_ddot = (part[0] for part in way.at(np.array([T])))
    R = g[:3, :3]
    force = 2.5 * (x_ddot + D * (x_dot - R @ twist[:3]) + K * (x - g[:3, 3]) + [0.0, 0.0, 9.81])
    tau = law(T, q, v)
    assert tau[2] == pytest.approx(R[:, 2] @ force, rel=1e-12)
    assert np.all(tau[:2] == 0.0)
