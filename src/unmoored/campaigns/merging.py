"""The summary of all shards so far, merged in their order, and how the samples ended; kept beside the shards."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from ..model import DataError
from ..simulation.disk import place_file, read_bytes
from ..simulation.kept_task import packed, unpacked
from .shard_file import SUMMARY, ShardFile
from .summaries import Summary

NAME = "merged"


@dataclass
class Merged:
    """Of the shards 0 … upto − 1: the summary, how many samples ended in which way, and how many there were."""

    upto: int = 0
    summary: Summary | None = None
    counts: Counter[str] = field(default_factory=Counter)
    samples: int = 0

    def add(self, number: int, summary: Summary, counts: dict[str, int]) -> None:
        """Merge the summary of a shard, which must not come before one that was merged."""
        assert number >= self.upto
        self.summary = summary if self.summary is None else self.summary.merged(summary)
        self.counts.update(counts)
        self.samples += sum(counts.values())
        self.upto = number + 1

    def copy(self) -> Merged:
        """One that goes on apart."""
        return Merged(self.upto, self.summary, Counter(self.counts), self.samples)

    def save(self, folder: Path, plan: str) -> None:
        """Put it beside the shards of the plan with this digest."""
        arrays = {} if self.summary is None else self.summary.arrays
        about = {"upto": self.upto, "counts": dict(self.counts), "samples": self.samples, "plan": plan}
        place_file(folder / NAME, packed(arrays, about))

    @classmethod
    def load(cls, folder: Path, plan: str) -> Merged:
        """What was kept; an empty one if nothing was, or if it does not fit: it can be made from the shards again."""
        if not (folder / NAME).exists():
            return cls()
        try:
            arrays, about = unpacked(read_bytes(folder / NAME), str(folder / NAME))
            if about["plan"] != plan:
                return cls()
            summary = Summary.from_arrays(arrays) if arrays else None
            return cls(int(about["upto"]), summary, Counter(about["counts"]), int(about["samples"]))
        except (DataError, KeyError, TypeError, ValueError):
            return cls()


def summary_of(shard: ShardFile) -> tuple[Summary, dict[str, int]]:
    """(summary, how many samples ended in which way) of a shard on disk."""
    names = [name for name in shard.names if name.startswith(SUMMARY)]
    arrays = {name.removeprefix(SUMMARY): shard.array(name) for name in names}
    causes, found = shard.causes, Counter(shard.array("cause").tolist())
    counts: dict[str, int] = {}
    for i in sorted(found):
        counts[causes[i].title] = counts.get(causes[i].title, 0) + found[i]
    return Summary.from_arrays(arrays), counts
