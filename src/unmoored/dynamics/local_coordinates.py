"""The equations in local exponential coordinates φ about a configuration, as From et al. 2010 derive them.

Around q̄ every configuration is retract(q̄, φ), and the velocities are v = S(φ) φ̇ with S the dexp of each
joint's group (the identity for joints with true coordinates). The papers evaluate at φ = 0; with the indices
put right the forms below hold at every φ and give what the coordinate-free forms give (theory.md §5, end).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..lie import Subgroup
from ..lie.arrays import transpose
from ..model import Link, Tree
from ..model.joints import SubgroupJoint
from ..trace import Traced, call_traced, evaluate, is_symbolic, jacobian, trace
from .configuration import retract
from .mass_matrix import mass_matrix
from .momentum import generalized_momentum
from .vehicle_frame.velocity_pairs import block_diagonal


def local_velocity_map(tree: Tree, φ: np.ndarray) -> np.ndarray:
    """S(φ) (..., nv, nv) with v = S(φ) φ̇ for local coordinates φ (..., nv) about any configuration."""
    return block_diagonal(tree, [_dexp(link, φ[..., link.v]) for link in tree.links])


def local_velocity_map_inverse(tree: Tree, φ: np.ndarray) -> np.ndarray:
    """S(φ)⁻¹ (..., nv, nv), for rotations of less than 2π in every joint."""
    return block_diagonal(tree, [_dexp_inv(link, φ[..., link.v]) for link in tree.links])


def local_bracket(group: Subgroup, φ: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Bracket part of the Coriolis matrix (..., m, m) of one group, for a momentum p (..., m), at φ (..., m).

    Entry (i, j) is Σ_{k,m,s} S⁻¹_mi (∂S_km/∂φ_s − ∂S_ks/∂φ_m) S⁻¹_sj p_k: the second sum of From et al. 2010,
    eq. (9), with the indices put right. It equals the group's K(p) at every φ.
    """
    S_inv = group.dexp_inv(φ)
    dS = _at(_dexp_derivatives(group), φ)
    turned = np.einsum("...kms,...k->...ms", dS, p)
    return transpose(S_inv) @ (turned - transpose(turned)) @ S_inv


def local_coriolis_matrix(tree: Tree, q: np.ndarray, φ: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C (..., nv, nv) at retract(q, φ) and velocity v (..., nv), in local coordinates φ (..., nv) about q.

    From et al. 2010, eq. (9), corrected: Σ_kl (∂M_ij/∂φ_k S⁻¹_kl − ½ S⁻¹_ki ∂M_jl/∂φ_k) v_l and the brackets.
    The derivatives of M(retract(q, φ)) by φ are the tracer's: nothing is shared with the adjoint rule.
    """
    dM = _inertia_derivatives(tree, q, φ)
    S_inv = local_velocity_map_inverse(tree, φ)
    φ_dot = (S_inv @ v[..., None])[..., 0]
    M_dot = np.einsum("...ijk,...k->...ij", dM, φ_dot)
    gradients = np.einsum("...jlk,...l->...kj", dM, v)
    p = generalized_momentum(tree, retract(tree, q, φ), v)
    brackets = block_diagonal(tree, [_bracket(link, φ[..., link.v], p[..., link.v]) for link in tree.links])
    return M_dot - 0.5 * transpose(S_inv) @ gradients + brackets


def _dexp(link: Link, φ: np.ndarray) -> np.ndarray:
    return link.joint.group.dexp(φ) if isinstance(link.joint, SubgroupJoint) else np.eye(link.joint.nv)


def _dexp_inv(link: Link, φ: np.ndarray) -> np.ndarray:
    return link.joint.group.dexp_inv(φ) if isinstance(link.joint, SubgroupJoint) else np.eye(link.joint.nv)


def _bracket(link: Link, φ: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Zero for joints with one DoF or none, and for true coordinates: S is constant."""
    n = link.joint.nv
    if isinstance(link.joint, SubgroupJoint) and n > 1:
        return local_bracket(link.joint.group, φ, p)
    return np.zeros((n, n))


@lru_cache(maxsize=128)
def _dexp_derivatives(group: Subgroup) -> Traced:
    """φ (m,) ↦ ∂S_km/∂φ_s (m, m, m)."""
    return jacobian(trace(group.dexp, (group.dim,), name="dexp"))


def _inertia_derivatives(tree: Tree, q: np.ndarray, φ: np.ndarray) -> np.ndarray:
    """∂M_ij/∂φ_k (..., nv, nv, nv) of M(retract(q, φ)) at q (..., nq), φ (..., nv)."""
    if tree.has_own_links:
        numbers = [x for link in tree.links for x in _numbers(link)]
        return _at(_inertia_derivatives_of_links(tree), q, φ, *numbers)
    return _at(_inertia_derivatives_as_built(tree), q, φ)


@lru_cache(maxsize=16)
def _inertia_derivatives_as_built(tree: Tree) -> Traced:
    """(q, φ) ↦ ∂M_ij/∂φ_k, with the numbers of the tree folded in."""
    about = trace(lambda q, φ: mass_matrix(tree, retract(tree, q, φ)), (tree.nq,), (tree.nv,), name="inertia")
    return jacobian(about, wrt=1)


@lru_cache(maxsize=16)
def _inertia_derivatives_of_links(tree: Tree) -> Traced:
    """(q, φ, numbers of all links) ↦ ∂M_ij/∂φ_k: trees that differ only in numbers at run time share it."""

    def inertia(q, φ, *numbers):
        parts = iter(numbers)
        links = [
            replace(link, placement=next(parts), inertia=next(parts), armature=next(parts))
            for link in tree.links
        ]
        return mass_matrix(tree.with_links(links), retract(tree, q, φ))

    shapes = [shape for link in tree.links for shape in ((4, 4), (6, 6), (link.joint.nv,))]
    return jacobian(trace(inertia, (tree.nq,), (tree.nv,), *shapes, name="inertia of links"), wrt=1)


def _numbers(link: Link) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the mass matrix needs of a link."""
    return link.placement, link.inertia, link.armature


def _at(function: Traced, *arrays: np.ndarray) -> np.ndarray:
    """Value of a traced function at numbers (a batch too) or at symbols."""
    return call_traced(function, *arrays) if is_symbolic(*arrays) else evaluate(function, *arrays)
