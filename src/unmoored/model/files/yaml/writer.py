"""`Tree` → system file. Numbers are written so that reading them gives the same bits."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...body import Body, Frame
from ...errors import ModelError
from ...fluid import Fluid
from ...inertia import Inertia
from ...joints import JOINTS, Joint
from ...mimic import Mimic
from ...part import Part
from ...pose import Pose
from ...tree import Tree
from ...visual import Mesh, Visual
from ..exact_rpy import quarter_turns_rpy
from ..file_text import write_text
from ..mesh_paths import relative_mesh, warn_of_meshes_elsewhere

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*([./-][A-Za-z0-9_]+)*")
_NOT_TEXT = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def write_yaml(tree: Tree, path: str | os.PathLike[str]) -> None:
    """Save the tree as a system file; loading it gives the tree back bit for bit.

    Meshes inside the file's folder are written relative to it, so that the folder can move.
    """
    write_text(path, _text(tree, os.path.realpath(Path(path).parent)))
    warn_of_meshes_elsewhere(tree, path)


def format_yaml(tree: Tree) -> str:
    """The text of the tree's system file (mesh paths as they are)."""
    return _text(tree, None)


def _text(tree: Tree, folder: str | None) -> str:
    lines = ["unmoored: 1", f"name: {_string(tree.name)}"]
    if tree.description:
        lines.append(f"description: {_string(tree.description)}")
    for key in ("sources", "assumptions"):
        if getattr(tree, key):
            lines += [f"{key}:", *(f"  - {_string(text)}" for text in getattr(tree, key))]
    lines.append("bodies:")
    for body in tree.bodies:
        lines += _body(body, folder)
    if tree.frames:
        lines += ["frames:", *(f"  - {_flow(_frame(frame))}" for frame in tree.frames)]
    if tree.couplings:
        lines += ["couplings:", *(f"  - {_flow(_coupling(coupling))}" for coupling in tree.couplings)]
    if tree.parts:
        lines += ["parts:", *(f"  - {_flow(_part(part))}" for part in tree.parts)]
    return "\n".join(lines) + "\n"


def _part(part: Part) -> dict[str, Any]:
    needed = ("prefix", "system", "body")
    values = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return {name: value for name, value in values.items() if value or name in needed}


def _coupling(coupling: Mimic) -> dict[str, Any]:
    numbers = {"multiplier": (coupling.multiplier, 1.0), "offset": (coupling.offset, 0.0)}
    told = {name: value for name, (value, usual) in numbers.items() if value != usual}
    return {"joint": coupling.joint, "leader": coupling.leader, **told}


def _body(body: Body, folder: str | None) -> Iterator[str]:
    yield f"  - name: {_string(body.name)}"
    yield f"    parent: {_string(body.parent)}"
    if body.joint_name is not None:
        yield f"    joint_name: {_string(body.joint_name)}"
    yield f"    joint: {_flow(_joint(body))}"
    if body.prescribed:
        yield "    prescribed: true"
    if body.at != Pose():
        yield f"    at: {_flow(_pose(body.at))}"
    yield f"    inertia: {_flow(_inertia(body.inertia))}"
    if body.fluid is not None:
        yield "    fluid: {}" if body.fluid == Fluid() else "    fluid:"
        for key, value in _fluid(body.fluid).items():
            yield f"      {key}: {_flow(value)}"
    if body.visuals:
        yield "    visuals:"
        for visual in body.visuals:
            yield f"      - {_flow(_visual(visual, folder))}"


def _frame(frame: Frame) -> dict[str, Any]:
    at = {"at": _pose(frame.at)} if frame.at != Pose() else {}
    return {"name": frame.name, "parent": frame.parent, **at}


