"""The engine of many computers: shards are tasks of a Dask cluster, a few for every worker at a time.

A task needs nothing but the plan and the number of its shard. Where a worker sees the campaign's folder it puts the
shard in its place itself; else its bytes come back, and this process does. A shard that was computed twice, because a
worker or the scheduler died between, has the same bytes.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..error_roots import optional, warn
from ..model import ModelError, ModelWarning
from ..simulation.disk import place_file
from .campaign_folder import CampaignFolder, shard_place
from .campaign_progress import CampaignProgress
from .keeping import Keeping
from .plan import Plan
from .shard_data import computed
from .shard_file import shard_bytes
from .traveling import packed_plan, unpacked_plan

#: tasks under way for every thread of the workers, and beside them
_AHEAD, _MORE = 2, 2
#: how often a shard is tried again after its worker died or the scheduler forgot it
_TRIES = 5
#: s to wait for workers, and between looks for them and for what is done
_PATIENCE, _LOOK, _GLANCE = 60.0, 0.5, 0.002
_TOKEN = ".seen"


def run_on_dask(
    plan: Plan, folder: CampaignFolder, todo: list[int], on: Any, keeping: Keeping, progress: CampaignProgress
) -> bool:
    """Run shards on a Dask client, or the scheduler with this address; False if Ctrl-C came before all were there."""
    distributed = optional("distributed", "dask", "a campaign on a cluster")
    own = distributed.Client(on) if isinstance(on, str) else None
    client = own or on
    if not isinstance(client, distributed.Client):
        expected = "'threads', 'cuda', a distributed.Client or an address such as 'tcp://host:8786'"
        raise ModelError.single("Campaign", "on", expected=expected, given=repr(on))
    token = folder.path / f"{_TOKEN}-{secrets.token_hex(8)}"
    token.touch()
    try:
        return _Tasks(client, distributed, plan, folder, token, keeping, progress).run(todo)
    finally:
        token.unlink(missing_ok=True)
        if own is not None:
            own.close()


class _Tasks:
    def __init__(
        self,
        client: Any,
        distributed: Any,
        plan: Plan,
        folder: CampaignFolder,
        token: Path,
        keeping: Keeping,
        progress: CampaignProgress,
    ):
        self._client, self._distributed, self._folder = client, distributed, folder
        self._content = packed_plan(plan)
        self._token, self._keeping, self._progress = token, keeping, progress
        self._tries: dict[int, int] = {}
        self._under_way: dict[Any, int] = {}
        self._told = False

    def run(self, todo: list[int]) -> bool:
        """Whether all shards came into their places."""
        waiting = todo[::-1]
        finished = self._distributed.as_completed()
        try:
            while waiting or self._under_way:
                self._send(waiting, finished)
                for future in self._done(finished):
                    self._take(future, waiting)
        except KeyboardInterrupt:
            self._client.cancel(list(self._under_way))
            return False
        return True

    def _send(self, waiting: list[int], finished: Any) -> None:
        most = self._room()
        while waiting and len(self._under_way) < most:
            number = waiting.pop()
            samples = self._folder.samples(number)
            future = self._client.submit(
                work, self._content, number, int(samples[0]), len(samples), str(self._folder.path.resolve()),
                self._token.name, self._folder.digest, pure=False, key=f"shard-{number}-{secrets.token_hex(8)}",
            )  # fmt: skip
            self._under_way[future] = number
            finished.add(future)

    def _room(self) -> int:
        """How many tasks may be under way."""
        threads = sum(self._client.nthreads().values())
        started = time.monotonic()
        while not threads and not self._under_way:
            if time.monotonic() - started > _PATIENCE:
                raise ModelError.single(
                    "Campaign", "on", expected="a cluster with workers", given="none came"
                )
            time.sleep(_LOOK)
            threads = sum(self._client.nthreads().values())
        return _AHEAD * threads + _MORE

    def _done(self, finished: Any) -> list[Any]:
        """Tasks that have come to an end, at least one."""
        look = self._lookout()
        while not finished.has_ready() and not finished.is_empty():
            time.sleep(_GLANCE)
            look()
        return [next(finished), *_without_waiting(finished)]

    def _result(self, future: Any) -> Any:
        """What a task gave; it is computed anew where the worker that held it is gone."""
        look = self._lookout()
        while True:
            try:
                return future.result(timeout=_LOOK)
            except TimeoutError:
                look()

    def _lookout(self) -> Callable[[], None]:
        """To be called while waiting: it looks for workers now and then, and tells once if there are none for long."""
        started = looked = time.monotonic()

        def look() -> None:
            nonlocal started, looked
            now = time.monotonic()
            if now - looked > _PATIENCE / 4:
                looked = now
                if self._has_workers():
                    started = now
                elif now - started > _PATIENCE and not self._told:
                    self._told = True
                    self._say_that_it_waits()

        return look

    def _has_workers(self) -> bool:
        """False if there are none; a scheduler that does not answer is told of by the tasks."""
        try:
            return bool(self._client.nthreads())
        except OSError:
            return True

    def _say_that_it_waits(self) -> None:
        text = (
            f"campaign {self._progress.name!r}: the cluster has no workers any more, with {self._progress.done:,} of "
            f"{self._progress.total:,} samples in their places; it goes on when some come (Ctrl-C ends it, and keeps "
            "what is there)"
        )
        warn(text, ModelWarning)

    def _take(self, future: Any, waiting: list[int]) -> None:
        number = self._under_way.pop(future)
        if future.status == "error" and not isinstance(future.exception(), self._distributed.KilledWorker):
            raise future.exception()
        if self._client.status != "running":
            expected = "a scheduler that answers: start it and run again, to go on from here"
            raise ModelError.single(
                "Campaign", "on", expected=expected, given=f"a client that is {self._client.status}"
            )
        if future.status != "finished":  # its worker died, or the scheduler forgot it
            self._again(number, waiting, future.status)
            return
        counts, content = self._result(future)
        if content is not None:
            self._folder.place(number, content)
        self._keeping.add(number, None, counts)
        self._progress.add(counts)

    def _again(self, number: int, waiting: list[int], why: str) -> None:
        self._tries[number] = self._tries.get(number, 0) + 1
        if self._tries[number] > _TRIES:
            expected = f"a shard that a worker lives through in {_TRIES + 1} tries (memory? give shard=…)"
            raise ModelError.single(f"shard {number}", "worker", expected=expected, given=why)
        waiting.append(number)


def _without_waiting(finished: Any) -> list[Any]:
    found = []
    while finished.has_ready():
        found.append(next(finished))
    return found


def work(
    content: bytes, number: int, first: int, count: int, folder: str, token: str, plan: str
) -> tuple[dict[str, int], bytes | None]:
    """One shard, on a worker: (how its samples ended, its file if this worker does not see the folder)."""
    os.environ.setdefault("UNMOORED_THREADS", "1")  # the cluster has a task for every thread
    shards = [(number, np.arange(first, first + count))]
    (shard,) = computed(unpacked_plan(content), shards, "cpu")
    made = shard_bytes(shard, {"plan": plan})
    if not (Path(folder) / token).exists():
        return shard.counts, made
    place = shard_place(Path(folder), number)
    place.parent.mkdir(parents=True, exist_ok=True)
    place_file(place, made)
    return shard.counts, None
