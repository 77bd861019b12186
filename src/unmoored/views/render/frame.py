"""One picture: background, floor with shadows, the system's surfaces, lines such as trails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .camera import Camera
from .raster import Fragments, fragments, nearest
from .stage import Rgb, Stage
from .surfaces import Surfaces

_FINER = 2  # pixels are drawn this many times finer in both directions, and averaged
_OPAQUE = 0.999


@dataclass(frozen=True, eq=False)
class Setting:
    """What all pictures of one run share. floor: height of the floor (m), None for none; cell: its grid (m)."""

    surfaces: Surfaces
    stage: Stage
    width: int
    height: int
    floor: float | None = None
    cell: float = 1.0
    trail_width: float = 3.0
    finer: int = field(default=_FINER)


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points (n, 3), world axes (m).

    begins, ends: how strong its colour is there, 0…1.  hidden: how strong it is behind something, of that.
    """

    points: np.ndarray
    colour: Rgb
    begins: float = 1.0
    ends: float = 1.0
    hidden: float = 0.0


@dataclass(frozen=True, eq=False)
class Backdrop:
    """What is behind the system: colours (height, width, 3), 1/depth (height, width), how much a shadow darkens."""

    colours: np.ndarray
    nearness: np.ndarray
    darkening: np.ndarray


def backdrop(setting: Setting, camera: Camera) -> Backdrop:
    """Background and floor. They are smooth, so they are not drawn finer than the picture."""
    size = setting.width, setting.height
    colours = background(setting.stage, *size)
    nothing = np.zeros((setting.height, setting.width))
    return (
        Backdrop(colours, nothing, nothing)
        if setting.floor is None
        else _with_floor(setting, camera, colours)
    )


def draw(
    setting: Setting, camera: Camera, behind: Backdrop, poses: np.ndarray, lines: Sequence[Line] = ()
) -> np.ndarray:
    """The picture (height, width, 3), 0…255, of the bodies at poses (bodies, 4, 4) with lines in the room."""
    size = setting.width * setting.finer, setting.height * setting.finer
    vertices, normals = setting.surfaces.placed(poses)
    colours = behind.colours
    if setting.floor is not None:
        colours = colours * (1 - behind.darkening * _shadow(setting, camera, vertices))[..., None]
    picture = _finer(colours, setting.finer).reshape(-1, 3)
    nearness = _finer(behind.nearness, setting.finer).ravel()
    found = fragments(camera.project(vertices, *size), setting.surfaces.triangles, *size)
    opaque = setting.surfaces.rgba[found.triangle, 3] >= _OPAQUE
    _draw_surfaces(picture, nearness, setting.surfaces, normals, camera, found[opaque])
    for line in lines:
        _draw_line(picture, nearness, setting, camera, line, size)
    _draw_surfaces(picture, nearness, setting.surfaces, normals, camera, found[~opaque])
    averaged = picture.reshape(setting.height, setting.finer, setting.width, setting.finer, 3).mean(
        axis=(1, 3)
    )
    return np.round(255 * averaged.clip(0, 1)).astype(np.uint8)


def _finer(image: np.ndarray, times: int) -> np.ndarray:
    return np.repeat(np.repeat(image, times, axis=0), times, axis=1)


def _draw_surfaces(
    picture: np.ndarray,
    nearness: np.ndarray,
    own: Surfaces,
    normals: np.ndarray,
    camera: Camera,
    found: Fragments,
) -> None:
    """The nearest fragment of each pixel over what is there, with its opacity."""
    found = found[found.nearness > nearness[found.pixel]]
    first = nearest(found, len(picture))
    seen = found[first[first >= 0]]
    corners = normals[own.triangles[seen.triangle]]
    rgba = own.rgba[seen.triangle]
    colours = lit(rgba[:, :3], (seen.weights[..., None] * corners).sum(axis=1), camera.axes)
    opacity = rgba[:, 3:]
    picture[seen.pixel] = opacity * colours + (1 - opacity) * picture[seen.pixel]
    solid = opacity[:, 0] >= _OPAQUE
    nearness[seen.pixel[solid]] = seen.nearness[solid]


def _with_floor(setting: Setting, camera: Camera, colours: np.ndarray) -> Backdrop:
    """The plane z = floor, where rays meet it, fading into the background far away."""
    rays, eye = camera.rays(setting.width, setting.height), camera.eye
    with np.errstate(divide="ignore"):
        depth = (setting.floor - eye[2]) / rays[..., 2]
    seen = (depth > 0) & (depth < 30 * camera.distance)
    depth, where = depth[seen], eye[:2] + depth[seen, None] * rays[seen, :2]
    floor = floor_colours(
        setting.stage, where, depth, 1.0 / camera.focal_length(setting.height), setting.cell
    )
    there = np.exp(-((depth / (3.2 * camera.distance)) ** 2))
    colours, nearness, darkening = colours.copy(), np.zeros(seen.shape), np.zeros(seen.shape)
    colours[seen] = there[:, None] * floor + (1 - there[:, None]) * colours[seen]
    nearness[seen], darkening[seen] = 1.0 / depth, setting.stage.shadow * there
    return Backdrop(colours, nearness, darkening)


