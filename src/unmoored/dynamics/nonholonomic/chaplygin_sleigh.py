"""A sleigh on a blade (theory.md §13)."""

from __future__ import annotations

from dataclasses import dataclass

from .gliding import Gliding


@dataclass(frozen=True, eq=False)
class ChaplyginSleigh(Gliding):
    """A blade that glides along its x axis and turns about its z axis, never sideways: speeds (v_x, ω_z) of
    the blade.

    blade: a frame on the vehicle; the vehicle's own if None.
    """

    blade: str | None = None

    def _parts(self) -> tuple[str | None, tuple[str, ...], float | None]:
        return self.blade, (), None
