"""The check boxes that switch overlays."""

from __future__ import annotations

from typing import Any

from ..moment import Moment
from ..nodes import by_user
from .axes import Frames, JointAxes
from .balance import CentreOfMass, Momentum
from .ellipsoids import GeneralizedManipulability, Manipulability
from .forces import Buoyancy, Thrusters
from .overlay import Overlay, Setting

ALL: tuple[type[Overlay], ...] = (
    JointAxes, Frames, CentreOfMass, Momentum, Thrusters, Buoyancy, Manipulability, GeneralizedManipulability,
)  # fmt: skip


class OverlayMenu:
    """One check box for each overlay, and the frame that ellipsoids are drawn at."""

    def __init__(self, gui: Any, settings: list[Setting], moments: list[Moment]):
        """One setting and one first moment for each system in the scene; a box switches them all."""
        self._moments = moments
        self._groups = [[make(setting) for setting in settings] for make in ALL]
        for group in self._groups:
            self._add_box(gui, group)
        self._add_frame_choice(gui, settings[0])

    def show(self, moments: list[Moment]) -> None:
        """Show these moments, one for each system, with every overlay that is on."""
        self._moments = moments
        for group in self._groups:
            for overlay, moment in zip(group, moments, strict=True):
                if overlay.on:
                    overlay.show(moment)

    def _add_box(self, gui: Any, group: list[Overlay]) -> None:
        box = gui.add_checkbox(group[0].label, False, hint=group[0].hint or None)

        @box.on_update
        def _(_: Any) -> None:
            for overlay, moment in zip(group, self._moments, strict=True):
                overlay.switch(box.value, moment)

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
            initial_value=ellipsoids[0].frame,
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
            self.show(self._moments)
