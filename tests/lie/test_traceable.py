"""The same code on symbols: traced graphs give the numbers of the NumPy run."""

import numpy as np
import pytest

from unmoored import lie, trace
from unmoored.lie import se3, so3

from .cases import assert_close, every_group


def samples(group: lie.Subgroup) -> np.ndarray:
    """Coordinates from tiny to large, zero and the half turn among them."""
    rng = np.random.default_rng(2)
    x = rng.uniform(-1.7, 1.7, (12, group.dim)) * np.logspace(-300, 0, 12)[:, None]
    return np.concatenate([np.zeros((1, group.dim)), x, rng.uniform(-1.7, 1.7, (12, group.dim))])


def assert_traced_like_numpy(function, *arrays, inner):
    traced = trace.trace(function, *inner)
    computed, expected = trace.evaluate(traced, *arrays), function(*arrays)
    assert_close(np.broadcast_to(computed, expected.shape), expected, 1e-15)


@every_group
def test_every_method_of_a_subgroup(group):
    x, m = samples(group), group.dim
    g = group.exp(x)
    for method in (group.exp, group.dexp, group.dexp_inv, group.ad, group.momentum_bracket):
        assert_traced_like_numpy(method, x, inner=[(m,)])
    for method in (group.log, group.Ad):
        assert_traced_like_numpy(method, g, inner=[(4, 4)])
    assert_traced_like_numpy(group.bracket, x, x[::-1], inner=[(m,), (m,)])


def test_the_full_groups():
    V = samples(lie.special_euclidean())
    g, p = se3.exp(V), V[::-1].copy()
    for function in (se3.exp, se3.hat, se3.ad, se3.dexp, se3.dexp_inv, se3.momentum_bracket):
        assert_traced_like_numpy(function, V, inner=[(6,)])
    for function in (se3.log, se3.inverse, se3.Ad, se3.vee):
        assert_traced_like_numpy(function, g, inner=[(4, 4)])
    for function in (se3.Ad_apply, se3.Ad_inv_apply, se3.Ad_transpose_apply, se3.Ad_inv_transpose_apply):
        assert_traced_like_numpy(function, g, p, inner=[(4, 4), (6,)])
    for function in (se3.ad_apply, se3.ad_transpose_apply):
        assert_traced_like_numpy(function, V, p, inner=[(6,), (6,)])


def test_rotations_and_their_conversions():
    w = samples(lie.spherical())
    R = so3.exp(w)
    for function in (so3.exp, so3.hat, so3.dexp, so3.dexp_inv, so3.from_euler_zyx):
        assert_traced_like_numpy(function, w, inner=[(3,)])
    for function in (so3.log, so3.vee, so3.renormalise, so3.quaternion_wxyz, so3.euler_zyx):
        assert_traced_like_numpy(function, R, inner=[(3, 3)])
    assert_traced_like_numpy(so3.from_quaternion_wxyz, so3.quaternion_wxyz(R), inner=[(4,)])


def test_half_turns_on_symbols():
    axes = np.concatenate([np.eye(3), np.random.default_rng(0).normal(size=(6, 3))])
    a = axes / np.linalg.norm(axes, axis=-1, keepdims=True)
    R = 2.0 * a[:, :, None] * a[:, None, :] - np.eye(3)
    assert_traced_like_numpy(so3.log, R, inner=[(3, 3)])


def operations(group: lie.Subgroup) -> set[str]:
    traced = trace.trace(group.exp, (group.dim,))
    return {node[0] for node in traced.graph.nodes} - {"input", "const"}


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, 0, -1), (1, 0, 0)])
def test_one_degree_of_freedom_joints_trace_to_bare_sines_and_cosines(axis):
    assert operations(lie.rotation(axis)) <= {"sin", "cos", "neg", "sub"}
    assert operations(lie.translation_1(axis)) <= {"neg"}
    skew = operations(lie.screw((1, 2, 3), 0.1).conjugated(se3.exp(np.arange(6.0))))
    assert skew <= {"sin", "cos", "neg", "add", "sub", "mul"}
