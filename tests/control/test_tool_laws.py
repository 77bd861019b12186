"""Tools that go straight to moving targets, give way as a mass on a spring would, and leave the rest to a posture."""

from functools import cache

import numpy as np
import pytest
from tests.control.tracked_plants import rate_along_motion

import unmoored as um
from unmoored.control.pose_paths import PoseMotion
from unmoored.control.tool_errors import DIRECTIONS, tool_error
from unmoored.dynamics.kinematics import acceleration
from unmoored.lie import se3
from unmoored.model.joints import numbers_from_pose
from unmoored.model.joints.subgroup_joint import pose_from_numbers
from unmoored.sensing import Signal
from unmoored.worlds import Seen


@cache
def floating_arm():
    """A free vehicle with an arm of ball, elbow and ball; seven DoFs with the vehicle passive; a light tip."""
    builder = um.SystemBuilder("floating_arm")
    bus = builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    link = um.Inertia(mass=2.0, com=(0.05, 0, 0.3), tensor=np.diag([0.1, 0.12, 0.05]))
    upper = builder.link(
        "upper", parent=bus, joint=um.Spherical(), at=um.Pose(xyz=(0.2, 0, 0.3)), inertia=link
    )
    elbow = um.Revolute(axis=(0, 1, 0))
    fore = builder.link("fore", parent=upper, joint=elbow, at=um.Pose(xyz=(0, 0, 0.6)), inertia=link)
    hand = builder.link("hand", parent=fore, joint=um.Spherical(), at=um.Pose(xyz=(0, 0, 0.6)), inertia=link)
    speck = um.Inertia(1e-6, (0, 0, 0), 1e-9 * np.eye(3))
    builder.link(
        "tip",
        parent=hand,
        joint=um.Fixed(),
        at=um.Pose(xyz=(0.1, 0, 0.5), rpy=(0.3, 0.2, 0.1)),
        inertia=speck,
    )
    builder.frame("anchor", parent="world", at=um.Pose(xyz=(2.0, 0.5, 1.4)))
    return builder.build()


SYSTEM = floating_arm()
PLANT = um.Plant(SYSTEM, um.Space())
GAINS = {"stiffness": [200, 220, 240, 20, 22, 24], "damping": [80, 85, 90, 9, 10, 11]}


def bent(seed=0, spread=0.4):
    """A shape away from singular ones, and rates of all DoFs: there is momentum."""
    rng = np.random.default_rng(seed)
    turn = {"upper": [0.3, 0.8, -0.2], "hand": [-0.4, 0.7, 0.5]}
    q = SYSTEM.pack({name: se3.exp(np.array([0, 0, 0, *x])) for name, x in turn.items()} | {"fore": 1.2})
    return SYSTEM.retract(q, 0.1 * rng.normal(size=SYSTEM.nv)), spread * rng.normal(size=SYSTEM.nv)


def moving(q):
    """A target near the tip that turns and runs away."""
    g = SYSTEM.pose(q, "tip") @ se3.exp(np.array([0.1, -0.1, 0.15, 0.3, -0.2, 0.25]))
    ξ = np.array([0.1, 0.05, -0.08, 0.2, -0.15, 0.1])
    return um.PoseSpline([0.0, 1.5, 3.0], [g, g @ se3.exp(ξ), g @ se3.exp(ξ) @ se3.exp(0.7 * ξ[::-1])])


def tool_acceleration(plant, q, v, u):
    return acceleration(SYSTEM.tree, q, v, plant.forward_dynamics(0.5, q, v, u), "tip")


@pytest.mark.parametrize("passive", [["bus"]])
def test_errors_of_a_tool_fall_exponentially_whatever_the_momentum(passive):
    """e(t) = e(0) exp(−kt) on a floating vehicle that tumbles, toward a target that turns and accelerates."""
    q, v = bent()
    law = um.ToolTracking(PLANT, "tip", moving(q), passive=passive, rate=1.5, bandwidth=12.0)
    off = law.error(0.5, q, v)
    s = off.rate + 1.5 * se3.log(off.pose)
    v[6:] += np.linalg.pinv(SYSTEM.jacobian(q, "tip")[:, 6:]) @ s  # on s = 0
    assert np.abs(SYSTEM.momentum(q, v)).max() > 1.0
    run = um.simulate(PLANT, q, v, t0=0.5, duration=0.8, step=1e-3, controller=law, record_every=400)
    assert run.completed
    assert run.provenance["controller_in"] == "kernel"
    e = [se3.log(law.error(t, q, v).pose) for t, q, v in zip(run.t, run.q, run.v, strict=True)]
    assert np.abs(e[-1] - np.exp(-1.5 * 0.8) * e[0]).max() < 1e-9
    assert np.abs(e[0]).max() > 0.1
    if passive:
        assert np.abs(run.u[:, :6]).max() == 0
        assert np.abs(run.momentum() - run.momentum()[0]).max() < 1e-9


