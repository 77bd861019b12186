"""Derivatives of the relative motion of two frames by the joints between them, in closed form (theory.md §28).

Seen from b, a joint that moves by δ turns all that lies beyond it on the way by −ad_c, c = C δ its column times δ:
beyond an inward joint lie the next ones, beyond an outward one itself as well. With V and A the parts of V_ab and V̇_ab
that lie beyond, T the twist seen from b before them,

    δV_ab = −ad_c V ,    δV̇_ab = −ad_T ad_c V − ad_c (A − ad_T V) ,    δ(C_iᵀF) = −C_iᵀ ad_cᵀ F .
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..lie import se3
from ..lie.arrays import apply, join, stacked_rows, transpose
from ..model import Tree
from .kinematics import AT_REST
from .relative_motion import Walk


class MotionSlopes(NamedTuple):
    """V_ab and V̇_ab (..., 6), and derivatives (..., 6, nv): of V_ab by δq, of V̇_ab by δq and by v."""

    twist: np.ndarray
    acceleration: np.ndarray
    twist_by_q: np.ndarray
    by_q: np.ndarray
    by_v: np.ndarray


def has_slopes(tree: Tree, walked: Walk) -> bool:
    """Whether the closed form holds: no basis on the way varies."""
    return all(tree.links[i].joint.constant_basis for i in walked.columns)


def motion_slopes(
    tree: Tree, walked: Walk, us: list[np.ndarray], accelerations: list[np.ndarray]
) -> MotionSlopes:
    """Of V_ab and V̇_ab at the joints' velocities us and accelerations, (..., nv_i) of every link."""
    way = list(walked.columns.items())
    owns, Ts, parts = [], [AT_REST], []
    for i, C in way:
        owns.append(apply(C, us[i]))
        parts.append(apply(C, accelerations[i]) + se3.ad_apply(Ts[-1], owns[-1]))
        Ts.append(Ts[-1] - owns[-1])
    Vs, As = [AT_REST], [AT_REST]
    for own, part in zip(reversed(owns), reversed(parts), strict=True):
        Vs.insert(0, Vs[0] + own)
        As.insert(0, As[0] + part)
    found: dict[int, list[tuple[np.ndarray, ...]]] = {}
    for k, (i, C) in enumerate(way):
        T, V, A = (x[_beyond(walked, k, i)] for x in (Ts, Vs, As))
        inner = A - se3.ad_apply(T, V)
        found[i] = []
        for c in (C[..., d] for d in range(C.shape[-1])):
            turned = se3.ad_apply(c, V)
            by_q = -(se3.ad_apply(T, turned) + se3.ad_apply(c, inner))
            found[i].append((-turned, by_q, se3.ad_apply(Ts[k], c) - se3.ad_apply(c, Vs[k + 1])))
    parts_of = [{i: [x[part] for x in own] for i, own in found.items()} for part in range(3)]
    return MotionSlopes(Vs[0], As[0], *(_columns(tree, columns, np.zeros(6)) for columns in parts_of))


def force_slopes(tree: Tree, walked: Walk, F: np.ndarray) -> np.ndarray:
    """Derivatives (..., nv, nv) by δq of Jᵀ F, V_ab = J v, for a wrench F (..., 6) that stays as it is in b's axes."""
    way = list(walked.columns.items())
    found: dict[int, list[np.ndarray]] = {}
    for k, (i, C) in enumerate(way):
        beyond = dict(way[_beyond(walked, k, i) :])
        found[i] = []
        for d in range(C.shape[-1]):
            turned = -se3.ad_transpose_apply(C[..., d], F)
            own = {j: apply(transpose(C_j), turned) for j, C_j in beyond.items()}
            found[i].append(join([own.get(link.index, np.zeros(link.joint.nv)) for link in tree.links]))
    return _columns(tree, found, np.zeros(tree.nv))


def _beyond(walked: Walk, k: int, i: int) -> int:
    """The place on the way from which on joint i, at place k, turns what is there."""
    return k if i in walked.way.to_a else k + 1


def _columns(tree: Tree, found: dict[int, list[np.ndarray]], none: np.ndarray) -> np.ndarray:
    """Columns (..., m) of the joints' DoFs side by side, (..., m, nv); none (m,): of joints that are not on the way."""
    every = [x for link in tree.links for x in found.get(link.index, [none] * link.joint.nv)]
    return transpose(stacked_rows([x[..., None, :] for x in every]))
