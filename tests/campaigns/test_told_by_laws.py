"""What laws tell is kept like any other channel: memories by entry, duties, estimates; on every engine."""

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored.campaigns.campaign_folder import CampaignFolder

from .small_studies import pendulum

STEP = 0.02
CHANNELS = (
    "swing", "motor.input", "motor.duty", "memory.law.turned", "memory.law.seen[0,1]", "swing.estimate",
    "swing.estimate_error", "tip.yaw.estimate_error", "tip.z.estimate",
)  # fmt: skip


class Bang(um.Law):
    """On or off, by what is believed; it remembers how long it was on, and the last states that it saw."""

    memory = {"turned": 0.0, "seen": (1, 2)}

    def __call__(self, seen, memory):
        on = np.tanh(50.0 * seen.q)
        return -4.0 * on, {"turned": memory["turned"] + seen.period * np.abs(on[0]),
                           "seen": np.stack([seen.q, seen.v], axis=-1)}  # fmt: skip


@cache
def plant():
    return um.Plant(pendulum(), um.Earth(), [um.JointMotor("swing", limits=(-8.0, 5.0), name="motor")])


def study(**options):
    scale = um.Encoder("scale", joints=("swing",), noise=(0.01,))
    whole = um.PlantFilter(plant(), (scale,), velocity_deviation=1.0, input_deviation=0.5)
    given = {
        "vary": {"initial.joints.swing": um.Uniform(-0.6, 0.6), "swing.mass": um.Uniform(1.5, 2.5)},
        "samples": 12, "seed": 4, "duration": 0.4, "step": STEP, "control_step": STEP, "sensors": [scale],
        "controller": um.Estimated(whole, Bang()), "keep": um.Keep(channels=CHANNELS, every=0.1),
    }  # fmt: skip
    return um.Campaign(plant(), **(given | options))


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    campaign = study()
    campaign.run(tmp_path_factory.mktemp("told") / "here", shard=5)
    return campaign


def test_what_a_law_tells_is_what_its_run_has(finished):
    data, run = finished.dataset()["series"], finished.sample(7)
    own = data.sel(sample=7)
    rows = slice(None, None, 5)
    np.testing.assert_array_equal(own.sel(channel="motor.input"), run.u[rows, 0])
    u = run.u[rows, 0]
    np.testing.assert_array_equal(own.sel(channel="motor.duty"), np.where(u < 0, -u / 8.0, u / 5.0))
    np.testing.assert_array_equal(own.sel(channel="memory.law.turned"), run.memory["law.turned"][rows])
    np.testing.assert_array_equal(own.sel(channel="memory.law.seen[0,1]"), run.memory["law.seen"][rows, 0, 1])
    np.testing.assert_array_equal(own.sel(channel="swing.estimate"), run.estimate.q[rows, 0])
    off = run.estimate.q[rows, 0] - run.q[rows, 0]
    np.testing.assert_array_equal(own.sel(channel="swing.estimate_error"), off)
    assert 0.0 < np.abs(off).max() < 0.7
    np.testing.assert_allclose(
        own.sel(channel="tip.z.estimate"), -np.cos(run.estimate.q[rows, 0]), rtol=1e-14
    )
    last = finished.dataset()["last"].sel(sample=7)
    assert last.sel(channel="memory.law.turned") == run.end["memory"]["law.turned"][0]
    assert last.sel(channel="memory.law.seen[0,1]") == run.end["memory"]["law.seen"][0, 0, 1]


def test_runs_know_the_same_names(finished):
    run = finished.sample(3, record_every=5)
    data = finished.dataset()["series"].sel(sample=3)
    for name, values in um.channel_values(run, CHANNELS).items():
        np.testing.assert_allclose(data.sel(channel=name), values, rtol=1e-13, atol=1e-15, err_msg=name)
    with pytest.raises(um.ModelError, match=r"memory.NAME of .*law.seen\[0…0,0…1\]"):
        um.channel_values(run, ["memory.law.seen"])


def test_statistics_worst_and_fans_have_them(finished, tmp_path):
    found, x = finished.statistics(), finished.dataset()["series"].values
    assert found.channels == CHANNELS
    np.testing.assert_allclose(found.mean, x.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.covariance[2], np.cov(x[:, 2].T), rtol=1e-9, atol=1e-14)
    worst = finished.worst("memory.law.turned", count=2)
    c = CHANNELS.index("memory.law.turned")
    assert [w.sample for w in worst] == np.argsort(-np.abs(x[:, :, c]).max(axis=1), kind="stable")[
        :2
    ].tolist()
    figure = finished.plot("fan", channels=["motor.duty", "memory.law.turned", "swing.estimate_error"])
    assert len(figure.axes) == 3


def test_a_memory_called_whole_is_all_its_entries(tmp_path):
    campaign = study(samples=2, keep=um.Keep(channels=("memory.law.seen", "memory.law.turned"), every=0.1))
    assert campaign.plan.channels == ("memory.law.seen[0,0]", "memory.law.seen[0,1]", "memory.law.turned")


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("memory.law.seen[1,0]", {}, "unknown channel"),
        ("memory.turned", {}, "law.turned"),
        ("memory.law.turned", {"controller": None, "sensors": ()}, "unknown channel"),
        ("swing.estimate", {"controller": Bang(), "sensors": ()}, "unknown channel"),
        ("elbow.estimate_error", {}, "unknown channel"),
        ("motor.duty", {"controller": None, "sensors": ()}, "a controller"),
    ],
)
def test_what_is_not_told_is_refused_at_once(name, change, words):
    with pytest.raises(um.ModelError, match=words):
        study(keep=[name], **change)


def test_duties_without_limits_are_refused():
    free = um.Plant(pendulum(), um.Earth())
    with pytest.raises(um.ModelError, match="an input with limits"):
        um.Campaign(
            free,
            vary={"swing.mass": um.Uniform(1, 2)},
            samples=2,
            controller=lambda t, q, v: -q,
            keep=["swing.duty"],
        )


def test_a_cluster_keeps_the_same(finished, tmp_path):
    from unmoored.campaigns.dask_engine import work
    from unmoored.campaigns.traveling import packed_plan

    place = finished.results.folder
    counts, made = work(packed_plan(study().plan), 1, 5, 5, str(tmp_path), "none", place.digest)
    assert made == CampaignFolder(place.path).shard_path(1).read_bytes()
    assert sum(counts.values()) == 5


class Runaway(um.Law):
    """Blows up, and remembers its way there."""

    memory = {"way": 1}

    def __call__(self, seen, memory):
        return 1e5 * seen.q * (1.0 + seen.q * seen.q), {"way": memory["way"] + seen.q}


def test_rows_of_failures_have_the_memory(tmp_path):
    campaign = um.Campaign(
        um.Plant(pendulum(), um.Earth()), vary={"initial.joints.swing": um.Values([0.0, 0.3])}, controller=Runaway(),
        control_step=0.01, duration=0.3, step=0.01, keep=um.Keep(channels=("memory.way",), failures=1),
    )  # fmt: skip
    campaign.run(tmp_path / "wrong")
    shard, run = campaign.results.folder.open(0), campaign.sample(1)
    n = int(shard.array("failed_length")[0])
    assert shard.array("failed").tolist() == [1]
    np.testing.assert_array_equal(shard.array("failed_memory_way")[0, :n], run.memory["way"][:n])
