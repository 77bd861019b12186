"""The engine of one computer: shards run one after the other on all its cores or its GPU; a thread writes them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .campaign_folder import CampaignFolder
from .campaign_progress import CampaignProgress
from .keeping import Keeping
from .plan import Plan
from .shard_data import Interrupted, ShardData, computed
from .shard_file import shard_bytes

#: samples that run at once, where shards are smaller
_TOGETHER = {"cpu": 1, "cuda": 2**16}
#: shards that may wait to be written
_WAITING = 2


def run_here(
    plan: Plan,
    folder: CampaignFolder,
    todo: list[int],
    backend: str,
    keeping: Keeping,
    progress: CampaignProgress,
) -> bool:
    """Run shards until all are there; False if Ctrl-C came before."""
    waiting: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(1, "unmoored-shards") as writer:
        try:
            for group in _groups(folder, todo, _TOGETHER[backend]):
                shards = [(number, folder.samples(number)) for number in group]
                for shard in computed(plan, shards, backend):
                    waiting.append(writer.submit(_keep, folder, shard, keeping, progress))
                    while len(waiting) > _WAITING:
                        waiting.popleft().result()
        except (Interrupted, KeyboardInterrupt):
            finished = False
        else:
            finished = True
        while waiting:
            waiting.popleft().result()
    return finished


def _keep(folder: CampaignFolder, shard: ShardData, keeping: Keeping, progress: CampaignProgress) -> None:
    folder.place(shard.number, shard_bytes(shard, {"plan": folder.digest}))
    keeping.add(shard.number, shard.summary, shard.counts)
    progress.add(shard.counts)


def _groups(folder: CampaignFolder, todo: list[int], samples: int) -> Iterator[list[int]]:
    """Shards that run as one batch."""
    size = max(1, samples // folder.shard)
    for k in range(0, len(todo), size):
        yield todo[k : k + size]
