"""Random values of every kind as a scenario draws them: shapes, how many uniform numbers they take, and a ball."""

import numpy as np
import pytest

import unmoored as um

MEAN = um.Pose(rpy=(0.1, 0.2, 0.3))
#: each with the shape of one value, and how many uniform numbers it takes
KINDS = [
    (um.Uniform([0.0, 1.0], [1.0, 3.0]), (2,), 2),
    (um.Normal(1.0, 0.5), (), 1),
    (um.TruncatedNormal(0.0, 1.0, -0.5, 2.0), (), 1),
    (um.LogNormal([1.0, 2.0, 3.0], [0.1, 0.2, 0.3]), (3,), 3),
    (um.Discrete([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], weights=[1.0, 2.0, 3.0]), (2,), 1),
    (um.Discrete([4.0, 5.0]), (), 1),
    (um.Integers(-2, 7), (), 1),
    (um.Correlated([1.0, 2.0], [[2.0, 0.3], [0.3, 1.0]]), (2,), 2),
    (um.InBall(0.7), (3,), 3),
    (um.UniformRotation(), (3, 3), 3),
    (um.NormalRotation(0.3, MEAN), (3, 3), 3),
    (um.NormalPose(MEAN, 0.3), (4, 4), 6),
]


@pytest.mark.whole
@pytest.mark.parametrize(("value", "shape", "numbers"), KINDS, ids=lambda x: type(x).__name__)
def test_what_is_drawn_belongs_to_uniform_numbers(value, shape, numbers):
    assert (value.shape, value.numbers) == (shape, numbers)
    drawn = value.drawn(5, np.random.default_rng(3))
    assert drawn.shape == (5, *shape)
    if type(value) not in (
        um.Uniform,
        um.Normal,
    ):  # which have their own way, kept for the numbers of old files
        r = np.random.default_rng(3).random((5, numbers)) + 2.0**-54
        np.testing.assert_array_equal(drawn, value.at(r))
        np.testing.assert_array_equal(value.at(r[1]), drawn[1])


def test_uniform_and_normal_numbers_are_drawn_as_numpy_draws_them():
    rng = np.random.default_rng
    np.testing.assert_array_equal(
        KINDS[0][0].drawn(4, rng(5)), [0.0, 1.0] + np.array([1.0, 2.0]) * rng(5).random((4, 2))
    )
    np.testing.assert_array_equal(KINDS[1][0].drawn(4, rng(5)), 1.0 + 0.5 * rng(5).standard_normal(4))


def test_a_ball_is_filled_evenly():
    """Heights by r₀, angles about the axis by r₁, the distance by the cube root of r₂."""
    r = np.random.default_rng(0).random((200, 3))
    x = um.InBall(0.7).at(r)
    size = np.linalg.norm(x, axis=-1)
    np.testing.assert_allclose(size, 0.7 * np.cbrt(r[:, 2]), rtol=1e-12)
    np.testing.assert_allclose(x[:, 2] / size, 2.0 * r[:, 0] - 1.0, rtol=1e-9, atol=1e-12)
    turned = np.exp(2j * np.pi * r[:, 1])
    np.testing.assert_allclose(x[:, 0] + 1j * x[:, 1], np.hypot(x[:, 0], x[:, 1]) * turned, atol=1e-12)
    assert um.InBall(0).at(r).tolist() == np.zeros((200, 3)).tolist()
    for radius in (-1e-9, np.inf, np.nan, "1", [1.0]):
        with pytest.raises(um.ModelError, match=r"^InBall: radius: expected a number ≥ 0"):
            um.InBall(radius)


def test_values_and_their_weights_fit_each_other():
    for weights in ([1.0], [1.0, 2.0, 3.0], [1.0, -1.0], [0.0, 0.0]):
        with pytest.raises(um.ModelError, match=r"^Discrete: weights: expected 2 numbers ≥ 0, not all 0"):
            um.Discrete([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], weights=weights)
    um.Discrete([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], weights=[1.0, 0.0])
