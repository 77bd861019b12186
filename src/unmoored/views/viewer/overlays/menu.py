"""The check boxes that switch overlays."""

from __future__ import annotations

from typing import Any

from ..scene_nodes import by_user
from ..shown_instant import Snapshot
from .axes import Frames, JointAxes
from .centre_of_mass import CentreOfMass, Momentum
from .ellipsoids import GeneralizedManipulability, Manipulability, default_frame
from .forces import Buoyancy, Thrusters
from .overlay import Overlay, Setting
from .ties import Ties
from .told import EstimatedPlace, Targets
from .touching import Touching

ALL: tuple[type[Overlay], ...] = (
    JointAxes, Frames, CentreOfMass, Momentum, Thrusters, Buoyancy, Manipulability, GeneralizedManipulability,
    Ties, Touching, Targets, EstimatedPlace,
)  # fmt: skip


class OverlayMenu:
    """One check box for each overlay, and the frame that ellipsoids are drawn at."""

    def __init__(self, gui: Any, settings: list[Setting], snapshots: list[Snapshot]):
        """One setting and one first snapshot for each system in the scene; a box switches them all."""
        self._snapshots = snapshots
        self._groups = [[make(setting) for setting in settings] for make in ALL]
        for group in self._groups:
            self._add_box(gui, group)
        self._add_frame_choice(gui, settings[0])

    def show(self, snapshots: list[Snapshot]) -> None:
        """Show these snapshots, one for each system, with every overlay that is on."""
        self._snapshots = snapshots
        for group in self._groups:
            for overlay, snapshot in zip(group, snapshots, strict=True):
                if overlay.on:
                    overlay.show(snapshot)

    def _add_box(self, gui: Any, group: list[Overlay]) -> None:
        first = group[0].first_on
        box = gui.add_checkbox(group[0].label, first, hint=group[0].hint or None)
        for overlay, snapshot in zip(group, self._snapshots, strict=True) if first else ():
            overlay.switch(True, snapshot)

        @box.on_update
        def _(_: Any) -> None:
            for overlay, snapshot in zip(group, self._snapshots, strict=True):
                overlay.switch(box.value, snapshot)

    def _add_frame_choice(self, gui: Any, setting: Setting) -> None:
        system = setting.actor.system
        ellipsoids = [
            overlay
            for group in self._groups
            for overlay in group
            if isinstance(overlay, Manipulability | GeneralizedManipulability)
        ]
        choice = gui.add_dropdown(
            "ellipsoids at",
            (*system.frames, *system.names),
            initial_value=default_frame(system),
            hint="frame of the two ellipsoids",
        )

        @choice.on_update
        def _(event: Any) -> None:
            if not by_user(event):
                return
            for overlay in ellipsoids:
                if choice.value in (
                    *overlay.setting.actor.system.frames,
                    *overlay.setting.actor.system.names,
                ):
                    overlay.frame = choice.value
            self.show(self._snapshots)
