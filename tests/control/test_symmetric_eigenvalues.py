"""Eigenvalues by rotations, as kernels find them, and the inverse that is smooth where they vanish."""

import numpy as np
import pytest

from unmoored.control.priority.successive_projection import inverted_smoothly, left_over, moved
from unmoored.control.priority.symmetric_eigenvalues import eigenvalues
from unmoored.trace import evaluate, trace

RNG = np.random.default_rng(5)


def symmetric(spectrum):
    """A matrix with these eigenvalues along directions in no special place."""
    turn = np.linalg.qr(RNG.normal(size=(len(spectrum),) * 2))[0]
    return turn @ np.diag(spectrum) @ turn.T


@pytest.mark.whole
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 7, 10])
def test_eigenvalues_of_symbols_are_those_of_numbers(k):
    """To rounding, with large and small ones, equal ones, zeros, and where nothing is left to turn."""
    traced = trace(lambda G: eigenvalues(G), (k, k))
    spectra = RNG.normal(size=k), np.geomspace(1e-8, 1.0, k), np.r_[np.zeros(k // 2), np.ones(k - k // 2)]
    for G in (*map(symmetric, spectra), np.diag(np.arange(k) - 1.0), np.zeros((k, k)), np.ones((k, k))):
        λ, V = evaluate(traced, G)
        np.testing.assert_allclose(V @ np.diag(λ) @ V.T, G, atol=1e-13 * max(1.0, k / 2))
        np.testing.assert_allclose(V.T @ V, np.eye(k), atol=1e-13)
        np.testing.assert_allclose(np.sort(λ), np.linalg.eigvalsh(G), atol=1e-13 * max(1.0, k))


def test_small_eigenvalues_are_inverted_along_the_tangent():
    """1/λ from ε² on; below it falls on along (2 − λ/ε²)/ε², to twice the inverse of ε² where there is nothing."""
    ε = np.array([0.5, 0.2])
    λ = np.array([[0.0, 0.25, 2.0], [0.01, 0.039, 0.041]])
    G = np.stack([symmetric(spectrum) for spectrum in λ])
    found = inverted_smoothly(G, ε)
    f = np.array([[8.0, 4.0, 0.5], [(2 - 0.25) / 0.04, (2 - 0.975) / 0.04, 1 / 0.041]])
    for k in range(2):
        np.testing.assert_allclose(np.linalg.eigvalsh(found[k]), np.sort(f[k]), rtol=1e-12)
        np.testing.assert_allclose(found[k] @ G[k], G[k] @ found[k], atol=1e-12)


def test_a_level_in_part_moves_and_takes_that_part():
    x, z = RNG.normal(size=(2, 3, 4))
    N, taken = RNG.normal(size=(2, 3, 4, 4))
    share = np.array([0.0, 0.3, 1.0])
    part_of_z, part = share[:, None] * z, share[:, None, None] * taken
    np.testing.assert_allclose(moved(x, None, z, share), x + part_of_z, rtol=1e-14)
    np.testing.assert_allclose(moved(x, N, z, share), x + np.einsum("sij,sj->si", N, part_of_z), rtol=1e-12)
    np.testing.assert_array_equal(moved(x, None, z, 1.0), x + z)
    np.testing.assert_allclose(left_over(None, taken, share), np.eye(4) - part, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(left_over(N, taken, share), N - N @ part, rtol=1e-11, atol=1e-13)
    np.testing.assert_array_equal(left_over(None, taken, 1.0), np.eye(4) - taken)