def test_what_the_posture_does_leaves_the_tool_alone():
    """Dynamically consistent: without the inertia in the projector the tool would move."""
    q, v = bent()
    accelerations, forces = [], []
    for posture, damping in ((None, 0.0), ({"upper": np.eye(4)}, 5.0)):
        law = um.ToolTracking(
            PLANT, "tip", moving(q), posture=posture, posture_stiffness=30.0, posture_damping=damping
        )
        u = law(0.5, q, v)
        forces.append(u)
        accelerations.append(tool_acceleration(PLANT, q, v, u))
    assert np.abs(forces[0] - forces[1]).max() > 1.0
    assert np.abs(accelerations[0] - accelerations[1]).max() < 1e-10
    J = SYSTEM.jacobian(q, "tip")
    plain = np.eye(13) - np.linalg.pinv(J) @ J
    moved = tool_acceleration(PLANT, q, v, forces[0] + plain.T @ np.ones(13)) - accelerations[0]
    assert np.abs(moved).max() > 1e-3


def test_every_sample_may_have_a_posture_of_its_own():
    q, v = bent()
    angles, turns = np.array([[0.2], [0.9]]), np.stack([np.eye(4), um.Pose(rpy=(0.2, 0.5, -0.3)).matrix])

    def law(angle, turn):
        return um.ToolTracking(PLANT, "tip", moving(q), posture={"upper": turn, "fore": angle})

    both = law(angles, turns)(0.5, np.stack([q, q]), np.stack([v, v]))
    for k in range(2):
        np.testing.assert_allclose(both[k], law(angles[k], turns[k])(0.5, q, v), rtol=1e-9, atol=1e-9)
    assert np.abs(both[0] - both[1]).max() > 1e-2


def test_a_posture_of_several_joints_pulls_each_to_its_own():
    """As the whole system is pulled to a configuration with those joints there, whatever their order."""
    (q, v), goal = bent(), SYSTEM.neutral()
    goal = SYSTEM.retract(goal, 0.3 * np.random.default_rng(4).normal(size=SYSTEM.nv))
    poses = SYSTEM.unpack(goal)
    posture = {name: poses[name] for name in ("hand", "fore", "upper")}
    law = um.ToolTracking(
        PLANT,
        "tip",
        moving(q),
        posture=posture,
        posture_stiffness=30.0,
        posture_damping=5.0,
        directions=("x",),
    )
    pull = 30.0 * SYSTEM.local(q, goal)
    pull[:6] = 0.0
    np.testing.assert_allclose(law._posture(q, v), pull - 5.0 * v, atol=1e-12)


@pytest.mark.parametrize("passive", [["bus"], []])
def test_the_tool_gives_way_as_a_mass_on_a_spring(passive):
    """M_d(V̇ − V̇_r) = K_D Ṽ + f + F with the wrench measured, on a floating vehicle, too, in any shape."""
    q, v = bent()
    M_d = np.diag([5.0, 6.0, 7.0, 0.4, 0.5, 0.6]) + 0.1
    law = um.ToolImpedance(
        PLANT, "tip", moving(q), **GAINS, inertia_wanted=M_d, sensor="wrist", passive=passive
    )
    F = np.array([3.0, -2.0, 4.0, 0.5, -0.4, 0.3])
    seen = Seen(0.5, q, v, y={"wrist": Signal(-F, 1.0, 0.5)}, period=0.01)
    u, kept = law(seen, {})
    assert kept == {}
    V_dot = tool_acceleration(PLANT, q, v, u + SYSTEM.jacobian(q, "tip").T @ F)
    off = law.error(0.5, q, v)
    left = M_d @ (V_dot - off.acceleration) - law.damping * off.rate - law.spring(off).force - F
    assert np.abs(left).max() < 1e-9
    assert np.abs(u[:6]).max() == 0 or not passive


def test_its_energy_falls_by_the_damping_alone():
    q, v = bent()
    M_d = np.diag([5.0, 6.0, 7.0, 0.4, 0.5, 0.6]) + 0.1
    law = um.ToolImpedance(PLANT, "tip", moving(q), **GAINS, inertia_wanted=M_d, passive=["bus"])

    def energy(t, q, v):
        off = law.error(t, q, v)
        return 0.5 * off.rate @ (M_d @ off.rate) + law.spring(off).energy

    off = law.error(0.5, q, v)
    lost = off.rate @ (law.damping * off.rate)
    assert abs(rate_along_motion(PLANT, energy, law, 0.5, q, v) + lost) < 1e-10 * lost


