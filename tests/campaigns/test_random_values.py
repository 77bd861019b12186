"""Distributions as functions of uniform numbers, against SciPy's quantiles and closed forms."""

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation

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


def test_numbers_at_the_edge_of_what_they_may_be_are_taken():
    """And those just beyond are told, with all of them."""
    assert um.Uniform([1.0, 2.0], [1.0, 3.0]).at(np.full((1, 2), 0.5)).tolist() == [[1.0, 2.5]]
    assert um.Normal(2.0, 0.0).at(R[:5, None]).tolist() == [2.0] * 5
    assert um.LogNormal(3.0, 0.0).at(R[:5, None]).tolist() == [3.0] * 5
    assert um.Integers(4, 4).at(R[:5, None]).tolist() == [4.0] * 5
    assert um.Integers(-(2**52), 2**52).low == -(2**52)
    for low, high in ((36.9, 50.0), (-50.0, -36.9), (-1.0, 1.0)):
        um.TruncatedNormal(1.0, 2.0, 1.0 + 2.0 * low, 1.0 + 2.0 * high)
    um.TruncatedNormal(0.0, 1.0, 37.0, 38.0)
    um.TruncatedNormal(0.0, 1.0, -38.0, -37.0)
    far = "a range within 37 deviations of the mean: further off no value has a probability"
    for make, told in (
        (lambda: um.Uniform([1.0, 2.0], [3.0, 1.9]), "Uniform: high: expected ≥ low, given [3.0, 1.9]"),
        (lambda: um.Normal([0.0, 1.0], [0.0, -1e-9]), "Normal: deviation: expected ≥ 0, given [0.0, -1e-09]"),
        (lambda: um.LogNormal(0.0, 1.0), "LogNormal: median: expected > 0, given 0.0"),
        (lambda: um.LogNormal(1.0, -0.5), "LogNormal: deviation: expected ≥ 0, given -0.5"),
        (lambda: um.TruncatedNormal(1, 0, 0, 2), "TruncatedNormal: deviation: expected > 0, given 0.0"),
        (lambda: um.TruncatedNormal(1, 1, 2, 2), "TruncatedNormal: high: expected > low, given 2.0"),
        (lambda: um.TruncatedNormal(1, 2, 77, 99), f"low and high: expected {far}, given 38.0"),
        (lambda: um.TruncatedNormal(1, 2, -99, -77), f"low and high: expected {far}, given 39.0"),
        (lambda: um.Integers(5, 4), "Integers: high: expected ≥ low, given 4"),
        (lambda: um.Integers(0, 2**52 + 1), "Integers: high: expected a whole number of at most 52 bits"),
        (lambda: um.Integers(-(2**52) - 1, 0), "Integers: low: expected a whole number of at most 52 bits"),
        (lambda: um.Integers(0, True), "Integers: high: expected a whole number"),
        (lambda: um.Normal(0.0, [1.0, 2.0]), "deviation: expected of the shape of mean, (), given shape (2,)"),
        (lambda: um.Normal([[0.0]], 1.0), "Normal: mean: expected one number or n numbers, given shape (1, 1)"),
        (lambda: um.Discrete(3.0), "Discrete: values: expected n numbers or rows of numbers, given shape ()"),
        (lambda: um.Discrete([[1, 2], [3]]), "Discrete: values: expected rows of the same length, given [[1"),
        (lambda: um.Correlated(1.0, [[1.0]]), "Correlated: mean: expected n numbers or rows of numbers"),
        (lambda: um.Correlated([0, 0], [[1, 0.5], [0.4, 1]]), "covariance: expected a symmetric 2×2 matrix"),
        (lambda: um.Correlated([0, 0], np.eye(3)), "covariance: expected a symmetric 2×2 matrix, given [[1.0"),
        (lambda: um.Correlated([0, 0], [[1, 1], [1, 1]]), "covariance: expected positive definite, given [["),
        (lambda: um.NormalPose(um.Pose(), 1.0, np.eye(6)), "spread: expected deviation or covariance, given both"),
        (lambda: um.NormalPose(um.Pose()), "spread: expected deviation or covariance, given neither"),
        (lambda: um.NormalPose(None, 1.0), "NormalPose: mean: expected a Pose, given None"),
        (lambda: um.NormalPose(um.Pose(), np.ones(5)), "NormalPose: deviation"),
        (lambda: um.NormalRotation(1.0, um.Pose(xyz=(0, 0, 1e-9))), "mean: expected a Pose at the origin, for"),
        (lambda: um.NormalRotation((0.1, -0.2, 0.3)), "deviation: expected ≥ 0, given [0.1, -0.2, 0.3]"),
    ):  # fmt: skip
        with pytest.raises(um.ModelError) as caught:
            make()
        assert told in str(caught.value)


