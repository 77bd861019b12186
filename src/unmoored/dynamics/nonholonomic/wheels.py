"""Wheels that roll without slipping, as bodies of the tree: their rates follow from the axle's motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...lie import se3
from ...model import Link, ModelError, Revolute, Tree
from .constraint import parallel, refuse_run_time_place

_TOLERANCE = 1e-9
_Y, _Z = np.eye(3)[1], np.eye(3)[2]


def rolling_rates(
    tree: Tree, carrier: Link, axle: np.ndarray, wheels: Sequence[str], radius: float | None
) -> np.ndarray:
    """G (k, 2) with wheel rates G (v_x, ω_z), for wheels of `radius` (m) on an axle at pose (4, 4) on their
    carrier.

    A wheel at y on the axle rolls with ±r θ̇ = v_x − y ω_z, + if its joint axis is the axle's +y.
    """
    rows = []
    for name in wheels:
        sign, xyz = _hub(tree, carrier, axle, name, _Y)
        if abs(xyz[0]) > _TOLERANCE:
            expected, given = "a wheel on the axle (x = 0 in its frame)", f"x = {xyz[0]:g} m"
            raise ModelError.single(name, "wheel", expected=expected, given=given)
        rows.append([sign / radius, -sign * xyz[1] / radius])  # type: ignore[operator]
    return np.array(rows, dtype=float).reshape(len(rows), 2)


def steering(tree: Tree, carrier: Link, axle: np.ndarray, name: str) -> tuple[Link, float, int]:
    """(link, wheelbase (m), sign) of a steering joint ahead of the axle, about ± its z axis."""
    sign, xyz = _hub(tree, carrier, axle, name, _Z)
    link = tree.link(name)
    heading = (se3.inverse(axle) @ link.placement)[:3, 0]
    if abs(xyz[1]) > _TOLERANCE or not xyz[0] > 0 or abs(heading[2]) > _TOLERANCE:
        expected = "a joint straight ahead of the rear axle, its x axis level"
        raise ModelError.single(
            name, "steering", expected=expected, given=f"position {xyz.tolist()}, x axis {heading.tolist()}"
        )
    return link, float(xyz[0]), sign


def _hub(tree: Tree, carrier: Link, axle: np.ndarray, name: str, axis: np.ndarray) -> tuple[int, np.ndarray]:
    """Sense of rotation (±1) about the axle's `axis` (3,), and position (3,), of a revolute joint."""
    link = tree.link(name)
    if link.parent != carrier.index or not isinstance(link.joint, Revolute):
        expected, given = (
            f"a Revolute joint on {carrier.name}",
            f"{link.joint.kind} on {tree.bodies[link.index].parent}",
        )
        raise ModelError.single(name, "wheel", expected=expected, given=given)
    refuse_run_time_place(name, link.placement)
    g = se3.inverse(axle) @ link.placement
    sign = parallel(se3.rotation(g) @ link.joint.axis, axis)
    if sign == 0:
        expected = f"an axis along ±{axis.tolist()} of the axle's frame"
        raise ModelError.single(
            name, "wheel", expected=expected, given=str((se3.rotation(g) @ link.joint.axis).tolist())
        )
    return sign, se3.position(g)
