"""A pinhole camera that looks at a point from a direction, far enough away to see what it should."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

AZIMUTH, ELEVATION, FIELD_OF_VIEW = -52.0, 22.0, 32.0
_FILLED = 0.9  # of the picture's width or height


@dataclass(frozen=True, eq=False)
class Camera:
    """Looks at `target` (3,) from `distance` (m); azimuth and elevation of the eye as seen from there, in degrees.

    field_of_view: of the picture's height, in degrees.
    """

    target: np.ndarray
    distance: float
    azimuth: float = AZIMUTH
    elevation: float = ELEVATION
    field_of_view: float = FIELD_OF_VIEW

    @property
    def axes(self) -> np.ndarray:
        """Rows (3, 3): right, up and towards the eye, in world axes."""
        a, e = np.radians([self.azimuth, self.elevation])
        towards = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        right = np.array([-np.sin(a), np.cos(a), 0.0])
        return np.stack([right, np.cross(towards, right), towards])

    @property
    def eye(self) -> np.ndarray:
        """Where the camera is (3,), world axes (m)."""
        return self.target + self.distance * self.axes[2]

    def focal_length(self, height: int) -> float:
        """In pixels, for a picture of that height."""
        return 0.5 * height / np.tan(np.radians(self.field_of_view) / 2)

    def project(self, points: np.ndarray, width: int, height: int) -> np.ndarray:
        """Pixels right and down, and 1/depth (1/m), of points (n, 3) in world axes; 1/depth ≤ 0 behind the eye."""
        x, y, z = ((points - self.eye) @ self.axes.T).T
        with np.errstate(divide="ignore", invalid="ignore"):
            w = -1.0 / z
            f = self.focal_length(height)
            return np.stack([width / 2 + f * x * w, height / 2 - f * y * w, w], axis=1)

    def rays(self, width: int, height: int) -> np.ndarray:
        """Directions (height, width, 3) in world axes through the pixels' middles; depth grows by 1 along each."""
        f = self.focal_length(height)
        x = (np.arange(width) + 0.5 - width / 2) / f
        y = -(np.arange(height) + 0.5 - height / 2) / f
        right, up, towards = self.axes
        return x[None, :, None] * right + y[:, None, None] * up - towards

    def moved(self, shift: np.ndarray) -> Camera:
        """The camera carried along by `shift` (3,) in world axes (m)."""
        return replace(self, target=self.target + shift)


def fitted(
    points: np.ndarray, aspect: float, *, azimuth: float, elevation: float, zoom: float = 1.0
) -> Camera:
    """A camera that sees all points (n, 3) in a picture of that aspect (width/height); zoom 2 comes twice as near."""
    camera = Camera((points.min(axis=0) + points.max(axis=0)) / 2, 1.0, azimuth, elevation)
    tangent = np.tan(np.radians(camera.field_of_view) / 2) * _FILLED * np.array([aspect, 1.0])
    for _ in range(8):  # the middle of the picture depends on the distance, and the distance on the middle
        x = (points - camera.target) @ camera.axes.T
        distance = float(max(np.max(np.abs(x[:, :2]) / tangent + x[:, 2:]), 1e-3))
        near = 1.0 / (distance - x[:, 2] + 1e-9)  # what is near moves more as the camera is carried along
        seen = x[:, :2] * near[:, None]
        ends = near[seen.argmin(axis=0)] + near[seen.argmax(axis=0)]
        shift = (seen.min(axis=0) + seen.max(axis=0)) / ends
        camera = replace(camera.moved(shift @ camera.axes[:2]), distance=distance)
    return replace(camera, distance=camera.distance / zoom)
