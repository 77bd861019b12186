"""The planar rover with two links that Moghaddam & Chhabra work out (their Figure 2, Examples 1 to 3)."""

from __future__ import annotations

import numpy as np

from unmoored.model import Body, Frame, Inertia, Planar, Pose, Revolute, Tree

L0, L1, L2 = 0.4, 0.6, 0.5
M1, M2 = 2.0, 1.5
J1, J2 = np.array([0.01, 0.07, 0.07]), np.array([0.008, 0.04, 0.04])
#: Home poses of the links in their predecessors, as printed in their eqs. (22) and (25).
TO_LINK_1 = np.array([[0, 0, 1, 0], [0, -1, 0, 0], [1, 0, 0, L0], [0, 0, 0, 1.0]])
TO_LINK_2 = np.array([[1, 0, 0, L1], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
TO_VEHICLE = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, L0], [0, 0, 0, 1.0]])


def rover() -> Tree:
    """The rover; the centres of mass are in the middle of each link."""
    axis = (0, 0, 1)
    vehicle = Inertia(10.0, (0, 0, 0), (0.5, 0.6, 0.8))
    links = (Inertia(M1, (L1 / 2, 0, 0), J1), Inertia(M2, (L2 / 2, 0, 0), J2))
    bodies = (
        Body(name="rover", parent="world", joint=Planar(), inertia=vehicle, at=_pose(TO_VEHICLE)),
        Body(name="link1", parent="rover", joint=Revolute(axis), inertia=links[0], at=_pose(TO_LINK_1)),
        Body(name="link2", parent="link1", joint=Revolute(axis), inertia=links[1], at=_pose(TO_LINK_2)),
    )
    return Tree(
        name="rover", bodies=bodies, frames=(Frame(name="tool", parent="link2", at=Pose(xyz=(L2, 0, 0))),)
    )


def _pose(g: np.ndarray) -> Pose:
    return Pose(xyz=g[:3, 3], rotation=g[:3, :3])


def shifted(x: float) -> np.ndarray:
    """A pose moved along x: the printed matrices of the centres of mass."""
    g = np.eye(4)
    g[0, 3] = x
    return g
