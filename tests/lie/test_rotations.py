"""SO(3) and SE(3) themselves: half turns, drift, border conversions, block-wise forms, input checks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from unmoored import lie
from unmoored.lie import se3, so3

from .cases import BATCHES, assert_close

AXES = [
    *np.eye(3),
    *-np.eye(3),
    *np.random.default_rng(1).normal(size=(20, 3)),
    np.array([1.0, 1e-9, 0.0]),
    np.array([1e-200, -1.0, 1e-8]),
    np.array([1.0, 1.0, 1.0]),
    np.array([-1.0, 1.0, 0.0]),
]
vectors = arrays(float, st.sampled_from(BATCHES).map(lambda b: (*b, 3)), elements=st.floats(-1.8, 1.8))
twists = arrays(float, st.sampled_from(BATCHES).map(lambda b: (*b, 6)), elements=st.floats(-1.8, 1.8))


def half_turn(axis):
    a = axis / np.linalg.norm(axis)
    return 2.0 * np.outer(a, a) - np.eye(3)


@pytest.mark.parametrize("axis", AXES)
def test_log_of_exactly_half_a_turn_is_a_valid_branch(axis):
    R = half_turn(axis)
    assert np.array_equal(R, R.T)
    ω = so3.log(R)
    assert abs(np.linalg.norm(ω) - np.pi) <= 1e-15
    assert_close(so3.exp(ω), R, 2e-15)
    assert_close(np.abs(ω @ axis), np.pi * np.linalg.norm(axis), 1e-15)
    g = se3.pose(R, np.array([1.0, -2.0, 0.5]))
    assert_close(se3.exp(se3.log(g)), g, 4e-15)


@pytest.mark.parametrize("beyond", [1e-9, 1e-12, 1e-15, 0.0, -1e-15, -1e-12, -1e-9])
@pytest.mark.parametrize("axis", AXES)
def test_log_is_continuous_up_to_sign_through_half_a_turn(axis, beyond):
    R = so3.exp(axis / np.linalg.norm(axis) * (np.pi + beyond))
    assert np.linalg.norm(so3.log(R)) <= np.pi * (1 + 1e-15)
    assert_close(so3.exp(so3.log(R)), R, 2e-15)


@given(vectors)
def test_so3_round_trip_and_orthogonality(w):
    R = so3.exp(w)
    assert_close(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), 2e-15)
    assert_close(np.linalg.det(R), np.ones(w.shape[:-1]), 2e-15)
    assert_close(so3.log(R), so3.log(so3.exp(so3.log(R))), 2e-15)
    assert_close(so3.vee(so3.hat(w)), w, 0.0)
    assert_close(so3.hat_squared(w), so3.hat(w) @ so3.hat(w), 1e-15)
    assert_close(so3.dexp(w) @ so3.dexp_inv(w), np.broadcast_to(np.eye(3), R.shape), 1e-14)


@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-5, 1.0, 3.0])
def test_tiny_rotations_survive_the_round_trip_in_relative_terms(angle):
    w = angle * np.array([0.6, -0.48, 0.64])
    assert_close(so3.log(so3.exp(w)) / angle, w / angle, 1e-15)


@pytest.mark.parametrize("angle", [np.pi, 4.0, 2 * np.pi, 7.0, 100.0, -1e3])
def test_angles_beyond_half_a_turn(angle):
    """The rotation vector and the one-axis group are two independent paths to the same turn."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    R = so3.exp(angle * axis)
    assert_close(R.T @ R, np.eye(3), 1e-14)
    assert_close(R, lie.rotation(axis).exp(np.array([angle]))[:3, :3], 4e-16 * max(4.0, abs(angle)))


