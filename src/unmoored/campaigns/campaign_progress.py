"""How far a campaign is: samples done, rate, time left, and how samples ended, by cause."""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import Any

from ..model.names import printable

_EVERY = 0.2  # s between two pictures
_CAUSES = 4


class CampaignProgress:
    """A line on standard error. show: None: only if that is a terminal."""

    def __init__(self, show: bool | None, name: str, total: int, done: int, counts: Counter[str]):
        """done: samples of earlier runs, which do not count for the rate."""
        self._show = sys.stderr.isatty() if show is None else show
        self.name, self.total, self.done = name, total, done
        self.counts, self._first, self._started = Counter(counts), done, time.monotonic()
        self._last, self._live = 0.0, None

    def add(self, counts: dict[str, int]) -> None:
        """Samples of a shard that is in its place."""
        self.counts.update(counts)
        self.done += sum(counts.values())
        now = time.monotonic()
        if self._show and now - self._last > _EVERY:
            self._last = now
            self._picture()

    @property
    def rate(self) -> float:
        """Samples per second of this run."""
        return (self.done - self._first) / max(time.monotonic() - self._started, 1e-9)

    def text(self) -> str:
        """One line: how far, how fast, how long still, and what became of the samples that did not come to the end."""
        left = (self.total - self.done) / self.rate if self.rate > 0 else float("inf")
        parts = [f"{printable(self.name)}  {100 * self.done / max(self.total, 1):3.0f} %"]
        parts.append(f"{self.done:,} of {self.total:,} samples")
        if self.done > self._first:
            parts.append(f"{self.rate:,.3g} per second")
        if 0 < left < float("inf"):
            parts.append(f"{duration(left)} left")
        ended = {title: n for title, n in self.counts.items() if title != "completed"}
        if ended:
            told = sorted(ended.items(), key=lambda item: -item[1])
            words = [f"{n:,} {printable(title)}" for title, n in told[:_CAUSES]]
            more = sum(n for _, n in told[_CAUSES:])
            parts.append("; ".join([*words, *([f"{more:,} others"] if more else [])]))
        return ", ".join(parts)

    def close(self) -> None:
        """Leave the line as it stands."""
        if self._show:
            self._picture()
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _picture(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            self._live = Live(console=Console(stderr=True, emoji=False), auto_refresh=False)
            self._live.start()
        live: Any = self._live
        live.update(Text(self.text()), refresh=True)


def duration(seconds: float) -> str:
    """A time as people say it: "12 s", "3 min 20 s", "5 h 10 min", "4 d 2 h"."""
    seconds = round(seconds)
    for unit, name, below, lower in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= unit:
            whole, rest = divmod(seconds, unit)
            return f"{whole} {name} {rest // below} {lower}"
    return f"{seconds} s"
