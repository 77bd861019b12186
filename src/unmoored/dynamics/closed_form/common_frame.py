"""Twists and inertias of a tree in one frame: that of the vehicle it hangs on, held still at this instant.

There the adjoint rule needs no transport: a joint m that moves by ε turns every twist b_k and every inertia
on or beyond it by ε ad_{b_m} (theory.md §1, §3), and the rest stays. Parts on different vehicles never meet
in the mass matrix, so each may have its own frame, which keeps numbers small wherever the vehicle is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3
from ...model import Tree
from ..composite import stacked_rows
from ..crossing import Crossing, carried, crossings, relative_pose
from ..jacobians import basis_rate
from ..kinematics import ORIGIN
from ..scans import inward, outward, split_configuration, split_velocity


class CommonFrame(NamedTuple):
    """A tree at one configuration, in its vehicles' frames.

    poses: g_vi (..., 4, 4) and inertias: I_i (..., 6, 6) of every body.  twists: b (..., nv, 6), a row for
    each velocity.
    """

    poses: list[np.ndarray]
    twists: np.ndarray
    inertias: list[np.ndarray]


def common_frame(tree: Tree, q: np.ndarray) -> CommonFrame:
    """The tree at q (..., nq), each part in its vehicle's frame."""
    xs = crossings(tree, q)
    still = np.broadcast_to(ORIGIN, (*q.shape[:-1], 4, 4))
    steps = [still if link.parent < 0 else relative_pose(x) for link, x in zip(tree.links, xs, strict=True)]
    poses = outward(tree, lambda _, g, step: g @ step, ORIGIN, steps)
    inertias = [carried(g, link.inertia) for link, g in zip(tree.links, poses, strict=True)]
    return CommonFrame(poses, stacked_rows(_rows(poses, xs)), inertias)


def _rows(poses: list[np.ndarray], xs: list[Crossing]) -> list[np.ndarray]:
    """Ad_g S (..., nv_i, 6) of every joint, twists as rows."""
    return [seen(g, x.basis) for g, x in zip(poses, xs, strict=True)]


def seen(g: np.ndarray, S: np.ndarray) -> np.ndarray:
    """Rows (..., n, 6) in the common frame of twists that are columns S (..., 6, n) in the frame at g."""
    return se3.Ad_apply(g[..., None, :, :], np.swapaxes(S, -1, -2))


def common_velocities(tree: Tree, frame: CommonFrame, v: np.ndarray) -> list[np.ndarray]:
    """V_i = V_parent + Σ b u (..., 6) of every body, in the common frame."""
    own = [
        (np.swapaxes(frame.twists[..., link.v, :], -1, -2) @ u[..., None])[..., 0]
        for link, u in zip(tree.links, split_velocity(tree, v), strict=True)
    ]
    return outward(tree, lambda _, V, add: V + add, np.zeros(6), own)


def twist_rates(
    tree: Tree, q: np.ndarray, v: np.ndarray, frame: CommonFrame, Vs: list[np.ndarray]
) -> np.ndarray:
    """ḃ = ad_V b + Ad_g Ṡ (..., nv, 6), V the velocity of the body that the joint moves."""
    parts = zip(
        tree.links, frame.poses, Vs, split_configuration(tree, q), split_velocity(tree, v), strict=True
    )
    rates = [
        se3.ad_apply(V[..., None, :], frame.twists[..., link.v, :]) + seen(g, basis_rate(link, q_i, u))
        for link, g, V, q_i, u in parts
    ]
    return stacked_rows(rates)


def outboard_sums(tree: Tree, matrices: list[np.ndarray]) -> list[np.ndarray]:
    """For every body the sum (..., 6, 6) of its own matrix and all beyond it: of inertias, the composite."""

    def step(_, arriving, A):
        return (arriving[0] + A,), arriving[0] + A

    return inward(tree, step, (np.zeros((6, 6)),), matrices)[0]


def for_each_velocity(tree: Tree, values: list[np.ndarray]) -> np.ndarray:
    """One array per body (..., r, c) repeated for each of its velocities: (..., nv, r, c)."""
    batch = np.broadcast_shapes(*(x.shape[:-2] for x in values))
    repeated = [
        np.broadcast_to(x[..., None, :, :], (*batch, link.joint.nv, *x.shape[-2:]))
        for link, x in zip(tree.links, values, strict=True)
    ]
    return np.concatenate(repeated, axis=-3)


def on_or_inboard(tree: Tree) -> np.ndarray:
    """Constant (nv, nv): entry (j, k) is 1 if the joint of j is that of k or lies inboard of it."""
    owner = np.repeat(np.arange(len(tree.links)), [link.joint.nv for link in tree.links])
    return np.array([[float(j in tree.ancestors[k]) for k in owner] for j in owner]).reshape(tree.nv, tree.nv)


def inboard(tree: Tree) -> np.ndarray:
    """Constant (nv, nv): entry (j, k) is 1 if the joint of j lies inboard of that of k."""
    related = on_or_inboard(tree)
    return related * (1.0 - related.T)
