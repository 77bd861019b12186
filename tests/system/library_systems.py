"""Shared by the tests of the built-in systems: loading them, and matrices written out again as oracles."""

import warnings
from functools import cache

import numpy as np

import unmoored as um

# Published inertias that no real body has; kept as printed (docs/systems.md).
TRIANGLE_BROKEN = {
    "ets_vii": ("shoulder_pitch", "elbow_pitch", "wrist_yaw"),
    "ets_vii_wheels": ("shoulder_pitch", "elbow_pitch", "wrist_yaw", "wheel_x", "wheel_y", "wheel_z"),
}


@cache
def load(name: str) -> um.System:
    """The built-in system; its known warnings, and only they, are silenced."""
    with warnings.catch_warnings():
        for body in TRIANGLE_BROKEN.get(name, ()):
            warnings.filterwarnings("ignore", message=f"{body}: triangle", category=um.ModelWarning)
        return um.load(name)


def rotate_x(a: float) -> np.ndarray:
    """4×4 rotation about x by a (rad)."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])


def rotate_y(a: float) -> np.ndarray:
    """4×4 rotation about y by a (rad)."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]])


def rotate_z(a: float) -> np.ndarray:
    """4×4 rotation about z by a (rad)."""
    c, s = np.cos(a), np.sin(a)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])


def move(x: float, y: float, z: float) -> np.ndarray:
    """4×4 translation (m)."""
    g = np.eye(4)
    g[:3, 3] = x, y, z
    return g


def dh(d: float, theta: float, a: float, alpha: float) -> np.ndarray:
    """Standard Denavit–Hartenberg transform (m, rad)."""
    return rotate_z(theta) @ move(0, 0, d) @ move(a, 0, 0) @ rotate_x(alpha)


def tensor(xx, yy, zz, xy=0.0, xz=0.0, yz=0.0) -> np.ndarray:
    """Symmetric 3×3 from its entries."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def world_inertia(system: um.System, q: np.ndarray, body: str) -> tuple[np.ndarray, np.ndarray]:
    """Centre of mass (3,) and tensor (3, 3) about it of a body, both in world axes."""
    inertia = system.tree.bodies[system.tree.index(body)].inertia
    g = system.pose(q, body)
    R = g[:3, :3]
    return g[:3, 3] + R @ inertia.com, R @ inertia.tensor @ R.T
