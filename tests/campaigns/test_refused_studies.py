"""Studies that could not mean what they say are refused before they begin, with what is wrong in them."""

from functools import cache

import numpy as np
import pytest
from tests.campaigns.small_studies import study

import unmoored as um

ONES = np.ones(3)


@cache
def floater():
    b = um.SystemBuilder("floater")
    b.vehicle("hull", um.Free(), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    return um.Plant(b.build(), um.Earth())


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"hull.mass": um.Uniform(1, 2)}, {"parameters.hull.mass": um.Uniform(1, 2)}),
        ({"gravity": um.Uniform(-ONES, ONES)}, {"parameters.gravity[2]": um.Uniform(-10, -9)}),
        (
            {"initial.velocities.hull": um.Uniform([0.0] * 6, [1.0] * 6)},
            {"initial.velocities.hull.vx": um.Normal(0, 1)},
        ),
        (
            {"initial.joints.hull": um.NormalPose(um.Pose(), deviation=[0.1] * 6)},
            {"initial.joints.hull.xyz": um.InBall(1.0)},
        ),
        (
            {"initial.joints.hull.rotation": um.UniformRotation()},
            {"initial.joints.hull": um.NormalPose(um.Pose(), deviation=[0.1] * 6)},
        ),
    ],
)
def test_what_has_two_names_varies_once(first, second):
    """The later one replaced the values of the other, which the dataset went on to show."""
    given = {"samples": 4, "keep": ["hull.x"]}
    with pytest.raises(um.ModelError, match="each number once"):
        um.Campaign(floater(), vary=first | second, **given)
    um.Campaign(floater(), vary=first, **given)
    um.Campaign(floater(), vary=second, **given)


def test_parts_of_one_thing_vary_apart():
    vary = {"initial.joints.hull.xyz": um.InBall(1.0), "initial.joints.hull.rotation": um.UniformRotation()}
    vary |= {f"gravity[{k}]": um.Normal(0.0, 1.0) for k in range(3)}
    campaign = um.Campaign(floater(), vary=vary, samples=4, keep=["hull.x"])
    drawn = campaign.values()
    q = campaign.plan._inputs(drawn, np.arange(4)).q
    np.testing.assert_array_equal(q.reshape(4, -1)[:, -3:], drawn["initial.joints.hull.xyz"])


def first_below_zero(campaign):
    return int(
        np.flatnonzero(campaign.plan.variables.values(np.arange(campaign.samples))["swing.mass"] < 0)[0]
    )


def test_a_mass_below_zero_is_told_of_when_the_study_is_made():
    with pytest.raises(um.ModelError, match=r"swing\.mass.*≥ 0, in all samples.*in sample 10$"):
        study(400, vary={"swing.mass": um.Normal(2.0, 0.9)}, seed=1)


@pytest.mark.parametrize("design", ["random", "latin_hypercube"])
def test_it_is_told_of_by_its_sample_before_any_runs(tmp_path, monkeypatch, design):
    """It was told of by its place in its shard, when that shard came to run."""
    monkeypatch.setattr("unmoored.campaigns.plan._CHECKED_WHEN_MADE", 0)
    campaign = study(400, vary={"swing.mass": um.Normal(2.0, 0.8)}, design=design)
    k = first_below_zero(campaign)
    assert k >= 16
    with pytest.raises(um.ModelError, match=f"in sample {k}$"):
        campaign.run(tmp_path / "early", shard=16)
    assert not list((tmp_path / "early").glob("shards/*/*"))
    monkeypatch.setattr(
        "unmoored.campaigns.campaign._CHECKED", 0
    )  # as one that comes after the first millions
    with pytest.raises(um.ModelError, match=f"in sample {k}$"):
        campaign.run(tmp_path / "late", shard=16)
    with pytest.raises(um.ModelError, match=f"in sample {k}$"):
        campaign.sample(k)


def test_ends_and_options_that_nothing_has():
    with pytest.raises(um.ModelError, match=r"success.*'fell'"):
        study(success=["fell"])
    event = um.ChannelEvent("swing", rises_above=0.5, name="fell")
    assert study(events=[event], success=["fell"]).success == ("fell",)
    with pytest.raises(um.ModelError, match=r"success.*: fell, given 'felll'"):
        study(events=[event], success=["felll"])
    with pytest.raises(um.ModelError, match=r"option.*durration"):
        study(durration=2.0)


@pytest.mark.parametrize(
    "what", ["samples", "seed", "design", "keep", "success", "duration", "step", "record_every"]
)
def test_what_has_another_kind_is_told_when_the_study_is_made(what):
    """Also rows that are asked for of single samples only, later on."""
    for bad in (True, ["1"], [None], 1j, np.array(1j), object(), np.nan, -np.inf):
        with pytest.raises(um.ModelError):
            study(**({"samples": 4} | {what: bad}))


def test_ranges_without_a_probability():
    """Far off its mean a truncated normal drew its upper end alone."""
    with pytest.raises(um.ModelError, match="37 deviations"):
        um.TruncatedNormal(0.0, 1e-3, 10.0, 11.0)
    with pytest.raises(um.ModelError, match="37 deviations"):
        um.TruncatedNormal([0.0, 0.0], [0.1, 0.1], [0.0, -11.0], [1.0, -10.0])
    r = np.linspace(0.01, 0.99, 50)
    for sign in (1.0, -1.0):
        low, high = sorted((36.0 * sign, 40.0 * sign))
        z = sign * um.TruncatedNormal(0.0, 1.0, low, high).at(r[:, None]).ravel()
        assert np.all(np.diff(sign * z) > 0)
        expected = 36.0 - np.log(1.0 - r if sign > 0 else r) / 36.0  # its tail is nearly an exponential
        np.testing.assert_allclose(z, expected, rtol=1e-4)


def test_levels_of_quantiles(tmp_path):
    campaign = study(20)
    campaign.run(tmp_path / "study")
    statistics = campaign.statistics()
    with pytest.raises(um.ModelError, match=r"level.*from 0 to 1"):
        statistics.quantile_interval(95)
    for bad in ("0.5", True, ["0.5"], 0.5j, np.array(0.5j), object()):
        for ask in (statistics.quantile_interval, statistics.quantiles):
            with pytest.raises(um.ModelError, match=r"^statistics: level"):
                ask(bad)
    low, high = statistics.quantile_interval(0.5)
    median = statistics.quantiles([0.5])[0]
    assert np.all((low <= median) & (median <= high))
