"""Numbers of bodies that are run-time data: a campaign varies them without compiling anew.

A parameter is called "body.field"; a joint's name stands for the body that it moves. The fields are

    mass (1)            kg, at the same centre of mass, with the same tensor
    inertia_scale (1)   of mass and tensor: another density
    com (3)             centre of mass (m) in body axes
    tensor (6)          xx, yy, zz, xy, xz, yz (kg m²) about the centre of mass, in body axes
    xyz (3)             position (m) of the joint on its parent
    armature (nv_i)     inertia of the drive at every DoF of the joint (kg, kg m²)

What a full 6×6 inertia has beyond a rigid body's (added mass) stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import blocks, matrix
from ..lie.arrays import scale as scaled_by
from ..model import Body, Link, ModelError, Tree
from ..model.errors import unknown_name

_TENSOR = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
OF_BODIES = ("mass", "inertia_scale", "com", "tensor", "xyz", "armature")


@dataclass(frozen=True)
class Parameter:
    """One named parameter: its place in the flat vector p, and the value that it has in the system as built."""

    name: str
    place: slice
    nominal: np.ndarray

    @property
    def owner(self) -> str:
        """What it belongs to: the name before the last dot, "" without one."""
        return self.name.rpartition(".")[0]

    @property
    def field(self) -> str:
        """What it is of its owner."""
        return self.name.rpartition(".")[2]


def body_parameters(tree: Tree) -> dict[str, np.ndarray]:
    """Every parameter of the bodies of a tree and its nominal value (n,), by name."""
    return {f"{body.name}.{field}": x for body in tree.bodies for field, x in _nominal(body).items()}


def declared(where: str, names: Sequence[str], known: Mapping[str, np.ndarray]) -> tuple[Parameter, ...]:
    """The parameters with these names, one after the other in p; a `ModelError` tells wrong ones."""
    found: list[Parameter] = []
    for name in names:
        if name not in known:
            raise unknown_name(where, "parameter", name, known)
        if any(p.name == name for p in found):
            raise ModelError.single(where, "parameters", expected="different names", given=f"{name!r} twice")
        start = found[-1].place.stop if found else 0
        found.append(Parameter(name, slice(start, start + len(known[name])), known[name]))
    scaled = {p.owner for p in found if p.field == "inertia_scale"}
    both = scaled & {p.owner for p in found if p.field in ("mass", "tensor")}
    if both:
        expected = "inertia_scale of a body, or its mass and tensor"
        raise ModelError.single(min(both), "parameters", expected=expected, given="both")
    return tuple(found)


def with_parameters(tree: Tree, parameters: Sequence[Parameter], p: np.ndarray) -> Tree:
    """The tree with the values in p (..., n) in its links: symbols, or numbers with a batch of q and v.

    Parameters of others than bodies are passed over.
    """
    values: dict[str, dict[str, np.ndarray]] = {}
    for parameter in parameters:
        if parameter.field in OF_BODIES and parameter.owner in tree.names:
            values.setdefault(parameter.owner, {})[parameter.field] = p[..., parameter.place]
    if not values:
        return tree
    links = [_changed(tree.bodies[link.index], link, values.get(link.name, {})) for link in tree.links]
    return tree.with_links(links)


def _nominal(body: Body) -> dict[str, np.ndarray]:
    I = body.inertia
    tensor = np.array([I.tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
    known = {"mass": np.array([I.mass]), "inertia_scale": np.ones(1), "com": I.com, "tensor": tensor}
    known["xyz"] = body.at.xyz
    return known | ({"armature": body.joint.armature} if body.joint.nv else {})


def _changed(body: Body, link: Link, values: Mapping[str, np.ndarray]) -> Link:
    """The link with other numbers."""
    changes: dict[str, Any] = {}
    if "armature" in values:
        changes["armature"] = values["armature"]
    if "xyz" in values:
        changes["placement"] = se3.pose(se3.rotation(link.placement), values["xyz"])
    if not values.keys() <= changes.keys() | {"xyz"}:
        scale = values["inertia_scale"][..., 0][()] if "inertia_scale" in values else 1.0
        m = values["mass"][..., 0][()] if "mass" in values else scale * link.mass
        com = values.get("com", link.com)
        tensor = values.get("tensor")
        J = (
            scaled_by(scale, body.inertia.tensor)
            if tensor is None
            else matrix([[tensor[..., k] for k in row] for row in _TENSOR])
        )
        changes |= {"mass": m, "com": com, "inertia": _rigid(m, com, J) + _excess(body)}
    return replace(link, **changes) if changes else link


def _rigid(m: Any, com: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Inertia (..., 6, 6) at the body's origin from the tensor J about the centre of mass."""
    c_hat = so3.hat(com)
    moment = scaled_by(m, c_hat)
    return blocks([[scaled_by(m, np.eye(3)), -moment], [moment, J - moment @ c_hat]])


def _excess(body: Body) -> np.ndarray:
    """What the inertia (6, 6) has beyond a rigid body's: exact zeros for a rigid body."""
    I = body.inertia
    return np.zeros((6, 6)) if I.is_rigid else I.matrix - _rigid(I.mass, I.com, I.tensor)
