"""Frames moved along joint axes: the same system to rounding, with placements of Denavit and Hartenberg's form."""

import numpy as np
import pytest
from tests.support.random_trees import ALL_KINDS, random_inertia, random_pose, random_state, random_tree

from unmoored.dynamics.economy.axis_turns import Turn, axis_turns, product_of, turning_axis
from unmoored.dynamics.economy.cheap_frames import with_cheap_frames
from unmoored.dynamics.kinematics import pose
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.dynamics.recursive import forward_dynamics, inverse_dynamics
from unmoored.lie import so3
from unmoored.model import Body, Free, Planar, Prismatic, Revolute, Spherical, Tree, Universal
from unmoored.trace import evaluate, trace

GRAVITY = np.array([0.4, -0.3, -9.7])
TREES = {
    "all joints": random_tree(2, ALL_KINDS, armature=True),
    "added mass": random_tree(3, ALL_KINDS[::-1], added_mass=True),
    "welds between axes": random_tree(
        4, ["Free", "Revolute", "Fixed", "Helical", "Fixed", "Fixed", "Revolute"]
    ),
    "arm on the world": random_tree(5, ["Revolute", "Prismatic", "Revolute", "Helical"], branching=False),
}
CASES = pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())


def assert_close(ours, theirs, relative=1e-12):
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() <= relative * np.abs(theirs).max()


@CASES
def test_dynamics_stay_the_same(tree):
    moved = with_cheap_frames(tree)
    q, v, a = random_state(tree, 0, (3,))
    assert_close(mass_matrix(moved, q), mass_matrix(tree, q))
    assert_close(inverse_dynamics(moved, q, v, a, GRAVITY), inverse_dynamics(tree, q, v, a, GRAVITY))
    assert_close(forward_dynamics(moved, q, v, a, GRAVITY), forward_dynamics(tree, q, v, a, GRAVITY), 1e-11)


@CASES
def test_named_frames_stay_where_they_are(tree):
    q, _, _ = random_state(tree, 1, (3,))
    assert_close(pose(with_cheap_frames(tree), q, "tool"), pose(tree, q, "tool"))


@CASES
def test_traced_wrenches_still_act_on_the_frames_as_drawn(tree):
    q, v, a = random_state(tree, 2)
    rng = np.random.default_rng(2)
    names = ("tool", tree.names[-1], tree.names[0])
    F = rng.normal(size=(3, 6))
    shapes = (tree.nq,), (tree.nv,), (tree.nv,), (3, 6)

    def forces(q, v, a, F):
        return inverse_dynamics(tree, q, v, a, GRAVITY, dict(zip(names, F, strict=True)))

    assert_close(evaluate(trace(forces, *shapes), q, v, a, F), forces(q, v, a, F))


def serial_arm(axis):
    rng = np.random.default_rng(6)
    bodies = [Body(name="bus", parent="world", joint=Free(), inertia=random_inertia(rng))]
    for i in range(6):
        joint = (Prismatic if i == 3 else Revolute)(axis(rng))
        parent = bodies[-1].name
        bodies.append(
            Body(name=f"a{i}", parent=parent, joint=joint, at=random_pose(rng), inertia=random_inertia(rng))
        )
    return Tree(name="arm", bodies=tuple(bodies))


def test_placements_between_axes_take_denavit_and_hartenbergs_form():
    tree = with_cheap_frames(serial_arm(lambda rng: rng.normal(size=3)))
    for link in tree.links[1:]:
        np.testing.assert_array_equal(link.joint.axis, (0, 0, 1))
    for link in tree.links[2:]:
        R, p = link.placement[:3, :3], link.placement[:3, 3]
        z = R[:, 2]
        assert z[0] == 0.0  # turned about x only, as far as the axes go
        assert abs(np.cross(p, z)[0]) < 1e-14  # and shifted along x and along the joint's axis


def test_the_centre_of_mass_of_the_last_body_lies_above_x():
    last = with_cheap_frames(serial_arm(lambda rng: rng.normal(size=3))).links[-1]
    assert last.com[1] == 0.0
    assert last.com[0] > 0.0


def test_frames_that_fold_already_keep_their_exact_zeros():
    rng = np.random.default_rng(7)
    tree = serial_arm(lambda rng: np.eye(3)[rng.integers(3)])
    quarter = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    bodies = [tree.bodies[0]]
    for body in tree.bodies[1:]:
        at = type(body.at)(xyz=rng.permutation([0.3, 0, 0]), rotation=quarter)
        bodies.append(Body(name=body.name, parent=body.parent, joint=body.joint, at=at, inertia=body.inertia))
    for link in with_cheap_frames(Tree(name="arm", bodies=tuple(bodies))).links:
        assert np.all(np.isin(link.placement[:3, :3], (0.0, 1.0, -1.0)))


@pytest.mark.parametrize("last", range(3))
def test_turns_multiply_to_the_rotation(last):
    rng = np.random.default_rng(8)
    small = [
        so3.exp(np.array(w)) for w in ((1e-7, 0, 2.0), (0, 1.5708, 1e-6), (3.1416, 0, 0), (1e-9, 1e-9, 0))
    ]
    quarters = [so3.from_euler_zyx(np.array(w) * np.pi / 2) for w in ((1, 0, 0), (0, 1, 1), (2, 1, 0))]
    for R in [so3.exp(rng.uniform(-3, 3, 3)) for _ in range(50)] + small + quarters + [np.eye(3)]:
        found = axis_turns(R, last)
        assert np.abs(product_of(found) - R).max() <= 2e-15
        for turn in found:
            if turn.axis is not None:
                np.testing.assert_array_equal(turn.rotation[turn.axis], np.eye(3)[turn.axis])
    generic = axis_turns(so3.exp(np.array([0.3, -0.5, 0.8])), last)
    assert len(generic) == 3
    assert generic[-1].axis == last


def test_right_angles_stay_whole():
    quarter = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
    (turn,) = axis_turns(quarter)
    assert isinstance(turn, Turn)
    assert turn.axis is None


def test_turning_axes_of_joints():
    assert turning_axis(Revolute((0, -2, 0))) == 1
    assert turning_axis(Planar((1, 0, 0))) == 0
    for joint in (Revolute((0, 1, 1)), Prismatic((0, 0, 1)), Spherical(), Free(), Universal()):
        assert turning_axis(joint) is None
