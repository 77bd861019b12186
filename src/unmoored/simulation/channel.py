"""Numbers of a state by name: for events that stop a run, and for tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dynamics.kinematics import ORIGIN, at_frame, body_poses, pose, velocity
from ..lie import se3
from ..model import ModelError, Tree
from ..model.units import dof_units
from ..trace import arctan2

Channel = Callable[[Any, np.ndarray, np.ndarray], Any]
PoseOf = Callable[[np.ndarray, str], np.ndarray]

#: what can be asked of a frame or body; angles are a view of the attitude and jump where they are singular
OF_FRAMES = ("x", "y", "z", "roll", "pitch", "yaw", "tilt", "speed", "turning")
_UNITS_OF_FRAMES: dict[str, str] = dict(
    zip(OF_FRAMES, ("m",) * 3 + ("rad",) * 4 + ("m/s", "rad/s"), strict=True)
)


def channel(tree: Tree, name: str, pose_of: PoseOf | None = None) -> Channel:
    """The function (t, q (..., nq), v (..., nv)) → (...) called `name`, in traceable NumPy.

    "time" (s); "elbow" coordinate of a joint with one DoF (rad, m) and "elbow.rate" its speed; "bus.vx" a velocity
    along a DoF, in body axes (m/s, rad/s); of any body or frame, in world axes: "tool.x", "tool.y", "tool.z" (m),
    "tool.roll", "tool.pitch", "tool.yaw", "tool.tilt" (rad; tilt: of its z axis from the vertical), "tool.speed"
    (m/s) and "tool.turning" (rad/s).
    pose_of: gives poses of frames that several channels share (`shared_poses`).
    """
    if name == "time":
        return lambda t, q, v: t + q[..., :0].sum(axis=-1)  # of every sample
    owner, _, what = name.rpartition(".")
    single = {link.name: link for link in tree.links if link.joint.nv == 1}
    if name in single:
        return lambda t, q, v: q[..., single[name].q.start]
    if what == "rate" and owner in single:
        return lambda t, q, v: v[..., single[owner].v.start]
    if name in tree.dof_names:
        dof = tree.dof_names.index(name)
        return lambda t, q, v: v[..., dof]
    if what in OF_FRAMES and owner in {*tree.names, *(frame.name for frame in tree.frames)}:
        return _of_frame(tree, owner, what, pose_of or (lambda q, frame: pose(tree, q, frame)))
    raise ModelError.single("scenario", "unknown channel", expected=known_channels(tree), given=repr(name))


def channel_unit(tree: Tree, name: str) -> str:
    """The unit of the channel called `name`."""
    owner, _, what = name.rpartition(".")
    names = [link.name for link in tree.links if link.joint.nv == 1]
    if name == "time":
        return "s"
    if name in names or (what == "rate" and owner in names):
        unit = dof_units(tree)[tree.dofs(name if name in names else owner)[0]]
        return unit if name in names else f"{unit}/s"
    if name in tree.dof_names:
        return f"{dof_units(tree)[tree.dof_names.index(name)]}/s"
    return _UNITS_OF_FRAMES[what]


def shared_poses(tree: Tree) -> PoseOf:
    """Poses of frames at one configuration, those of the bodies computed once."""
    found: dict[str, Any] = {}

    def pose_of(q: np.ndarray, frame: str) -> np.ndarray:
        if not found:
            found["bodies"] = body_poses(tree, q)
        index, on_body = tree.locate(frame)
        return at_frame(found["bodies"], index, ORIGIN, q) @ on_body

    return pose_of


def known_channels(tree: Tree) -> str:
    """The names that there are, in words."""
    single = [link.name for link in tree.links if link.joint.nv == 1]
    several = [name for name in tree.dof_names if name not in single]
    frames = [*tree.names, *(frame.name for frame in tree.frames)]
    return (
        f"time, a joint ({', '.join(single) or 'none'}) or its .rate, a DoF ({', '.join(several) or 'none'}), "
        f"or .{', .'.join(OF_FRAMES)} of a frame ({', '.join(frames)})"
    )


def _of_frame(tree: Tree, frame: str, what: str, pose_of: PoseOf) -> Channel:
    if what in ("x", "y", "z"):
        axis = "xyz".index(what)
        return lambda t, q, v: se3.position(pose_of(q, frame))[..., axis]
    if what in ("speed", "turning"):
        part = slice(0, 3) if what == "speed" else slice(3, 6)
        return lambda t, q, v: _length(velocity(tree, q, v, frame)[..., part])
    return lambda t, q, v: _angle(se3.rotation(pose_of(q, frame)), what)


def _angle(R: np.ndarray, what: str) -> Any:
    if what == "roll":
        return arctan2(R[..., 2, 1], R[..., 2, 2])
    if what == "yaw":
        return arctan2(R[..., 1, 0], R[..., 0, 0])
    if what == "pitch":
        return arctan2(-R[..., 2, 0], _length(R[..., 0:2, 0]))
    return arctan2(_length(R[..., 2, 0:2]), R[..., 2, 2])


def _length(x: np.ndarray) -> Any:
    return np.sqrt((x * x).sum(axis=-1))
