"""exp, log, dexp, dexp⁻¹ against 50 digits: relative error ≤ 1e-14 in every block, 1e-300 ≤ θ ≤ π − 1e-9."""

import mpmath as mp
import numpy as np
import pytest
from tests.support.thinning import one_in

from unmoored.lie import coefficients, se3, so3

from . import high_precision
from .cases import every_group

BOUND = 1e-14
SWITCH = float(np.sqrt(coefficients.SWITCH))
TINY = [1e-300, 1e-200, 1e-162, 1e-154, 1e-100, 1e-30, 1e-16, 1e-12, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]
MEDIUM = [0.1, 0.3, 0.6, 1.0, 1.5, 1.8, SWITCH * (1 - 1e-15), SWITCH * (1 + 1e-15), 2.1, 2.331, 2.7, 3.0]
ANGLES = [*TINY, *MEDIUM, 3.14, np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9]
LENGTHS = (1e-6, 1.0, 1e6)


def twists(angle: float) -> list[np.ndarray]:
    """Random axes; the linear part of each length at random, and along the axis, where terms cancel most."""
    rng = np.random.default_rng(int(angle * 1e6))
    found = []
    for length in LENGTHS:
        axis, direction = (u / np.linalg.norm(u) for u in rng.normal(size=(2, 3)))
        found += [np.concatenate([length * v, angle * axis]) for v in (direction, axis)]
    return found


def worst(pairs) -> float:
    return max(high_precision.relative_error(computed, exact) for computed, exact in pairs)


@pytest.mark.parametrize("angle", one_in(2, ANGLES, first=1))
def test_exp(angle):
    for V in twists(angle):
        g, exact = se3.exp(V), high_precision.exp(V)
        assert worst([(g[:3, :3], exact[:3, :3]), (g[:3, 3], exact[:3, 3])]) <= BOUND
        assert worst([(so3.exp(V[3:]), exact[:3, :3])]) <= BOUND


@pytest.mark.parametrize("angle", one_in(2, ANGLES))
def test_log(angle):
    for V in twists(angle):
        g = se3.exp(V)
        computed, exact = se3.log(g), high_precision.log(g)
        assert worst([(computed[3:], exact[3:]), (computed[:3], exact[:3])]) <= BOUND
        assert worst([(so3.log(g[:3, :3]), exact[3:])]) <= BOUND


@pytest.mark.parametrize("angle", one_in(4, ANGLES, first=1))
def test_dexp_and_its_inverse(angle):
    for V in twists(angle):
        exact = high_precision.dexp(V)
        for group, one, matrix in (
            (se3.dexp, so3.dexp, exact),
            (se3.dexp_inv, so3.dexp_inv, mp.inverse(exact)),
        ):
            D = group(V)
            assert worst([(D[:3, :3], matrix[:3, :3]), (D[:3, 3:], matrix[:3, 3:])]) <= BOUND
            assert np.array_equal(D[:3, :3], D[3:, 3:])
            assert not D[3:, :3].any()
            assert worst([(one(V[3:]), matrix[:3, :3])]) <= BOUND


@pytest.mark.parametrize("angle", ANGLES)
def test_scalar_functions(angle):
    """Every Stumpff function has the accuracy that its use above needs, and the low ones full accuracy."""
    t = angle * angle
    bounds = (2e-15, 1e-15, 2e-15, 4e-15, 1e-14, 2e-14)
    for k, (c, bound) in enumerate(zip(coefficients.stumpff(t), bounds, strict=True), start=1):
        exact = mp.fsum((-mp.mpf(t)) ** j / mp.factorial(2 * j + k) for j in range(40))
        assert abs(c - exact) <= bound * max(abs(exact), mp.mpf("0.3") if k == 1 else 0)


def exact_twist(group, x: np.ndarray) -> mp.matrix:
    """H x in high precision from the doubles of the frame and the standard basis."""
    if group.dim == 0:
        return mp.zeros(6, 1)
    R, r = high_precision.to_matrix(group.frame[:3, :3]), [mp.mpf(c) for c in group.frame[:3, 3].tolist()]
    V = high_precision.to_matrix(group.standard_basis) * mp.matrix(x.tolist())
    v, ω = R * V[:3, 0], R * V[3:, 0]
    return mp.matrix([*(v + high_precision.hat(r) * ω), *ω])


@every_group
@pytest.mark.parametrize("angle", one_in(2, [1e-300, 1e-160, 1e-8, 1.5, np.pi - 1e-9]))
def test_every_subgroup(group, angle):
    rng = np.random.default_rng(5)
    linear = np.array([name.startswith("v") for name in group.dof_names], dtype=bool)
    x = np.where(linear, 1.0, angle) * unit_parts(rng.normal(size=group.dim), linear)
    exact = high_precision.exp_of(exact_twist(group, x))
    g = group.exp(x)
    assert worst([(g[:3, :3], exact[:3, :3]), (g[:3, 3], exact[:3, 3])]) <= BOUND
    if group.dim == 0:  # nothing to compare, and mpmath 1.3 has no norm of an empty matrix
        return
    ad = high_precision.to_matrix(group.ad(x))
    dexp = high_precision.power_series(ad, lambda k: mp.mpf(-1) ** k / (k + 1))
    assert worst([(group.dexp(x), dexp)]) <= BOUND
    assert worst([(group.dexp_inv(x), mp.inverse(dexp))]) <= BOUND


@every_group
@pytest.mark.parametrize("angle", [1e-300, 1e-160, 1e-8, 1e-3, 0.3, 1.5, 3.0, np.pi - 1e-9])
def test_log_of_every_subgroup(group, angle):
    """log(exp(x)) gives back a relative 1e-14 of the translation and of the rotation, each by itself."""
    rng = np.random.default_rng(6)
    linear = np.array([name.startswith("v") for name in group.dof_names], dtype=bool)
    x = np.where(linear, 1.0, angle) * unit_parts(rng.normal(size=group.dim), linear)
    back = group.log(group.exp(x))
    assert worst([(back[linear], list(x[linear]))]) <= BOUND
    assert worst([(back[~linear], list(x[~linear]))]) <= BOUND


def unit_parts(x: np.ndarray, linear: np.ndarray) -> np.ndarray:
    """The linear and the angular part of x, each scaled to length 1."""
    for part in (linear, ~linear):
        x[part] /= np.linalg.norm(x[part]) if part.any() else 1.0
    return x
