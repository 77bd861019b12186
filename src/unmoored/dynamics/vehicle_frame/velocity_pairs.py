"""From bodies to velocities and pairs of them: the entries of matrices (..., nv, nv) in the vehicle's frame."""

from __future__ import annotations

import numpy as np

from ...lie.arrays import transpose
from ...model import Tree
from ...model.joints import SubgroupJoint
from ...trace import is_symbolic, matmul
from ..tree_scans import inward

#: velocities of the largest tree whose matrices are written out in kernels
_WRITTEN_OUT = 24


def outboard_sums(tree: Tree, matrices: list[np.ndarray]) -> list[np.ndarray]:
    """For every body the sum (..., r, c) of its own matrix (..., r, c) and all beyond it."""

    def step(_, arriving, A):
        return (arriving[0] + A,), arriving[0] + A

    return inward(tree, step, (np.zeros(matrices[0].shape[-2:]),), matrices)[0]


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


def products_of_rows(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A Bᵀ (..., nv, nv): products of the rows of A and of B (..., nv, m); in kernels of large trees a loop."""
    return matmul(A, transpose(B), written_out=_WRITTEN_OUT**2 * A.shape[-1])


def block_diagonal(tree: Tree, blocks: list[np.ndarray]) -> np.ndarray:
    """Matrix (..., nv, nv) with one block (..., nv_k, nv_k) for each joint."""
    batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    kind = object if is_symbolic(*blocks) else float
    result = np.zeros((*batch, tree.nv, tree.nv), dtype=kind)
    for link, block in zip(tree.links, blocks, strict=True):
        result[..., link.v, link.v] = block
    return result


def own_brackets(tree: Tree, v: np.ndarray) -> np.ndarray:
    """Â = blockdiag of ad_{u_k} (..., nv, nv): the part [S u, b] of ḃ; zero for joints with true coordinates."""
    blocks = [
        link.joint.group.ad(v[..., link.v])
        if isinstance(link.joint, SubgroupJoint)
        else np.zeros((link.joint.nv, link.joint.nv))
        for link in tree.links
    ]
    return block_diagonal(tree, blocks)
