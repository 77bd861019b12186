"""Sliders for joints and a gizmo for the vehicle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...lie import se3
from ...lie.conversions import from_quaternion_wxyz
from ...model import Link
from ...system import System
from ...worlds.coupled_joints import CoupledJoints
from .scene_nodes import by_user, place


class JointSliders:
    """One slider for each DoF, in the joint's coordinates (rad, m); vehicles stored as poses have a gizmo.

    The sliders of joints that follow others only show where these are.
    """

    def __init__(
        self, gui: Any, system: System, q: np.ndarray, reach: float, moved: Callable[[np.ndarray], None]
    ):
        """reach (m): travel of sliding joints without limits. moved: called with q (nq,) when a slider was moved."""
        self._system, self._moved = system, moved
        self._coupled = CoupledJoints(system.tree, system.couplings)
        self.q: np.ndarray = np.array(q)
        self._sliders: list[tuple[Link, list[Any]]] = []
        for link in system.tree.links:
            if link.joint.nv and not has_gizmo(link):
                self._sliders.append((link, self._add(gui, link, reach)))

    def show(self, q: np.ndarray) -> None:
        """Put the sliders where q (nq,) is."""
        self.q = np.array(q)
        for link, sliders in self._sliders:
            x = link.joint.coordinates(q[link.q])
            for i, slider in enumerate(sliders):
                slider.value = float(np.clip(x[i], slider.min, slider.max))

    def _add(self, gui: Any, link: Link, reach: float) -> list[Any]:
        x = link.joint.coordinates(self.q[link.q])
        low, high = slider_ranges(link, reach)
        names = [link.name] if link.joint.nv == 1 else [f"{link.name}.{dof}" for dof in link.joint.dof_names]
        sliders = []
        for i, name in enumerate(names):
            a, b = float(min(low[i], x[i])), float(max(high[i], x[i]))
            led = link.v.start + i in self._coupled.dofs
            slider = gui.add_slider(name, a, b, (b - a) / 500 or 1.0, float(x[i]), disabled=led or a == b)
            sliders.append(slider)
        for slider in sliders:
            slider.on_update(lambda event: self._read(event, link, sliders))
        return sliders

    def _read(self, event: Any, link: Link, sliders: list[Any]) -> None:
        if by_user(event):
            self.q[link.q] = link.joint.from_coordinates(np.array([slider.value for slider in sliders]))
            if self._coupled:
                self.show(self.placed(self.q))
            self._moved(self.q.copy())

    def placed(self, q: np.ndarray) -> np.ndarray:
        """q (nq,) with joints that follow others where their leaders put them."""
        return np.array(self._coupled.configuration(q))


class Gizmo:
    """A handle in the scene that moves a vehicle stored as a pose, along the motions that its joint has."""

    def __init__(
        self,
        server: Any,
        system: System,
        vehicle: str,
        q: np.ndarray,
        size: float,
        moved: Callable[[np.ndarray], None],
    ):
        """moved: called with the vehicle's stored numbers (12,) when the gizmo was dragged."""
        self._link = system.tree.link(vehicle)
        self._stored = np.array(q[self._link.q])
        dofs = self._link.joint.dof_names
        self.node: Any = server.scene.add_transform_controls(
            f"/gizmo of {vehicle}",
            scale=0.35 * size,
            disable_rotations=not any(dof.startswith("w") for dof in dofs),
            disable_axes=not any(dof.startswith("v") for dof in dofs),
            disable_sliders=not any(dof.startswith("v") for dof in dofs),
            depth_test=False,
        )
        self.show(q)

        @self.node.on_update
        def _(event: Any) -> None:
            g = se3.pose(from_quaternion_wxyz(np.array(self.node.wxyz)), np.array(self.node.position))
            self._stored = nearest(self._link, self._stored, g)
            moved(self._stored.copy())
            if event.phase == "end":
                self._place()

    def show(self, q: np.ndarray) -> None:
        """Put the gizmo where the vehicle is at q (nq,)."""
        self._stored = np.array(q[self._link.q])
        self._place()

    def _place(self) -> None:
        place(self.node, self._link.placement @ self._link.joint.transform(self._stored))


def has_gizmo(link: Link) -> bool:
    """Whether the joint belongs to a vehicle and is stored as a pose."""
    return link.parent < 0 and link.joint.nq == 12


def nearest(link: Link, stored: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The joint's stored numbers (12,) whose world pose is near g (4, 4): Gauss-Newton on the joint's own motions."""
    joint = link.joint
    S = joint.basis(stored)
    for _ in range(8):
        error = se3.log(se3.inverse(link.placement @ joint.transform(stored)) @ g)
        step = np.linalg.lstsq(S, error, rcond=None)[0]
        stored = joint.retract(stored, step)
        if np.abs(step).max() < 1e-12:
            break
    return stored


def slider_ranges(link: Link, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates (nv,): the limits, else one turn and `reach` (m)."""
    joint = link.joint
    if joint.limits is not None:
        low, high = np.asarray(joint.limits).clip(-1e3, 1e3)
        return low, high
    turning = np.array([not dof.startswith("v") for dof in joint.dof_names], dtype=bool)
    slides = joint.nv == 1 and not np.asarray(joint.basis(joint.neutral()))[3:].any()
    turning = turning & (not slides)
    # a rotation of three DoFs is read by its logarithm, which is unique up to half a turn
    most = np.where(turning, np.pi / np.sqrt(max(1, turning.sum())), reach)
    return -most, most
