"""The 24 rotations that take axes to axes: roll, pitch and yaw say them exactly, on every machine."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import pi

import numpy as np

from ..pose import Pose

Angles = tuple[float, float, float]


def quarter_turns_rpy(rotation: np.ndarray) -> Angles | None:
    """Roll, pitch, yaw (rad) of a rotation (3, 3) made of quarter turns, None for any other."""
    return _table().get(rotation.tobytes())


@cache
def _table() -> dict[bytes, Angles]:
    turns = (0.0, pi / 2, pi, -pi / 2)
    table: dict[bytes, Angles] = {}
    for yaw, pitch, roll in product(turns, (0.0, pi / 2, -pi / 2), turns):
        table.setdefault(Pose(rpy=(roll, pitch, yaw)).rotation.tobytes(), (roll, pitch, yaw))
    return table