@given(twists, twists)
def test_block_wise_forms_are_the_matrices(V, W):
    if V.shape != W.shape:
        V, W = V.reshape(-1, 6)[0], W.reshape(-1, 6)
    g = se3.exp(W)
    Ad, Ad_inverse, ad = se3.Ad(g), se3.Ad(se3.inverse(g)), se3.ad(W)

    def times(A, x):
        return (A @ x[..., None])[..., 0]

    assert_close(se3.Ad_apply(g, V), times(Ad, V), 1e-14)
    assert_close(se3.Ad_inv_apply(g, V), times(Ad_inverse, V), 1e-14)
    assert_close(se3.Ad_transpose_apply(g, V), times(np.swapaxes(Ad, -1, -2), V), 1e-14)
    assert_close(se3.Ad_inv_transpose_apply(g, V), times(np.swapaxes(Ad_inverse, -1, -2), V), 1e-14)
    assert_close(se3.ad_apply(W, V), times(ad, V), 1e-14)
    assert_close(se3.ad_transpose_apply(W, V), times(np.swapaxes(ad, -1, -2), V), 1e-14)
    assert_close(times(se3.momentum_bracket(W), V), -se3.ad_transpose_apply(V, W), 1e-14)


@given(twists)
def test_Ad_is_conjugation_of_the_hat_matrix(V):
    g = se3.exp(np.array([1.0, -0.5, 2.0, 0.3, -1.2, 0.8]))
    assert_close(se3.hat(se3.Ad_apply(g, V)), g @ se3.hat(V) @ se3.inverse(g), 2e-15, scale=3.0)
    assert_close(se3.vee(se3.hat(V)), V, 0.0)
    h = se3.exp(V)
    assert_close(se3.pose(se3.rotation(h), se3.position(h)), h, 0.0)


@given(vectors)
def test_quaternions(w):
    R = so3.exp(w)
    q = so3.quaternion_wxyz(R)
    assert_close(np.linalg.norm(q, axis=-1), np.ones(w.shape[:-1]), 1e-15)
    assert np.all(q[..., 0] >= 0.0)
    assert_close(so3.from_quaternion_wxyz(q), R, 2e-15)
    assert_close(so3.from_quaternion_wxyz(-3.0 * q), R, 2e-15)


def test_quaternion_convention():
    c, s = np.cos(0.2), np.sin(0.2)
    for k in range(3):
        expected = np.concatenate([[c], s * np.eye(3)[k]])
        assert_close(so3.quaternion_wxyz(so3.exp(0.4 * np.eye(3)[k])), expected, 1e-15)


@given(vectors)
def test_euler_angles(w):
    R = so3.exp(w)
    angles = so3.euler_zyx(R)
    assert np.all(np.abs(angles[..., 1]) <= np.pi / 2)
    assert_close(so3.from_euler_zyx(angles), R, 3e-15)
    yaw, pitch, roll = (so3.exp(w[..., k : k + 1] * np.eye(3)[2 - k]) for k in range(3))
    assert_close(so3.from_euler_zyx(w), yaw @ pitch @ roll, 1e-15)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
@pytest.mark.parametrize("offset", [0.0, 1e-15, 1e-9, 1e-6])
def test_euler_angles_give_back_the_rotation_at_their_singularity(pitch, offset):
    R = so3.from_euler_zyx(np.array([0.7, pitch - np.sign(pitch) * offset, -1.1]))
    R[np.abs(R) < 1e-15] = 0.0
    assert_close(so3.from_euler_zyx(so3.euler_zyx(R)), R, 3e-15)


def test_projection_and_renormalisation_remove_drift():
    rng = np.random.default_rng(4)
    R = so3.exp(rng.normal(size=(5, 3)))
    drifted = R + 1e-9 * rng.normal(size=R.shape)
    nearest = so3.project(drifted)
    identity = np.broadcast_to(np.eye(3), R.shape)
    assert_close(np.swapaxes(nearest, -1, -2) @ nearest, identity, 2e-15)
    assert_close(so3.renormalise(drifted), nearest, 1e-15, scale=3.0)
    assert_close(so3.project(np.diag([1.0, 1.0, -0.5])), np.eye(3), 1e-15)  # never a reflection
    with pytest.raises(ValueError, match="finite"):
        so3.project(np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="shape"):
        so3.project(np.eye(4))


def test_nan_is_passed_on_and_not_hidden():
    assert np.isnan(so3.exp(np.array([np.nan, 0.0, 0.0]))).any()
    assert np.isnan(se3.log(np.full((4, 4), np.nan))).any()