def test_lists_of_truncated_values_are_each_cut_where_it_is():
    """Below the mean, about it and above it, side by side."""
    value = um.TruncatedNormal([0.0, 1.0, 2.0], [1.0, 0.5, 2.0], [-9.0, 0.2, 10.0], [-6.0, 1.4, 20.0])
    found = value.at(np.tile(R[:, None], 3))
    cuts = ((-9.0, -6.0), (-1.6, 0.8), (4.0, 9.0))
    for k, cut in enumerate(cuts):
        theirs = stats.truncnorm(*cut, value.mean[k], value.deviation[k]).ppf(R)
        np.testing.assert_allclose(found[:, k], theirs, rtol=1e-9)
        assert found[:, k].min() >= value.low[k]
        assert found[:, k].max() <= value.high[k]


@pytest.mark.parametrize("low", [0.01, 0.9, 1.0, 1.9])
def test_far_tails_keep_their_digits_wherever_the_range_begins_above_the_mean(low):
    """One in 10¹² values is beyond this one: of numbers near 1 four digits would be left."""
    rare = np.array([1e-12, 1e-9])
    rare = 1.0 - (1.0 - rare)  # as a uniform number can be that far from 1
    above = stats.norm.sf(9.0) + rare * (stats.norm.sf(low) - stats.norm.sf(9.0))
    far = um.TruncatedNormal(0.0, 1.0, low, 9.0).at(1.0 - rare[:, None])
    np.testing.assert_allclose(stats.norm.sf(far), above, rtol=1e-12)
    near = um.TruncatedNormal(0.0, 1.0, -9.0, -low).at(rare[:, None])
    np.testing.assert_allclose(stats.norm.cdf(near), above, rtol=1e-12)


def test_a_uniform_rotation_is_that_of_a_quaternion_on_two_circles():
    """(x, y) of radius √(1 − r₀) at the angle 2π r₁ from y, (z, w) of radius √r₀ at the angle 2π r₂ from w."""
    r = np.random.default_rng(5).random((50, 3))
    a, b = np.sqrt(1.0 - r[:, 0]), np.sqrt(r[:, 0])
    α, β = 2.0 * np.pi * r[:, 1], 2.0 * np.pi * r[:, 2]
    parts = [a * np.sin(α), a * np.cos(α), b * np.sin(β), b * np.cos(β)]
    wanted = Rotation.from_quat(np.stack(parts, axis=-1)).as_matrix()
    np.testing.assert_allclose(um.UniformRotation().at(r), wanted, atol=1e-14)


def test_poses_about_a_mean_are_the_mean_times_the_exponential():
    r = np.random.default_rng(6).random((20, 6))
    mean, σ = um.Pose(xyz=(1, 2, 3), rpy=(0.4, -0.7, 2.0)), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    z = stats.norm.ppf(r)
    np.testing.assert_allclose(um.NormalPose(mean, σ).at(r), mean.matrix @ se3.exp(σ * z), atol=1e-14)
    A = np.random.default_rng(7).normal(size=(6, 6))
    C = A @ A.T
    C = 0.5 * (C + C.T)
    wanted = mean.matrix @ se3.exp(z @ np.linalg.cholesky(C).T)
    np.testing.assert_allclose(um.NormalPose(mean, covariance=C).at(r), wanted, atol=1e-13)
    turn = um.Pose(rpy=(0.4, -0.7, 2.0))
    wanted = turn.rotation @ so3.exp(σ[:3] * z[:, :3])
    np.testing.assert_allclose(um.NormalRotation(σ[:3], turn).at(r[:, :3]), wanted, atol=1e-14)
    x = um.Correlated([1.0, 2.0, 3.0], C[:3, :3]).at(r[:, :3])
    np.testing.assert_allclose(x, [1.0, 2.0, 3.0] + z[:, :3] @ np.linalg.cholesky(C[:3, :3]).T, atol=1e-13)
