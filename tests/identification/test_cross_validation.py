"""Recordings held out in turn: the right model predicts all of them, and each is told by the fold without it."""

import numpy as np
import pytest

import unmoored as um
from unmoored.identification import cross_validate
from unmoored.views.plots.residual_figures import autocorrelation


def pendulum(mass=2.0, damping=0.3):
    b = um.SystemBuilder("pendulum")
    b.vehicle(
        "rod",
        um.Revolute((0, 1, 0), damping=damping),
        inertia=um.Inertia(mass, (0, 0, -0.5), (0.1, 0.1, 0.01)),
    )
    return um.Plant(b.build(), um.Earth())


def swings(count=5, noise=1e-3, damping=(0.3,)):
    """Swings from different angles, with noise on what is seen."""
    found = []
    for k in range(count):
        run = um.simulate(
            pendulum(damping=damping[k % len(damping)]),
            [0.3 + 0.1 * k],
            duration=3.0,
            step=0.02,
            record_every=2,
        )
        q = run.q + noise * np.random.default_rng(k).normal(size=run.q.shape)
        found.append(um.Recording(run.t, q, run.v, q_noise=noise, name=f"swing {k}"))
    return found


OPTIONS = {"free": ["rod.damping"]}


def test_the_right_model_predicts_what_it_has_not_seen_to_the_noise():
    seen = swings()
    found = cross_validate(pendulum(damping=0.1), seen, folds=5, **OPTIONS)
    assert found.recordings == tuple(r.name for r in seen)
    assert found.fitted.shape == found.as_built.shape == (5, 1)
    assert found.fitted.max() < 1.6e-3  # the noise, and that of the recorded start
    assert found.as_built.min() > 0.02
    np.testing.assert_allclose(found.values, 0.3, rtol=0.02)


@pytest.mark.filterwarnings("ignore:identify. what is left is")  # a wrong model is fitted on purpose
def test_every_fold_is_fitted_without_its_own_recordings():
    """One swing has another damping: only the fold that leaves it out finds that of the others."""
    seen = swings(4, noise=1e-4, damping=(0.3, 0.3, 0.3, 0.8))
    found = cross_validate(pendulum(damping=0.1), seen, folds=4, **OPTIONS)
    odd = int(np.argmin(np.abs(found.values[:, 0] - 0.3)))
    assert found.values[odd, 0] == pytest.approx(0.3, rel=1e-3)
    assert np.all(np.delete(found.values[:, 0], odd) > 0.33)
    assert int(np.argmax(found.fitted[:, 0])) == 3
    again = um.identify(pendulum(damping=0.1), seen[:3], **OPTIONS)
    assert found.values[odd, 0] == pytest.approx(again.values[0], rel=1e-9)
    assert found.fitted[3] == pytest.approx(again.predict(seen[3])[0].rms, rel=1e-9)


def test_folds_are_drawn_by_seed():
    seen = swings(4)
    a, b, c = (cross_validate(pendulum(damping=0.1), seen, folds=2, seed=s, **OPTIONS) for s in (0, 0, 3))
    np.testing.assert_array_equal(a.values, b.values)
    assert not np.array_equal(a.values, c.values)


@pytest.mark.parametrize("folds", [1, 6, True, 2.0])
def test_mistaken_folds_are_named(folds):
    with pytest.raises(um.ModelError, match="folds"):
        cross_validate(pendulum(), swings(5), folds=folds, **OPTIONS)


def test_figures_of_what_is_left(tmp_path):
    found = um.identify(pendulum(damping=0.1), swings(2), free=["rod.damping", "rod.mass"])
    over_time = found.plot(path=tmp_path / "left.png")
    assert (tmp_path / "left.png").stat().st_size > 1000
    np.testing.assert_array_equal(over_time.axes[0].lines[1].get_ydata(), found.residuals[1].values[:, 0])
    curve = found.plot("whiteness").axes[0].lines[0].get_ydata()
    assert curve[0] == pytest.approx(1.0)
    assert np.abs(curve[1:]).max() < 0.5
    shown = found.plot("correlations").axes[0].images[0].get_array()
    np.testing.assert_allclose(np.diag(shown), 1.0)
    with pytest.raises(um.ModelError, match="figure"):
        found.plot("residual")


def test_autocorrelation_of_a_wave_and_of_noise():
    t = np.arange(4000.0)
    rng = np.random.default_rng(0)
    x = np.stack([np.cos(2 * np.pi * t / 20), rng.normal(size=4000)], axis=1)
    found = autocorrelation(x, 20)
    np.testing.assert_allclose(found[:, 0], np.cos(2 * np.pi * np.arange(21) / 20), atol=0.01)
    assert np.abs(found[1:, 1]).max() < 5 / np.sqrt(4000)
