"""A system to play with: sliders, a gizmo, overlays, and live mode."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from ...system import System
from ..shapes import extent
from .actor import Actor
from .camera import aim
from .dressing import Dressing, as_worlds
from .joints import Gizmo, JointSliders, has_gizmo
from .live_panel import LivePanel
from .moment import Moment, at_rest
from .overlays import OverlayMenu, Setting
from .trails import Trails


class SystemView:
    """A system at rest that can be posed, or driven live."""

    def __init__(
        self, server: Any, system: System, plant: Any = None, q: np.ndarray | None = None, stepper: Any = None
    ):
        """plant: gives surroundings and the dynamics of live mode. q (nq,): first configuration."""
        self._lock = threading.RLock()
        self.moment = at_rest(system, q)
        low, high = extent(system.tree, self.moment.q)
        self._size = size = float(np.linalg.norm(high - low)) or 1.0
        worlds = as_worlds(getattr(plant, "world", None))
        self.actor = Actor(server, system, system.name)
        self._dressing = Dressing(server, self.actor, worlds, low, high)
        aim(server, low, high)
        self._readout = server.gui.add_markdown(self._text())
        tabs = server.gui.add_tab_group()
        with tabs.add_tab("Joints"):
            self._add_pose_controls(server, system, size)
        with tabs.add_tab("Live"):
            self.live = LivePanel(
                server, self.actor, plant, stepper, self._read, self.show, self._live_changed
            )
        with tabs.add_tab("Show"):
            self._overlays = OverlayMenu(
                server.gui, [Setting(server, self.actor, size, worlds)], [self.moment]
            )
            with server.gui.add_folder("Trails", expand_by_default=False):
                self._trails = Trails(server, server.gui, [self.actor], [None])
            with server.gui.add_folder("Surroundings", expand_by_default=False):
                self._dressing.add_menu(server.gui)
        self.show(self.moment)

    def show(self, moment: Moment) -> None:
        """Show the system at a moment, everywhere."""
        with self._lock:
            self.moment = moment
            self.actor.show(moment)
            self._overlays.show([moment])
            self._trails.show([moment])
            self._dressing.show(moment.t)
            self._readout.content = self._text()

    def close(self) -> None:
        """Stop what runs."""
        self.live.stop()

    def _add_pose_controls(self, server: Any, system: System, size: float) -> None:
        reset = server.gui.add_button_group("pose", ("neutral", "random"))
        self._sliders = JointSliders(server.gui, system, self.moment.q, 0.5 * size, self._moved)
        vehicles = [name for name in system.vehicles if has_gizmo(system.tree.link(name))]
        self._gizmos = [
            Gizmo(
                server,
                system,
                name,
                self.moment.q,
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
            self._set(q)

    def _moved(self, q: np.ndarray) -> None:
        """A slider was moved: in live mode it is a target only."""
        if not self.live.running:
            self.show(replace(self.moment, q=q, v=np.zeros_like(self.moment.v)))

    def _vehicle(self, name: str, stored: np.ndarray) -> None:
        q = self._sliders.q.copy()
        q[self.moment.system.tree.link(name).q] = stored
        self._sliders.q = q
        self._moved(q)

    def _set(self, q: np.ndarray) -> None:
        self.live.stop()
        self._sliders.show(q)
        for gizmo in self._gizmos:
            gizmo.show(q)
        self.show(Moment(self.moment.system, 0.0, q, np.zeros_like(self.moment.v)))

    def _read(self) -> tuple[Moment, np.ndarray]:
        """What is shown, and the target (nq,) that sliders and gizmo stand at."""
        return self.moment, self._sliders.q

    def _live_changed(self) -> None:
        """Live mode began, ended or holds the vehicle: when it ended, sliders and gizmo take what is shown."""
        if not self.live.running:
            self._sliders.show(self.moment.q)
            for gizmo in self._gizmos:
                gizmo.show(self.moment.q)
        self._show_gizmos()

    def _show_gizmos(self) -> None:
        """A vehicle that floats freely in live mode does not follow its gizmo."""
        for gizmo in self._gizmos:
            gizmo.node.visible = self._wants_gizmo.value and (
                not self.live.running or self.live.holds_vehicle
            )

    def _text(self) -> str:
        system, com = self.moment.system, self.moment.centre_of_mass
        x, y, z = (f"{value:.3f}" for value in com)
        return (
            f"**{system.name}** · {system.nv} DoF\n\nmass {system.mass:.6g} kg\n\n"
            f"centre of mass ({x}, {y}, {z}) m"
        )
