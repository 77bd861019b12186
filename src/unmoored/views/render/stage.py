"""What surrounds the system in a picture, by its world: background, and a floor or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Stage:
    """Colours in 0…1. `floor`: whether there is a plane with a grid below."""

    top: Rgb
    bottom: Rgb
    floor: Rgb | None
    grid: Rgb
    trail: Rgb
    shadow: float = 0.0


LIGHT = Stage(
    (0.965, 0.972, 0.98),
    (0.90, 0.915, 0.935),
    None,
    (0.78, 0.80, 0.83),
    (0.835, 0.369, 0.0),
)
DARK = Stage(
    (0.21, 0.235, 0.29),
    (0.12, 0.135, 0.175),
    None,
    (0.25, 0.27, 0.32),
    (0.902, 0.624, 0.0),
)
GROUND = Stage(
    (0.86, 0.915, 0.965),
    (0.955, 0.965, 0.975),
    (0.865, 0.865, 0.855),
    (0.72, 0.72, 0.71),
    (0.835, 0.369, 0.0),
    0.32,
)
WATER = Stage(
    (0.36, 0.66, 0.80),
    (0.06, 0.25, 0.38),
    (0.42, 0.58, 0.60),
    (0.33, 0.50, 0.54),
    (0.941, 0.894, 0.259),
    0.28,
)
SEA = Stage(
    (0.80, 0.89, 0.96),
    (0.93, 0.96, 0.98),
    (0.33, 0.56, 0.69),
    (0.40, 0.62, 0.74),
    (0.835, 0.369, 0.0),
    0.30,
)
STAGES = {"light": LIGHT, "dark": DARK, "ground": GROUND, "water": WATER, "sea": SEA}
_BY_WORLD = {"ocean": "water", "ground": "ground", "earth": "ground", "sea": "sea", "space": "dark"}


def stage_name(run: Any) -> str:
    """The name of the stage for a run, by its worlds; plain and light if none has a stage of its own.

    A sea with bodies in its water, an ocean, is looked into: its surface would hide them.
    """
    worlds = world_names(run)
    found = [_BY_WORLD.get(name) for name in worlds if not (name == "sea" and "ocean" in worlds)]
    return next((name for name in found if name), "light")


def world_names(run: Any) -> list[str]:
    """Names of the run's worlds; a saved run has no plant, but its provenance tells them."""
    if run.world is not None:
        worlds = run.world if isinstance(run.world, tuple | list) else (run.world,)
        return [world.name for world in worlds]
    return [str(text).partition("(")[0].lower() for text in run.provenance.get("world") or ()]