def test_with_its_own_inertia_no_wrench_needs_to_be_measured():
    q, v = bent()
    law = um.ToolImpedance(PLANT, "tip", moving(q), **GAINS)
    F = np.array([3.0, -2.0, 4.0, 0.5, -0.4, 0.3])
    u = law(0.5, q, v)
    V_dot = tool_acceleration(PLANT, q, v, u + SYSTEM.jacobian(q, "tip").T @ F)
    off = law.error(0.5, q, v)
    yielding = law.mobility(q) @ (law.damping * off.rate + law.spring(off).force + F)
    assert np.abs(V_dot - off.acceleration - yielding).max() < 1e-9


def test_an_admittance_moves_its_mass_for_a_period_and_tracks_it():
    """M V̇_c = K_D Ṽ + f + F toward a target at rest; the frame, pushed by F, does as toward that motion unpushed."""
    q, v = bent()
    M = np.diag([5.0, 6.0, 7.0, 0.4, 0.5, 0.6]) + 0.1
    F, V = np.array([3.0, -2.0, 4.0, 0.5, -0.4, 0.3]), np.array([0.1, -0.2, 0.15, 0.3, 0.2, -0.25])
    g, h = SYSTEM.pose(q, "tip") @ se3.exp(0.2 * V), 0.02
    target = g @ se3.exp(np.array([0.1, -0.1, 0.15, 0.3, -0.2, 0.25]))
    follow = {"rate": np.arange(1.0, 7.0), "bandwidth": np.arange(9.0, 3.0, -1.0), "passive": ["bus"]}
    law = um.ToolAdmittance(PLANT, "tip", target, **GAINS, inertia_wanted=M, sensor="wrist", **follow)
    off = tool_error(g, V, PoseMotion(target, np.zeros(6), np.zeros(6)))
    V_dot = np.linalg.solve(M, law.damping * off.rate + law.spring(off).force + F)

    def mass(t):
        return g @ se3.exp((t - 0.5) * V + 0.5 * (t - 0.5) ** 2 * V_dot)

    memory = {"compliant_pose": numbers_from_pose(g), "compliant_twist": V}
    seen = Seen(0.5, q, v, y={"wrist": Signal(-F, 1.0, 0.5)}, period=h)
    u, kept = law(seen, memory)
    np.testing.assert_allclose(pose_from_numbers(kept["compliant_pose"]), mass(0.5 + h), atol=1e-14)
    np.testing.assert_allclose(kept["compliant_twist"], V + h * V_dot, atol=1e-14)
    unpushed = um.ToolTracking(PLANT, "tip", um.Motion(mass), **follow)(0.5, q, v)
    moved = tool_acceleration(PLANT, q, v, u + SYSTEM.jacobian(q, "tip").T @ F)
    np.testing.assert_allclose(moved, tool_acceleration(PLANT, q, v, unpushed), atol=1e-9)
    first = law.memory
    np.testing.assert_allclose(pose_from_numbers(first["compliant_pose"]), target, atol=0)
    assert first["compliant_twist"] == 6  # zeros


@pytest.mark.parametrize("directions", [DIRECTIONS, ("x", "z", "ry")])
def test_forces_for_a_batch_are_those_for_its_states(directions):
    q, v = (np.stack(part) for part in zip(*map(bent, range(2)), strict=True))
    shared = {"directions": directions, "passive": ["bus"]}
    laws = (
        um.ToolTracking(PLANT, "tip", moving(q[0]), rate=1.5, bandwidth=12.0, **shared),
        um.ToolImpedance(PLANT, "tip", moving(q[0]), **GAINS, inertia_wanted=2.0, **shared),
        um.ToolImpedance(PLANT, "tip", moving(q[0]), **GAINS, **shared),
    )
    for law in laws:
        together = law(0.5, q, v)
        for k in range(2):
            np.testing.assert_allclose(together[k], law(0.5, q[k], v[k]), rtol=1e-11, atol=1e-10)


def pushed(law, **options):
    """The tip is pushed by a spring that the law does not know; where it ends, and the spring's force."""
    q, _ = bent()
    anchor = SYSTEM.pose(q, "anchor")[:3, 3]
    rest = np.linalg.norm(anchor - SYSTEM.pose(q, "tip")[:3, 3]) + 0.3
    plant = um.Plant(
        SYSTEM, um.Space(), elements=[um.SpringDamper("anchor", "tip", stiffness=150.0, rest_length=rest)]
    )
    run = um.simulate(
        plant, q, None, duration=8.0, step=0.005, control_step=0.01, controller=law, record_every=100,
        sensors=[um.ForceTorque("wrist", "tip")], **options,
    )  # fmt: skip
    assert run.provenance["controller_in"] == "kernel"
    end = SYSTEM.pose(run.q[-1], "tip")
    length = np.linalg.norm(anchor - end[:3, 3])
    return end, -150.0 * (rest - length) * (anchor - end[:3, 3]) / length


