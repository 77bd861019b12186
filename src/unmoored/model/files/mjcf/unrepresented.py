"""What a compiled MuJoCo model says that a tree cannot: refused if it changes the dynamics, else listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..file_problems import Problems

_JOINT = 2  # of mjtEq: a polynomial of one joint's coordinate is another's


def equal_joints(m: Any) -> list[int]:
    """Indices of the active equality constraints between joints."""
    return [k for k in range(m.neq) if m.eq_active0[k] and m.eq_type[k] == _JOINT]


def refuse_other_dynamics(m: Any, source: str, ignore_mimic: bool = False) -> None:
    """A `ModelError` that lists all that changes the equations of motion and that a tree cannot say."""
    problems = Problems(source)

    def refuse(count: int, what: str) -> None:
        if count:
            problems.add(what, "not representable", expected="none", given=str(count))

    joints = equal_joints(m)
    refuse(
        int(np.count_nonzero(m.eq_active0)) - len(joints), "equality constraints other than between joints"
    )
    for k in [] if ignore_mimic else joints:
        _check_equality(m, k, problems)
    refuse(m.nflex, "deformable bodies (flex)")
    refuse(m.nplugin, "plugins")
    refuse(
        _nonzero_rows(m, m.ntendon, _TENDON_DYNAMICS),
        "tendons with stiffness, damping, friction, limits or inertia",
    )
    refuse(_nonzero_rows(m, m.nu, ("actuator_armature",)), "actuators with armature")
    refuse(_nonzero_rows(m, m.njnt, ("jnt_stiffnesspoly",)), "joints with nonlinear springs")
    refuse(_nonzero_rows(m, m.nv, ("dof_dampingpoly",)), "joints with nonlinear damping")
    refuse(int(getattr(m, "nplastic", 0)), "plastic springs")
    springs = (m.jnt_type == 0) & (m.jnt_stiffness != 0)
    refuse(int(springs.sum()), "free joints with springs")
    problems.raise_any()


def _check_equality(m: Any, k: int, problems: Problems) -> None:
    """Refuse a constraint between joints that is no `Mimic`."""
    first, second = int(m.eq_obj1id[k]), int(m.eq_obj2id[k])
    name = f"equality of joint {m.jnt(first).name or first}"
    polynomial = m.eq_data[k][:5]
    if second < 0:
        problems.add(
            name,
            "leader (joint2)",
            expected='a joint; without one weld the body, or mimic="free"',
            given="none",
        )
    elif polynomial[2:].any():
        expected = 'linear: zeros behind the second (a follower with a constant ratio), or mimic="free"'
        problems.add(name, "polycoef", expected=expected, given=str(polynomial.tolist()))


_TENDON_DYNAMICS = (
    "tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly", "tendon_frictionloss",
    "tendon_armature", "tendon_limited",
)  # fmt: skip


def _nonzero_rows(m: Any, rows: int, names: tuple[str, ...]) -> int:
    """How many rows have a non-zero entry in any of the arrays (old versions of MuJoCo lack some)."""
    arrays = [np.asarray(getattr(m, name)).reshape(rows, -1) for name in names if rows and hasattr(m, name)]
    return int(np.any(np.concatenate(arrays, axis=1) != 0, axis=1).sum()) if arrays else 0


def left_out(m: Any, before: Mapping[str, int], ignore_mimic: bool = False) -> list[str]:
    """What is left out of the tree although the model says it, in words with counts.

    before: what MuJoCo was not even given.
    """
    colliding = int(((m.geom_contype | m.geom_conaffinity) != 0).sum())
    free_friction = m.dof_frictionloss[m.jnt_dofadr[m.jnt_type == 0]] != 0 if m.njnt else np.zeros(0)
    counts = {
        "actuators": m.nu,
        "sensors": before.get("sensors", 0),
        "tendons without forces": m.ntendon,
        "inactive equality constraints": m.neq - int(np.count_nonzero(m.eq_active0)),
        'equality constraints between joints (mimic="free")': len(equal_joints(m)) if ignore_mimic else 0,
        "softness of equality constraints between joints (read as exact)": 0
        if ignore_mimic
        else len(equal_joints(m)),
        "contacts (colliding geoms)": colliding,
        "contact pairs": m.npair,
        "keyframes": m.nkey,
        "cameras": m.ncam,
        "lights": m.nlight,
        "skins": before.get("skins", 0),
        "mocap bodies (read as fixed)": m.nmocap,
        "bodies with gravity compensation": int((m.body_gravcomp != 0).sum()),
        "force limits of joints": int(m.jnt_actfrclimited.sum()),
        "limits of ball joints": int(((m.jnt_type == 1) & (m.jnt_limited != 0)).sum()),
        "friction of free joints in world axes (read in body axes)": int(np.sum(free_friction)),
        "wind, air density or viscosity": int(
            m.opt.density != 0 or m.opt.viscosity != 0 or np.any(m.opt.wind != 0)
        ),
        "gravity other than (0, 0, -9.81)": int(not np.array_equal(m.opt.gravity, (0, 0, -9.81))),
    }
    return [f"{what}: {count}" for what, count in counts.items() if count]
