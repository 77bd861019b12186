"""Campaigns on a Dask cluster of processes: the bytes of every shard are those of this computer's threads."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import unmoored as um
from unmoored.campaigns import dask_engine
from unmoored.campaigns.campaign_folder import CampaignFolder
from unmoored.campaigns.traveling import packed_plan, unpacked_plan

from .small_studies import plant, study

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # of the cluster's own while it closes


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="ERROR"
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone") / "threads"
    study().run(folder, shard=8)
    return shards(folder)


def shards(folder):
    place = CampaignFolder(folder)
    return {number: place.shard_path(number).read_bytes() for number in place.done()}


def test_a_cluster_gives_the_same_bytes_and_statistics(client, alone, tmp_path):
    campaign = study()
    campaign.run(tmp_path / "d", on=client, shard=8)
    assert shards(tmp_path / "d") == alone
    assert campaign.statistics().samples == 40
    assert not list((tmp_path / "d").glob(".seen*"))
    # begun on a cluster, gone on with here
    CampaignFolder(tmp_path / "d").shard_path(3).unlink()
    study().run(tmp_path / "d")
    assert shards(tmp_path / "d") == alone


def test_workers_that_do_not_see_the_folder_send_their_shards(client, alone, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_engine.Path, "touch", lambda self: None)
    study().run(tmp_path / "d", on=client, shard=8)
    assert shards(tmp_path / "d") == alone


@pytest.mark.long
def test_a_worker_that_is_killed_costs_nothing(client, alone, tmp_path, monkeypatch):
    whole, killed = dask_engine._Tasks._take, []

    def take(self, future, waiting):
        whole(self, future, waiting)
        if not killed:
            killed.extend(client.run(os.getpid).values())
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(dask_engine._Tasks, "_take", take)
    study().run(tmp_path / "d", on=client, shard=8)
    assert killed
    assert shards(tmp_path / "d") == alone


def test_laws_of_the_users_travel_or_are_refused_by_name():
    gain, lock = 3.0, threading.Lock()

    def law(t, q, v):
        return -gain * q

    def locked(t, q, v):
        with lock:
            return -q

    own = um.Campaign(
        plant(), vary={"swing.mass": um.Uniform(1, 2)}, samples=4, duration=0.1, step=0.01, controller=law
    )
    content = packed_plan(own.plan)
    again = unpacked_plan(content)
    numbers = np.arange(4)
    first, second = (plan.run(numbers, plan.variables.values(numbers)) for plan in (own.plan, again))
    np.testing.assert_array_equal(first.q, second.q)
    assert unpacked_plan(content) is again  # with all that it has compiled
    more = {"duration": 0.1, "step": 0.01, "controller": locked, "controller_in": "python"}
    bad = um.Campaign(plant(), vary={"swing.mass": um.Uniform(1, 2)}, **more)
    with pytest.raises(um.ModelError, match="controller: lock"):
        packed_plan(bad.plan)


def test_what_is_no_client_is_refused(tmp_path):
    with pytest.raises(um.ModelError, match="Client"):
        study().run(tmp_path / "d", on=3)


def test_a_cluster_that_loses_all_workers_says_that_it_waits_and_goes_on(
    client, alone, tmp_path, monkeypatch
):
    take, gone = dask_engine._Tasks._take, []

    def take_and_stop(self, future, waiting):
        take(self, future, waiting)
        if not gone:
            gone.append(True)
            time.sleep(0.3)  # the next one is done, and its result goes with its worker
            client.cluster.scale(0)
            while client.nthreads():
                time.sleep(0.01)

    def scale_up(text, category):
        assert category is um.ModelWarning
        gone.append(text)
        client.cluster.scale(1)

    monkeypatch.setattr(dask_engine._Tasks, "_take", take_and_stop)
    monkeypatch.setattr(dask_engine, "warn", scale_up)
    monkeypatch.setattr(dask_engine, "_PATIENCE", 1.0)
    monkeypatch.setattr(dask_engine, "_AHEAD", 0)
    study().run(tmp_path / "d", on=client, shard=4)
    assert len(gone) == 2
    assert "no workers any more" in gone[1]
    assert "of 40 samples" in gone[1]
    assert len(shards(tmp_path / "d")) == 10


def test_a_result_that_went_with_its_worker_is_waited_for_and_told(monkeypatch):
    """Its task had come to an end; it is computed anew when there are workers again."""

    class Lost:
        workers = 0

        def nthreads(self):
            return {"worker": 1} if self.workers else {}

        def result(self, timeout):
            if not self.workers:
                time.sleep(0.01)
                raise TimeoutError
            return {"completed": 4}, None

    lost, told = Lost(), []

    def come(text, category):
        told.append(text)
        lost.workers = 1

    progress = type("Progress", (), {"name": "study", "done": 3, "total": 40})
    tasks = dask_engine._Tasks.__new__(dask_engine._Tasks)
    tasks._client, tasks._progress, tasks._told = lost, progress, False
    monkeypatch.setattr(dask_engine, "warn", come)
    monkeypatch.setattr(dask_engine, "_PATIENCE", 0.1)
    assert tasks._result(lost) == ({"completed": 4}, None)
    assert len(told) == 1
    assert "with 3 of 40 samples in their places" in told[0]
