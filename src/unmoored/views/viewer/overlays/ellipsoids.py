"""How fast a tool can move in every direction: with the vehicle held, and with the vehicle giving way."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from ....lie import se3
from ....system import System
from ...shapes.primitives import sphere
from ...shapes.shape import right_handed
from ..scene_nodes import GREEN, PURPLE, Rgb, place
from ..shown_instant import Snapshot
from .overlay import Overlay

#: semi-axes are the tool's way (m) when the joints turn by this much (rad) or slide by this much (m)
STEP = 0.3


class _Ellipsoid(Overlay):
    """The image of the unit ball of joint velocities under a Jacobian (3, n) in world axes, at a frame."""

    colour: Rgb

    def build(self) -> None:
        tree = self.setting.actor.system.tree
        ball = sphere(1.0, (0.0, 0.0, 0.0, 1.0))
        self.frame: str = default_frame(self.setting.actor.system)
        self._arm = np.setdiff1d(np.arange(tree.nv), tree.dofs(tree.vehicles))
        self._mesh = self.setting.server.scene.add_mesh_simple(
            f"{self.root.name}/ellipsoid",
            ball.vertices.astype(np.float32),
            ball.triangles.astype(np.uint32),
            color=self.colour,
            opacity=0.35,
            cast_shadow=False,
            visible=False,
        )

    def show(self, snapshot: Snapshot) -> None:
        if not len(self._arm):
            return
        U, σ, _ = np.linalg.svd(self.jacobian(snapshot))
        g = se3.pose(right_handed(U), se3.position(snapshot.pose(self.frame)))
        semi_axes = STEP * np.concatenate([σ, np.zeros(3 - len(σ))])
        self._mesh.scale = tuple(semi_axes.clip(2e-3 * self.setting.size).tolist())
        place(self._mesh, g)
        self._mesh.visible = True

    @abstractmethod
    def jacobian(self, snapshot: Snapshot) -> np.ndarray:
        """Velocity (3, n) of the frame's origin in world axes for each arm joint."""


class Manipulability(_Ellipsoid):
    """With the vehicle held: the arm's own Jacobian."""

    label = "manipulability"
    hint = f"way of the tool for joint steps of {STEP} rad, vehicle held"
    colour = GREEN

    def jacobian(self, snapshot: Snapshot) -> np.ndarray:
        return snapshot.system.mixed_jacobian(snapshot.q, self.frame)[:3, self._arm]


class GeneralizedManipulability(_Ellipsoid):
    """With the vehicle giving way: the generalized Jacobian, vehicles passive."""

    label = "generalized Jacobian"
    hint = f"way of the tool for joint steps of {STEP} rad, vehicle free to give way"
    colour = PURPLE

    def jacobian(self, snapshot: Snapshot) -> np.ndarray:
        system = snapshot.system
        J_G = system.generalized_jacobian(snapshot.q, self.frame, passive=system.vehicles)
        return snapshot.pose(self.frame)[:3, :3] @ J_G[:3]


def default_frame(system: System) -> str:
    """The frame called "tool", or the last one that is not a thruster's, or the last body."""
    if "tool" in system.frames:
        return "tool"
    named = [name for name in system.frames if not name.startswith("thruster")]
    return named[-1] if named else system.names[-1]