@pytest.mark.long
def test_in_contact_at_100_hz_both_give_way_by_force_over_stiffness():
    q, _ = bent()
    target = SYSTEM.pose(q, "tip")
    shared = {"posture_damping": 4.0, **GAINS}
    for law in (
        um.ToolImpedance(
            PLANT, "tip", target, **shared, inertia_wanted=[8, 8, 8, 0.6, 0.6, 0.6], sensor="wrist"
        ),
        um.ToolAdmittance(
            PLANT, "tip", target, **shared, inertia_wanted=[8, 8, 8, 0.6, 0.6, 0.6], sensor="wrist"
        ),
    ):
        end, force = pushed(law)
        off = law.spring(
            law.error(0.0, SYSTEM.neutral(), np.zeros(13))._replace(pose=se3.inverse(end) @ target)
        ).force
        assert np.linalg.norm(force) > 20
        assert np.abs(end[:3, :3] @ off[:3] + force).max() < 0.01 * np.linalg.norm(force)
        assert np.abs(off[3:]).max() < 0.05


def test_a_mass_may_be_one_number_six_or_a_matrix():
    for given in (2.0, [2.0], [2.0] * 6, 2.0 * np.eye(6)):
        law = um.ToolImpedance(PLANT, "tip", np.eye(4), **GAINS, inertia_wanted=given)
        assert np.array_equal(law.inertia_wanted, 2.0 * np.eye(6))


def test_each_stiffness_about_an_axis_is_below_the_sum_of_the_other_two():
    def law(**given):
        return um.ToolImpedance(PLANT, "tip", np.eye(4), **GAINS | given)

    for axis in range(3):
        about = np.full(3, 10.0)
        about[axis] = 19.9
        assert np.array_equal(law(stiffness=[200.0] * 3 + about.tolist()).stiffness[3:], about)
        for refused in (20.0, 25.0):
            about[axis] = refused
            with pytest.raises(
                um.ModelError, match="each of three about axes below the sum of the other two"
            ):
                law(stiffness=[200.0] * 3 + about.tolist())
    for k in range(6):
        with pytest.raises(um.ModelError, match="stiffness: expected > 0"):
            law(stiffness=[0.0 if i == k else 10.0 for i in range(6)])


def test_refusals():
    q, _ = bent()
    for make, message in (
        (
            lambda: um.ToolTracking(PLANT, "tip", np.eye(4), passive=["bus", "upper", "fore"]),
            "as many active DoFs",
        ),
        (lambda: um.ToolTracking(PLANT, "finger", np.eye(4)), "finger"),
        (lambda: um.ToolImpedance(PLANT, "tip", np.eye(4), **GAINS, sensor="wrist"), "given with a sensor"),
        (
            lambda: um.ToolImpedance(PLANT, "tip", np.eye(4), **GAINS, inertia_wanted=-1.0),
            "positive definite",
        ),
        (
            lambda: um.ToolImpedance(PLANT, "tip", np.eye(4), **GAINS, inertia_wanted=np.ones(12)),
            "one number, six, or a symmetric positive definite",
        ),
        (
            lambda: um.ToolImpedance(
                PLANT, "tip", np.eye(4), **GAINS, inertia_wanted=np.eye(6) + 0.1 * np.eye(6, k=1)
            ),
            "one number, six, or a symmetric positive definite",
        ),
        (
            lambda: um.ToolAdmittance(PLANT, "tip", np.eye(4), **GAINS, inertia_wanted=1.0),
            "the name of a ForceTorque",
        ),
        (
            lambda: um.ToolAdmittance(PLANT, "tip", moving(q), **GAINS, inertia_wanted=1.0, sensor="w"),
            "one pose that rests",
        ),
    ):
        with pytest.raises(um.ModelError, match=message):
            make()


def test_regularization_lets_the_tool_lag_as_its_mobility_says():
    """V̇ = V̇_0 + A (A + λ²)⁻¹ (V̇_exact − V̇_0), A the mobility, V̇_0 what it does where nothing is asked of it."""
    q, v = bent()
    made = [
        um.ToolTracking(PLANT, "tip", moving(q), passive=["bus"], regularization=λ) for λ in (0.0, 0.3, 1e9)
    ]
    exact, found, nothing = (tool_acceleration(PLANT, q, v, law(0.5, q, v)) for law in made)
    A = made[0].mobility(q)
    expected = nothing + A @ np.linalg.solve(A + 0.09 * np.eye(6), exact - nothing)
    assert np.abs(found - expected).max() < 1e-8 * np.abs(exact).max()
    assert np.abs(found - exact).max() > 1e-3 * np.abs(exact).max()
