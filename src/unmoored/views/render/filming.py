"""Pictures of a run, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import ModelError
from ...model.errors import unknown_name
from ..shapes import body_shapes
from ..shown_rows import spread_rows
from ..tied_frames import acts, closes, drawn_as_lines, ties_of
from ..told_places import ToldPlaces, told_places
from .camera import AZIMUTH, ELEVATION, Camera, fitted
from .frame import Line, Setting, backdrop, draw
from .interpolation import frame_path, poses_at, room
from .lettering import inks, lettered
from .stage import STAGES, stage_name
from .surfaces import surfaces

_TRAIL_POINTS = 240
_AXES = 0.22  # length of a target's axes, in sizes of the system
_RGB = ((0.835, 0.369, 0.0), (0.0, 0.62, 0.451), (0.0, 0.447, 0.698))
_WANTED = (0.8, 0.475, 0.655)
_ELEMENT, _CLOSURE = (0.902, 0.624, 0.0), (0.8, 0.475, 0.655)
_TIE_POINTS = 33  # that what leaves the picture is cut where it leaves
_WAY_POINTS = 600
_WANDERS = 3.0  # a vehicle that goes farther than this many of the system's sizes is followed


@dataclass(frozen=True)
class Look:
    """How a run is looked at.

    size: (width, height) in pixels.  stage: "light", "dark", "ground", "water", "sea", or None: by the run's world.
    azimuth, elevation: of the camera, in degrees.  zoom: 2 comes twice as near.
    follow: whether the camera moves with the first vehicle; None: if it goes far.
    trails: frames that leave a trail; None: the tool's.  title: None: the system's name.
    targets: whether the places that the law wants are drawn, with the ways that moving ones take.
    ties: whether a plant's springs, bushings and lines (orange) and closures (purple) are drawn between their frames.
    """

    size: tuple[int, int] = (960, 540)
    stage: str | None = None
    azimuth: float = AZIMUTH
    elevation: float = ELEVATION
    zoom: float = 1.0
    follow: bool | None = None
    trails: tuple[str, ...] | None = None
    title: str | None = None
    targets: bool = True
    ties: bool = True

    def __post_init__(self) -> None:
        if self.stage is not None and self.stage not in STAGES:
            raise unknown_name("render", "stage", self.stage, STAGES)
        if len(self.size) != 2 or not all(isinstance(n, int) and 16 <= n <= 8192 for n in self.size):
            expected = "(width, height), each 16…8192 pixels"
            raise ModelError.single("render", "size", expected=expected, given=repr(self.size))
        if not self.zoom > 0:
            raise ModelError.single("render", "zoom", expected="> 0", given=repr(self.zoom))


class Film:
    """Draws a run of one trajectory at any times."""

    def __init__(self, run: Any, look: Look):
        shapes = body_shapes(run.system.tree)
        corners = room(run, shapes)
        self._run, self._look = run, look
        self._vehicle = run.system.tree.index(run.system.vehicles[0])
        self._trails = trail_frames(run.system, look.trails)
        self._told = told_places(run) if look.targets else ToldPlaces(np.asarray(run.t))
        self._follow = wanders(run, corners) if look.follow is None else look.follow
        self._camera = self._aimed(with_targets(corners, self._told))
        name = look.stage or stage_name(run)
        floor = floor_height(name, corners)
        scale = self._scale = system_size(corners)
        self.setting: Setting = Setting(
            surfaces(shapes), STAGES[name], *look.size,
            floor=floor, cell=grid_cell(scale), trail_width=max(look.size[1] / 220.0, 1.5),
        )  # fmt: skip
        self._behind = None if self._follow else backdrop(self.setting, self._camera)
        self._inks = inks((self._behind or backdrop(self.setting, self._camera)).colours)
        self._ties = drawn_as_lines(ties_of(getattr(run, "plant", None))) if look.ties else []

    def pictures(self, times: Any) -> Iterator[np.ndarray]:
        """Pictures (height, width, 3), 0…255, at times (n,) in seconds."""
        poses = poses_at(self._run, times)
        for k, t in enumerate(times):
            yield self._picture(float(t), poses[:, k])

    def _picture(self, t: float, poses: np.ndarray) -> np.ndarray:
        start = float(self._run.t[0])
        past = (
            poses_at(self._run, np.linspace(start, t, _TRAIL_POINTS)) if self._trails and t > start else None
        )
        tree = self._run.system.tree
        ways = [] if past is None else [frame_path(tree, past, frame) for frame in self._trails]
        lines = [Line(way, self.setting.stage.trail, 0.25, 0.95) for way in ways]
        camera = self._camera
        if self._follow:
            camera = camera.moved(poses[self._vehicle, :3, 3])
        behind = self._behind or backdrop(self.setting, camera)
        lines = [*lines, *self._tied(t, poses), *self._targets(t)]
        look, picture = self._look, draw(self.setting, camera, behind, poses, lines)
        title = self._run.system.name.replace("_", " ") if look.title is None else look.title
        return lettered(picture, self._inks, title, f"t = {t:.1f} s")

    def _tied(self, t: float, poses: np.ndarray) -> list[Line]:
        """Springs, lines and closures that act at time t (s), between their frames."""
        tree, lines = self._run.system.tree, []
        for tie in self._ties:
            if acts(self._run, tie, t):
                ends = [frame_path(tree, poses[:, None], frame) for frame in (tie.frame_a, tie.frame_b)]
                points = np.linspace(ends[0][0], ends[1][0], _TIE_POINTS)
                lines.append(Line(points, _CLOSURE if closes(tie) else _ELEMENT, hidden=0.4))
        return lines

    def _targets(self, t: float) -> list[Line]:
        """Axes at the poses that are wanted at time t (s), small crosses at points, and the ways of moving ones."""
        row, lines = self._told.row(t), []
        for track in self._told.targets:
            if len(path := track.path) > 1:
                lines.append(Line(_thinned(path), _WANTED, 0.5, 0.5))
            if (g := track.at(row)) is not None:
                size = _AXES * self._scale * (1.0 if track.turns else 0.3)
                for axis, colour in enumerate(_RGB if track.turns else (_WANTED,) * 3):
                    ends = g[:3, 3] + size * g[:3, axis] * np.array([[0.0 if track.turns else -1.0], [1.0]])
                    lines.append(Line(ends, colour, hidden=0.7))
        return lines

    def _aimed(self, corners: np.ndarray) -> Camera:
        look = self._look
        if self._follow:
            times = np.linspace(self._run.t[0], self._run.t[-1], len(corners))
            corners = corners - poses_at(self._run, times)[self._vehicle, :, None, :3, 3]
        return fitted(
            np.concatenate(corners), look.size[0] / look.size[1],
            azimuth=look.azimuth, elevation=look.elevation, zoom=look.zoom,
        )  # fmt: skip


def with_targets(corners: np.ndarray, told: ToldPlaces) -> np.ndarray:
    """Corners (instants, k, 3) of the room that a run takes, with its targets where they are at these instants."""
    times = np.linspace(told.t[0], told.t[-1], len(corners))
    rows = [told.row(t) for t in times]
    more = [track.poses[rows, None, :3, 3] for track in told.targets]
    more = [np.where(np.isfinite(p), p, corners[:, :1]) for p in more]
    return np.concatenate([corners, *more], axis=1)


def _thinned(path: np.ndarray) -> np.ndarray:
    return path[spread_rows(len(path), _WAY_POINTS)]


def trail_frames(system: Any, asked: Any = None) -> tuple[str, ...]:
    """The frames asked for; without any, those called tool, if there are some."""
    if asked is not None:
        for name in asked:
            system.tree.locate(name)
        return tuple(asked)
    return tuple(name for name in system.frames if "tool" in name.lower())


def system_size(corners: np.ndarray) -> float:
    """The longest side (m) of the box of a system at its first instant, of corners (instants, k, 3); 1 of a point."""
    return float(np.ptp(corners[0], axis=0).max()) or 1.0


def wanders(run: Any, corners: np.ndarray) -> bool:
    """Whether the whole way, with corners (instants, k, 3), is much larger than the system itself."""
    itself = np.ptp(corners, axis=1).max()
    return bool(np.ptp(corners, axis=(0, 1)).max() > _WANDERS * itself)


def floor_height(stage: str, corners: np.ndarray) -> float | None:
    """Height (m) of the floor: the sea's surface at zero, the ground there or lower, the sea bed well below."""
    low, high = corners[..., 2].min(), corners[..., 2].max()
    if stage in ("ground", "sea"):
        return float(min(0.0, low)) if stage == "ground" else 0.0
    return (
        float(low - 0.35 * (high - low) - 0.1 * np.ptp(corners[0], axis=0).max())
        if stage == "water"
        else None
    )


def grid_cell(scale: float) -> float:
    """A round number (m) of about a third of the scale (m)."""
    power = 10.0 ** np.floor(np.log10(scale / 3))
    return float(power * max(k for k in (1.0, 2.0, 5.0) if k * power <= scale / 3 * (1 + 1e-9)))
