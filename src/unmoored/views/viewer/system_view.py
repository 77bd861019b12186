"""A system to play with: sliders, a gizmo, overlays, and live mode."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from ...system import System
from ..letters import markdown
from ..shapes import extent
from ..tied_frames import ties_of
from .actor import Actor
from .environment import Environment, as_worlds
from .joint_sliders import Gizmo, JointSliders, has_gizmo
from .live_panel import LivePanel
from .opening_view import aim
from .overlays import OverlayMenu, Setting
from .shown_instant import Snapshot, at_rest
from .trails import Trails


class SystemView:
    """A system at rest that can be posed, or driven live."""

    def __init__(
        self, server: Any, system: System, plant: Any = None, q: np.ndarray | None = None, stepper: Any = None
    ):
        """plant: gives surroundings and the dynamics of live mode. q (nq,): first configuration."""
        self._lock = threading.RLock()
        self.snapshot: Snapshot = at_rest(system, q)
        low, high = extent(system.tree, self.snapshot.q)
        self._size = size = float(np.linalg.norm(high - low)) or 1.0
        worlds = as_worlds(getattr(plant, "world", None))
        self.actor: Actor = Actor(server, system, system.name)
        self._environment = Environment(server, self.actor, worlds, low, high)
        aim(server, low, high)
        self._readout = server.gui.add_markdown(self._text())
        tabs = server.gui.add_tab_group()
        with tabs.add_tab("Joints"):
            self._add_pose_controls(server, system, size)
        with tabs.add_tab("Live"):
            self.live: LivePanel = LivePanel(
                server, self.actor, plant, stepper, self._read, self.show, self._live_changed
            )
        with tabs.add_tab("Show"):
            own = Setting(server, self.actor, size, worlds, ties=ties_of(plant))
            self._overlays = OverlayMenu(server.gui, [own], [self.snapshot])
            with server.gui.add_folder("Trails", expand_by_default=False):
                self._trails = Trails(server, server.gui, [self.actor], [None])
            with server.gui.add_folder("Surroundings", expand_by_default=False):
                self._environment.add_menu(server.gui)
        self.show(self.snapshot)

    def show(self, snapshot: Snapshot) -> None:
        """Show the system at a snapshot, everywhere."""
        with self._lock:
            self.snapshot = snapshot
            self.actor.show(snapshot)
            self._overlays.show([snapshot])
            self._trails.show([snapshot])
            self._environment.show(snapshot.t)
            self._readout.content = self._text()

    def close(self) -> None:
        """Stop what runs."""
        self.live.stop()

    def _add_pose_controls(self, server: Any, system: System, size: float) -> None:
        reset = server.gui.add_button_group("pose", ("neutral", "random"))
        self._sliders = JointSliders(server.gui, system, self.snapshot.q, 0.5 * size, self._moved)
        vehicles = [name for name in system.vehicles if has_gizmo(system.tree.link(name))]
        self._gizmos = [
            Gizmo(
                server,
                system,
                name,
                self.snapshot.q,
                size,
                lambda stored, name=name: self._vehicle(name, stored),
            )
            for name in vehicles
        ]
        self._wants_gizmo = server.gui.add_checkbox(
            "gizmo", True, hint="drag it to move the vehicle", visible=bool(self._gizmos)
        )
        self._wants_gizmo.on_update(lambda _: self._show_gizmos())

        @reset.on_click
        def _(_: Any) -> None:
            q = system.neutral() if reset.value == "neutral" else system.random_configuration()
            self._set(self._sliders.placed(q))

    def _moved(self, q: np.ndarray) -> None:
        """A slider was moved: in live mode it is a target only."""
        if not self.live.running:
            self.show(replace(self.snapshot, q=q, v=np.zeros_like(self.snapshot.v)))

    def _vehicle(self, name: str, stored: np.ndarray) -> None:
        q = self._sliders.q.copy()
        q[self.snapshot.system.tree.link(name).q] = stored
        self._sliders.q = q
        self._moved(q)

    def _set(self, q: np.ndarray) -> None:
        self.live.stop()
        self._sliders.show(q)
        for gizmo in self._gizmos:
            gizmo.show(q)
        self.show(Snapshot(self.snapshot.system, 0.0, q, np.zeros_like(self.snapshot.v)))

    def _read(self) -> tuple[Snapshot, np.ndarray]:
        """What is shown, and the target (nq,) that sliders and gizmo stand at."""
        return self.snapshot, self._sliders.q

    def _live_changed(self) -> None:
        """Live mode began, ended or holds the vehicle: when it ended, sliders and gizmo take what is shown."""
        if not self.live.running:
            self._sliders.show(self.snapshot.q)
            for gizmo in self._gizmos:
                gizmo.show(self.snapshot.q)
        self._show_gizmos()

    def _show_gizmos(self) -> None:
        """A vehicle that floats freely in live mode does not follow its gizmo."""
        for gizmo in self._gizmos:
            gizmo.node.visible = self._wants_gizmo.value and (
                not self.live.running or self.live.holds_vehicle
            )

    def _text(self) -> str:
        system, com = self.snapshot.system, self.snapshot.centre_of_mass
        x, y, z = (f"{value:.3f}" for value in com)
        return (
            f"**{markdown(system.name)}** · {system.nv} DoF\n\nmass {system.mass:.6g} kg\n\n"
            f"centre of mass ({x}, {y}, {z}) m"
        )
