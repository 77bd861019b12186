"""The same tree in MuJoCo, for the joints that it has."""

from __future__ import annotations

import mujoco
import numpy as np

from unmoored.lie import so3
from unmoored.model import Link, Tree
from unmoored.model.joints import pose_from_numbers

#: Kinds of tests/support/random_trees.py that have a peer; free joints on the world only.
KINDS = ("Revolute", "Prismatic", "Spherical", "Translation3", "Fixed")


class MujocoOracle:
    """MuJoCo's answers in our conventions; rigid inertias, no armature.

    Its free joint has the linear velocity in world axes; everything else is in body axes as here.
    """

    def __init__(self, tree: Tree, gravity: np.ndarray):
        self.tree = tree
        options = (
            f'<option gravity="{_text(gravity)}"><flag contact="disable" constraint="disable"/></option>'
        )
        bodies = "".join(_body(tree, link) for link in tree.links if link.parent < 0)
        text = f'<mujoco><compiler autolimits="false"/>{options}<worldbody>{bodies}</worldbody></mujoco>'
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)

    def set_state(self, q: np.ndarray, v: np.ndarray) -> None:
        """Take over our q (nq,) and v (nv,)."""
        for link in self.tree.links:
            self._set_joint(link, q[link.q])
        self.data.qvel[:] = self._theirs(q, v)

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Forces (nv,) for the acceleration a (nv,)."""
        self.set_state(q, v)
        self.data.qacc[:] = self._theirs(q, a + self._spin(v))
        mujoco.mj_inverse(self.model, self.data)
        return self._ours(q, self.data.qfrc_inverse)

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Acceleration (nv,) under the forces tau (nv,)."""
        self.set_state(q, v)
        self.data.qfrc_applied[:] = self._theirs(q, tau)
        mujoco.mj_forward(self.model, self.data)
        return self._ours(q, self.data.qacc) - self._spin(v)

    def _spin(self, v: np.ndarray) -> np.ndarray:
        """ω × v of every free body: d/dt(R v) = R (v̇ + ω × v)."""
        extra = np.zeros_like(v)
        for link in self.tree.links:
            if link.joint.kind == "Free":
                twist = v[link.v]
                extra[link.v] = [*np.cross(twist[3:], twist[:3]), 0, 0, 0]
        return extra

    def _theirs(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        theirs = np.empty(self.model.nv)
        for link, place in self._places():
            theirs[place] = _world_axes(link, q) @ x[link.v]
        return theirs

    def _ours(self, q: np.ndarray, x: np.ndarray) -> np.ndarray:
        ours = np.empty(self.tree.nv)
        for link, place in self._places():
            ours[link.v] = _world_axes(link, q).T @ x[place]
        return ours

    def _places(self):
        for link in self.tree.links:
            if link.joint.nv:
                first = self.model.joint(_joint_names(link)[0]).dofadr[0]
                yield link, slice(first, first + link.joint.nv)

    def _set_joint(self, link: Link, q: np.ndarray) -> None:
        if not link.joint.nv:
            return
        address = self.model.joint(_joint_names(link)[0]).qposadr[0]
        if link.joint.nv == 1:
            self.data.qpos[address] = q[0]
            return
        g = pose_from_numbers(q)
        if link.joint.kind == "Free":
            g = link.placement @ g
        quaternion = so3.quaternion_wxyz(g[:3, :3])
        values = {"Free": [*g[:3, 3], *quaternion], "Spherical": quaternion, "Translation": g[:3, 3]}
        value = values[link.joint.kind]
        self.data.qpos[address : address + len(value)] = value


def _world_axes(link: Link, q: np.ndarray) -> np.ndarray:
    """Their velocity of a joint per ours."""
    turn = np.eye(link.joint.nv)
    if link.joint.kind == "Free":
        turn[:3, :3] = link.placement[:3, :3] @ pose_from_numbers(q[link.q])[:3, :3]
    return turn


def _joint_names(link: Link) -> list[str]:
    count = 3 if link.joint.kind == "Translation" else 1
    return [f"{link.name}_{k}" for k in range(count)]


def _joints(link: Link) -> str:
    names = _joint_names(link)
    kind = link.joint.kind
    if kind == "Translation":
        axes = np.eye(3)
        return "".join(
            f'<joint name="{n}" type="slide" axis="{_text(a)}"/>' for n, a in zip(names, axes, strict=True)
        )
    types = {"Revolute": "hinge", "Prismatic": "slide", "Spherical": "ball", "Free": "free"}
    if kind not in types:
        return ""
    axis = f'axis="{_text(link.joint.axis)}"' if kind in ("Revolute", "Prismatic") else ""
    return f'<joint name="{names[0]}" type="{types[kind]}" {axis}/>'


def _body(tree: Tree, link: Link) -> str:
    inertia = tree.bodies[link.index].inertia
    moments, axes = np.linalg.eigh(inertia.tensor)
    axes = axes * np.sign(np.linalg.det(axes))
    inertial = (
        f'<inertial mass="{inertia.mass!r}" pos="{_text(inertia.com)}" '
        f'quat="{_text(so3.quaternion_wxyz(axes))}" diaginertia="{_text(moments)}"/>'
    )
    pose = f'pos="{_text(link.placement[:3, 3])}" quat="{_text(so3.quaternion_wxyz(link.placement[:3, :3]))}"'
    children = "".join(_body(tree, child) for child in tree.links if child.parent == link.index)
    return f'<body name="{link.name}" {pose}>{_joints(link)}{inertial}{children}</body>'


def _text(numbers: np.ndarray) -> str:
    return " ".join(repr(float(x)) for x in numbers)