def _joint(body: Body) -> dict[str, Any]:
    joint = body.joint
    if JOINTS.get(joint.kind) is not type(joint):
        known = ", ".join(JOINTS)
        raise ModelError.single(
            body.name, "joint cannot be saved", expected=f"one of {known}", given=joint.kind
        )
    data: dict[str, Any] = {"type": joint.kind}
    for field in dataclasses.fields(joint):
        value = getattr(joint, field.name)
        if field.name in {option.name for option in dataclasses.fields(Joint)}:
            value = _limits(value) if field.name == "limits" else _per_dof(value)
            if value is None or (value == 0.0 and field.default == 0.0):
                continue
        data[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    return data


def _per_dof(value: np.ndarray | None) -> Any:
    """One number when all degrees of freedom have the same."""
    if value is None or value.size == 0:
        return None
    return float(value[0]) if (value == value[0]).all() else value.tolist()


def _limits(value: np.ndarray | None) -> Any:
    if value is None or value.size == 0:
        return None
    return [_per_dof(row) for row in value] if (value == value[:, :1]).all() else value.tolist()


def _pose(pose: Pose) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if pose.xyz.any():
        data["xyz"] = pose.xyz.tolist()
    rpy = quarter_turns_rpy(pose.rotation)
    if rpy is None:
        data["rotation"] = pose.rotation.tolist()
    elif any(rpy):
        data["rpy"] = list(rpy)
    return data


def _inertia(inertia: Inertia) -> dict[str, Any]:
    data: dict[str, Any] = {"mass": inertia.mass}
    if inertia.com.any():
        data["com"] = inertia.com.tolist()
    if inertia.tensor.any():
        data["tensor"] = _diagonal(inertia.tensor)
    if inertia.full is not None:
        data["full"] = inertia.full.tolist()
    return data


def _fluid(fluid: Fluid) -> dict[str, Any]:
    matrices = {name: getattr(fluid, name) for name in ("added_mass", "linear_drag", "quadratic_drag")}
    data: dict[str, Any] = {name: _diagonal(matrix) for name, matrix in matrices.items() if matrix.any()}
    if fluid.volume:
        data["volume"] = fluid.volume
    if fluid.centre_of_buoyancy.any():
        data["centre_of_buoyancy"] = fluid.centre_of_buoyancy.tolist()
    if fluid.fading.any():
        data["fading"] = _per_dof(fluid.fading)
    if fluid.flow_parts:
        data["flow_parts"] = [
            {"type": type(part).__name__, **_plain_fields(part)} for part in fluid.flow_parts
        ]
    if fluid.flow_scale != 1.0:
        data["flow_scale"] = fluid.flow_scale
    if fluid.hull is not None:
        data["hull"] = _plain_fields(fluid.hull)
    if fluid.density is not None:
        data["density"] = fluid.density
    return data


def _plain_fields(x: Any) -> dict[str, Any]:
    """The fields of a part or hull, a pose only where it is not the identity."""
    data: dict[str, Any] = {}
    for field in dataclasses.fields(x):
        value = getattr(x, field.name)
        if isinstance(value, Pose):
            if value != Pose():
                data[field.name] = _pose(value)
        else:
            data[field.name] = value.tolist() if isinstance(value, np.ndarray) else value
    return data


def _diagonal(matrix: np.ndarray) -> list[Any]:
    """The diagonal of a diagonal matrix, any other matrix in full."""
    diagonal = np.diag(matrix)
    return diagonal.tolist() if np.array_equal(np.diag(diagonal), matrix) else matrix.tolist()


def _visual(visual: Visual, folder: str | None) -> dict[str, Any]:
    data: dict[str, Any] = {"type": visual.kind}
    for field in dataclasses.fields(visual):
        value: Any = getattr(visual, field.name)
        if field.name == "at":
            value = _pose(value) if value != Pose() else None
        if value is None or (isinstance(visual, Mesh) and field.name == "scale" and value == (1.0, 1.0, 1.0)):
            continue
        if field.name == "path":
            value = relative_mesh(value, folder)
        data[field.name] = value
    return data


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value)


def _string(text: str) -> str:
    """Plain where no reader of YAML can take it for anything else, quoted otherwise."""
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
