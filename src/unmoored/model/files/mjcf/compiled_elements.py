"""Geoms, joints and names of a compiled MuJoCo model in the words of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...joints import Free, Joint, Prismatic, Revolute, Spherical
from ...names import WORLD
from ...pose import Pose
from ...visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual


def visual_of(m: Any, geom: int, paths: Mapping[str, str]) -> Visual | None:
    """The geom with this index, None for a shape that the model has no word for (plane, ellipsoid, …)."""
    at = Pose(m.geom_pos[geom], quaternion_wxyz=m.geom_quat[geom])
    material = m.geom_matid[geom]
    rgba = (m.mat_rgba[material] if material >= 0 else m.geom_rgba[geom]).astype(float).clip(0, 1)
    a, b, c = m.geom_size[geom].tolist()
    match int(m.geom_type[geom]):  # the values of mjtGeom
        case 2:
            return Sphere(a, at=at, rgba=rgba)
        case 3:
            return Capsule(a, 2 * b, at=at, rgba=rgba)
        case 5:
            return Cylinder(a, 2 * b, at=at, rgba=rgba)
        case 6:
            return Box((2 * a, 2 * b, 2 * c), at=at, rgba=rgba)
        case 7:
            return _mesh(m, int(m.geom_dataid[geom]), at, rgba, paths)
    return None


def _mesh(m: Any, mesh: int, at: Pose, rgba: Any, paths: Mapping[str, str]) -> Mesh | None:
    """MuJoCo moves a mesh to its own inertial frame; its file still has it where it was."""
    address = m.mesh_pathadr[mesh]
    if address < 0:
        return None
    path = m.paths[address:].partition(b"\0")[0].decode()
    moved = Pose(m.mesh_pos[mesh], quaternion_wxyz=m.mesh_quat[mesh])
    return (
        None
        if path not in paths
        else Mesh(paths[path], m.mesh_scale[mesh], at=at @ moved.inverse(), rgba=rgba)
    )


def joint_of(m: Any, j: int) -> Joint:
    """The joint with index j; its coordinate is MuJoCo's minus the reference `qpos0`.

    MuJoCo's free joint has its linear velocity in world axes, ours in the body's; damping and armature are
    equal in all directions there, so they are the same in both.
    """
    dof, q = m.jnt_dofadr[j], m.jnt_qposadr[j]
    options: dict[str, Any] = {
        "damping": m.dof_damping[dof],
        "friction": m.dof_frictionloss[dof],
        "armature": m.dof_armature[dof],
        "stiffness": m.jnt_stiffness[j],
    }
    match int(m.jnt_type[j]):  # the values of mjtJoint
        case 0:
            return Free(**options)
        case 1:
            return Spherical(**options)
    if m.jnt_stiffness[j]:
        options["rest"] = m.qpos_spring[q] - m.qpos0[q]
    if m.jnt_limited[j]:
        options["limits"] = m.jnt_range[j] - m.qpos0[q]
    kind = Prismatic if m.jnt_type[j] == 2 else Revolute
    return kind(m.jnt_axis[j], **options)


class Names:
    """Unique names of bodies, of the massless bodies that joints need, and of sites, by MuJoCo's indices."""

    def __init__(self, m: Any):
        self._taken: set[str] = {WORLD}
        self._changed: list[str] = []
        self._joints = [m.jnt(j).name or None for j in range(m.njnt)]
        self._bodies = [
            WORLD,
            *(self._unique(m.body(b).name, f"body{b}", "_body") for b in range(1, m.nbody)),
        ]
        self._joint_bodies: dict[int, str] = {}
        self._sites = [self._unique(m.site(s).name, f"site{s}", "_site") for s in range(m.nsite)]

    def body(self, index: int) -> str:
        """Name of a body; of the world for index 0."""
        return self._bodies[index]

    def joint(self, index: int) -> str | None:
        """A joint's own name, None if it has none."""
        return self._joints[index]

    def joint_body(self, index: int) -> str:
        """Name of the massless body that a joint moves."""
        if index not in self._joint_bodies:
            self._joint_bodies[index] = self._unique(self._joints[index] or "", f"joint{index}", "_joint")
        return self._joint_bodies[index]

    def site(self, index: int) -> str:
        """Name of a site's frame."""
        return self._sites[index]

    def renamed(self) -> tuple[str, ...]:
        """One line that says which names were changed, if any."""
        return (
            (f"Names used twice in the MJCF were changed: {', '.join(self._changed)}.",)
            if self._changed
            else ()
        )

    def _unique(self, name: str, default: str, suffix: str) -> str:
        unique = name or default
        while unique in self._taken:
            unique += suffix
        if name and unique != name:
            self._changed.append(f"{name} → {unique}")
        self._taken.add(unique)
        return unique
