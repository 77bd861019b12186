"""A recorded run: time bar, plots, trails, a batch as ghosts, two runs side by side."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...dynamics.kinematics import body_poses
from ..letters import markdown
from ..shapes import extent
from ..tied_frames import acts, ties_of
from ..told_places import ToldPlaces, told_places
from .actor import Actor, Ghosts
from .environment import Environment, as_worlds
from .opening_view import aim
from .overlays import OverlayMenu, Setting
from .scene_nodes import RED
from .time_charts import Charts, Curves
from .time_controls import Playback
from .timeline import Timeline, timelines
from .told_curves import told_curves
from .trails import Trails

MOST_GHOSTS = 100
_LOOKS = 24  # configurations of a run that the camera takes into account


@dataclass(frozen=True, eq=False)
class Recording:
    """A run with its name and its trajectories, one for each sample."""

    name: str
    run: Any
    samples: tuple[Timeline, ...]


class RunView:
    """One run, or two to compare, with everything that follows their time."""

    def __init__(self, server: Any, runs: list[Any], names: list[str]):
        self._server = server
        self._lock = threading.RLock()
        self._chosen = 0
        self._places: dict[tuple[int, int], ToldPlaces] = {}
        self._recordings = [Recording(n, run, timelines(run)) for n, run in zip(names, runs, strict=True)]
        self._shown = [recording.samples[0] for recording in self._recordings]
        low, high = self._box()
        self._size = size = float(np.linalg.norm(high - low)) or 1.0
        self.actors: list[Actor] = [
            Actor(server, self._shown[k].system, recording.name, tint=RED if k else None)
            for k, recording in enumerate(self._recordings)
        ]
        self._apart = np.array([0.0, 1.1 * (high[1] - low[1]) + 0.1 * size, 0.0])
        first = runs[0]
        worlds = as_worlds(getattr(first, "world", None))
        self._environment = Environment(server, self.actors[0], worlds, low, high)
        aim(server, low, high + (self._apart if len(runs) > 1 else 0.0))
        self._build(server, worlds, first, size)
        self.playback.go(self.playback.start)

    def show(self, t: float) -> None:
        """Show time t (s), everywhere."""
        with self._lock:
            snapshots = [timeline.at(t) for timeline in self._shown]
            for actor, snapshot in zip(self.actors, snapshots, strict=True):
                actor.show(snapshot)
            self._overlays.show(snapshots)
            self._trails.show(snapshots)
            for charts in self._charts:
                charts.show(t)
            self._environment.show(t)
            if self._ghosts is not None and self._ghosts.root.visible:
                self._show_ghosts(t)

    def close(self) -> None:
        """Stop what runs."""
        self.playback.pause()

    def _build(self, server: Any, worlds: tuple[Any, ...], run: Any, size: float) -> None:
        gui = server.gui
        inputs = tuple(getattr(run, "input_names", ()) or ())
        start = min(timeline.start for timeline in self._shown)
        end = max(t.end for recording in self._recordings for t in recording.samples)
        self.playback: Playback = Playback(gui, start, end, self.show)
        self._ghosts = self._add_samples(gui) if len(self._recordings[0].samples) > 1 else None
        if len(self.actors) > 1:
            self._add_comparison(gui)
        settings = [
            Setting(
                server,
                self.actors[k],
                size,
                worlds,
                inputs,
                ties_of(getattr(recording.run, "plant", None)),
                partial(self._is_on, k),
                partial(self._told, k),
            )
            for k, recording in enumerate(self._recordings)
        ]
        with gui.add_folder("Show", expand_by_default=False):
            self._overlays = OverlayMenu(gui, settings, [timeline.at(start) for timeline in self._shown])
        with gui.add_folder("Trails", expand_by_default=False):
            self._trails = Trails(server, gui, self.actors, list(self._shown))
        with gui.add_folder("Surroundings", expand_by_default=False):
            self._environment.add_menu(gui)
        panel = gui.add_panel()
        self._charts = []
        for k, recording in enumerate(self._recordings):
            with panel.add_tab(f"Plots of {recording.name}" if len(self._shown) > 1 else "Plots"):
                told = partial(self._told_curves, k)
                self._charts.append(Charts(gui, self._shown[k], told))
        panel.dock_left()
        panel.set_width(340)

    def _add_samples(self, gui: Any) -> Ghosts:
        """The choice among the samples of a batch, the others as ghosts."""
        recording = self._recordings[0]
        count = len(recording.samples)
        status = tuple(getattr(recording.run, "status", ()) or ())
        names = tuple(f"{i}: {status[i]}" if i < len(status) else str(i) for i in range(count))
        choice = gui.add_dropdown("sample", names, initial_value=names[0])
        box = gui.add_checkbox(f"ghosts of {min(count, MOST_GHOSTS)} samples", True)
        self._pale = recording.samples[:MOST_GHOSTS]
        ghosts = Ghosts(self._server, [sample.system for sample in self._pale], "ghosts")
        ghosts.root.visible = True

        @choice.on_update
        def _(_: Any) -> None:
            self._select(names.index(choice.value))

        @box.on_update
        def _(_: Any) -> None:
            ghosts.root.visible = box.value
            self.show(self.playback.t)

        return ghosts

    def _add_comparison(self, gui: Any) -> None:
        names = " against ".join(markdown(recording.name) for recording in self._recordings)
        gui.add_markdown(f"{names} (orange)")
        box = gui.add_checkbox("side by side", True)
        self._place_apart(True)
        box.on_update(lambda _: self._place_apart(box.value))

    def _place_apart(self, apart: bool) -> None:
        for i, actor in enumerate(self.actors):
            actor.root.position = i * self._apart if apart else np.zeros(3)

    def _is_on(self, which: int, tie: Any, t: float) -> bool:
        """Whether an element or closure of a run acts at time t (s), in the sample that is shown."""
        return acts(self._recordings[which].run, tie, t, self._sample(which))

    def _told(self, which: int) -> ToldPlaces:
        """The places that the law of a run tells, of the sample that is shown; looked at once for each sample."""
        sample = self._sample(which)
        if (which, sample) not in self._places:
            self._places[which, sample] = told_places(self._trajectory(which))
        return self._places[which, sample]

    def _told_curves(self, which: int) -> tuple[np.ndarray, tuple[Curves, ...]]:
        return told_curves(self._trajectory(which))

    def _trajectory(self, which: int) -> Any:
        """The run of the sample that is shown."""
        run = self._recordings[which].run
        return run.sample(self._sample(which)) if hasattr(run, "sample") else run

    def _sample(self, which: int) -> int:
        return self._chosen if which == 0 else 0

    def _select(self, index: int) -> None:
        with self._lock:
            self._chosen = index
            self._shown[0] = self._recordings[0].samples[index]
            self.actors[0].become(self._shown[0].system)
            self._trails.follow(list(self._shown))
            self._charts[0].follow(self._shown[0])
            self.show(self.playback.t)

    def _show_ghosts(self, t: float) -> None:
        assert self._ghosts is not None
        system = self._pale[0].system
        rows = [(sample, sample.q[sample.row(t)]) for sample in self._pale]
        if all(sample.system is system for sample in self._pale):
            self._ghosts.show(body_poses(system.tree, np.stack([q for _, q in rows])))
            return
        poses = [np.stack(body_poses(sample.system.tree, q)) for sample, q in rows]
        self._ghosts.show(list(np.stack(poses, axis=1)))

    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        """The box (3,), (3,) that all samples shown first move in."""
        corners = [
            extent(timeline.system.tree, q) for timeline in self._shown for q in timeline.thinned(_LOOKS).q
        ]
        paths = [t.path for k in range(len(self._recordings)) for t in self._told(k).targets if len(t.path)]
        corners += [(path.min(axis=0), path.max(axis=0)) for path in paths]
        return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)
