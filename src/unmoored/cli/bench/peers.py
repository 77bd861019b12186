"""The peers: the same system in Pinocchio and in MuJoCo, the same state in their conventions, and others' interpreters.

Only what the measured systems need: free and revolute joints. Both are installed for the benchmark alone; what does not
install beside them is measured by an interpreter of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
from importlib import import_module
from typing import Any

import numpy as np

from ...error_roots import UnmooredError
from ...lie import so3
from ...model import Fixed, Free, Link, Tree
from ...model.joints import pose_from_numbers


def peer(name: str) -> Any:
    """The module of a peer; it has no types, and may not be installed."""
    return import_module(name)


class PeerFailedError(UnmooredError, RuntimeError):
    """A peer's own interpreter did not measure it."""


def measured_by(interpreter: str, script: str, *arguments: str, **environment: str) -> Any:
    """What a script of another interpreter prints as JSON in its last line; `environment` is set beside ours."""
    name = os.path.basename(script)
    try:
        done = subprocess.run(
            [interpreter, script, *arguments], capture_output=True, text=True, env=os.environ | environment
        )
    except OSError as error:
        raise PeerFailedError(f"{name}: {interpreter} does not start: {error.strerror}") from None
    printed = done.stdout.strip().splitlines()
    if done.returncode or not printed:
        last = (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise PeerFailedError(f"{name}: {interpreter} ended with {done.returncode}: {last}")
    return json.loads(printed[-1])


def pinocchio_model(tree: Tree) -> Any:
    """The Pinocchio model of a tree of free joints and revolute joints about z."""
    pin = peer("pinocchio")

    model = pin.Model()
    model.gravity.linear = np.zeros(3)
    indices = {-1: 0}
    for link in tree.links:
        joint = pin.JointModelFreeFlyer() if isinstance(link.joint, Free) else pin.JointModelRZ()
        placement = pin.SE3(link.placement[:3, :3].copy(), link.placement[:3, 3].copy())
        indices[link.index] = model.addJoint(indices[link.parent], joint, placement, link.name)
        inertia = tree.bodies[link.index].inertia
        body = pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.tensor))
        model.appendBodyToJoint(indices[link.index], body, pin.SE3.Identity())
    return model


def pinocchio_configuration(tree: Tree, q: np.ndarray) -> np.ndarray:
    """q (..., nq) as Pinocchio stores it: position and quaternion (x, y, z, w) for a free joint."""
    parts = []
    for link in tree.links:
        q_i = q[..., link.q]
        if isinstance(link.joint, Free):
            g = pose_from_numbers(q_i)
            w_first = so3.quaternion_wxyz(g[..., :3, :3])
            q_i = np.concatenate([g[..., :3, 3], w_first[..., 1:], w_first[..., :1]], axis=-1)
        parts.append(q_i)
    return np.concatenate(parts, axis=-1)


def mujoco_model(tree: Tree, *, timestep: float = 1e-3, fluid: bool = False) -> Any:
    """The MuJoCo model of a tree of free, fixed and revolute joints, RK4, no contacts, no gravity."""
    mujoco = peer("mujoco")

    children: dict[int, list[Link]] = {}
    for link in tree.links:
        children.setdefault(link.parent, []).append(link)
    medium = 'density="1000" viscosity="0.0009"' if fluid else ""
    option = (
        f'<option gravity="0 0 0" integrator="RK4" timestep="{timestep}" {medium}>'
        '<flag contact="disable" constraint="disable"/></option>'
    )
    bodies = "".join(_mjcf_body(tree, link, children) for link in children[-1])
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{bodies}</worldbody></mujoco>")


def _mjcf_body(tree: Tree, link: Link, children: dict[int, list[Link]]) -> str:
    inertia = tree.bodies[link.index].inertia
    J = inertia.tensor
    full = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    inertial = (
        f'<inertial pos="{_numbers(inertia.com)}" mass="{inertia.mass!r}" fullinertia="{_numbers(full)}"/>'
        if inertia.mass
        else ""
    )
    inside = "".join(_mjcf_body(tree, child, children) for child in children.get(link.index, []))
    quaternion = so3.quaternion_wxyz(link.placement[:3, :3])
    return (
        f'<body pos="{_numbers(link.placement[:3, 3])}" quat="{_numbers(quaternion)}">'
        f"{_mjcf_joint(link)}{inertial}{inside}</body>"
    )


def _mjcf_joint(link: Link) -> str:
    if isinstance(link.joint, Fixed):
        return ""
    if isinstance(link.joint, Free):
        return "<freejoint/>"
    return f'<joint type="hinge" axis="{_numbers(link.joint.axis)}"/>'  # type: ignore[attr-defined]


def _numbers(x: Any) -> str:
    return " ".join(repr(float(value)) for value in x)
