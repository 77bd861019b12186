"""The folder of a campaign: what it is (`campaign.json`), its shards, the merged summary, and a lock.

campaign.json                     the plan in words and digests, sealed
shards/000/shard-0000017.zarr.zip the samples of shard 17
merged                            the summary of the first shards, which can be made again
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..model import DataError, ModelError
from ..simulation.disk import digest, place_file, read_bytes, seal, unseal
from .merging import Merged, summary_of
from .shard_file import ShardFile

PLAN, SHARDS, LOCK = "campaign.json", "shards", "lock"
_SHARD = re.compile(r"shard-(\d{7,})\.zarr\.zip")
_PER_FOLDER = 1000


class ForeignShard(DataError):
    """Raised for a shard that is whole, but not the one that its name says."""


class CampaignFolder:
    """A folder with a plan in it. `said`: what the plan says, plain data."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        file = self.path / PLAN
        if not file.exists():
            expected = "the folder of a campaign that was begun"
            raise ModelError.single("campaign", "folder", expected=expected, given=str(self.path))
        content = unseal(read_bytes(file), file)
        try:
            self.said: dict[str, Any] = json.loads(content)
            self.total, self.shard = int(self.said["total"]), int(self.said["shard"])
            self.backend = str(self.said["backend"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError.single(
                str(file), "content", expected="the plan of a campaign", given=repr(error)
            ) from None
        self.digest = digest(content)

    @classmethod
    def begun(cls, path: str | Path, said: Mapping[str, Any]) -> CampaignFolder:
        """The folder for a plan: a new one, or one in which the same plan was begun; any other is refused."""
        path = Path(path)
        if path.exists() and not path.is_dir():
            raise ModelError.single("campaign", "folder", expected="a folder", given=f"a file: {path}")
        path.mkdir(parents=True, exist_ok=True)
        if not (path / PLAN).exists():
            others = sorted(
                p.name for p in path.iterdir() if not p.name.startswith(f".{PLAN}.") and p.name != LOCK
            )
            if others:
                expected = "an empty folder, or that of this campaign"
                raise ModelError.single(
                    "campaign", "folder", expected=expected, given=f"{path} with {others[0]!r}"
                )
            text = json.dumps(said, indent=1, ensure_ascii=False).encode()
            place_file(path / PLAN, seal(text))
        return cls(path)

    @property
    def shards(self) -> int:
        """How many shards there will be."""
        return -(-self.total // self.shard)

    def samples(self, number: int) -> np.ndarray:
        """Numbers (S,) of the samples of a shard."""
        return np.arange(number * self.shard, min((number + 1) * self.shard, self.total))

    def shard_path(self, number: int) -> Path:
        """Where a shard is, or will be."""
        return shard_place(self.path, number)

    def done(self) -> list[int]:
        """Numbers of the shards that are there."""
        return sorted(number for number, path in self._named() if self._has(number, path))

    def strays(self) -> list[Path]:
        """Files that are called like shards, and are none that the campaign has, or not in their place."""
        return sorted(path for number, path in self._named() if not self._has(number, path))

    def _has(self, number: int, path: Path) -> bool:
        return number < self.shards and path == self.shard_path(number)

    def _named(self) -> Iterator[tuple[int, Path]]:
        """(number, place) of the files that are called like shards."""
        for part in (self.path / SHARDS).glob("*/") if (self.path / SHARDS).is_dir() else ():
            for name in os.listdir(part):
                if match := _SHARD.fullmatch(name):
                    yield int(match[1]), part / name

    def place(self, number: int, content: bytes) -> None:
        """Put a shard in its place, at once and for good."""
        path = self.shard_path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        place_file(path, content)

    def open(self, number: int) -> ShardFile:
        """A shard that is there."""
        found = ShardFile(self.shard_path(number))
        about = found.about
        if about.get("plan") != self.digest or about.get("shard") != number:
            own = about.get("plan") == self.digest
            given = f"shard {about.get('shard')} of it" if own else "a shard of another campaign"
            expected = f"shard {number} of this campaign; move it away and run the campaign again"
            raise ForeignShard.single(str(found.path), "content", expected=expected, given=given)
        return found

    def merged(self, *, gaps: bool = False) -> Merged:
        """The summary of the first shards up to the first that is missing; gaps: of all that are there, in order."""
        found = Merged.load(self.path, self.digest)
        for number in self.done():
            if number < found.upto:
                continue
            if number > found.upto and not gaps:
                break
            found.add(number, *summary_of(self.open(number)))
        return found

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else works on the campaign meanwhile, where the system has such locks."""
        try:
            import fcntl
        except ImportError:
            yield
            return
        with open(self.path / LOCK, "wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                expected = "a folder that no other process works on"
                raise ModelError.single(
                    "campaign", "folder", expected=expected, given=str(self.path)
                ) from None
            yield


def shard_place(folder: Path, number: int) -> Path:
    """Where a shard of the campaign in a folder is, or will be."""
    return folder / SHARDS / f"{number // _PER_FOLDER:03d}" / f"shard-{number:07d}.zarr.zip"
