"""Brackets, ad, K, dexp on the algebra of every subgroup."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.thinning import one_in

from unmoored import lie
from unmoored.lie import se3, so3
from unmoored.trace import evaluate, jvp, trace

from . import high_precision
from .cases import assert_close, every_group, several

few = settings(max_examples=5)


def apply(A, x):
    return (A @ x[..., None])[..., 0]


@every_group
def test_structure_constants_close_the_algebra(group):
    H, c = group.basis, group.structure_constants
    brackets = np.array([se3.ad(H[:, i]) @ H for i in range(group.dim)]).reshape(group.dim, 6, group.dim)
    assert_close(np.einsum("ak,kij->iaj", H, c), brackets, 1e-15, scale=10.0)
    assert np.array_equal(c, -np.swapaxes(c, 1, 2))
    assert set(np.unique(c)) <= {-1.0, 0.0, 1.0}
    assert_close(group.coordinates @ H, np.eye(group.dim), 1e-15, scale=10.0)


@every_group
@few
@given(data=st.data())
def test_bracket_obeys_jacobi_and_is_that_of_the_twists(group, data):
    x, y, z = data.draw(several(group, 3))
    b = group.bracket
    assert_close(b(x, b(y, z)) + b(y, b(z, x)) + b(z, b(x, y)), np.zeros_like(x), scale=30.0)
    H = group.basis
    assert_close(b(x, y) @ H.T, se3.ad_apply(x @ H.T, y @ H.T), scale=10.0)
    assert_close(b(x, y), apply(group.ad(x), y), 1e-15)


@every_group
@few
@given(data=st.data())
def test_Ad_carries_ad(group, data):
    x, y = data.draw(several(group, 2))
    g = group.exp(y)
    Ad, Ad_inverse = group.Ad(g), group.Ad(se3.inverse(g))
    assert_close(Ad @ group.ad(x) @ Ad_inverse, group.ad(apply(Ad, x)), 1e-13, scale=100.0)


@every_group
@few
@given(data=st.data())
def test_momentum_bracket(group, data):
    u, p = data.draw(several(group, 2))
    K = group.momentum_bracket(p)
    assert_close(apply(K, u), -apply(np.swapaxes(group.ad(u), -1, -2), p), 1e-15, scale=10.0)
    assert np.array_equal(K, -np.swapaxes(K, -1, -2))
    assert_close(np.einsum("...i,...i->...", u, apply(K, u)), np.zeros(u.shape[:-1]), 1e-14, scale=10.0)


def test_momentum_brackets_of_the_theory_table():
    p = np.array([2.0, 3.0, 5.0, 7.0, 11.0, 13.0])
    planar = np.array([[0, 0, -3.0], [0, 0, 2.0], [3.0, -2.0, 0]])
    assert np.array_equal(lie.planar().momentum_bracket(p[:3]), planar)
    assert np.array_equal(lie.planar_screw((0, 0, 1), 0.2).momentum_bracket(p[:3]), planar)
    assert np.array_equal(lie.spherical().momentum_bracket(p[:3]), -so3.hat(p[:3]))
    schoenflies = np.array([[0, 0, 0, -3.0], [0, 0, 0, 2.0], [0, 0, 0, 0], [3.0, -2.0, 0, 0]])
    assert np.array_equal(lie.schoenflies().momentum_bracket(p[:4]), schoenflies)
    assert np.array_equal(lie.special_euclidean().momentum_bracket(p), se3.momentum_bracket(p))
    for name in ("1", "T(1)", "SO(2)", "H_h", "T(2)", "C(1)", "T(3)"):
        group = next(g for g in lie.CATALOGUE if g.name == name)
        assert not group.structure_constants.any()


@every_group
@few
@given(data=st.data())
def test_dexp_and_its_inverse(group, data):
    (x,) = data.draw(several(group, 1))
    identity = np.broadcast_to(np.eye(group.dim), (*x.shape, group.dim))
    assert_close(group.dexp(x) @ group.dexp_inv(x), identity, scale=10.0)
    assert_close(apply(group.dexp(x), x), x)
    H, L = group.basis, group.coordinates
    assert_close(group.dexp(x), L @ se3.dexp(x @ H.T) @ H, scale=10.0)
    assert_close(group.dexp_inv(x), L @ se3.dexp_inv(x @ H.T) @ H, scale=10.0)


@every_group
@few
@given(data=st.data())
def test_Ad_of_exp_is_dexp_right_over_left(group, data):
    (x,) = data.draw(several(group, 1))
    assert_close(group.Ad(group.exp(x)) @ group.dexp(x), group.dexp(-x), scale=10.0)


@every_group
@pytest.mark.parametrize("seed", one_in(2, range(2)))
def test_dexp_is_the_body_velocity_of_exp(group, seed):
    """g⁻¹ġ by central differences at 60 digits: left-trivialised, with the right sign."""
    if group.dim == 0:
        assert group.dexp(np.zeros(0)).shape == (0, 0)
        return
    rng = np.random.default_rng(seed)
    x, rate = rng.uniform(-1.5, 1.5, (2, group.dim))
    H = mp.matrix(group.basis.tolist())
    X, dX = (H * mp.matrix(y.tolist()) for y in (x, rate))
    ε = mp.mpf(10) ** -25
    ahead, behind = (high_precision.exp_of(X + sign * ε * dX) for sign in (1, -1))
    V = mp.inverse(high_precision.exp_of(X)) * (ahead - behind) / (2 * ε)
    twist = np.array([V[0, 3], V[1, 3], V[2, 3], V[2, 1], V[0, 2], V[1, 0]], dtype=float)
    assert_close(group.basis @ (group.dexp(x) @ rate), twist, 1e-14, scale=3.0)


@every_group
def test_dexp_rate_is_the_derivative_of_dexp(group):
    """Exactly, by differentiating dexp's own program along ẋ; at angles on both sides of where its series ends."""
    if not group.dim:
        return
    rate, rng = jvp(trace(group.dexp, (group.dim,))), np.random.default_rng(7)
    for size in (1e-5, 1.0, 3.0):
        x, x_dot = rng.normal(size=(2, 4, group.dim))
        assert_close(group.dexp_rate(size * x, x_dot), evaluate(rate, size * x, x_dot), 1e-12, scale=10.0)
