"""Other people's axes: what is said of one body in both must be the same thing (theory.md §22)."""

import numpy as np

import unmoored as um
from unmoored import conventions
from unmoored.lie import se3, so3

RNG = np.random.default_rng(0)
TURN = so3.exp(np.array([np.pi, 0.0, 0.0]))


def test_vectors_are_turned_by_half_a_turn_about_x():
    x = RNG.normal(size=(4, 3))
    np.testing.assert_allclose(conventions.vector_frd_to_flu(x), x @ TURN.T, rtol=0, atol=1e-15)


def test_points_of_a_body_move_alike_in_both_axes():
    r, V = RNG.normal(size=3), RNG.normal(size=(4, 6))
    ours = conventions.twist_frd_to_flu(V)
    at_r = ours[:, :3] + np.cross(ours[:, 3:], conventions.vector_frd_to_flu(r))
    theirs = V[:, :3] + np.cross(V[:, 3:], r)
    np.testing.assert_allclose(at_r, conventions.vector_frd_to_flu(theirs), rtol=0, atol=1e-14)
    np.testing.assert_allclose(ours[:, 3:], conventions.vector_frd_to_flu(V[:, 3:]), rtol=0, atol=0)


def test_energies_are_the_same_in_both_axes():
    tensor, matrix, V = RNG.normal(size=(4, 3, 3)), RNG.normal(size=(4, 6, 6)), RNG.normal(size=(2, 6))
    a, b = conventions.twist_frd_to_flu(V)
    np.testing.assert_allclose(
        a @ conventions.matrix_frd_to_flu(matrix) @ b, V[0] @ matrix @ V[1], rtol=0, atol=1e-13
    )
    np.testing.assert_allclose(
        a[3:] @ conventions.tensor_frd_to_flu(tensor) @ b[3:],
        V[0, 3:] @ tensor @ V[1, 3:],
        rtol=0,
        atol=1e-14,
    )


def test_points_are_at_the_same_place_in_both_worlds():
    p = RNG.normal(size=3)
    for pose in (se3.exp(RNG.normal(size=6)), np.stack([se3.exp(RNG.normal(size=6)) for _ in range(3)])):
        ours = conventions.pose_ned_frd_to_flu(pose)
        here = ours[..., :3, :3] @ conventions.vector_frd_to_flu(p) + ours[..., :3, 3]
        there = pose[..., :3, :3] @ p + pose[..., :3, 3]
        np.testing.assert_allclose(here, conventions.vector_frd_to_flu(there), rtol=0, atol=1e-15)
        rotation = conventions.rotation_ned_frd_to_flu(pose[..., :3, :3])
        np.testing.assert_array_equal(rotation, ours[..., :3, :3])
        np.testing.assert_array_equal(ours[..., 3, :], pose[..., 3, :])


def test_no_zero_gets_a_sign():
    """−0.0 in files of numbers would look like a difference."""
    for found in (
        conventions.vector_frd_to_flu(np.zeros(3)),
        conventions.twist_frd_to_flu(np.zeros(6)),
        conventions.tensor_frd_to_flu(np.zeros((3, 3))),
        conventions.matrix_frd_to_flu(np.zeros((6, 6))),
        conventions.rotation_ned_frd_to_flu(np.eye(3)),
        conventions.pose_ned_frd_to_flu(um.Pose().matrix),
    ):
        assert not np.signbit(found).any()
