"""What a run holds, as named channels with units."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics.configuration import local
from ...dynamics.kinematics import body_poses
from ...lie import se3
from ...lie.conversions import euler_zyx
from ...model import Tree
from ...model.errors import unknown_name
from ...model.units import RADIAN, dof_units
from ...worlds.actuators.input_units import COMMAND, FORCE, MOMENT, input_units


@dataclass(frozen=True, eq=False)
class Channels:
    """Named columns ([S,] T, n) of one unit."""

    title: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray

    @property
    def label(self) -> str:
        """Label of an axis: "joints [rad]"."""
        return f"{self.title} [{self.unit}]"

    def acting(self) -> Channels:
        """Only the columns that are not zero throughout."""
        chosen = [i for i in range(len(self.names)) if np.any(np.nan_to_num(self.values[..., i]))]
        return Channels(self.title, self.unit, tuple(self.names[i] for i in chosen), self.values[..., chosen])


def arm_dofs(tree: Tree) -> list[int]:
    """Velocity indices of all joints that are not between the world and a vehicle."""
    return [i for link in tree.links if link.parent >= 0 for i in range(link.v.start, link.v.stop)]


def joint_coordinates(run: Any, joints: Any = None) -> list[Channels]:
    """Coordinates of the arm's joints, or of those named, one `Channels` for each unit.

    A joint stored as a pose has the exponential coordinates of that pose.
    """
    tree = run.system.tree
    x = local(tree, run.system.neutral(), np.asarray(run.q))
    return _by_unit("joint coordinates", "", tree, x, joints)


def joint_velocities(run: Any, joints: Any = None) -> list[Channels]:
    """Velocities of the arm's joints, or of those named, one `Channels` for each unit."""
    return _by_unit("joint velocities", "/s", run.system.tree, run.v, joints)


def vehicle_position(run: Any, vehicle: str) -> Channels:
    """Position of a vehicle's origin in world axes."""
    p = se3.position(_vehicle_poses(run, vehicle))
    return Channels(f"{vehicle} position", "m", ("x", "y", "z"), p)


def vehicle_attitude(run: Any, vehicle: str) -> Channels:
    """Yaw, pitch and roll of a vehicle, in degrees, for reading only."""
    angles = np.degrees(euler_zyx(se3.rotation(_vehicle_poses(run, vehicle))))
    return Channels(f"{vehicle} attitude", "°", ("yaw", "pitch", "roll"), angles)


def vehicle_velocities(run: Any, vehicle: str) -> list[Channels]:
    """A vehicle's own velocities, in its axes, one `Channels` for each unit."""
    return _by_unit(f"{vehicle} velocity", "/s", run.system.tree, run.v, [vehicle])


def frame_poses(run: Any, frame: str) -> np.ndarray:
    """Poses ([S,] T, 4, 4) of a frame or body in the world."""
    tree = run.tree
    index, on_body = tree.locate(frame)
    poses = body_poses(tree, np.asarray(run.q))
    return poses[index] @ on_body if index >= 0 else np.broadcast_to(on_body, (*run.q.shape[:-1], 4, 4))


def frame_position(run: Any, frame: str) -> Channels:
    """Position of a frame in world axes."""
    return Channels(f"{frame} position", "m", ("x", "y", "z"), se3.position(frame_poses(run, frame)))


def main_frame(system: Any, frame: str | None = None) -> str:
    """The frame asked for; without one a frame called tool, the first frame, or the last body."""
    if frame is not None:
        system.tree.locate(frame)
        return frame
    tools = [name for name in system.frames if "tool" in name.lower()]
    return (tools or list(system.frames) or [system.names[-1]])[0]


def main_vehicle(system: Any, vehicle: str | None = None) -> str:
    """The vehicle asked for, or the first one."""
    if vehicle is None:
        return system.vehicles[0]
    if vehicle not in system.vehicles:
        raise unknown_name(system.name, "vehicle", vehicle, system.vehicles)
    return vehicle


def inputs(run: Any) -> list[Channels]:
    """The inputs u, one `Channels` for each unit; none if the run has no inputs."""
    if run.u is None or np.shape(run.u)[-1] == 0:
        return []
    u, units, names = run.u, _input_units(run), tuple(run.input_names)
    titles = {FORCE: "forces", MOMENT: "moments", COMMAND: "inputs", RADIAN: "angles"}
    return [
        Channels(titles.get(unit, "inputs"), unit, tuple(names[i] for i in chosen), u[..., chosen])
        for unit, chosen in _grouped(enumerate(units))
    ]


def _vehicle_poses(run: Any, vehicle: str) -> np.ndarray:
    tree = run.tree
    return body_poses(tree, np.asarray(run.q))[tree.index(vehicle)]


def _by_unit(title: str, per: str, tree: Tree, x: np.ndarray, joints: Any) -> list[Channels]:
    dofs = arm_dofs(tree) if joints is None else list(tree.dofs(joints))
    names, units = tree.dof_names, dof_units(tree)
    return [
        Channels(title, f"{unit}{per}", tuple(names[i] for i in chosen), x[..., chosen])
        for unit, chosen in _grouped((i, units[i]) for i in dofs)
    ]


def _grouped(columns: Iterable[tuple[int, str]]) -> list[tuple[str, list[int]]]:
    """(unit, columns) for each unit of (column, unit)."""
    groups: dict[str, list[int]] = {}
    for i, unit in columns:
        groups.setdefault(unit, []).append(int(i))
    return list(groups.items())


def _input_units(run: Any) -> list[str]:
    actuators = getattr(run.plant, "actuators", None)
    if actuators is None and tuple(run.input_names) != run.system.tree.dof_names:
        return [COMMAND] * np.shape(run.u)[-1]
    return input_units(run.system.tree, actuators)
