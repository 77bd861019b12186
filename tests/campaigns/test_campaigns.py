"""Campaigns on this computer: samples to the bit, statistics of all of them, going on where it was stopped."""

import json
import shutil
import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.campaigns.campaign_folder import CampaignFolder
from unmoored.campaigns.channel_kernel import channel_function
from unmoored.campaigns.shard_file import ShardFile
from unmoored.kernels import cuda
from unmoored.trace import trace

from .small_studies import VARY, plant, study


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A campaign of 40 samples in shards of 8."""
    campaign = study()
    campaign.run(tmp_path_factory.mktemp("study") / "folder", shard=8)
    return campaign


def files(folder):
    """Digest-like content of every shard: the bytes themselves."""
    place = CampaignFolder(folder)
    return {number: place.shard_path(number).read_bytes() for number in place.done()}


def test_a_campaign_is_the_batch_of_its_samples(finished):
    values = finished.values()
    bare = um.Plant(plant().system, um.Earth(), free=["swing.mass"])
    run = um.simulate(
        bare,
        values["initial.joints.swing"][:, None],
        values["initial.velocities.swing"][:, None],
        duration=0.5,
        step=0.01,
        record_every=10,
        parameters={"swing.mass": values["swing.mass"]},
    )
    data = finished.dataset()
    np.testing.assert_array_equal(data["series"].sel(channel="swing"), run.q[..., 0])
    np.testing.assert_array_equal(data["series"].sel(channel="swing.rate"), run.v[..., 0])
    np.testing.assert_allclose(data["series"].sel(channel="tip.z"), -np.cos(run.q[..., 0]), rtol=1e-14)
    np.testing.assert_array_equal(data["time"], run.t)
    np.testing.assert_array_equal(data["end_q"][:, 0], run.q[:, -1, 0])
    np.testing.assert_array_equal(data["values"].sel(value="swing.mass"), values["swing.mass"])


def test_one_sample_again_is_the_same_to_the_bit_with_every_row(finished):
    data = finished.dataset()
    for number in (0, 17, 39):
        run = finished.sample(number)
        assert len(run.t) == 51
        np.testing.assert_array_equal(run.q[::10, 0], data["series"].sel(sample=number, channel="swing"))
        np.testing.assert_array_equal(run.v[::10, 0], data["series"].sel(sample=number, channel="swing.rate"))
    assert finished.sample(3, record_every=50).q.shape == (2, 1)
    with pytest.raises(um.ModelError, match="0 … 39"):
        finished.sample(40)


def test_statistics_are_those_of_all_samples(finished):
    x = finished.dataset()["series"].values
    found = finished.statistics()
    np.testing.assert_allclose(found.mean, x.mean(axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.deviation, x.std(axis=0, ddof=1), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(found.covariance[3], np.cov(x[:, 3].T), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(found.highest, x.max(axis=0))
    np.testing.assert_array_equal(found.of_highest.mean.shape, (3,))
    np.testing.assert_allclose(found.of_last.mean, x[:, -1].mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.of_lowest.mean, x.min(axis=1).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.quantiles([0.5])[0], np.median(x, axis=0), atol=0.02)
    assert (found.samples, found.total, found.failed) == (40, 40, 0)
    low, high = found.mean_interval()
    assert np.all((low <= found.mean) & (found.mean <= high))
    below, above = found.quantile_interval(0.5)
    assert np.all(below <= above)
    assert found.failure_interval().low == 0.0
    assert abs(found.failure_interval().high - (1 - 0.025 ** (1 / 40))) < 1e-12


def test_confidence_holds_as_often_as_it_says():
    """The interval of the mean of 60 draws, 500 times: it misses in about 5 %."""
    from unmoored.campaigns.statistics import statistics_of
    from unmoored.campaigns.summaries import Summary, with_extremes

    rng, missed, below = np.random.default_rng(0), 0, 0
    for _ in range(500):
        x = rng.exponential(size=(60, 1, 1))
        summary = Summary.of(with_extremes(x, x[:, 0]), np.arange(60))
        found = statistics_of(
            summary,
            ("x",),
            np.zeros(1),
            0.95,
            "random",
            samples=60,
            total=60,
            ended={},
            failed=0,
            units=("m",),
        )
        low, high = found.mean_interval()
        missed += not low[0, 0] <= 1.0 <= high[0, 0]
        low, high = found.quantile_interval(0.5)
        below += not low[0, 0] <= np.log(2) <= high[0, 0]
    assert 10 <= missed <= 50
    assert 10 <= below <= 45


def test_a_sobol_design_claims_no_confidence(tmp_path):
    campaign = study(16, design="sobol")
    campaign.run(tmp_path / "s")
    with pytest.raises(um.ModelError, match="latin_hypercube"):
        campaign.statistics().mean_interval()
    assert campaign.statistics().quantiles([0.5]).shape == (1, 6, 3)


def test_stopped_after_any_shards_it_goes_on_to_the_same_bits(finished, tmp_path):
    whole = files(finished.results.folder.path)
    for missing in ([4], [0, 3], [0, 1, 2, 3, 4]):
        folder = tmp_path / f"without-{missing[0]}-{len(missing)}"
        shutil.copytree(finished.results.folder.path, folder)
        (folder / "merged").unlink()
        for number in missing:
            CampaignFolder(folder).shard_path(number).unlink()
        again = study()
        results = um.load_campaign(folder)
        assert results.samples == 40 - 8 * len(missing)
        assert not results.complete
        again.run(folder)
        assert files(folder) == whole
        first, second = finished.statistics(), again.statistics()
        for name in ("mean", "covariance", "lowest", "highest", "count"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
        np.testing.assert_array_equal(first.quantiles([0.1, 0.9]), second.quantiles([0.1, 0.9]))


def test_merged_summaries_kept_halfway_change_no_bit(finished, tmp_path):
    folder = tmp_path / "half"
    shutil.copytree(finished.results.folder.path, folder)
    (folder / "merged").unlink()
    place = CampaignFolder(folder)
    for number in (3, 4):
        place.shard_path(number).rename(tmp_path / str(number))
    place.merged().save(folder, place.digest)
    assert place.merged().upto == 3
    for number in (3, 4):
        (tmp_path / str(number)).rename(place.shard_path(number))
    np.testing.assert_array_equal(place.merged().summary.mean, finished.results.folder.merged().summary.mean)
    a, b = place.merged().summary.sketch, finished.results.folder.merged().summary.sketch
    np.testing.assert_array_equal(a.means, b.means)


def test_shards_of_another_size_have_the_same_samples(finished, tmp_path):
    other = study()
    other.run(tmp_path / "other", shard=13)
    a, b = finished.dataset(), other.dataset()
    for name in ("series", "values", "end_q", "lowest"):
        np.testing.assert_array_equal(a[name], b[name])
    np.testing.assert_allclose(finished.statistics().mean, other.statistics().mean, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 4}, "seed"),
        ({"samples": 41}, "number of samples"),
        ({"duration": 0.6}, "duration|times"),
        ({"vary": VARY | {"swing.mass": um.Uniform(1.0, 3.0)}}, "vary"),
        ({"method": "heun"}, "options"),
        ({"keep": um.Keep(channels=("swing",), every=0.1)}, "keep"),
        ({"controller": lambda t, q, v: -q}, "controller"),
    ],
)
def test_another_campaign_is_refused_by_name(finished, change, words):
    with pytest.raises(um.ModelError, match=words):
        study(**change).run(finished.results.folder.path)


def test_campaigns_without_end_are_refused_before_anything_is_written(tmp_path):
    with pytest.raises(um.ModelError, match=r"at most 1,000,000 \(unmoored.limits.shards raises it\)"):
        study(10**12).run(tmp_path / "endless")
    with pytest.raises(um.ModelError, match="number of shards"):
        study(10**7).run(tmp_path / "endless", shard=1)
    assert not (tmp_path / "endless").exists()
    for options, words in (
        ({"duration": 1e308}, "at most"),
        ({"duration": np.nan}, "duration"),
        ({"keep": um.Keep(every=1e308)}, "a multiple of the step"),
        ({"keep": um.Keep(every=np.nan)}, "a multiple of the step"),
    ):
        with pytest.raises(um.ModelError, match=words):
            study(**options)


def test_other_shards_versions_and_folders_are_refused(finished, tmp_path, monkeypatch):
    with pytest.raises(um.ModelError, match="shard"):
        study().run(finished.results.folder.path, shard=4)
    monkeypatch.setattr("unmoored.campaigns.plan_words.__version__", "99.0")
    with pytest.raises(um.ModelError, match="99"):
        study().run(finished.results.folder.path)
    study().run(finished.results.folder.path, any_version=True)
    (tmp_path / "mine").write_text("keep me")
    with pytest.raises(um.ModelError, match="mine"):
        study().run(tmp_path)
    with pytest.raises(um.ModelError, match="a file"):
        study().run(tmp_path / "mine")
    with pytest.raises(um.ModelError, match="tcp"):
        study().run(tmp_path / "x", on="gpu")
    with pytest.raises(um.ModelError, match="has run"):
        study().statistics()


def test_a_shard_is_a_zarr_group_that_others_read(finished):
    xarray, zarr = pytest.importorskip("xarray"), pytest.importorskip("zarr")
    path = finished.results.folder.shard_path(1)
    store = zarr.storage.ZipStore(path, mode="r")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Zarr does not know our manifest
        opened = xarray.open_zarr(store, consolidated=False, zarr_format=2)
    np.testing.assert_array_equal(opened["series"], finished.dataset()["series"][8:16])
    assert opened["samples"].values.tolist() == list(range(8, 16))
    assert json.loads(json.dumps(ShardFile(path).about))["shard"] == 1


def test_the_dataset_reads_only_what_is_asked_for(finished, monkeypatch):
    read = []
    whole = ShardFile.array

    def watched(self, name):
        read.append((self.about["shard"], name))
        return whole(self, name)

    data = finished.dataset()
    monkeypatch.setattr(ShardFile, "array", watched)
    values = data["series"].isel(sample=[9, 30, 31], time=slice(1, 3), channel=0).values
    assert read == [(1, "series"), (3, "series")]
    np.testing.assert_array_equal(values, data["series"].values[[9, 30, 31], 1:3, 0])
    assert data["series"][17, 2].values.shape == (3,)
    assert data["lowest"][3].shape == (3,)


def falls(t, q, v):
    return q[0] - 1.2


def test_failures_worst_events_and_rows_of_failures(tmp_path):
    vary = {"swing.mass": um.Uniform(1.0, 2.0), "initial.velocities.swing": um.Values([0.5, 5.0, 8.0])}
    events = [um.Event(falls, "fell", "rising")]
    keep = um.Keep(channels=("swing",), every=0.1, failures=2)
    given = {"vary": vary, "samples": 3, "duration": 0.5, "step": 0.01, "events": events, "keep": keep}
    campaign = um.Campaign(plant(), **given)
    campaign.run(tmp_path / "f", shard=4)
    failed = campaign.failures()
    assert [f.sample for f in failed] == [3, 4, 5, 6, 7, 8]
    assert {f.status.kind for f in failed} == {"event"}
    run = campaign.sample(4)
    assert run.status[0].time == failed[1].status.time
    assert campaign.failures("fell") == failed
    assert campaign.failures("blew_up") == ()
    statistics = campaign.statistics()
    assert statistics.failed == 6
    assert statistics.ended == {"stopped: event fell": 6, "completed": 3}
    assert statistics.count.tolist()[0] == 9
    assert statistics.count.tolist()[-1] == 3
    worst = campaign.worst("swing", count=3)
    high = [campaign.sample(i, record_every=10) for i in range(9)]
    most = {i: max(np.abs(run.q).max(), abs(float(run.end["q"][0, 0]))) for i, run in enumerate(high)}
    assert [w.sample for w in worst] == sorted(most, key=lambda i: (-most[i], i))[:3]
    assert abs(worst[0].value) == max(most.values())
    with pytest.raises(um.ModelError, match="swing"):
        campaign.worst("elbow")
    shard = campaign.results.folder.open(1)
    times = shard.array("event_time")
    assert shard.array("event_sample").tolist() == [0, 1, 2, 3]
    assert times[0] == failed[1].status.time
    well = um.Campaign(plant(), success=["fell"], **given)
    well.run(tmp_path / "well")
    assert well.failures() == ()
    assert well.statistics().failed == 0


def test_numbers_that_go_wrong_keep_all_their_rows(tmp_path):
    vary = {"controller.gain": um.Values([0.0, 1e5, 2.0, 3e5])}
    keep = um.Keep(channels=("swing",), failures=1)
    campaign = um.Campaign(
        plant(), vary=vary, controller=Push(0.0), control_step=0.01, duration=0.5, step=0.01, keep=keep
    )
    campaign.run(tmp_path / "wrong")
    failed = campaign.failures("blew_up")
    assert [f.sample for f in failed] == [1, 3]
    shard = campaign.results.folder.open(0)
    assert shard.array("failed").tolist() == [1]
    run = campaign.sample(1)
    n = int(shard.array("failed_length")[0])
    np.testing.assert_array_equal(shard.array("failed_q")[0, :n], run.q[:n])
    with pytest.warns(um.ModelWarning, match="numbers of 2 of 4 samples went wrong"):
        statistics = campaign.statistics()
    assert statistics.failure_probability == 0.5
    assert statistics.left_out == 2


def test_what_blew_up_is_in_no_statistic(tmp_path):
    """Statistics of three samples of which one blows up are those of the two others alone, to the bit; the samples that
    an event ends stay in until then."""
    keep = um.Keep(channels=("swing", "swing.rate"), every=0.1)
    given = {"controller": Push(0.0), "control_step": 0.01, "duration": 0.5, "step": 0.01, "keep": keep}
    some = um.Campaign(plant(), vary={"controller.gain": um.Values([0.5, 1e5, 2.0])}, **given)
    good = um.Campaign(plant(), vary={"controller.gain": um.Values([0.5, 2.0])}, **given)
    some.run(tmp_path / "some", shard=2)  # merged from a shard with and one without
    good.run(tmp_path / "good", shard=1)
    with pytest.warns(um.ModelWarning, match="1 of 3 samples"):
        found = some.statistics()
    wanted = good.statistics()
    assert (found.samples, found.failed, found.left_out) == (3, 1, 1)
    assert (wanted.failed, wanted.left_out) == (0, 0)
    pairs = [(found.over_time[name], wanted.over_time[name]) for name in ("lowest", "highest", "last")]
    for a, b in [(found, wanted), *pairs]:
        for name in ("count", "mean", "covariance", "lowest", "highest"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
        np.testing.assert_array_equal(a.quantiles([0.1, 0.5, 0.9]), b.quantiles([0.1, 0.5, 0.9]))
    assert found.of_highest.highest_sample.tolist() == [2, 2]
    assert [x.sample for x in some.worst("swing")] == [2, 0]
    assert abs(some.results.dataset()["highest"].values[1, 0]) > 1e3  # kept as it was


class Push(um.Law):
    """Pushes on, the harder the farther: it blows up for a large gain."""

    gain: float

    def __call__(self, t, q, v):
        return self.gain * q * (1.0 + q * q) + 0.001 * self.gain


def test_every_kind_of_name(tmp_path):
    b = um.SystemBuilder("craft")
    b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=20.0, size=(1.0, 0.8, 0.6)))
    b.frame("nozzle", parent="bus", at=um.Pose(xyz=(0.5, 0, 0)))
    craft = um.Plant(b.build(), um.Ocean(), [um.Thruster("nozzle", lag=0.1)])
    mean = um.Pose(xyz=(1, 0, 0), rpy=(0, 0, 1.0))
    vary = {
        "initial.joints.bus": um.NormalPose(mean, 0.1),
        "initial.velocities.bus.vx": um.Normal(0.0, 0.1),
        "initial.velocities.bus.wz": um.Uniform(0.0, 0.1),
        "ocean.current[1]": um.Uniform(0.2, 0.4),
        "nozzle.fails_at": um.Uniform(0.0, 0.2),
        "bus.mass, bus.com[0]": um.Correlated([20.0, 0.0], [[0.1, 0.001], [0.001, 0.001]]),
        f"initial.actuators.{craft.state_names[0]}": um.Uniform(0.0, 1.0),
    }
    campaign = um.Campaign(craft, vary=vary, samples=5, duration=0.05, step=0.01)
    campaign.run(tmp_path / "all")
    values = campaign.values([2])
    run = campaign.sample(2)
    np.testing.assert_allclose(
        run.q[0, :9].reshape(3, 3), values["initial.joints.bus"][0, :3, :3], atol=1e-15
    )
    assert run.v[0, 0] == values["initial.velocities.bus.vx"][0]
    assert run.v[0, 5] == values["initial.velocities.bus.wz"][0]
    assert run.x[0, 0] == values[f"initial.actuators.{craft.state_names[0]}"][0]
    p = dict(zip(run.parameter_names, run.parameters, strict=True))
    assert p["ocean.current[1]"] == values["ocean.current[1]"][0]
    assert p["ocean.current[0]"] == 0.0
    assert p["nozzle.fails_at"] == values["nozzle.fails_at"][0]
    assert [p["bus.mass"], p["bus.com[0]"]] == values["bus.mass, bus.com[0]"][0].tolist()
    turn = um.Campaign(
        craft, vary={"initial.joints.bus.rotation": um.UniformRotation(), "initial.joints.bus.xyz": um.InBall(2.0)},
        samples=3, duration=0.01, step=0.01, q0=craft.system.pack({"bus": mean.matrix}),
    )  # fmt: skip
    run = turn.sample(1)
    drawn = turn.values([1])
    np.testing.assert_array_equal(run.q[0, :9].reshape(3, 3), drawn["initial.joints.bus.rotation"][0])
    np.testing.assert_array_equal(run.q[0, 9:], drawn["initial.joints.bus.xyz"][0])


def test_gains_of_laws_and_numbers_of_sensors():
    own = plant()
    law = um.JointPD(own, {"swing": 0.0}, stiffness=3.0, damping=1.0)
    given = {"duration": 0.1, "step": 0.01, "controller": law, "control_step": 0.01, "q0": np.array([0.4])}
    campaign = um.Campaign(own, vary={"controller.stiffness": um.Uniform([1.0], [5.0])}, samples=4, **given)
    value = campaign.values([3])["controller.stiffness"][0]
    alone = um.JointPD(own, {"swing": 0.0}, stiffness=value, damping=1.0)
    rest = {k: v for k, v in given.items() if k not in ("controller", "q0")}
    np.testing.assert_array_equal(campaign.sample(3).q, um.simulate(own, [0.4], controller=alone, **rest).q)
    with pytest.raises(um.ModelError, match="stiffness"):
        um.Campaign(own, vary={"controller.stuffness": um.Uniform(1, 5)}, **given)


def test_noise_differs_from_sample_to_sample_and_is_found_again():
    own = plant()
    law = um.JointPD(own, {"swing": 0.0}, stiffness=3.0, damping=1.0)
    noise = um.Noise(configuration=0.01)
    campaign = um.Campaign(
        own, vary={"swing.mass": um.Values([2.0])}, samples=3, seed=5, duration=0.1, step=0.01, controller=law,
        control_step=0.01, noise=noise,
    )  # fmt: skip
    runs = [campaign.sample(i) for i in range(3)]
    assert not np.array_equal(runs[0].q, runs[1].q)
    free = um.Plant(own.system, um.Earth(), free=["swing.mass"])
    batch = um.simulate(
        free,
        np.zeros((3, 1)),
        duration=0.1,
        step=0.01,
        controller=law,
        control_step=0.01,
        noise=noise,
        seed=5,
    )
    for i, run in enumerate(runs):
        np.testing.assert_array_equal(run.q, batch.q[i])


def test_ctrl_c_leaves_whole_shards_and_goes_on(tmp_path, monkeypatch):
    import unmoored.campaigns.local_engine as engine

    seen, whole = [], engine.computed

    def twice(plan, shards, backend):
        seen.append(shards)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return whole(plan, shards, backend)

    monkeypatch.setattr(engine, "computed", twice)
    campaign = study()
    results = campaign.run(tmp_path / "c", shard=8)
    assert results.samples == 16
    assert not results.complete
    monkeypatch.undo()
    assert campaign.run(tmp_path / "c").complete
    assert campaign.statistics().samples == 40


def test_only_one_works_on_a_folder(finished):
    with finished.results.folder.locked(), pytest.raises(um.ModelError, match="no other process"):
        study().run(finished.results.folder.path)


def test_progress_tells_rate_time_left_and_causes():
    from collections import Counter

    from unmoored.campaigns.campaign_progress import CampaignProgress, duration

    told = CampaignProgress(False, "study", 1000, 100, Counter({"completed": 90, "stopped: event fell": 10}))
    told.add({"completed": 40, "blew up in elbow": 2})
    text = told.text()
    assert "142 of 1,000" in text
    assert "per second" in text
    assert "left" in text
    assert "10 stopped: event fell" in text
    assert "2 blew up in elbow" in text
    assert [duration(x) for x in (12, 200, 18600, 353000)] == ["12 s", "3 min 20 s", "5 h 10 min", "4 d 2 h"]


def test_summaries_alone_can_be_kept(tmp_path):
    campaign = study(12, keep=um.Keep(channels=("swing",), series=False, end=False, events=False))
    campaign.run(tmp_path / "n", shard=1)
    assert set(campaign.results.folder.open(3).names) & {"series", "end_q", "event_time"} == set()
    assert campaign.statistics().samples == 12


def test_channels_are_written_for_a_gpu():
    plan = study().plan
    function, shapes = channel_function(plan.free_plant, plan.channels)
    text = cuda.source(trace(function, *shapes, name="channels", exact_zeros=False), watched=True)
    assert "__global__" in text


def test_inputs_are_channels_too(tmp_path):
    """What a law gives the joint, beside its state, in whatever order; the same as in a sample's own run."""
    own = plant()
    law = um.JointPD(own, {"swing": 0.0}, stiffness=20.0, damping=2.0)
    keep = um.Keep(channels=("swing.input", "swing", "swing.rate"), every=0.1)
    given = {"duration": 0.3, "step": 0.01, "controller": law, "control_step": 0.01, "keep": keep}
    campaign = um.Campaign(own, vary={"initial.joints.swing": um.Uniform(0.2, 0.5)}, samples=3, **given)
    campaign.run(tmp_path / "inputs")
    data, run = campaign.dataset(), campaign.sample(2)
    np.testing.assert_array_equal(data["series"].sel(sample=2, channel="swing.input"), run.u[::10, 0])
    np.testing.assert_array_equal(data["series"].sel(sample=2, channel="swing"), run.q[::10, 0])
    assert data["last"].sel(sample=2, channel="swing.input") == run.end["u"][0, 0]
    assert np.all(data["series"].sel(channel="swing.input", time=0.0) < -1.0)
    with pytest.raises(um.ModelError, match="a controller, whose inputs are kept"):
        study(keep=um.Keep(channels=("swing.input",), every=0.1)).run(tmp_path / "none")
    with pytest.raises(um.ModelError, match="unknown channel"):
        um.Campaign(
            own, vary=VARY, samples=3, **given | {"keep": um.Keep(channels=("tip.input",), every=0.1)}
        )


