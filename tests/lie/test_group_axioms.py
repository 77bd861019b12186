"""The group axioms, for every subgroup, place and batch shape."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from unmoored.lie import se3

from .cases import BATCHES, assert_close, coordinates, every_group, several

few = settings(max_examples=5)


@every_group
@few
@given(data=st.data())
def test_products_and_inverses_stay_in_the_group(group, data):
    x, y = data.draw(several(group, 2))
    g, h = group.exp(x), group.exp(y)
    assert g.shape == (*x.shape[:-1], 4, 4)
    assert np.all(group.contains(g @ h, 1e-13 * 10))
    assert np.all(group.contains(se3.inverse(g), 1e-13 * 10))


@every_group
@few
@given(data=st.data())
def test_inverse_is_the_exponential_of_minus_x(group, data):
    (x,) = data.draw(several(group, 1))
    g = group.exp(x)
    assert_close(se3.inverse(g), group.exp(-x))
    assert_close(g @ se3.inverse(g), np.broadcast_to(np.eye(4), g.shape))


@every_group
def test_identity_is_the_exponential_of_zero(group):
    for batch in BATCHES:
        g = group.exp(np.zeros((*batch, group.dim)))
        assert_close(g, np.broadcast_to(np.eye(4), (*batch, 4, 4)), 2e-16)
        assert_close(group.log(g), np.zeros((*batch, group.dim)), 2e-16)


@every_group
@few
@given(data=st.data())
def test_product_is_associative(group, data):
    a, b, c = (group.exp(x) for x in data.draw(several(group, 3)))
    assert_close((a @ b) @ c, a @ (b @ c))


@every_group
@few
@given(data=st.data())
def test_log_undoes_exp(group, data):
    (x,) = data.draw(several(group, 1))
    assert_close(group.log(group.exp(x)), x)


@every_group
@few
@given(data=st.data())
def test_one_parameter_subgroups_add(group, data):
    (x,) = data.draw(several(group, 1))
    assert_close(group.exp(0.25 * x) @ group.exp(0.5 * x), group.exp(0.75 * x))


@every_group
@few
@given(data=st.data())
def test_exp_is_the_exponential_of_the_twist(group, data):
    (x,) = data.draw(several(group, 1))
    assert_close(group.exp(x), se3.exp(x @ group.basis.T))


@every_group
@few
@given(data=st.data())
def test_Ad_is_a_homomorphism(group, data):
    x, y = data.draw(several(group, 2))
    g, h = group.exp(x), group.exp(y)
    assert_close(group.Ad(g @ h), group.Ad(g) @ group.Ad(h), 1e-13, scale=10.0)
    assert_close(group.basis @ group.Ad(g), se3.Ad(g) @ group.basis, 1e-13, scale=10.0)


@every_group
@few
@given(data=st.data())
def test_conjugation_by_a_member_turns_coordinates_by_Ad(group, data):
    x, y = data.draw(several(group, 2))
    g = group.exp(x)
    turned = (group.Ad(g) @ y[..., None])[..., 0]
    assert_close(g @ group.exp(y) @ se3.inverse(g), group.exp(turned), 1e-13, scale=10.0)


@every_group
def test_batches_are_the_samples_one_by_one(group):
    x = np.random.default_rng(3).uniform(-1.5, 1.5, (2, 3, group.dim))
    g = group.exp(x)
    for index in np.ndindex(2, 3):
        assert_close(g[index], group.exp(x[index]), 1e-15)
        assert_close(group.log(g)[index], group.log(g[index]), 1e-15)
        assert_close(group.dexp(x)[index], group.dexp(x[index]), 1e-15)
        assert_close(group.dexp_inv(x)[index], group.dexp_inv(x[index]), 1e-15)


@every_group
@few
@given(data=st.data())
def test_conjugated_group_is_the_group_moved(group, data):
    x = data.draw(coordinates(group, (3,)))
    A = se3.exp(np.array([0.4, -1.0, 0.3, 0.2, 1.1, -0.5]))
    moved = group.conjugated(A)
    assert_close(moved.exp(x), A @ group.exp(x) @ se3.inverse(A))
    assert_close(moved.basis, se3.Ad(A) @ group.basis)
    assert np.array_equal(moved.structure_constants, group.structure_constants)
