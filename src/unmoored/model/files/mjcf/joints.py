"""MuJoCo joints → joints of the model."""

from __future__ import annotations

from typing import Any

from ...joints import Free, Joint, Prismatic, Revolute, Spherical


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
