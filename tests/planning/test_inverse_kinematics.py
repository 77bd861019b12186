"""`solve_ik`: poses are met, limits kept, the nearest told; passive DoFs held, balanced, floating."""

from dataclasses import replace

import numpy as np
import pytest

import unmoored as um
from unmoored import lie
from unmoored.planning.inverse_kinematics.frame_targets import FrameTargets

PLACE = [1, 1, 1, 0, 0, 0]
RNG = np.random.default_rng(5)


def arm(joints=7, limit=2.4, vehicle=None):
    """A serial arm of right-angle revolute joints, on the world or on a vehicle."""
    b = um.SystemBuilder("arm")
    parent = "world"
    if vehicle is not None:
        parent = b.vehicle("bus", vehicle, inertia=um.Inertia.box(40.0, (1.0, 0.8, 0.6)))
    for k in range(joints):
        axis = (0, 0, 1) if k % 2 == 0 else (0, 1, 0)
        add = b.vehicle if parent == "world" else b.link
        given = {} if parent == "world" else {"parent": parent}
        parent = add(
            f"j{k}",
            joint=um.Revolute(axis, limits=None if limit is None else (-limit, limit)),
            at=um.Pose(xyz=(0, 0, 0.25), rpy=(0.1 * k, 0, 0)),
            inertia=um.Inertia(2.0, (0, 0, 0.1), 0.02 * np.eye(3)),
            **given,
        )
    b.frame("tool", parent=parent, at=um.Pose(xyz=(0.05, 0, 0.2)))
    return b.build()


ARM = arm()
FLYER = arm(5, vehicle=um.Free())


def distances(system, q, frame, poses):
    """Distance of the origins and angle of the axes, by NumPy's own means."""
    g = system.pose(q, frame, backend="numpy")
    turn = np.swapaxes(g[..., :3, :3], -1, -2) @ poses[..., :3, :3]
    sine = np.linalg.norm(turn - np.swapaxes(turn, -1, -2), axis=(-1, -2)) / np.sqrt(8.0)
    cosine = 0.5 * (np.trace(turn, axis1=-2, axis2=-1) - 1.0)
    return np.linalg.norm(g[..., :3, 3] - poses[..., :3, 3], axis=-1), np.arctan2(sine, cosine)


def test_random_reachable_poses_are_met_within_limits():
    wished = np.stack([ARM.random_configuration(RNG) for _ in range(300)])
    poses = ARM.pose(wished, "tool")
    found = um.solve_ik(ARM, {"tool": poses})
    assert found.solved.all()
    assert max(d.max() for d in distances(ARM, found.q, "tool", poses)) <= 1e-6
    assert np.abs(found.q).max() <= 2.4
    assert found.error.shape == (300, 6)
    assert np.abs(found.error).max() <= 1e-6


def test_a_problem_has_the_answer_that_it_has_alone():
    wished = np.stack([ARM.random_configuration(RNG) for _ in range(9)])
    poses = ARM.pose(wished, "tool")
    many = um.solve_ik(ARM, {"tool": poses})
    for k in (0, 4, 8):
        assert np.array_equal(um.solve_ik(ARM, {"tool": poses[k]}).q, many.q[k])
    shaped = um.solve_ik(ARM, {"tool": poses.reshape(3, 3, 4, 4)})
    assert np.array_equal(shaped.q.reshape(9, -1), many.q)
    assert shaped.solved.shape == (3, 3)


def test_out_of_reach_gives_the_nearest_point_and_says_so():
    """Of the place alone the nearest configuration is the arm stretched toward it: closed form."""
    b = um.SystemBuilder("planar")
    one = b.vehicle(
        "one", um.Revolute((0, 0, 1), limits=(-3, 3)), inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3))
    )
    b.link("two", parent=one, joint=um.Revolute((0, 0, 1), limits=(0.3, 2.8)), at=um.Pose(xyz=(1, 0, 0)),
           inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3)))  # fmt: skip
    b.frame("tip", parent="two", at=um.Pose(xyz=(1, 0, 0)))
    system = b.build()
    target = np.eye(4)
    target[:3, 3] = [3.0 * np.cos(0.7), 3.0 * np.sin(0.7), 0.0]
    found = um.solve_ik(system, {"tip": target}, weights=[1, 1, 0, 0, 0, 0])
    assert not found.solved
    reach = np.sqrt(2.0 + 2.0 * np.cos(0.3))  # the elbow is at its lower limit
    np.testing.assert_allclose(found.q, [0.7 - 0.15, 0.3], atol=1e-7)
    left = system.pose(found.q, "tip")[:3, 3] - target[:3, 3]
    np.testing.assert_allclose(np.linalg.norm(left), 3.0 - reach, atol=1e-12)