def test_a_number_of_a_joint_of_one_dof_varies_by_a_number(tmp_path):
    """Its stiffness is a list of one; numbers, lists of one and "[0]" say the same."""
    builder = um.SystemBuilder("cart")
    joint = um.Prismatic((1, 0, 0), stiffness=100.0, damping=1.0)
    builder.vehicle("cart", joint, inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    plant, options = um.Plant(builder.build()), {"samples": 3, "duration": 0.1, "step": 0.01, "q0": [0.1]}
    drawn = []
    for key, source in (
        ("cart.stiffness", um.Uniform(100.0, 200.0)),
        ("cart.stiffness", um.Uniform([100.0], [200.0])),
        ("cart.stiffness[0]", um.Uniform(100.0, 200.0)),
    ):
        campaign = um.Campaign(plant, vary={key: source}, keep=um.Keep(channels=("cart",)), **options)
        campaign.run(tmp_path / f"{len(drawn)}")
        run = campaign.sample(1)
        drawn.append(float(run.parameters[0]))
        assert run.q[-1, 0] == um.simulate(run.plant, [0.1], duration=0.1, step=0.01,
                                           parameters={"cart.stiffness": [drawn[-1]]}).q[-1, 0]  # fmt: skip
    assert all(100.0 <= value <= 200.0 for value in drawn)
    assert drawn[0] == drawn[1]
    both = um.Campaign(plant, vary={"cart.stiffness, cart.damping": um.Correlated([100.0, 1.0], np.eye(2) * 1e-4)},
                       keep=um.Keep(channels=("cart",)), **options)  # fmt: skip
    both.run(tmp_path / "both")
    assert both.sample(0).parameters == pytest.approx([100.0, 1.0], abs=0.1)
    law = um.JointPD(plant, {"cart": 0.0}, stiffness=3.0, damping=1.0)
    gains = um.Campaign(plant, vary={"controller.stiffness": um.Uniform(1.0, 5.0)}, controller=law, **options)
    value = gains.values([2])["controller.stiffness"][0]
    alone = um.JointPD(plant, {"cart": 0.0}, stiffness=value, damping=1.0)
    assert gains.sample(2).q[-1] == um.simulate(plant, [0.1], duration=0.1, step=0.01, controller=alone).q[-1]
