"""MJCF → `Tree`, through MuJoCo's own compiler, which resolves defaults, units, frames and inertias.

MuJoCo never sees the file: `flattening` reads it and what it names, `compiling` gives that to a child process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ....error_roots import warn
from ...body import Body, Frame
from ...errors import ModelError, ModelWarning
from ...inertia import Inertia
from ...joints import Fixed
from ...mimic import Mimic
from ...pose import Pose
from ...tree import Tree
from ...visual import Visual
from .compiled_elements import Names, joint_of, visual_of
from .compiling import compiled
from .flattening import Flattened, flattened
from .unrepresented import equal_joints, left_out, refuse_other_dynamics


def read_mjcf(
    path: str | os.PathLike[str], *, roots: Sequence[str | os.PathLike[str]] = (), ignore_mimic: bool = False
) -> Tree:
    """The tree in the MJCF file `path`; needs the extra `mjcf`. Coordinates are zero at MuJoCo's `qpos0`.

    A joint off its body's origin, and every joint of a body but the last, moves a massless body of its own
    with the joint's name. Sites become frames, geoms visuals.
    roots: folders that included files, meshes and textures may lie in, besides the file's own.
    ignore_mimic: joints that equality constraints tie to others move on their own; otherwise they are the tree's
    `couplings` if they are linear, and refused if not. Other equality constraints and the like are refused; what else
    the tree cannot say is listed in its `assumptions` and in a `ModelWarning`.
    """
    path = Path(path)
    model = flattened(path, roots)
    m = compiled(model, str(path))
    refuse_other_dynamics(m, str(path), ignore_mimic)
    try:
        tree = _Reader(m, model, ignore_mimic).tree()
    except ModelError as error:
        raise ModelError(replace(problem, location=str(path)) for problem in error.problems) from None
    for text in tree.assumptions:
        warn(f"{path}: {text}", ModelWarning)
    return tree


class _Reader:
    def __init__(self, m: Any, model: Flattened, ignore_mimic: bool):
        self._m, self._model, self._ignore_mimic = m, model, ignore_mimic
        self._moved: dict[int, str] = {}  # names of the bodies that joints move
        self._names = Names(m)
        self._hidden = sum(
            visual_of(m, geom, model.paths) is None for geom in range(m.ngeom) if m.geom_bodyid[geom]
        )
        self._hidden += int((m.geom_bodyid == 0).sum())

    def tree(self) -> Tree:
        """The whole model."""
        m = self._m
        bodies = [body for index in range(1, m.nbody) for body in self._bodies(index)]
        frames = [self._frame(index) for index in range(m.nsite)]
        name = m.names.partition(b"\0")[0].decode() or "mjcf"
        return Tree(
            name=name,
            bodies=tuple(bodies),
            frames=tuple(frames),
            assumptions=self._assumptions(),
            couplings=() if self._ignore_mimic else self._couplings(),
        )

    def _couplings(self) -> tuple[Mimic, ...]:
        """Joints that follow others: MuJoCo's y − y0 = a0 + a1 (x − x0), in coordinates that are zero at y0 and x0."""
        m = self._m
        return tuple(
            Mimic(
                self._moved[int(m.eq_obj1id[k])],
                self._moved[int(m.eq_obj2id[k])],
                multiplier=float(m.eq_data[k][1]),
                offset=float(m.eq_data[k][0]),
            )
            for k in equal_joints(m)
        )

    def _bodies(self, index: int) -> list[Body]:
        """The MJCF body with this index, after the massless bodies that its joints need."""
        m = self._m
        chain: list[Body] = []
        parent = self._names.body(int(m.body_parentid[index]))
        at = Pose(m.body_pos[index], quaternion_wxyz=m.body_quat[index])
        anchor = np.zeros(3)  # of the last joint, in the body's frame
        joints = range(m.body_jntadr[index], m.body_jntadr[index] + m.body_jntnum[index])
        for j in joints:
            position = np.zeros(3) if m.jnt_type[j] == 0 else m.jnt_pos[j]
            at, anchor = at @ Pose((position - anchor).tolist()), position
            if j == joints[-1] and not anchor.any():
                joint, name = joint_of(m, j), self._names.joint(j)
                self._moved[j] = self._names.body(index)
                return [*chain, self._body(index, parent=parent, joint=joint, at=at, joint_name=name)]
            name = self._moved[j] = self._names.joint_body(j)
            chain.append(Body(name=name, parent=parent, joint=joint_of(m, j), inertia=Inertia.zero(), at=at))
            parent, at = name, Pose()
        return [*chain, self._body(index, parent=parent, joint=Fixed(), at=at @ Pose((-anchor).tolist()))]

    def _body(self, index: int, **placement: Any) -> Body:
        name = self._names.body(index)
        return Body(name=name, inertia=self._inertia(index), visuals=self._visuals(index), **placement)

    def _inertia(self, index: int) -> Inertia:
        m = self._m
        R = Pose(quaternion_wxyz=m.body_iquat[index]).rotation
        return Inertia(m.body_mass[index], m.body_ipos[index], R @ np.diag(m.body_inertia[index]) @ R.T)

    def _visuals(self, index: int) -> tuple[Visual, ...]:
        geoms = np.flatnonzero(self._m.geom_bodyid == index)
        visuals = (visual_of(self._m, int(geom), self._model.paths) for geom in geoms)
        return tuple(visual for visual in visuals if visual is not None)

    def _frame(self, index: int) -> Frame:
        """The site with this index."""
        m = self._m
        at = Pose(m.site_pos[index], quaternion_wxyz=m.site_quat[index])
        return Frame(name=self._names.site(index), parent=self._names.body(int(m.site_bodyid[index])), at=at)

    def _assumptions(self) -> tuple[str, ...]:
        """What the tree leaves out or calls by another name than the file."""
        m = self._m
        out = left_out(m, self._model.left_out, self._ignore_mimic)
        if self._hidden:
            out.append(f"geoms of the world and of shapes without a visual: {self._hidden}")
        lines = [f"Not read from the MJCF: {'; '.join(out)}."] if out else []
        scalar = m.jnt_type >= 2
        references = m.qpos0[m.jnt_qposadr[scalar]]
        if references.any():
            names = [self._names.joint(int(j)) for j in np.flatnonzero(scalar)[references != 0]]
            lines.append(
                f"Joint coordinates are zero at MuJoCo's reference (ref): {', '.join(map(str, names))}."
            )
        return (*lines, *self._names.renamed())