def test_the_nearest_of_all_rows_is_stationary():
    """At a pose that limits keep out of reach the gradient of |p_e|² + |φ|² points into the limits, or is zero."""
    wished = np.stack([ARM.random_configuration(RNG) for _ in range(6)])
    tight = arm(limit=0.6)
    poses = ARM.pose(wished, "tool")
    found = um.solve_ik(tight, {"tool": poses})
    assert not found.solved.any()

    def f(q):
        place, angle = distances(tight, q, "tool", poses)
        return 0.5 * (place**2 + angle**2)

    h = 1e-5
    for j in range(7):
        step = h * np.eye(7)[j]
        slope = (f(found.q + step) - f(found.q - step)) / (2 * h)
        inside = np.abs(found.q[:, j]) < 0.6 - 1e-9
        assert np.abs(slope[inside]).max(initial=0.0) < 2e-5
        assert np.all(slope[~inside] * np.sign(found.q[~inside, j]) < 1e-6)


def test_unlike_weights_free_directions_and_several_frames():
    wished = np.stack([FLYER.random_configuration(RNG) for _ in range(40)])
    wished[:, :12] = FLYER.neutral()[:12]
    poses, elbow = FLYER.pose(wished, "tool"), FLYER.pose(wished, "j2")
    one = um.solve_ik(FLYER, {"tool": poses}, passive={"bus": "held"}, weights=[1, 2, 3, 0.5, 0, 1])
    assert one.solved.all()
    g = np.linalg.inv(FLYER.pose(one.q, "tool")) @ poses
    assert np.abs(g[:, :3, 3]).max() <= 1e-6
    assert np.abs(lie.so3.log(g[:, :3, :3])[:, [0, 2]]).max() <= 1e-6
    two = um.solve_ik(
        FLYER, {"tool": poses, "j2": elbow}, passive={"bus": "held"}, weights={"j2": [1, 1, 1, 0, 0, 0]}
    )
    assert two.solved.all()
    assert two.error.shape == (40, 2, 6)
    assert np.abs(FLYER.pose(two.q, "j2")[:, :3, 3] - elbow[:, :3, 3]).max() <= 1e-6


def test_rows_of_unlike_directions_are_derivatives():
    rows = FrameTargets(("tool",), ((0, 1, 2, 3, 4, 5),), alike=False)
    q, h = FLYER.random_configuration(RNG), 1e-6
    target = FLYER.pose(FLYER.random_configuration(RNG), "tool")
    numbers = np.r_[target[:3, :3].ravel(), target[:3, 3]]
    e, J = rows.at(FLYER.tree, q, numbers)
    for k in range(FLYER.nv):
        ahead, back = (
            rows.at(FLYER.tree, FLYER.retract(q, s * h * np.eye(FLYER.nv)[k]), numbers)[0] for s in (1, -1)
        )
        np.testing.assert_allclose((back - ahead) / (2 * h), J[:, k], atol=1e-8)
    plain = FrameTargets(("tool",), ((0, 1, 2, 3, 4, 5),), alike=True).at(FLYER.tree, q, numbers)[1]
    np.testing.assert_allclose(plain.T @ e, J.T @ e, atol=1e-13)  # the same gradient
    assert np.abs(plain - J).max() > 0.1


def test_a_free_vehicle_is_solved_for_or_held():
    wished = np.stack([FLYER.random_configuration(RNG) for _ in range(30)])
    poses = FLYER.pose(wished, "tool")
    every = um.solve_ik(FLYER, {"tool": poses}, passive={})
    assert every.solved.all()
    held = um.solve_ik(FLYER, {"tool": poses}, wished, passive={"bus": "held"})
    assert held.solved.all()
    assert np.array_equal(held.q[:, :12], wished[:, :12])
    from_far = wished.copy()
    from_far[:, 12:] = 0.0
    again = um.solve_ik(FLYER, {"tool": poses}, from_far, passive={"bus": "held"})
    assert np.array_equal(again.q[:, :12], wished[:, :12])
    assert again.solved.mean() >= 0.9  # five joints reach a pose in single ways only
    part = um.solve_ik(
        FLYER, {"tool": poses}, wished, passive={"bus.wx": "held", "bus.wy": "held", "bus.wz": "held"}
    )
    assert part.solved.all()
    assert np.abs(part.q[:, :9] - wished[:, :9]).max() < 1e-13


def test_nearest_is_stationary_along_the_solutions():
    wished = np.stack([ARM.random_configuration(RNG) for _ in range(8)])
    q0 = 0.3 * np.ones(7)
    found = um.solve_ik(ARM, {"tool": ARM.pose(wished, "tool")}, q0, nearest=True, starts=24)
    first = um.solve_ik(ARM, {"tool": ARM.pose(wished, "tool")}, q0, starts=24)
    assert found.solved.all()
    assert np.all(np.linalg.norm(found.q - q0, axis=-1) <= np.linalg.norm(first.q - q0, axis=-1) + 1e-9)
    inside = np.abs(found.q) < 2.4 - 1e-6
    for q, free in zip(found.q, inside, strict=True):
        J = ARM.jacobian(q, "tool")[:, free]
        way = (q0 - q)[free]
        left = way - np.linalg.pinv(J) @ (J @ way)
        assert np.linalg.norm(left) < 1e-5


