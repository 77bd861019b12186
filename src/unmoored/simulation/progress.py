"""What happens around the time loop while it runs: a progress bar, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import TracebackType
from typing import Any

_INTERRUPT = int(signal.SIGINT)
#: without the names that `signal` finds for every handler
_set_handler = getattr(signal, "_signal", signal).signal
#: a run shorter than this shows no bar (s)
PATIENCE = 1.0


class ProgressBar:
    """A bar on standard error once a run has taken a second. show: None: only if that is a terminal."""

    def __init__(self, show: bool | None, total: float, title: str):
        self._show = show
        self._total, self._title, self._started = total, title, time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: float) -> None:
        """Show how far the run is."""
        if self._bar is None and (time.monotonic() - self._started < PATIENCE or not self._shown):
            return
        bar = self._bar if self._bar is not None else self._open()
        bar.update(self._task, completed=done)

    @property
    def _shown(self) -> bool:
        return sys.stderr.isatty() if self._show is None else self._show

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _open(self) -> Any:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True, emoji=False))
        self._task = self._bar.add_task(self._title, total=self._total)
        self._bar.start()
        return self._bar


class Interrupts:
    """Notices Ctrl-C between steps instead of in the middle of one; a second Ctrl-C raises at once.

    words: said on standard error when it is noticed.  from_results_on: the first one raises too, until something inside
    has come to an end that noticed them itself: from then on there is something to lose, without a gap in between.
    """

    def __init__(self, words: str = "", *, from_results_on: bool = False) -> None:
        self.noticed = False
        self._patient = not from_results_on
        self._words = words
        self._previous: Any = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._previous = _set_handler(_INTERRUPT, self._notice)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._previous is not None:
            around = getattr(self._previous, "__self__", None)
            if isinstance(around, Interrupts) and error is None:
                around._patient = True
            _set_handler(_INTERRUPT, self._previous)

    def _notice(self, *_: Any) -> None:
        if self.noticed or not self._patient:
            raise KeyboardInterrupt
        self.noticed = True
        if self._words:
            print(self._words, file=sys.stderr)
