"""What instruments record of single joints, each with times of its own, and one recording of a system from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..lie import se3, so3
from ..model import Free, Spherical, Tree
from ..model.joints import SubgroupJoint, numbers_from_pose
from ..model.value import checked_numbers
from ..system import System
from .local_polynomials import LocalPolynomial
from .recorded_inputs import increasing, inputs_at
from .recording import Array, Recording, wrong

#: factors to SI
UNITS = {"rad": 1.0, "deg": np.pi / 180.0, "rev": 2.0 * np.pi, "m": 1.0, "mm": 1e-3, "cm": 1e-2, "km": 1e3}
#: of one row of an attitude
_SHAPES = {"quaternion_xyzw": (4,), "quaternion_wxyz": (4,), "rpy": (3,), "rotation": (3, 3)}
#: how far from rotations recorded attitudes may be, for they are printed with few digits
_ROUNDED = 1e-3
#: how far from a rotation the frame of an instrument may be
_ON_GROUP = 1e-6


@dataclass(frozen=True, eq=False)
class Track:
    """Samples of one joint: t (T,) increasing (s), q (T, nq) as the system stores it; noise: standard deviation, if
    known, along the tangent (one number or (nv,))."""

    t: Array
    q: Array
    noise: Any = None


def joint_track(
    t: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    unit: str = "rad",
    sign: float = 1.0,
    offset: float = 0.0,
    noise: Any = None,
) -> Track:
    """The track of a joint of one DoF: sign · values + offset (both in `unit`: rad, deg, rev, m, mm, cm, km).

    noise: standard deviation in rad or m, whatever the unit, as `Recording.q_noise` is; None: not known.
    """
    if sign not in (1.0, -1.0):
        raise wrong("joint_track", "sign", "1 or −1", repr(sign))
    t, values = increasing(
        t, checked_numbers(values, where="joint_track", what="values").reshape(-1, 1), "joint_track"
    )
    return Track(t, _unit(unit) * (sign * values + offset), noise)


def _pose(what: str, given: Any) -> Array:
    """A pose (4, 4), the identity if it is not given."""
    g = np.eye(4) if given is None else checked_numbers(given, where="pose_track", what=what)
    if g.shape != (4, 4) or not np.all(np.isfinite(g)) or not Free().group.contains(g, _ON_GROUP):
        raise wrong("pose_track", what, "a pose (4, 4)", repr(given))
    return g


def pose_track(
    t: npt.ArrayLike,
    position: npt.ArrayLike,
    *,
    quaternion_xyzw: npt.ArrayLike | None = None,
    quaternion_wxyz: npt.ArrayLike | None = None,
    rpy: npt.ArrayLike | None = None,
    rotation: npt.ArrayLike | None = None,
    unit: str = "m",
    angle_unit: str = "rad",
    world: npt.ArrayLike | None = None,
    body: npt.ArrayLike | None = None,
    noise: Any = None,
) -> Track:
    """The track of a joint stored as a pose: position (T, 3) and one kind of attitude of the body in the instrument's
    world, rpy being R = Rz(yaw) Ry(pitch) Rx(roll).

    world (4, 4): the instrument's world seen from ours.  body (4, 4): our body frame seen from the instrument's.
    noise: standard deviation along the tangent in rad and m, whatever the units; one number or (nv,).
    """
    kinds = {
        "quaternion_xyzw": quaternion_xyzw,
        "quaternion_wxyz": quaternion_wxyz,
        "rpy": rpy,
        "rotation": rotation,
    }
    given = {
        name: checked_numbers(x, where="pose_track", what=name) for name, x in kinds.items() if x is not None
    }
    if len(given) != 1:
        raise wrong("pose_track", "attitude", f"one of {', '.join(kinds)}", ", ".join(given) or "none")
    (kind, x) = next(iter(given.items()))
    place = checked_numbers(position, where="pose_track", what="position")
    for what, rows, shape in (("position", place, (3,)), (kind, x, _SHAPES[kind])):
        if rows.shape != (len(np.atleast_1d(t)), *shape):
            expected = f"shape (T, {', '.join(map(str, shape))})"
            raise wrong("pose_track", what, expected, f"shape {rows.shape}")
    if kind == "rotation" and not (
        np.all(np.isfinite(x))
        and np.all(Spherical().group.contains(se3.pose(x, np.zeros_like(place)), _ROUNDED))
    ):
        raise wrong("pose_track", kind, "rotation matrices, to 1e-3", "others")
    ends = {what: _pose(what, given) for what, given in (("world", world), ("body", body))}
    if kind.startswith("quaternion"):
        norm = np.linalg.norm(x, axis=-1, keepdims=True)
        if np.any(np.abs(norm - 1.0) > _ROUNDED):
            raise wrong("pose_track", kind, "unit quaternions", f"a norm of {norm.ravel()[0]:g}")
        x = x / norm
        R = so3.from_quaternion_wxyz(x if kind.endswith("wxyz") else x[..., [3, 0, 1, 2]])
    else:
        R = x if kind == "rotation" else so3.from_euler_zyx(_unit(angle_unit) * x[..., ::-1])
    g = ends["world"] @ se3.pose(R, _unit(unit) * place) @ ends["body"]
    t, q = increasing(t, numbers_from_pose(g), "pose_track")
    return Track(t, q, noise)


def record(
    system: System,
    tracks: Mapping[str, Track],
    *,
    period: float,
    filter: LocalPolynomial,
    start: float | None = None,
    end: float | None = None,
    inputs: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    between: str | None = None,
    input_noise: npt.ArrayLike | None = None,
    name: str = "recording",
) -> Recording:
    """One recording of all joints at times of a common period (s), through one filter, which also differentiates.

    tracks: of every joint that moves, by name, the body's or that of the joint in a URDF file.
    start, end: of the times; where all tracks have samples if None.
    inputs: times (N,) and values (N, nu).  between: what they do between their times, "held" or "linear", see
    `Recording`; held if None.  input_noise: standard deviation of their readings, one or (nu,).
    Inputs that are quicker than the rows become means about each row, and go straight from row to row.
    Noise of v and a is that of the tracks times what the filter lets through. Rows nearer than its window share their
    noise: that of q is then the white noise with which so many rows tell as much as the samples do.
    """
    moving = [link for link in system.tree.links if link.joint.nv]
    names = {link.name: link for link in moving}
    tracks = _by_body(system.tree, tracks, name)
    if unknown := tracks.keys() - names.keys():
        raise wrong(name, "tracks", f"joints of {system.name}: {', '.join(names)}", repr(min(unknown)))
    if missing := names.keys() - tracks.keys():
        raise wrong(name, "tracks", f"one for each of {', '.join(names)}", f"none of {min(missing)}")
    first = max(track.t[0] for track in tracks.values()) if start is None else start
    last = min(track.t[-1] for track in tracks.values()) if end is None else end
    if not period > 0 or last - first < period:
        raise wrong(
            name, "times", "a period > 0 and tracks that overlap", f"{first:g} … {last:g} s, {period!r}"
        )
    times = first + period * np.arange(int(np.floor((last - first) / period + 1e-9)) + 1)
    parts = [filter.of_joint(link.joint, tracks[link.name].t, tracks[link.name].q, times) for link in moving]
    noise = {what: _noise(moving, tracks, parts, k, period) for k, what in enumerate(("q", "v", "a"))}
    q = np.tile(np.concatenate([link.joint.neutral() for link in system.tree.links]), (len(times), 1))
    for link, part in zip(moving, parts, strict=True):
        q[:, link.q] = part.q
    driven = None if inputs is None else inputs_at(times, *inputs, between, input_noise)
    return Recording(
        times, q, np.concatenate([part.v for part in parts], axis=1),
        a=np.concatenate([part.a for part in parts], axis=1),
        u=None if driven is None else driven.u,
        q_noise=noise["q"], v_noise=noise["v"], a_noise=noise["a"],
        seen=np.all([part.seen for part in parts], axis=0), name=name,
        between=None if driven is None else driven.between, u_noise=None if driven is None else driven.noise,
    )  # fmt: skip


def _by_body(tree: Tree, tracks: Mapping[str, Track], where: str) -> dict[str, Track]:
    """Tracks by the names of bodies; a joint may be called by its second name, the one it has in a URDF file."""
    second = {
        body.joint_name: body.name for body in tree.bodies if body.joint_name not in (None, *tree.names)
    }
    found: dict[str, Track] = {}
    for given, track in tracks.items():
        name = second.get(given, given)
        if name in found:
            raise wrong(where, "tracks", "one for each joint", f"two of {name}, one called {given!r}")
        found[name] = track
    return found


def _noise(moving: Any, tracks: Mapping[str, Track], parts: Any, k: int, period: float) -> Array | None:
    if any(tracks[link.name].noise is None for link in moving):
        return None
    own = []
    for link, part in zip(moving, parts, strict=True):
        track, gain = tracks[link.name], part.gains[k]
        if k == 0:  # slow noise passes the filter: the mean of all rows is no better than that of all samples
            gain = max(gain, np.sqrt(float(np.median(np.diff(track.t))) / period))
        own.append(np.broadcast_to(track.noise, (link.joint.nv,)) * gain)
    return np.concatenate(own)


def _unit(name: str) -> float:
    if name not in UNITS:
        raise wrong("track", "unit", f"one of {', '.join(UNITS)}", repr(name))
    return UNITS[name]


def stored_as_pose(joint: Any) -> bool:
    """Whether a joint's configuration is a pose."""
    return isinstance(joint, SubgroupJoint) and joint.nv > 1
