"""The time bar: slider, play and pause, speed, loop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .scene_nodes import by_user
from .steady_calls import SteadyCalls

SPEEDS = ("0.1×", "0.25×", "0.5×", "1×", "2×", "5×", "10×")


class Playback:
    """Moves a time between start and end (s), by hand or by the clock, and shows it through `show`."""

    def __init__(self, gui: Any, start: float, end: float, show: Callable[[float], None]):
        self.start: float = start
        self.end: float = end
        self.t: float = start
        self._show = show
        self._lock = threading.RLock()
        self._calls = SteadyCalls(self._advance)
        span = max(end - start, 1e-9)
        self._bar = gui.add_slider("time [s]", start, start + span, span / 1000, start)
        self._button = gui.add_button("play")
        self._speed = gui.add_dropdown("speed", SPEEDS, initial_value="1×")
        self._loop = gui.add_checkbox("loop", True)
        self._connect()

    @property
    def playing(self) -> bool:
        """Whether time runs."""
        return self._calls.running

    def go(self, t: float) -> None:
        """Show time t (s), cut to the recording."""
        with self._lock:
            self.t = float(np.clip(t, self.start, self.end))
            self._bar.value = self.t
            self._show(self.t)

    def play(self) -> None:
        """Let time run, from the start if it is at the end."""
        if self.t >= self.end:
            self.go(self.start)
        self._calls.start()
        self._button.label = "pause"

    def pause(self) -> None:
        """Hold time."""
        self._calls.stop()
        self._button.label = "play"

    def _connect(self) -> None:
        @self._bar.on_update
        def _(event: Any) -> None:
            if by_user(event):
                with self._lock:
                    self.t = self._bar.value
                    self._show(self.t)

        @self._button.on_click
        def _(_: Any) -> None:
            (self.pause if self.playing else self.play)()

    def _advance(self, elapsed: float) -> None:
        t = self.t + elapsed * float(self._speed.value.rstrip("×"))
        if t < self.end:
            return self.go(t)
        if self._loop.value and self.end > self.start:
            return self.go(self.start + (t - self.start) % (self.end - self.start))
        self.go(self.end)
        self.pause()