def test_cost_spares_the_vehicle():
    q0 = FLYER.retract(FLYER.neutral(), np.r_[np.zeros(6), 0.4, 0.9, -0.3, 1.2, 0.2])
    target = FLYER.pose(q0, "tool")
    target[:3, 3] -= [0.1, -0.05, 0.1]
    cheap, dear = (
        um.solve_ik(
            FLYER, {"tool": target}, q0, passive={}, nearest=True, starts=1, cost={"bus": c}, weights=PLACE
        )
        for c in (1.0, 20.0)
    )
    moved = [np.linalg.norm(FLYER.local(q0, found.q)[:6]) for found in (cheap, dear)]
    assert cheap.solved
    assert dear.solved
    assert moved[1] < 0.2 * moved[0]


def test_limits_of_a_ball_joint_are_kept():
    b = um.SystemBuilder("ball")
    b.vehicle("ball", um.Spherical(limits=(-0.5, 0.5)), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    b.frame("tip", parent="ball", at=um.Pose(xyz=(0, 0, 1)))
    system = b.build()
    inner = np.eye(4)
    inner[:3, :3] = lie.so3.exp(np.array([0.3, -0.4, 0.2]))
    outer = np.eye(4)
    outer[:3, :3] = lie.so3.exp(np.array([0.9, 0.0, 0.0]))
    target = np.stack([inner, outer])
    target[:, :3, 3] = target[:, :3, 2]
    found = um.solve_ik(system, {"tip": target}, passive={})
    assert found.solved.tolist() == [True, False]
    np.testing.assert_allclose(
        lie.so3.log(found.q[:, :9].reshape(2, 3, 3)), [[0.3, -0.4, 0.2], [0.5, 0, 0]], atol=1e-6
    )


def test_joints_that_follow_others_follow():
    b = um.SystemBuilder("scissors")
    one = b.vehicle(
        "one", um.Revolute((0, 0, 1), limits=(-2, 2)), inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3))
    )
    two = b.link("two", parent=one, joint=um.Revolute((0, 0, 1), limits=(-1, 1)), at=um.Pose(xyz=(1, 0, 0)),
                 inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3)))  # fmt: skip
    b.link("three", parent=two, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(1, 0, 0)),
           inertia=um.Inertia(1.0, (0.5, 0, 0), np.eye(3)))  # fmt: skip
    b.frame("tip", parent="three", at=um.Pose(xyz=(1, 0, 0)))
    tree = b.build().tree
    system = um.System(replace(tree, couplings=(um.Mimic("two", "one", -0.5, 0.1),)))
    wished = np.array([0.8, -0.3, 0.4])
    found = um.solve_ik(system, {"tip": system.pose(wished, "tip")})
    assert found.solved
    assert abs(found.q[1] - (-0.5 * found.q[0] + 0.1)) < 1e-15


class TestEquilibrium:
    @staticmethod
    def crane():
        b = um.SystemBuilder("crane")
        trolley = b.vehicle(
            "trolley", um.Prismatic((1, 0, 0), limits=(-3, 3)), inertia=um.Inertia.box(50.0, (1, 1, 0.2))
        )
        jib = b.link("jib", parent=trolley, joint=um.Revolute((0, 1, 0), stiffness=20.0),
                     inertia=um.Inertia(5.0, (0, 0, -1.0), np.eye(3)))  # fmt: skip
        b.link("boom", parent=jib, joint=um.Revolute((0, 1, 0), limits=(-2, 2)), at=um.Pose(xyz=(0, 0, -2)),
               inertia=um.Inertia(8.0, (0.5, 0, 0), np.eye(3)))  # fmt: skip
        b.frame("hook", parent="boom", at=um.Pose(xyz=(1, 0, 0)))
        return um.Plant(b.build(), world=um.Earth())

    def test_forces_balance_along_the_passive_joint(self):
        plant = self.crane()
        target = np.tile(np.eye(4), (5, 1, 1))
        target[:, 0, 3], target[:, 2, 3] = np.linspace(-0.5, 1.0, 5), np.linspace(-2.1, -1.7, 5)
        found = um.solve_ik(
            plant, {"hook": target}, passive={"jib": "equilibrium"}, weights=[1, 0, 1, 0, 0, 0]
        )
        assert found.solved.all()
        assert np.abs(found.imbalance).max() < 1e-6
        assert np.abs(plant.restoring_forces(0.0, found.q)[:, 1]).max() < 1e-3
        assert np.abs(plant.system.pose(found.q, "hook")[:, [0, 2], 3] - target[:, [0, 2], 3]).max() <= 1e-6
        # the same by the equilibrium of `trim`, from which nothing here is taken
        at_rest = plant.trim(
            found.q[2], free=["q.jib", "u.trolley", "u.boom"], zero=["trolley", "jib", "boom"]
        )
        assert np.abs(at_rest.q - found.q[2]).max() < 1e-5

    def test_it_needs_a_plant(self):
        with pytest.raises(um.ModelError, match="a Plant"):
            um.solve_ik(self.crane().system, {"hook": np.eye(4)}, passive={"jib": "equilibrium"})


