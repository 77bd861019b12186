"""Small words for viser's scene: names, poses, colours, events."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lie import se3
from ...lie.conversions import quaternion_wxyz

Rgb = tuple[int, int, int]

# the colours of Okabe and Ito, which colour-blind people tell apart
BLUE: Rgb = (0, 114, 178)
ORANGE: Rgb = (230, 159, 0)
GREEN: Rgb = (0, 158, 115)
RED: Rgb = (213, 94, 0)
PURPLE: Rgb = (204, 121, 167)
SKY: Rgb = (86, 180, 233)
BLACK: Rgb = (40, 44, 52)
PALETTE = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, BLACK)


def part(name: str) -> str:
    """A name as one part of a scene path, in which "/" separates."""
    return name.replace("/", "∕")


def place(node: Any, g: np.ndarray) -> None:
    """Move a scene node to the pose g (4, 4) in its parent."""
    node.position = se3.position(g)
    node.wxyz = quaternion_wxyz(se3.rotation(g))


def rgb255(rgba: Any) -> Rgb:
    """A colour of a shape, in 0…1, as viser takes it."""
    r, g, b = (round(255 * float(x)) for x in rgba[:3])
    return (r, g, b)


def by_user(event: Any) -> bool:
    """Whether a person changed the control; viser also calls back when the program did."""
    return event.client_id is not None
