"""Ten numbers of a captured target from momentum: exact without noise, and as sure as they say with it."""

import numpy as np
import pytest
from tests.identification.servicer import FREE, TARGET, TRUE, momentum_rows, motion, servicer

import unmoored as um

GUESS = um.Inertia(20.0, (0.0, 0.0, 0.1), (3.0, 4.0, 5.0))


def noisy(rng, x, share=0.01):
    """x (T, n) with white noise of 1 % of each column's rms, and the standard deviations (n,)."""
    σ = share * np.sqrt((x**2).mean(axis=0))
    return x + σ * rng.normal(size=x.shape), σ


def test_exact_from_the_whole_system_without_noise():
    """From twice the wrong guess: all ten to 1e-8 of their size, by the plant's own momentum."""
    found = um.identify(um.Plant(servicer(GUESS)), motion(), free=FREE, by="momentum")
    assert found.names[0] == "target.mass"
    assert found.converged
    np.testing.assert_allclose(found.values, TRUE, rtol=0, atol=1e-8 * np.abs(TRUE).max())
    assert found.singular == ()
    built = found.system.tree.bodies[-1].inertia
    np.testing.assert_allclose(built.matrix, TARGET.matrix, atol=1e-6)


def test_exact_from_twists_and_momenta_without_noise():
    found = um.identify_target(*momentum_rows())
    np.testing.assert_allclose(found.values, TRUE, rtol=0, atol=1e-8 * np.abs(TRUE).max())


def test_with_noise_ordinary_least_squares_is_biased_and_this_is_not():
    """The mean over runs, in units of its own standard error, and the spread against the stated one."""
    g, V, μ = momentum_rows()
    z, inside = [], 0
    for seed in range(15):
        rng = np.random.default_rng(seed)
        (V_, σ_V), (μ_, σ_μ) = noisy(rng, V), noisy(rng, μ)
        found = um.identify_target(g, V_, μ_, twist_noise=σ_V, momentum_noise=σ_μ)
        z.append((found.values - TRUE) / found.standard_errors)
        inside += found.region_holds(TRUE)
    assert inside >= 12
    assert np.abs(np.mean(z, axis=0)).max() < 1.0
    assert 0.7 < np.sqrt(np.mean(np.square(z))) < 1.35


@pytest.mark.parametrize("seed", [0, 2, 7])
def test_a_bad_guess_ends_where_the_truth_does(seed):
    """The same minimum from a third of the mass and half the moments as from the truth, and a cost as large as its
    degrees of freedom say: not a body whose tensor has lost a moment, where logarithms have no slope to come back by.
    """
    run = motion()
    v, σ = noisy(np.random.default_rng(seed), run.v)
    seen = um.Recording(run.t, run.q, v, v_noise=σ)
    far, near = (
        um.identify(um.Plant(servicer(inertia)), seen, free=FREE, by="momentum")
        for inertia in (GUESS, TARGET)
    )
    freedom = 6 * len(run.t) - 16
    assert far.converged
    assert abs(2 * far.cost - freedom) < 5 * np.sqrt(2 * freedom)
    assert np.abs((far.values - near.values) / far.standard_errors).max() < 0.01


def test_noise_that_is_not_told_is_estimated():
    g, V, μ = momentum_rows()
    rng = np.random.default_rng(5)
    (V_, σ_V), (μ_, σ_μ) = noisy(rng, V), noisy(rng, μ)
    told = um.identify_target(g, V_, μ_, twist_noise=σ_V, momentum_noise=σ_μ)
    guessed = um.identify_target(g, V_, μ_)
    assert guessed.noise_told is False
    np.testing.assert_allclose(guessed.standard_errors, told.standard_errors, rtol=0.5)
    assert guessed.region_holds(TRUE, 0.999)


def test_what_does_not_move_is_not_told_and_named():
    """A target that never turns: neither its tensor nor its centre of mass is told; its mass is."""
    g = np.tile(np.eye(4), (50, 1, 1))
    V = np.zeros((50, 6))
    V[:, 0] = np.linspace(0.0, 1.0, 50)
    μ = np.zeros((50, 6))
    μ[:, 0] = -30.0 * V[:, 0]
    μ[:, 4] = -30.0 * 0.1 * V[:, 0]
    found = um.identify_target(g, V, μ, inertia=um.Inertia(10.0, (0, 0, 0), (1, 1, 1)))
    assert found.values[0] == pytest.approx(30.0, rel=1e-8)
    assert found.values[3] == pytest.approx(0.1, rel=1e-6)
    assert np.isinf(found.standard_errors[1])
    assert np.isfinite(found.standard_errors[0])
    assert any("target.com[0]" in str(direction) for direction in found.singular)
    assert "not told" in str(found)


def test_mistakes_are_named():
    g, V, μ = momentum_rows()
    with pytest.raises(um.ModelError, match="twists"):
        um.identify_target(g, V[:, :5], μ)
    with pytest.raises(um.ModelError, match="of one"):
        um.identify_target(g, V, μ, twist_noise=0.1)
    on_earth = um.Plant(servicer(GUESS), um.Earth())
    with pytest.raises(um.ModelError, match="a free vehicle in space"):
        um.identify(on_earth, motion(), free=FREE, by="momentum")
