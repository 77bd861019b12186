"""Where the camera stands when a page is opened."""

from __future__ import annotations

from typing import Any

import numpy as np

_DIRECTION = np.array([0.75, -0.9, 0.55])
_DIRECTION /= np.linalg.norm(_DIRECTION)
_NARROW = 620  # pixels: below, the panel lies over the lower half of the window


def aim(server: Any, low: np.ndarray, high: np.ndarray) -> None:
    """Look at the box between two corners (3,) in world axes (m), from the side and a little above."""
    centre, size = (low + high) / 2, float(np.linalg.norm(high - low)) or 1.0
    camera = server.initial_camera
    camera.look_at = tuple(centre)
    camera.position = tuple(centre + 1.15 * size * _DIRECTION)
    camera.up = (0.0, 0.0, 1.0)
    camera.near = 0.005 * size
    camera.far = 500.0 * size

    @server.on_client_connect
    def _(client: Any) -> None:
        if client.camera.image_width < _NARROW:
            below = centre - np.array([0.0, 0.0, 0.32 * size])
            client.camera.position = below + 1.15 * size * _DIRECTION
            client.camera.look_at = below
