"""What surrounds the system: ground, water and its current, a ship's deck, stars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...model import Free
from ...system import System
from .surroundings import Deck, Ground, Stars, Water

KINDS = ("none", "ground", "water", "ship", "space")


class Dressing:
    """The surroundings, chosen by the world's class or, without one, by the system; a menu changes them."""

    def __init__(self, server: Any, system: System, world: Any, low: np.ndarray, high: np.ndarray):
        """low, high: corners (3,) of the box that the system moves in (m)."""
        size = float(np.linalg.norm(high - low)) or 1.0
        afloat = floats(system)
        surface = 0.0 if afloat else float(high[2] + 0.6 * size)
        worlds = as_worlds(world)
        centre = (low + high) / 2
        self._water = Water(server, centre, size, surface, flow_of(worlds), elevation_of(worlds))
        self._parts = {
            "ground": [Ground(server, centre, size, min(0.0, float(low[2])))],
            "water": [self._water],
            "ship": [self._water, Deck(server, centre, size, float(low[2]))],
            "space": [],
            "none": [],
        }
        self._stars = Stars(server, centre, size)
        self._server = server
        self.kind = guess(system, worlds)
        self._show()

    def add_menu(self, gui: Any) -> None:
        """Controls to change the surroundings."""
        choice = gui.add_dropdown("surroundings", KINDS, initial_value=self.kind)
        stars = gui.add_checkbox("stars", False)

        @choice.on_update
        def _(_: Any) -> None:
            self.kind = choice.value
            self._show()

        @stars.on_update
        def _(_: Any) -> None:
            self._stars.switch(stars.value)

    def show(self, t: float) -> None:
        """Show the surroundings at time t (s)."""
        if self.kind in ("water", "ship"):
            self._water.show(t)

    def _show(self) -> None:
        wanted = self._parts[self.kind]
        for part in {id(part): part for parts in self._parts.values() for part in parts}.values():
            part.switch(part in wanted)


def as_worlds(world: Any) -> tuple[Any, ...]:
    """Worlds combine in a tuple; one alone and none are tuples here too."""
    if world is None:
        return ()
    return tuple(world) if isinstance(world, Iterable) else (world,)


def guess(system: System, worlds: tuple[Any, ...]) -> str:
    """The kind of surroundings that fits the worlds' class names, or the system if there are none."""
    names = " ".join(type(world).__name__.lower() for world in worlds)
    for word, kind in (("ship", "ship"), ("deck", "ship"), ("vessel", "ship"), ("ocean", "water"), ("wave", "water"),
                       ("space", "space"), ("orbit", "space"), ("ground", "ground"), ("earth", "ground")):  # fmt: skip
        if word in names:
            return kind
    if any(body.fluid is not None for body in system.tree.bodies):
        return "water"
    free = [isinstance(system.tree.link(name).joint, Free) for name in system.vehicles]
    return "space" if any(free) else "ground"


def floats(system: System) -> bool:
    """Whether a vehicle is held at the water line by a spring, as ships are in their files."""
    joints = [system.tree.link(name).joint for name in system.vehicles]
    return any(isinstance(joint, Free) and joint.stiffness.any() for joint in joints)


def flow_of(worlds: tuple[Any, ...]) -> Any:
    """The water's velocity field of the first world that has one."""
    return next((world.flow for world in worlds if getattr(world, "flow", None) is not None), None)


def elevation_of(worlds: tuple[Any, ...]) -> Any:
    """The function (t, x (n, 2)) ↦ height (n,) of the first world that has waves."""
    return next((world.elevation for world in worlds if callable(getattr(world, "elevation", None))), None)
