"""A hundred kills of campaigns (`make long`): on threads; of workers, scheduler and client of a cluster."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.campaigns.killed import SHARD, campaign
from tests.campaigns.test_kills import ROOT, Fresh, check_kills, shards

import unmoored as um


def test_fifty_kills_of_a_campaign_on_threads(tmp_path):
    assert check_kills(tmp_path, kills=50, seed=1) == 50


class Cluster:
    """A scheduler and two workers, each a process of its own that may be killed and is begun again."""

    def __init__(self, folder):
        self._file, self._log = folder / "scheduler.json", folder / "log"
        self.processes = {}
        self.mend()

    @property
    def address(self):
        return json.loads(self._file.read_text())["address"]

    def mend(self):
        """Begin what is not there; with a new scheduler all workers."""
        if not self._lives("scheduler"):
            self._file.unlink(missing_ok=True)
            self.close()
            self._begin("scheduler", "--port", "0", "--no-dashboard")
            end = time.monotonic() + 60
            while not self._file.exists():
                assert time.monotonic() < end
                time.sleep(0.05)
        for name in ("worker 1", "worker 2"):
            if not self._lives(name):
                self._begin(name, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def kill(self, name):
        os.kill(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def close(self):
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.processes = {}

    def _lives(self, name):
        return name in self.processes and self.processes[name].poll() is None

    def _begin(self, name, *options):
        module = f"distributed.cli.dask_{name.partition(' ')[0]}"
        command = [sys.executable, "-m", module, "--scheduler-file", str(self._file), *options]
        with open(self._log, "ab") as log:
            self.processes[name] = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def check_cluster_kills(tmp_path, kills, seed=0):
    """Kill workers, scheduler and client at random, so often, and compare every campaign that comes to its end."""
    campaign().run(tmp_path / "whole", shard=SHARD)
    expected, rng, killed, rounds = shards(tmp_path / "whole"), np.random.default_rng(seed), [], 0
    cluster = Cluster(tmp_path)
    try:
        while len(killed) < kills:
            rounds += 1
            folder = tmp_path / f"round-{rounds}"
            client = None
            while client is None or client.poll() != 0:
                cluster.mend()
                before = len(list(folder.glob("shards/*/*.zip")))
                client, first, wait = Fresh(folder, cluster.address), None, rng.uniform(0.0, 0.2)
                while client.poll() is None:
                    if first is None and len(list(folder.glob("shards/*/*.zip"))) > before:
                        first = time.monotonic()
                    if len(killed) < kills and first is not None and time.monotonic() - first > wait:
                        victim = rng.choice(["client", "scheduler", "worker 1", "worker 2"])
                        if victim == "client":
                            os.kill(client.pid, signal.SIGKILL)
                        elif cluster._lives(victim):
                            cluster.kill(victim)
                            if victim == "scheduler":  # the client gives up and is begun again
                                os.kill(client.pid, signal.SIGTERM)
                        killed.append(str(victim))
                        first, wait = time.monotonic(), rng.uniform(0.0, 1.0)
                        cluster.mend()
                    time.sleep(0.005)
                done = shards(folder)
                assert all(done[number] == expected[number] for number in done)
            results = um.load_campaign(folder)
            results.verify()
            assert results.complete
            assert shards(folder) == expected
    finally:
        cluster.close()
    return killed


@pytest.mark.filterwarnings("ignore")
def test_fifty_kills_of_workers_scheduler_and_client(tmp_path):
    pytest.importorskip("distributed")
    killed = check_cluster_kills(tmp_path, kills=50, seed=2)
    assert {"client", "scheduler", "worker 1", "worker 2"} == set(killed)
