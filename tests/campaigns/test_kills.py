"""Kill −9 while a campaign runs, and go on: nothing lost, nothing doubled, the same bytes."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import unmoored as um
from unmoored.campaigns.campaign_folder import CampaignFolder

from .killed import SAMPLES, SHARD, campaign

ROOT = Path(__file__).parents[2]


class Fresh:
    """The campaign in a new process, as a user starts it."""

    def __init__(self, folder, *more):
        command = [sys.executable, "-m", "tests.campaigns.killed", str(folder), *more]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        self.pid = self._process.pid

    def poll(self):
        return self._process.poll()


class Forked:
    """The campaign in a copy of this process, which needs no time to begin."""

    def __init__(self, folder):
        with warnings.catch_warnings():
            # of threads: the package forgets its own at forks, and those of JAX have nothing to do here
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            self.pid = os.fork()
        self._code = None
        if not self.pid:
            code = 1
            try:
                campaign().run(folder, shard=SHARD, progress=False)
                code = 0
            finally:
                os._exit(code)

    def poll(self):
        if self._code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code


def shards(folder):
    place = CampaignFolder(folder)
    return {number: place.shard_path(number).read_bytes() for number in place.done()}


def check_kills(tmp_path, kills, seed=0, begun=Fresh):
    """Kill a campaign so often, at random times; every campaign that comes to its end is compared with a whole one."""
    whole = campaign()
    whole.run(tmp_path / "whole", shard=SHARD)
    expected, statistics = shards(tmp_path / "whole"), whole.statistics()
    rng, killed, rounds = np.random.default_rng(seed), 0, 0
    while killed < kills:
        rounds += 1
        folder = tmp_path / f"killed-{rounds}"
        while True:
            before = len(list(folder.glob("shards/*/*.zip")))
            process, first, wait = begun(folder), None, rng.uniform(0.0, 0.3)
            while process.poll() is None:
                # the time counts from the first new shard: before it Python only imports
                if first is None and len(list(folder.glob("shards/*/*.zip"))) > before:
                    first = time.monotonic()
                if killed < kills and first is not None and time.monotonic() - first > wait:
                    os.kill(process.pid, signal.SIGKILL)
                    killed += 1
                    wait = float("inf")
                time.sleep(0.002)
            assert process.poll() in (0, -signal.SIGKILL)
            done = shards(folder)
            assert all(done[number] == expected[number] for number in done)
            if process.poll() == 0:
                break
        assert shards(folder) == expected
        results = um.load_campaign(folder)
        assert results.complete
        results.verify()
        assert results.dataset()["sample"].values.tolist() == list(range(SAMPLES))
        again = results.statistics()
        for name in ("count", "mean", "covariance", "lowest", "highest", "highest_sample"):
            np.testing.assert_array_equal(getattr(again, name), getattr(statistics, name))
        np.testing.assert_array_equal(again.quantiles([0.3]), statistics.quantiles([0.3]))
        left = [p for p in folder.rglob("*") if p.is_file() and p.name.endswith(".new")]
        assert len(left) <= 1  # what a killed process was writing, swept when its shard is written again
    return killed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_killed_campaign_goes_on(tmp_path):
    assert check_kills(tmp_path, kills=4, begun=Forked) == 4
