"""A hundred kills of a cluster's workers, scheduler and client, and of campaigns on threads (`make long`)."""

import signal
import time
from collections import Counter

import numpy as np
import pytest
from tests.campaigns import warm_processes
from tests.campaigns.killed import SAMPLES, SHARD, campaign
from tests.campaigns.test_kills import Forked, Fresh, check_kills, shards

import unmoored as um

WORKERS = ("worker 1", "worker 2")
VICTIMS = ("client", "scheduler", *WORKERS)


def test_forty_kills_of_a_campaign_on_threads(tmp_path):
    assert check_kills(tmp_path, kills=40, seed=1, begun=Forked) == 40


def test_kills_of_a_campaign_as_users_begin_it(tmp_path):
    assert check_kills(tmp_path, kills=5, seed=3, begun=Fresh) == 5


class Cluster:
    """A scheduler and two workers, each a process of its own that may be killed and is begun again."""

    def __init__(self, folder):
        self._file, self.log = folder / "address", folder / "log"
        self._processes = {}
        self.mend()

    @property
    def address(self):
        return self._file.read_text()

    def mend(self):
        """Begin what is not there; with a new scheduler all workers."""
        if not self.lives("scheduler"):
            self._file.unlink(missing_ok=True)
            self.close()
            self._processes["scheduler"] = warm_processes.begun(
                warm_processes.scheduler, self.log, str(self._file)
            )
            end = time.monotonic() + 60
            while not self._file.exists():
                assert time.monotonic() < end, self.log.read_text()[-2000:]
                time.sleep(0.01)
        for name in WORKERS:
            if not self.lives(name):
                self._processes[name] = warm_processes.begun(warm_processes.worker, self.log, self.address)

    def kill(self, name):
        self._processes[name].kill()
        self._processes[name].join()

    def close(self):
        for process in self._processes.values():
            process.kill()
            process.join()
        self._processes = {}

    def lives(self, name):
        return name in self._processes and self._processes[name].is_alive()


class Kills:
    """When the next one comes, and whom it meets: at any time since the client began, or since its first new shard."""

    def __init__(self, count, seed):
        self._rng, self._count, self.done = np.random.default_rng(seed), count, []
        self.next()

    def next(self):
        self._from_shard, self._wait = bool(self._rng.integers(2)), self._rng.uniform(0.0, 0.6)
        self.victim = str(self._rng.choice(VICTIMS))

    def due(self, begun, first):
        since = first if self._from_shard else begun
        return len(self.done) < self._count and since is not None and time.monotonic() - since > self._wait


def number_of_shards(folder):
    return len(list(folder.glob("shards/*/*.zip")))


def check_cluster_kills(tmp_path, kills, seed=0):
    """Kill workers, scheduler and client at random, so often, and compare every campaign that comes to its end."""
    whole = campaign()
    whole.run(tmp_path / "whole", shard=SHARD)
    expected, statistics = shards(tmp_path / "whole"), whole.statistics()
    plan, rounds = Kills(kills, seed), 0
    cluster = Cluster(tmp_path)
    try:
        while len(plan.done) < kills:
            rounds += 1
            folder = tmp_path / f"round-{rounds}"
            code, before = None, len(plan.done)
            while code != 0:
                code = one_client(cluster, folder, plan)
                done = shards(folder) if (folder / "campaign.json").exists() else {}
                assert all(done[number] == expected[number] for number in done)
            if len(plan.done) == before:  # it came to its end before the kill was due
                plan.next()
            results = um.load_campaign(folder)
            results.verify()
            assert results.complete
            assert shards(folder) == expected
            assert results.dataset()["sample"].values.tolist() == list(range(SAMPLES))
            again = results.statistics()
            assert sum(again.ended.values()) == SAMPLES
            for name in ("count", "mean", "covariance", "lowest", "highest", "highest_sample"):
                np.testing.assert_array_equal(getattr(again, name), getattr(statistics, name))
    finally:
        cluster.close()
    return plan.done, rounds


def one_client(cluster, folder, plan):
    """How a client ended that ran the campaign while kills came."""
    cluster.mend()
    before = number_of_shards(folder)
    client = warm_processes.begun(warm_processes.client, cluster.log, str(folder), cluster.address)
    begun, first = time.monotonic(), None
    while client.is_alive():
        if first is None and number_of_shards(folder) > before:
            first = time.monotonic()
        if plan.due(begun, first):
            if plan.victim == "client":
                client.kill()
            elif cluster.lives(plan.victim):
                cluster.kill(plan.victim)
                if (
                    plan.victim == "scheduler"
                ):  # the client would wait for it to come back to the same address
                    client.terminate()
            plan.done.append(plan.victim)
            plan.next()
            begun = time.monotonic()
            first = begun if first is not None else None
            if plan.done[-1] != "client":
                cluster.mend()
        assert time.monotonic() - begun < 120, cluster.log.read_text()[-4000:]
        time.sleep(0.005)
    client.join()
    if client.exitcode not in (0, -signal.SIGKILL, -signal.SIGTERM):
        # a client whose scheduler is gone says so and ends
        assert plan.done
        assert plan.done[-1] == "scheduler", cluster.log.read_text()[-4000:]
    return client.exitcode


@pytest.mark.filterwarnings("ignore")
def test_a_hundred_kills_of_workers_scheduler_and_client(tmp_path):
    pytest.importorskip("distributed")
    killed, rounds = check_cluster_kills(tmp_path, kills=100, seed=2)
    print(f"{dict(Counter(killed))} in {rounds} campaigns")
    assert len(killed) == 100
    assert set(VICTIMS) == set(killed)