def thrown_on_floor(vertices: np.ndarray, floor: float) -> np.ndarray:
    """Points (n, 3) moved along the sun's rays to the height of the floor (m)."""
    return vertices - ((vertices[:, 2] - floor) / SUN[2])[:, None] * SUN


def _shadow(setting: Setting, camera: Camera, vertices: np.ndarray) -> np.ndarray:
    """Where (height, width), 0…1, the surfaces' shadow falls on the floor, a little blurred."""
    size = setting.width, setting.height
    assert setting.floor is not None
    thrown = thrown_on_floor(vertices, setting.floor)
    found = fragments(camera.project(thrown, *size), setting.surfaces.triangles, *size)
    soft = np.zeros((setting.height, setting.width))
    soft.ravel()[found.pixel] = 1.0
    for axis in (0, 1) * 2:
        soft = (np.roll(soft, -1, axis) + soft + np.roll(soft, 1, axis)) / 3.0
    return soft


def _draw_line(
    picture: np.ndarray,
    nearness: np.ndarray,
    setting: Setting,
    camera: Camera,
    line: Line,
    size: tuple[int, int],
) -> None:
    """A line of constant width in pixels, its beginning paler if it is told so."""
    if len(line.points) < 2:
        return
    points = camera.project(line.points, *size)
    along = np.gradient(points[:, :2], axis=0)
    length = np.linalg.norm(along, axis=1, keepdims=True)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.where(length > 0, length, 1.0)
    shift = (
        np.concatenate([across, np.zeros((len(across), 1))], axis=1) * setting.trail_width * setting.finer / 2
    )
    ribbon = np.concatenate([points - shift, points + shift])
    n = len(points)
    a, b = np.arange(2 * n).reshape(2, n)  # the two sides
    triangles = np.concatenate([
        np.stack([a[:-1], a[1:], b[:-1]], axis=1), np.stack([a[1:], b[1:], b[:-1]], axis=1),
    ])  # fmt: skip
    found = fragments(ribbon, triangles, *size)
    if not line.hidden:
        found = found[found.nearness > nearness[found.pixel]]
    first = nearest(found, len(picture))
    seen = found[first[first >= 0]]
    part = (seen.triangle % (n - 1)) / max(n - 2, 1)
    strength = (line.begins + (line.ends - line.begins) * part)[:, None]
    shown = seen.nearness > nearness[seen.pixel]
    strength = strength * np.where(shown, 1.0, line.hidden)[:, None]
    picture[seen.pixel] = strength * np.array(line.colour) + (1 - strength) * picture[seen.pixel]
    nearness[seen.pixel[shown]] = seen.nearness[shown]


LIGHT = np.array([0.30, 0.42, 0.855])  # of the camera's axes: right, up, towards the eye
SUN = np.array([0.25, -0.35, 0.90]) / np.linalg.norm([0.25, -0.35, 0.90])  # world axes; throws the shadows


def lit(rgb: np.ndarray, normals: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Colours (n, 3) of surfaces with colours rgb (n, 3) and normals (n, 3) in world axes.

    axes: the camera's (3, 3). Two-sided: a light from above, one at the camera, a little gloss.
    """
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    n = normals / np.where(length > 0, length, 1.0)
    n = np.where((n @ axes[2])[:, None] < 0, -n, n)
    above = (n @ SUN).clip(0.0, 1.0)
    facing = (n @ (LIGHT @ axes)).clip(0.0, 1.0)
    gloss = facing**24
    brightness = 0.34 + 0.14 * n[:, 2] + 0.34 * above + 0.38 * facing
    return (rgb * brightness[:, None] + 0.16 * gloss[:, None]).clip(0.0, 1.0)


def background(stage: Stage, width: int, height: int) -> np.ndarray:
    """The empty picture (height, width, 3): one colour above, one below."""
    part = np.linspace(0.0, 1.0, height)[:, None, None]
    rows = (1 - part) * np.array(stage.top) + part * np.array(stage.bottom)
    return np.broadcast_to(rows, (height, width, 3)).copy()


def floor_colours(
    stage: Stage, where: np.ndarray, depth: np.ndarray, pixel: float, cell: float
) -> np.ndarray:
    """Colours (n, 3) of the floor at points where (n, 2) (m): grid lines `cell` (m) apart that fade where they crowd.

    depth: (n,) of the points (m).  pixel: size of a pixel at unit depth.
    """
    width = (depth * pixel)[:, None]
    off = np.abs((where / cell + 0.5) % 1.0 - 0.5) * cell
    line = (1.5 - off / width).clip(0.0, 1.0).max(axis=1, keepdims=True)
    strength = line * (cell / width / 30.0 - 0.2).clip(0.0, 1.0)
    return (1 - strength) * np.array(stage.floor) + strength * np.array(stage.grid)
