"""A vehicle's frame moved to where its arm is mounted askew: the same accelerations, by fewer operations."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_inertia, random_pose, random_state, random_tree

from unmoored.dynamics.economy.cheap_frames import with_cheap_frames
from unmoored.dynamics.economy.skew_mounts import at_skew_mount
from unmoored.dynamics.recursive import forward_dynamics, hybrid_dynamics
from unmoored.lie import so3
from unmoored.model import Body, Fixed, Frame, Free, Planar, Pose, Prismatic, Revolute, Tree
from unmoored.trace import evaluate, operations_of, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
HERE = Pose()
RIGHT = Pose(xyz=(0.1, 0.2, 0.3), rpy=(np.pi / 2, 0, 0))


def symbols(*shapes):
    """The arguments of a function while it is traced."""
    seen = []
    trace(lambda *xs: seen.append(xs) or xs[0], *shapes)
    return seen[0]


def moved(tree):
    return at_skew_mount(tree, symbols((tree.nq,))[0])


def link(name, parent, joint, rng, at=HERE):
    return Body(name=name, parent=parent, joint=joint, at=at, inertia=random_inertia(rng))


def vehicle_with_arm(mounts, seed=0, welded=False):
    """A free vehicle with an arm of three joints for each of the mounts, the last arm longer by one."""
    rng = np.random.default_rng(seed)
    bodies = [link("bus", "world", Free(), rng)]
    for k, mount in enumerate(mounts):
        parent = "bus"
        if welded:
            bodies.append(link(f"plate{k}", "bus", Fixed(), rng, random_pose(rng)))
            parent = f"plate{k}"
        for i in range(3 + (k == len(mounts) - 1)):
            kind = Prismatic if i == 1 else Revolute
            at = mount if i == 0 else random_pose(rng)
            bodies.append(link(f"a{k}{i}", parent, kind(rng.normal(size=3)), rng, at))
            parent = f"a{k}{i}"
    frames = (Frame(name="camera", parent="bus", at=random_pose(rng)), Frame(name="tool", parent=parent))
    return Tree(name="vehicle", bodies=tuple(bodies), frames=frames)


SKEW = [random_pose(np.random.default_rng(seed)) for seed in (11, 12)]
TREES = {
    "one arm": vehicle_with_arm(SKEW[:1]),
    "two arms": vehicle_with_arm(SKEW, 1),
    "on a plate": vehicle_with_arm(SKEW, 2, welded=True),
    "all joints": random_tree(2, ["Free", *ALL_KINDS], branching=True),
    "added mass": random_tree(3, ["Free", "Revolute", "Prismatic", "Revolute"], added_mass=True),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


@pytest.mark.whole
@CASES
def test_accelerations_are_those_of_the_system_as_drawn_with_weight_and_wrenches(tree):
    """The plain arrays never take the way through another frame."""
    assert moved(tree) is not None
    q, v, tau = random_state(tree, 3)
    names = (tree.names[0], tree.frames[-1].name, tree.names[-1])
    F = np.random.default_rng(3).normal(size=(3, 6))

    def accelerations(q, v, tau, F):
        return forward_dynamics(tree, q, v, tau, GRAVITY, dict(zip(names, F, strict=True)))

    traced = trace(accelerations, (tree.nq,), (tree.nv,), (tree.nv,), (3, 6))
    theirs = accelerations(q, v, tau, F)
    np.testing.assert_allclose(
        evaluate(traced, q, v, tau, F), theirs, rtol=0, atol=1e-11 * np.abs(theirs).max()
    )


def test_wrenches_on_a_frame_of_the_vehicle_are_where_they_were():
    tree = TREES["one arm"]
    q, v, tau = random_state(tree, 4)
    F = np.random.default_rng(4).normal(size=6)

    def accelerations(q, F):
        return forward_dynamics(tree, q, v, tau, GRAVITY, {"camera": F})

    theirs = accelerations(q, F)
    np.testing.assert_allclose(
        evaluate(trace(accelerations, (tree.nq,), (6,)), q, F), theirs, rtol=0,
        atol=1e-11 * np.abs(theirs).max(),
    )  # fmt: skip


@pytest.mark.whole
@CASES
def test_it_is_the_same_motion_in_another_frame(tree):
    """Configuration, velocity, forces and accelerations of the moved vehicle, by the same recursion on plain arrays."""
    found = moved(tree)
    q, v, tau = random_state(tree, 5)
    a = forward_dynamics(tree, q, v, tau, GRAVITY)
    a_moved = forward_dynamics(
        found.tree, found.configuration(q), found.velocity(v), found.forces(tau), GRAVITY
    )
    np.testing.assert_allclose(found.acceleration_as_drawn(a_moved), a, rtol=0, atol=1e-11 * np.abs(a).max())
    assert found.forces(tau) @ found.velocity(v) == pytest.approx(tau @ v, rel=1e-12)


def test_the_arm_that_carries_most_has_no_placement_left():
    tree = with_cheap_frames(moved(TREES["two arms"]).tree)
    np.testing.assert_array_equal(tree.links[tree.names.index("a10")].placement, np.eye(4))
    assert np.abs(tree.links[tree.names.index("a00")].placement - np.eye(4)).max() > 0.1


@pytest.mark.parametrize("name", ["one arm", "two arms", "on a plate"])
def test_it_saves_more_than_a_hundred_operations(name):
    tree = TREES[name]
    q, v, tau = symbols((tree.nq,), (tree.nv,), (tree.nv,))
    everything, nothing = np.ones(tree.nv), np.zeros(tree.nv)
    as_drawn = hybrid_dynamics(tree, q, v, tau, nothing, everything, np.zeros(3))[0]
    assert operations_of(forward_dynamics(tree, q, v, tau, np.zeros(3))) < operations_of(as_drawn) - 100


def turned(angle):
    """A joint's placement turned about the joint's own axis z only."""
    return Pose(xyz=(0.1, 0.2, 0.3), rotation=so3.exp(np.array([0.0, 0.0, angle])))


def test_a_vehicle_stays_as_drawn_where_that_would_save_nothing():
    def arm(at, joint=None):
        rng = np.random.default_rng(1)
        vehicle = link("bus", "world", joint or Free(), rng)
        return Tree(name="arm", bodies=(vehicle, link("a", "bus", Revolute((0, 0, 1)), rng, at)))

    assert moved(arm(SKEW[0])) is not None
    assert moved(arm(RIGHT)) is None
    assert moved(arm(turned(0.4))) is None
    assert moved(arm(SKEW[0], Free(armature=0.1))) is None
    assert moved(arm(SKEW[0], Planar((0, 0, 1)))) is None
    alone = arm(SKEW[0])
    assert moved(replace(alone, bodies=alone.bodies[:1])) is None


def test_plain_arrays_and_trees_with_numbers_of_their_own_stay_as_drawn():
    tree = TREES["one arm"]
    assert at_skew_mount(tree, np.zeros(tree.nq)) is None
    assert moved(tree.with_links(tree.links)) is None
