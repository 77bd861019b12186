"""A thread that calls back at a steady rate while it is on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class SteadyCalls:
    """Calls tick(seconds since the last call) about `rate` times a second while running; errors end it and are kept."""

    def __init__(self, tick: Callable[[float], None], rate: float = 30.0):
        self._tick, self._period = tick, 1.0 / rate
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def running(self) -> bool:
        """Whether it ticks."""
        return self._thread is not None and self._thread.is_alive() and not self._stop.is_set()

    def start(self) -> None:
        """Start ticking; nothing happens if it does already."""
        if self.running:
            return
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(self._stop,), name="viewer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop ticking, and wait for a tick that is under way unless it is that tick which asks."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    def _run(self, stop: threading.Event) -> None:
        last = time.perf_counter()
        while not stop.wait(max(0.0, self._period - (time.perf_counter() - last))):
            now = time.perf_counter()
            elapsed, last = now - last, now
            self._tick(elapsed)
