"""Joints that move as they were recorded to: one plant for all recordings, each at a stretch of time of its own.

So that all recordings go through one kernel at once, their motions follow one another in one table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control.references import Piecewise
from ..model.field_types import Table
from ..model.value import frozen_array, replace_arrays
from ..worlds import Ocean, Plant, Space
from ..worlds.earth import Earth
from .recording import Array, Recording, wrong

#: time (s) between two recordings in the table
_APART = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class RecordedMotion(Piecewise):
    """Quintics through values, rates and second derivatives (each (K, n)) at the times (K,): as smooth as they are."""

    rates: Table = None
    seconds: Table = None

    def __post_init__(self) -> None:
        shape = np.shape(self.values)
        for what in ("rates", "seconds"):
            made = frozen_array(getattr(self, what), shape, where="RecordedMotion", what=what)
            replace_arrays(self, **{what: made})
        super().__post_init__()

    def _between(self, times: np.ndarray, values: np.ndarray) -> np.ndarray:
        h = np.diff(times)[:, None]
        x, v, a = (np.asarray(rows).reshape(len(times), -1) for rows in (values, self.rates, self.seconds))
        x, v, a = (rows - 0.0 for rows in (x, v, a))
        d = np.diff(x, axis=0)
        third = (20 * d - (8 * v[1:] + 12 * v[:-1]) * h - (3 * a[:-1] - a[1:]) * h**2) / (2 * h**3)
        fourth = (-30 * d + (14 * v[1:] + 16 * v[:-1]) * h + (3 * a[:-1] - 2 * a[1:]) * h**2) / (2 * h**4)
        fifth = (12 * d - 6 * (v[1:] + v[:-1]) * h - (a[:-1] - a[1:]) * h**2) / (2 * h**5)
        return np.stack([x[:-1], v[:-1], 0.5 * a[:-1], third, fourth, fifth], axis=1)


def driven_plant(
    plant: Plant, recordings: Sequence[Recording], driven: Sequence[str], where: str
) -> tuple[Plant, list[float]]:
    """The plant with these joints prescribed, and what is added to each recording's times there (s)."""
    if not driven:
        return plant, [0.0] * len(recordings)
    links = {plant.tree.link(name).name: plant.tree.link(name) for name in driven}
    for name, link in links.items():
        if link.joint.nv != 1:
            raise wrong(where, "driven", "joints of one DoF", f"{name} with {link.joint.nv}")
        if name in dict(plant.prescribed):
            raise wrong(where, "driven", "joints that the plant does not prescribe", name)
    _refuse_clocks(plant, where)
    starts, first = [], 0.0
    for recording in recordings:
        starts.append(first - recording.t[0])
        first += recording.t[-1] - recording.t[0] + _APART
    times = np.concatenate([r.t + start for r, start in zip(recordings, starts, strict=True)])
    padding = 2 ** int(np.ceil(np.log2(len(times)))) - len(times)
    times = np.append(times, times[-1] + _APART * np.arange(1, padding + 1))
    motions = {
        name: RecordedMotion(times, *_series(recordings, link, padding)) for name, link in links.items()
    }
    made, parts = plant.__reduce__()
    return made(*parts[:4], {**parts[4], **motions}, *parts[5:]), starts


def _series(recordings: Sequence[Recording], link: Any, padding: int) -> tuple[Array, Array, Array]:
    """Values, rates and second derivatives (K, 1) of a joint of one DoF; held at the end."""
    parts = [(r.q[:, link.q], r.v[:, link.v], _accelerations(r)[:, link.v]) for r in recordings]
    x, v, a = (np.concatenate(rows) for rows in zip(*parts, strict=True))
    still = np.zeros((padding, 1))
    return (
        np.concatenate([x, np.repeat(x[-1:], padding, axis=0)]),
        np.concatenate([v, still]),
        np.concatenate([a, still]),
    )


def _accelerations(recording: Recording) -> Array:
    """a as recorded, or the slope of v."""
    return recording.a if recording.a is not None else np.gradient(recording.v, recording.t, axis=0)


def _refuse_clocks(plant: Plant, where: str) -> None:
    """The table's time is not the recordings': nothing else may depend on it."""
    for world in plant.worlds:
        flow = world.flow if isinstance(world, Ocean) else None
        if not isinstance(world, Ocean | Earth | Space) or (flow is not None and not flow.steady):
            expected = "worlds that do not change with time, where joints are driven"
            raise wrong(where, "driven", expected, world.name)
