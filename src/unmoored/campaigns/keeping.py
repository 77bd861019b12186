"""Merging summaries while shards come in, in whatever order: what is merged is always the first shards in a row."""

from __future__ import annotations

import time

from .campaign_folder import CampaignFolder
from .merging import Merged, summary_of
from .summaries import Summary

#: s between two savings of the merged summary
_EVERY = 20.0


class Keeping:
    """The merged summary of a campaign under way."""

    def __init__(self, folder: CampaignFolder):
        self.merged: Merged = folder.merged()
        self._folder, self._there = folder, set(folder.done())
        self._saved_upto, self._last = self.merged.upto, time.monotonic()

    def add(self, number: int, summary: Summary | None, counts: dict[str, int]) -> None:
        """A shard is in its place. summary: None if only its file has it."""
        self._there.add(number)
        if number == self.merged.upto and summary is not None:
            self.merged.add(number, summary, counts)
        while self.merged.upto in self._there:  # those that came before their turn
            self.merged.add(self.merged.upto, *summary_of(self._folder.open(self.merged.upto)))
        if time.monotonic() - self._last > _EVERY:
            self.save()

    def save(self) -> None:
        """Put the merged summary beside the shards."""
        if self.merged.upto > self._saved_upto:
            self.merged.save(self._folder.path, self._folder.digest)
            self._saved_upto = self.merged.upto
        self._last = time.monotonic()
