"""Distributions as functions of uniform numbers, against SciPy's quantiles and closed forms."""

import numpy as np
import pytest
from scipy import stats

import unmoored as um
from unmoored.lie import se3, so3

R = (np.arange(997) + 0.4) / 997


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (um.Normal(1.5, 0.3), stats.norm(1.5, 0.3)),
        (um.Uniform(-1.0, 2.0), stats.uniform(-1.0, 3.0)),
        (um.LogNormal(2.0, 0.4), stats.lognorm(0.4, scale=2.0)),
        (um.TruncatedNormal(1.0, 0.5, 0.2, 1.4), stats.truncnorm(-1.6, 0.8, 1.0, 0.5)),
        (um.TruncatedNormal(0.0, 1.0, 6.0, 9.0), stats.truncnorm(6.0, 9.0)),
        (um.TruncatedNormal(0.0, 1.0, -9.0, -6.0), stats.truncnorm(-9.0, -6.0)),
        (um.Integers(2, 5), stats.randint(2, 6)),
    ],
    ids=lambda x: repr(x)[:40],
)
@pytest.mark.whole
def test_quantiles_are_scipys(ours, theirs):
    np.testing.assert_allclose(ours.at(R[:, None]), theirs.ppf(R), rtol=1e-9, atol=1e-12)


def test_discrete_values_come_in_proportion_to_their_weights():
    values = um.Discrete([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], weights=[1, 0, 3]).at(R[:, None])
    assert values.shape == (997, 2)
    assert {tuple(x) for x in values} == {(1.0, 2.0), (5.0, 6.0)}
    assert abs(np.mean(values[:, 0] == 1.0) - 0.25) < 1e-3
    assert um.Discrete([1, 2], weights=[1, 0]).at(np.array([[1.0 - 2**-53]])) == 1.0


def test_correlated_values_have_their_covariance():
    C = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
    x = um.Correlated([1.0, 2.0, 3.0], C).at(np.random.default_rng(0).random((200_000, 3)))
    np.testing.assert_allclose(x.mean(axis=0), [1, 2, 3], atol=0.02)
    np.testing.assert_allclose(np.cov(x.T), C, atol=0.03)


def test_uniform_rotations_follow_haars_measure():
    turns = um.UniformRotation().at(np.random.default_rng(1).random((20_000, 3)))
    np.testing.assert_allclose(
        np.swapaxes(turns, -1, -2) @ turns, np.broadcast_to(np.eye(3), turns.shape), atol=1e-14
    )
    assert np.abs(turns.mean(axis=0)).max() < 0.02
    angles = np.linalg.norm(so3.log(turns), axis=-1)
    # the angle of a uniform rotation has the density (1 − cos θ)/π
    assert stats.kstest(angles, lambda θ: (θ - np.sin(θ)) / np.pi).pvalue > 0.01
    # turned by any rotation it stays uniform: where the x axis points is uniform over heights
    fixed = so3.exp(np.array([0.3, -1.0, 0.5]))
    assert stats.kstest((fixed @ turns)[:, 2, 0], stats.uniform(-1, 2).cdf).pvalue > 0.01


def test_normal_poses_and_rotations_are_normal_in_the_tangent_of_their_mean():
    r = np.random.default_rng(2).random((50_000, 6))
    mean = um.Pose(xyz=(1, 2, 3), rpy=(0.4, -0.7, 2.0))
    A = np.random.default_rng(3).normal(size=(6, 6)) * 0.05
    C = A @ A.T + 1e-3 * np.eye(6)
    ξ = se3.log(se3.inverse(mean.matrix) @ um.NormalPose(mean, covariance=0.5 * (C + C.T)).at(r))
    np.testing.assert_allclose(np.cov(ξ.T), C, atol=8e-4)
    turned = um.NormalRotation((0.1, 0.2, 0.3), mean=um.Pose(rpy=(0.4, -0.7, 2.0))).at(r[:, :3])
    ω = so3.log(mean.rotation.T @ turned)
    np.testing.assert_allclose(ω.std(axis=0), [0.1, 0.2, 0.3], rtol=0.02)
    assert np.abs(np.corrcoef(ω.T) - np.eye(3)).max() < 0.02
    for one, all_of_them in (
        (um.NormalRotation(0.1), um.NormalRotation((0.1, 0.1, 0.1))),
        (um.NormalPose(mean, deviation=0.1), um.NormalPose(mean, deviation=(0.1,) * 6)),
    ):
        numbers = r[:10, : 3 if isinstance(one, um.NormalRotation) else 6]
        assert np.array_equal(one.at(numbers), all_of_them.at(numbers))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: um.LogNormal(-1.0, 0.1), "median"),
        (lambda: um.TruncatedNormal(0, 1, 2, 1), "high"),
        (lambda: um.Normal(0, -1), "given -1.0"),
        (lambda: um.Discrete([1, 2], weights=[1]), "weights"),
        (lambda: um.Correlated([0, 0], [[1, 2], [2, 1]]), "positive definite"),
        (lambda: um.NormalPose(um.Pose()), "deviation or covariance"),
        (lambda: um.NormalRotation((0.1, -0.1, 0.1)), "deviation"),
        (lambda: um.Integers(1.5, 2), "whole number"),
    ],
)
@pytest.mark.whole
def test_wrong_numbers_are_refused(make, words):
    with pytest.raises(um.ModelError, match=words):
        make()
