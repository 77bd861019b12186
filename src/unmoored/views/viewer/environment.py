"""What surrounds the system: ground, water and its current, a ship's deck, stars."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...model import Free
from ...system import System
from .actor import Actor
from .environment_nodes import Deck, Ground, Stars, Water

Elevation = Callable[[float, np.ndarray], np.ndarray]

KINDS = ("none", "ground", "water", "ship", "space")
_KIND_BY_CLASS = {"sea": "ship", "ocean": "water", "space": "space", "ground": "ground", "earth": "ground"}


class Environment:
    """The surroundings, chosen by the world's class or, without one, by the system; a menu changes them."""

    def __init__(self, server: Any, actor: Actor, worlds: tuple[Any, ...], low: np.ndarray, high: np.ndarray):
        """low, high: corners (3,) of the box that the system moves in (m)."""
        system, centre, size = actor.system, (low + high) / 2, float(np.linalg.norm(high - low)) or 1.0
        self.kind: str = guess(system, worlds)
        at_surface = self.kind == "ship" or floats(system)
        level = surface_of(worlds)
        surface = level if level is not None else 0.0 if at_surface else float(high[2] + 0.6 * size)
        self._water = Water(server, centre, size, surface, flow_of(worlds), elevation_of(worlds))
        self._parts = {
            "ground": [Ground(server, centre, size, min(0.0, float(low[2])))],
            "water": [self._water],
            "ship": [self._water, *decks(server, actor, size)],
            "space": [],
            "none": [],
        }
        self._stars = Stars(server, centre, size)
        self._scene = server.scene
        self._plain_light = server.scene.add_light_ambient("/plain light", intensity=1.6, visible=False)
        self._show()

    def add_menu(self, gui: Any) -> None:
        """Controls to change the surroundings."""
        choice = gui.add_dropdown("surroundings", KINDS, initial_value=self.kind)
        stars = gui.add_checkbox("stars", False)
        plain = gui.add_checkbox("plain light", False, hint="faster on computers without a graphics card")

        @choice.on_update
        def _(_: Any) -> None:
            self.kind = choice.value
            self._show()

        @stars.on_update
        def _(_: Any) -> None:
            self._stars.switch(stars.value)

        @plain.on_update
        def _(_: Any) -> None:
            self.use_plain_light(plain.value)

    def use_plain_light(self, on: bool) -> None:
        """Leave reflections and shadows out: most of the work of drawing."""
        self._plain_light.visible = on
        self._scene.configure_default_lights(cast_shadow=not on)
        self._scene.configure_environment_map(None if on else "city")

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
    names = [type(world).__name__.lower() for world in worlds]
    for word, kind in _KIND_BY_CLASS.items():
        if any(word in name for name in names):
            return kind
    if any(body.fluid is not None for body in system.tree.bodies):
        return "water"
    free = [isinstance(system.tree.link(name).joint, Free) for name in system.vehicles]
    return "space" if any(free) else "ground"


def floats(system: System) -> bool:
    """Whether a vehicle is held at the water line by a spring, as ships are in their files."""
    joints = [system.tree.link(name).joint for name in system.vehicles]
    return any(isinstance(joint, Free) and joint.stiffness.any() for joint in joints)


def surface_of(worlds: tuple[Any, ...]) -> float | None:
    """Height of the water's surface (m), of the first world that has one."""
    heights = (getattr(world, "surface", None) for world in worlds)
    return next((float(z) for z in heights if z is not None), None)


def flow_of(worlds: tuple[Any, ...]) -> Any:
    """The water's velocity field of the first world that has one."""
    return next((world.flow for world in worlds if getattr(world, "flow", None) is not None), None)


def elevation_of(worlds: tuple[Any, ...]) -> Elevation | None:
    """The function (t, xy (n, 2)) ↦ height (n,) in metres of the first world that moves a ship by waves.

    Waves in deep water, as high at the origin as the world has them at the ship.
    """
    sea = next((w for w in worlds if hasattr(w, "waves") and getattr(w, "trajectory", None) is None), None)
    return None if sea is None else sea.elevation


def decks(server: Any, actor: Actor, size: float) -> list[Deck]:
    """A deck below each vehicle that has no shape of its own."""
    tree = actor.system.tree
    bare = [i for i in map(tree.index, tree.vehicles) if not tree.bodies[i].visuals]
    return [Deck(server, actor.nodes[i].name, size) for i in bare]
