"""Configurations of a whole tree: neutral, random, moved along the group, and by joint name."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ..lie.arrays import join
from ..model import Link, ModelError, Pose, Tree
from ..model.joints import SubgroupJoint, numbers_from_pose, pose_from_numbers
from ..trace import Symbol, is_symbolic, plain_array
from ..trace.symbol import for_users
from .tree_scans import split_configuration, split_velocity

_POSE_TOLERANCE = 1e-9


def neutral(tree: Tree) -> np.ndarray:
    """Configuration (nq,) with every joint at identity."""
    return np.concatenate([link.joint.neutral() for link in tree.links])


def random_configuration(tree: Tree, rng: np.random.Generator) -> np.ndarray:
    """Random configuration (nq,), inside the joint limits where there are some."""
    return np.concatenate([link.joint.random(rng) for link in tree.links])


def retract(tree: Tree, q: np.ndarray, dq: np.ndarray) -> np.ndarray:
    """Configuration (..., nq) reached from q along the tangent dq (..., nv): h exp(H dq) joint by joint."""
    parts = zip(tree.links, split_configuration(tree, q), split_velocity(tree, dq), strict=True)
    return join([link.joint.retract(q_i, dq_i) for link, q_i, dq_i in parts])


def local(tree: Tree, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """Tangent (..., nv) with retract(q0, tangent) = q1, both (..., nq)."""
    parts = zip(tree.links, split_configuration(tree, q0), split_configuration(tree, q1), strict=True)
    return join([link.joint.local(a, b) for link, a, b in parts])


def pack(tree: Tree, joints: Mapping[str, Any]) -> np.ndarray:
    """Configuration (..., nq) from values by joint name (see `System.pack`); joints left out are neutral."""
    given: dict[int, Any] = {}
    for name, value in _named(tree, joints).items():
        index = tree.index(name)
        if index in given:
            raise ModelError.single(
                name, "configuration given twice", expected="each joint once", given=repr(value)
            )
        given[index] = value
    return join(
        [
            _stored(link, given[link.index]) if link.index in given else link.joint.neutral()
            for link in tree.links
        ]
    )


def unpack(tree: Tree, q: np.ndarray) -> dict[str, np.ndarray]:
    """Values by joint name from q (..., nq): the inverse of `pack`. Fixed joints have none."""
    parts = zip(tree.links, split_configuration(tree, q), strict=True)
    return {link.name: _shown(link, q_i) for link, q_i in parts if link.joint.nq}


def pack_velocity(tree: Tree, joints: Mapping[str, Any]) -> np.ndarray:
    """Velocity-like vector (..., nv) from values by joint name or DoF name; the rest is zero."""
    columns: dict[int, np.ndarray] = {}
    for name, value in _named(tree, joints).items():
        dofs = tree.dofs(name)
        array = _numbers(name, value)
        array = array[..., None] if len(dofs) == 1 and (array.ndim == 0 or array.shape[-1] != 1) else array
        if array.shape[-1:] != (len(dofs),):
            raise ModelError.single(
                name, "velocity", expected=f"shape (..., {len(dofs)})", given=f"shape {array.shape}"
            )
        if twice := columns.keys() & set(dofs.tolist()):
            raise ModelError.single(
                name, "velocity given twice", expected="each DoF once", given=tree.dof_names[min(twice)]
            )
        columns |= {int(dof): array[..., k] for k, dof in enumerate(dofs)}
    batch = np.broadcast_shapes(*(column.shape for column in columns.values()))
    zero = np.zeros(batch)
    return for_users(
        np.stack([np.broadcast_to(columns.get(k, zero), batch) for k in range(tree.nv)], axis=-1)
    )


def unpack_velocity(tree: Tree, v: np.ndarray) -> dict[str, np.ndarray]:
    """Values (..., nv_i) by joint name from a velocity-like vector (..., nv)."""
    parts = zip(tree.links, split_velocity(tree, v), strict=True)
    return {link.name: v_i for link, v_i in parts if link.joint.nv}


def _named(tree: Tree, joints: Any) -> Mapping[str, Any]:
    if not isinstance(joints, Mapping):
        raise ModelError.single(tree.name, "joints", expected="{joint: value}", given=repr(joints))
    return joints


def _numbers(name: str, value: Any) -> np.ndarray:
    if is_symbolic(value):  # in a function that is traced
        array = np.asarray(value, dtype=object)
        if all(isinstance(entry, Symbol | Real) for entry in array.flat):
            return for_users(array)
    try:
        array = plain_array(value)
        if array.dtype.kind not in "iuf":  # a text is no number
            raise TypeError
        return array.astype(float)
    except (TypeError, ValueError):
        raise ModelError.single(name, "value", expected="numbers", given=repr(value)) from None


def _stored_as_pose(link: Link) -> bool:
    return isinstance(link.joint, SubgroupJoint) and link.joint.nv > 1


def _stored(link: Link, value: Any) -> np.ndarray:
    posed = _stored_as_pose(link)
    x = _numbers(link.name, value.matrix if posed and isinstance(value, Pose) else value)
    if posed:
        return _checked_pose(link, x)
    if link.joint.nq == 0:
        raise ModelError.single(
            link.name, "configuration", expected="none: the joint is fixed", given=repr(value)
        )
    if link.joint.nq == 1 and (x.ndim == 0 or x.shape[-1] != 1):
        x = x[..., None]
    if x.shape[-1:] != (link.joint.nq,):
        expected = f"shape (..., {link.joint.nq})"
        raise ModelError.single(link.name, "configuration", expected=expected, given=f"shape {x.shape}")
    return x


def _checked_pose(link: Link, g: np.ndarray) -> np.ndarray:
    group = link.joint.group  # type: ignore[attr-defined]
    if g.shape[-2:] != (4, 4):
        raise ModelError.single(
            link.name, "configuration", expected="a pose (..., 4, 4)", given=f"shape {g.shape}"
        )
    if not is_symbolic(g) and not np.all(group.contains(g, _POSE_TOLERANCE)):
        raise ModelError.single(
            link.name, "configuration", expected=f"a pose in {group.name}", given=repr(g.tolist())
        )
    return numbers_from_pose(g)


def _shown(link: Link, q: np.ndarray) -> np.ndarray:
    if _stored_as_pose(link):
        return pose_from_numbers(q)
    return q[..., 0] if link.joint.nq == 1 else q
