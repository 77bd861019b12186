"""Regions of 95 % hold the truth in 95 ± 3 % of 500 runs: a captured target, 1 % noise on velocities and momenta."""

import numpy as np
import pytest
from tests.identification.servicer import FREE, TRUE, momentum_rows, motion, servicer

import unmoored as um

RUNS = 500


@pytest.mark.parametrize("told", [True, False])
def test_from_twists_and_momenta(told):
    g, V, μ = momentum_rows()
    σ_V, σ_μ = (0.01 * np.sqrt((x**2).mean(axis=0)) for x in (V, μ))
    inside = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        rows = g, V + σ_V * rng.normal(size=V.shape), μ + σ_μ * rng.normal(size=μ.shape)
        noise = {"twist_noise": σ_V, "momentum_noise": σ_μ} if told else {}
        inside += um.identify_target(*rows, **noise).region_holds(TRUE)
    print(f"{inside} of {RUNS}")
    assert 0.92 * RUNS <= inside <= 0.98 * RUNS


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("every", [1, 10])
def test_from_the_whole_system(told, every):
    """The plant's own momentum, every velocity with 1 % of its rms; 200 rows, and 20, where regions of χ² are too small
    if the noise is not told."""
    run, inside = motion(), 0
    σ = 0.01 * np.sqrt((run.v**2).mean(axis=0))
    for seed in range(RUNS):
        v = run.v + σ * np.random.default_rng(seed).normal(size=run.v.shape)
        seen = um.Recording(run.t[::every], run.q[::every], v[::every], v_noise=σ if told else None)
        inside += um.identify(um.Plant(servicer()), seen, free=FREE, by="momentum").region_holds(TRUE)
    print(f"{inside} of {RUNS}")
    assert 0.92 * RUNS <= inside <= 0.98 * RUNS
