"""Measured columns from files: CSV and Parquet tables, and ROS 2 bags (rosbag2 folders, SQLite or MCAP).

A table is {column: values (T,)}, in the file's own units; tracks (`joint_track`, `pose_track`) say what they mean.
ROS messages are in SI units, and say in which frames: those are kept.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..error_roots import UnmooredError, optional
from ..model import DataError
from ..model.files.file_text import is_number_text
from .recording import Array, wrong
from .tracks import Track, joint_track, pose_track

#: messages that are read, and the arrays that they become
_MESSAGES = {
    "sensor_msgs/msg/JointState": "joints",
    "nav_msgs/msg/Odometry": "odometry",
    "geometry_msgs/msg/PoseStamped": "pose",
    "sensor_msgs/msg/Imu": "imu",
    "geometry_msgs/msg/WrenchStamped": "wrench",
}


def read_columns(path: str | Path, columns: Sequence[str] | None = None) -> dict[str, Array]:
    """Columns of numbers of a table with one header line: .csv, .csv.gz or .parquet; those named, or all.

    What is no number is refused by line and column; columns of text need not be read. Of a Parquet file, whose columns
    have types, those without numbers are left out if none is named.
    """
    path = Path(path)
    if isinstance(columns, str):
        raise wrong("read_columns", "columns", "a list of names", repr(columns))
    return (_parquet if path.suffix == ".parquet" else _csv)(path, columns)


def _csv(path: Path, columns: Sequence[str] | None) -> dict[str, Array]:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, line) for line in reader if line]
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise _damaged(path, str(error)) from None
    if len(lines) < 2:
        raise _damaged(path, "no rows")
    head = [name.strip() for name in lines[0][1]]
    if len(set(head)) < len(head):
        raise _damaged(path, "two columns of one name")
    for number, line in lines[1:]:
        if len(line) != len(head):
            raise _damaged(path, f"line {number} has {len(line)} of {len(head)} entries")
    return {name: _column(path, name, head.index(name), lines[1:]) for name in _wanted(path, head, columns)}


def _column(path: Path, name: str, k: int, lines: list[tuple[int, list[str]]]) -> Array:
    try:
        return np.array([line[k] for _, line in lines], dtype=float)
    except ValueError:
        number, text = next((number, line[k]) for number, line in lines if not is_number_text(line[k]))
        raise _damaged(path, f"line {number}, column {name!r}: {text!r}, which is no number") from None


def _wanted(path: Path, head: Sequence[str], columns: Sequence[str] | None) -> Sequence[str]:
    for name in columns or ():
        if name not in head:
            raise wrong(str(path), "column", f"one of {', '.join(head)}", repr(name))
    return columns or head


def _parquet(path: Path, columns: Sequence[str] | None) -> dict[str, Array]:
    parquet = optional("pyarrow.parquet", "recordings", "reading Parquet")
    try:
        wanted = _wanted(path, parquet.read_schema(path).names, columns)
        table = parquet.read_table(path, columns=list(wanted))
    except UnmooredError:
        raise
    except Exception as error:
        raise _damaged(path, str(error)) from None
    found = {}
    for name in wanted:
        try:
            found[name] = table.column(name).to_numpy().astype(float)
        except (TypeError, ValueError):
            if columns:
                raise _damaged(path, f"column {name!r} holds no numbers") from None
            continue
        if table.column(name).null_count:
            raise _damaged(path, f"column {name!r} has {table.column(name).null_count} empty entries")
    return found


def _damaged(path: Path, given: str) -> DataError:
    return DataError.single(str(path), "recording", expected="a readable table of numbers", given=given)


@dataclass(frozen=True, eq=False)
class BagTopic:
    """Messages of one topic: kind, t (T,) [s], arrays by name, and the frames that the messages name.

    JointState: "position", "velocity", "effort" (T, n), joints (n).  Odometry: "position" (T, 3), "quaternion_xyzw"
    (T, 4), "twist" (T, 6) in child_frame.  PoseStamped: the first two.  Imu: "quaternion_xyzw", "gyro",
    "acceleration".  WrenchStamped: "wrench" (T, 6), force first.
    """

    kind: str
    t: Array
    arrays: dict[str, Array]
    frame: str = ""
    child_frame: str = ""
    joints: tuple[str, ...] = field(default=())

    def joint_tracks(self, names: dict[str, str] | None = None, **options: Any) -> dict[str, Track]:
        """Tracks of the joints by name, or of {name here: name in the bag}; options of `joint_track`."""
        chosen = {name: name for name in self.joints} if names is None else names
        for name in chosen.values():
            if name not in self.joints:
                raise wrong("JointState", "joint", f"one of {', '.join(self.joints)}", repr(name))
        at = {name: self.joints.index(name) for name in self.joints}
        position = self.arrays["position"]
        return {
            ours: joint_track(self.t, position[:, at[theirs]], **options) for ours, theirs in chosen.items()
        }

    def pose_track(self, **options: Any) -> Track:
        """The track of the pose of Odometry or PoseStamped; options of `pose_track`."""
        if "position" not in self.arrays or "quaternion_xyzw" not in self.arrays:
            raise wrong(self.kind, "pose", "Odometry or PoseStamped", self.kind)
        given = {name: self.arrays[name] for name in ("position", "quaternion_xyzw")}
        return pose_track(self.t, **given, **options)


def read_bag(
    path: str | Path, topics: Sequence[str] | None = None, *, stamps: str = "header"
) -> dict[str, BagTopic]:
    """{topic: messages} of a rosbag2 folder, SQLite or MCAP (pip install 'unmoored[recordings]').

    topics: those wanted; if None all with messages of JointState, Odometry, PoseStamped, Imu and WrenchStamped.
    stamps: times from the messages' "header", or of their arrival in the "bag".
    """
    if isinstance(topics, str):
        raise wrong("read_bag", "topics", "a list of names", repr(topics))
    if stamps not in ("header", "bag"):
        raise wrong("read_bag", "stamps", '"header" or "bag"', repr(stamps))
    reader = optional("rosbags.highlevel", "recordings", "reading ROS bags").AnyReader
    types = optional("rosbags.typesys", "recordings", "reading ROS bags")
    store = types.get_typestore(types.Stores.ROS2_HUMBLE)
    collected: dict[str, list[tuple[float, Any]]] = {}
    kinds: dict[str, str] = {}
    try:
        with reader([Path(path)], default_typestore=store) as bag:
            known = {c.topic: c.msgtype for c in bag.connections}
            wanted = [name for name, kind in known.items() if kind in _MESSAGES] if topics is None else topics
            for name in wanted:
                if name not in known:
                    raise wrong(str(path), "topic", f"one of {', '.join(known)}", repr(name))
                if known[name] not in _MESSAGES:
                    raise wrong(name, "message", f"one of {', '.join(_MESSAGES)}", known[name])
            for connection, stamp, raw in bag.messages([c for c in bag.connections if c.topic in wanted]):
                message = bag.deserialize(raw, connection.msgtype)
                at = message.header.stamp if stamps == "header" else None
                t = 1e-9 * stamp if at is None else at.sec + 1e-9 * at.nanosec
                collected.setdefault(connection.topic, []).append((t, message))
                kinds[connection.topic] = connection.msgtype
    except UnmooredError:
        raise
    except Exception as error:  # of whatever reads the storage
        raise _damaged(Path(path), str(error)) from None
    for name in topics or ():
        if name not in collected:
            raise wrong(str(path), name, "a topic with messages", "none")
    return {name: _topic(kinds[name], rows) for name, rows in collected.items()}


def _topic(kind: str, rows: list[tuple[float, Any]]) -> BagTopic:
    rows.sort(key=lambda row: row[0])
    t, messages = np.array([row[0] for row in rows]), [row[1] for row in rows]
    frame = messages[0].header.frame_id
    what = _MESSAGES[kind]
    if what == "joints":
        return _joints(kind, t, messages, frame)
    if what == "imu":
        arrays = {
            "quaternion_xyzw": _stacked(messages, lambda m: m.orientation, "xyzw"),
            "gyro": _stacked(messages, lambda m: m.angular_velocity, "xyz"),
            "acceleration": _stacked(messages, lambda m: m.linear_acceleration, "xyz"),
        }
        return BagTopic(kind, t, arrays, frame)
    if what == "wrench":
        parts = [_stacked(messages, lambda m: m.wrench.force, "xyz")]
        parts.append(_stacked(messages, lambda m: m.wrench.torque, "xyz"))
        return BagTopic(kind, t, {"wrench": np.concatenate(parts, axis=1)}, frame)
    pose = (lambda m: m.pose.pose) if what == "odometry" else (lambda m: m.pose)
    arrays = {
        "position": _stacked(messages, lambda m: pose(m).position, "xyz"),
        "quaternion_xyzw": _stacked(messages, lambda m: pose(m).orientation, "xyzw"),
    }
    if what == "pose":
        return BagTopic(kind, t, arrays, frame)
    parts = [_stacked(messages, lambda m: m.twist.twist.linear, "xyz")]
    parts.append(_stacked(messages, lambda m: m.twist.twist.angular, "xyz"))
    arrays["twist"] = np.concatenate(parts, axis=1)
    return BagTopic(kind, t, arrays, frame, messages[0].child_frame_id)


def _joints(kind: str, t: Array, messages: list[Any], frame: str) -> BagTopic:
    """All messages must name the same joints, in any order."""
    names = tuple(messages[0].name)
    arrays: dict[str, Array] = {}
    for what in ("position", "velocity", "effort"):
        if len(getattr(messages[0], what)) == 0:
            continue
        rows = []
        for message in messages:
            if sorted(message.name) != sorted(names) or len(getattr(message, what)) != len(names):
                raise wrong(
                    "JointState", what, f"of {', '.join(names)} in every message", ", ".join(message.name)
                )
            at = {name: k for k, name in enumerate(message.name)}
            rows.append([getattr(message, what)[at[name]] for name in names])
        arrays[what] = np.array(rows, dtype=float)
    return BagTopic(kind, t, arrays, frame, joints=names)


def _stacked(messages: list[Any], part: Any, letters: str) -> Array:
    return np.array([[getattr(part(message), letter) for letter in letters] for message in messages])