class TestFloating:
    """Targets are where the simulated system gets to, with nothing on its bus and its joints driven by motors."""

    Q0 = FLYER.retract(FLYER.neutral(), np.r_[0.1, -0.2, 0.3, 0.2, 0.1, -0.3, 0.4, 0.9, -0.3, 1.2, 0.2])
    GOAL = Q0[12:] + np.array([0.5, -0.6, 0.4, 0.3, -0.5])

    def ends(self, joints, v0=None):
        moves = {
            f"j{k}": um.Quintic([0.0, 2.0], [a, b])
            for k, (a, b) in enumerate(zip(self.Q0[12:], joints, strict=True))
        }
        plant = um.Plant(FLYER, prescribed=moves)
        return um.simulate(plant, self.Q0, v0, duration=2.0, step=5e-3).q[-1]

    def test_the_path_is_that_of_the_simulation_and_ends_at_the_pose(self):
        target = FLYER.pose(self.ends(self.GOAL), "tool")
        found = um.solve_ik(
            FLYER, {"tool": target}, self.Q0, passive={"bus": "floating"}, weights=[1, 1, 1, 1, 1, 0]
        )
        assert found.solved
        assert max(distances(FLYER, found.q, "tool", target)[:1]) < 1e-6
        assert np.array_equal(found.path[0], self.Q0)
        assert np.array_equal(found.path[-1], found.q)
        assert np.abs(FLYER.local(self.Q0, found.q)[:6]).max() > 1e-2
        assert np.abs(FLYER.local(self.ends(found.q[12:]), found.q)).max() < 1e-7
        held = um.solve_ik(
            FLYER, {"tool": target}, self.Q0, passive={"bus": "held"}, weights=[1, 1, 1, 1, 1, 0]
        )
        assert np.abs(held.q[12:] - found.q[12:]).max() > 1e-2  # the bus counts

    def test_with_momentum(self):
        μ = np.array([1.0, -2.0, 0.5, 0.3, -0.4, 0.6])
        v0 = FLYER.free_floating(self.Q0, momentum=μ).velocity
        target = FLYER.pose(self.ends(self.GOAL, v0), "tool")
        found = um.solve_ik(
            FLYER, {"tool": target}, self.Q0, passive={"bus": "floating"}, momentum=μ, duration=2.0,
            weights=[1, 1, 1, 1, 1, 0],
        )  # fmt: skip
        assert found.solved
        assert found.t[-1] == 2.0
        assert np.abs(FLYER.local(self.ends(found.q[12:], v0), found.q)).max() < 1e-7


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"passive": None}, "solves for all"),
        ({"passive": {"bus": "drifting"}}, "held"),
        ({"passive": {"bas": "held"}}, "bus"),
        ({"passive": {"bus": "held", "bus.wx": "held"}}, "each DoF once"),
        ({"passive": {"j0": "floating"}}, "vehicle that floats"),
        ({"targets": {}}, "one or more"),
        ({"targets": {"toll": np.eye(4)}}, "tool"),
        ({"targets": {"tool": 2 * np.eye(4)}}, "rotation matrices"),
        ({"weights": {"tool": [1, 1, 1, 0, 0, -1]}}, "≥ 0"),
        ({"weights": {"j1": 1.0}}, "tool"),
        ({"q0": np.r_[FLYER.neutral()[:12], 3.0, 0, 0, 0, 0]}, "within its limits"),
        ({"q0": np.zeros(3)}, "17"),
        ({"starts": 0}, "whole number"),
        ({"tolerance": -1.0}, "> 0"),
        ({"momentum": np.zeros(6)}, "floating"),
        ({"cost": {"bus": 0.0}}, "> 0"),
    ],
)
def test_what_is_wrong_is_named(change, words):
    given = {"targets": {"tool": np.eye(4)}, "passive": {"bus": "held"}} | change
    targets = given.pop("targets")
    with pytest.raises(um.ModelError, match=words):
        um.solve_ik(FLYER, targets, given.pop("q0", None), **given)
