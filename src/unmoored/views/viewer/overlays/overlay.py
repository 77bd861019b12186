"""What every overlay offers: a label, a switch, and a way to show a snapshot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...tied_frames import acts_as_built
from ...told_places import ToldPlaces
from ..actor import Actor
from ..scene_nodes import Rgb
from ..shown_instant import Snapshot

_NOTHING = ToldPlaces(np.zeros(1))


def _nothing() -> ToldPlaces:
    """The places of no law."""
    return _NOTHING


@dataclass(frozen=True)
class Setting:
    """What overlays are drawn on: the actor, the size (m) of the system, the worlds, names of the inputs, the elements
    and closures of a plant, whether one of them acts at a time (s), and the places that the law of the sample tells."""

    server: Any
    actor: Actor
    size: float
    worlds: tuple[Any, ...] = ()
    input_names: tuple[str, ...] = ()
    ties: tuple[Any, ...] = ()
    is_on: Callable[[Any, float], bool] = acts_as_built
    told: Callable[[], ToldPlaces] = _nothing


class Overlay(ABC):
    """Something drawn over a system, off until it is switched on, unless it is `first_on`.

    Drawn in world axes, below the actor's root.
    """

    label: ClassVar[str]
    hint: ClassVar[str] = ""
    first_on: ClassVar[bool] = False

    def __init__(self, setting: Setting):
        self.setting = setting
        self.on: bool = False
        self.root: Any = setting.server.scene.add_frame(
            f"{setting.actor.root.name}/{self.label}", show_axes=False, visible=False
        )
        self.build()

    @abstractmethod
    def build(self) -> None:
        """Make the scene nodes, once."""

    @abstractmethod
    def show(self, snapshot: Snapshot) -> None:
        """Show that snapshot."""

    def switch(self, on: bool, snapshot: Snapshot) -> None:
        """Show or hide it."""
        self.on = on
        if on:
            self.show(snapshot)
        self.root.visible = on


class Arrows:
    """Arrows of one colour; their number may change, and none are drawn for vectors that are zero."""

    def __init__(self, overlay: Overlay, name: str, colour: Rgb):
        L = overlay.setting.size
        self._shortest = 1e-4 * L
        self._node = overlay.setting.server.scene.add_arrows(
            f"{overlay.root.name}/{name}",
            np.array([[[0.0, 0.0, 0.0], [0.0, 0.0, L]]]),
            colour,
            shaft_radius=0.006 * L,
            head_radius=0.016 * L,
            head_length=0.04 * L,
            visible=False,
        )

    def show(self, starts: np.ndarray, vectors: np.ndarray) -> None:
        """Draw arrows from `starts` (n, 3) along `vectors` (n, 3), both in metres."""
        starts, vectors = np.reshape(starts, (-1, 3)), np.reshape(vectors, (-1, 3))
        long = np.linalg.norm(vectors, axis=1) > self._shortest
        if long.any():
            points = np.stack([starts[long], (starts + vectors)[long]], axis=1)
            self._node.points = points.astype(np.float32)
        self._node.visible = bool(long.any())


class Scale:
    """Arrow lengths from quantities: the largest seen so far is drawn `longest` metres long."""

    def __init__(self, longest: float):
        self._longest = longest
        self._largest = 0.0

    def __call__(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (..., 3) of any unit as lengths in metres."""
        vectors = np.asarray(vectors)
        self._largest = max(self._largest, float(np.linalg.norm(vectors, axis=-1).max(initial=0.0)))
        return vectors * (self._longest / self._largest) if self._largest > 0 else vectors
