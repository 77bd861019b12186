"""Regressors: forces, momentum and energy as linear functions of the bodies' inertial parameters (theory.md §24).

A rigid body has ten: ζ = (m, m c, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), its mass (kg), first moment (kg m) and inertia tensor
about its origin (kg m²), in its own axes. Those of all bodies, welded ones too, follow one another in the tree's order.
An inertia then acts on a twist as I X = L(X) ζ. Armature belongs to drives, not to bodies, and is in none of these.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import apply, blocks, join, matrix, scale, transpose
from ..model import ModelError, Tree
from ..trace import equal, where
from .jacobians import body_jacobian_rates, body_jacobians
from .joint_crossing import crossings
from .kinematics import body_accelerations, body_poses, body_velocities

#: Numbers per body.
PARAMETERS_PER_BODY = 10
#: Their names, in order; the tensor is about the body's origin.
PARAMETER_NAMES = ("m", "mcx", "mcy", "mcz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
_TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def inertial_parameters(tree: Tree) -> np.ndarray:
    """ζ (..., 10 n) of the n bodies of the tree; batched where its links carry batches of numbers."""
    _refuse_full_inertias(tree)
    parts = []
    for link in tree.links:
        m = np.asarray(link.mass)[..., None]
        J = np.stack([link.inertia[..., 3 + i, 3 + k] for i, k in _TENSOR], axis=-1)
        parts += [m, m * link.com, J]
    return join(parts)


def with_inertial_parameters(tree: Tree, ζ: np.ndarray) -> Tree:
    """The tree whose links have the inertias that ζ (..., 10 n) tells, unchecked: symbols, or a batch.

    A body without mass has its centre of mass at its origin: it must have no first moment.
    """
    _refuse_full_inertias(tree)
    links = []
    for link in tree.links:
        own = ζ[..., PARAMETERS_PER_BODY * link.index :]
        m, mc = own[..., :1], own[..., 1:4]
        xx, yy, zz, xy, xz, yz = (own[..., k] for k in range(4, 10))
        J = matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        c = mc / where(equal(m, 0.0), 1.0, m)
        m = own[..., 0][()]
        moment = scale(m, so3.hat(c))  # from c, so that the inertia is a rigid body's to the bit
        inertia = blocks([[scale(m, np.eye(3)), -moment], [moment, J]])
        links.append(replace(link, mass=m, com=c, inertia=inertia))
    return tree.with_links(links)


def regressor(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Y (..., nv, 10 n) with Y ζ + armature · a = inverse dynamics at q (..., nq), v and a (..., nv).

    gravity: γ (..., 3) in world axes (m/s²). The columns of body i are B_iᵀ (L(V̇_i − Γ_i) − ad_{V_i}ᵀ L(V_i)): with
    V = (v, ω), V̇ − Γ = (a, α) and a_o = a + ω×v, what the origin's acceleration is to an instrument, that is

        | a_o   α̂ + ω̂²   0             |
        | 0     −â_o      T(α) + ω̂T(ω)  |     T(ω): J ω = T(ω) (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)
    """
    _refuse_full_inertias(tree)
    Bs, Vs = body_jacobians(tree, crossings(tree, q)), body_velocities(tree, q, v)
    moving = zip(Bs, Vs, body_accelerations(tree, q, v, a), _fields(tree, q, gravity), strict=True)
    return blocks([[_body_columns(B, V, A - Γ) for B, V, A, Γ in moving]])


def _body_columns(B: np.ndarray, V: np.ndarray, A: np.ndarray) -> np.ndarray:
    """Bᵀ (L(A) − ad_Vᵀ L(V)) (..., nv, 10), without what cancels in it."""
    v, ω, α = V[..., :3], V[..., 3:], A[..., 3:]
    a = A[..., :3] + so3.cross(ω, v)
    x, y, z = (ω[..., k] for k in range(3))
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    o = np.zeros(())
    turning = so3.hat(α) + so3.hat_squared(ω)
    gyroscopic = matrix(
        [[o, -yz, yz, -xz, xy, yy - zz], [xz, o, -xz, yz, zz - xx, -xy], [-xy, xy, o, xx - yy, -yz, xz]]
    )
    along, about = transpose(B[..., :3, :]), transpose(B[..., 3:, :])
    first = along @ turning - about @ so3.hat(a)
    return blocks([[along @ a[..., None], first, about @ (_tensor_columns(α) + gyroscopic)]])


def momentum_regressor(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Y_p (..., nv, 10 n) with Y_p ζ = p, the generalised momentum at q (..., nq), v (..., nv) without armature."""
    _refuse_full_inertias(tree)
    Bs, Vs = body_jacobians(tree, crossings(tree, q)), body_velocities(tree, q, v)
    return blocks([[transpose(B) @ momentum_columns(V) for B, V in zip(Bs, Vs, strict=True)]])


def momentum_rate_regressor(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """Y_r (..., nv, 10 n) with d/dt p = τ − armature · a + Y_r ζ, at q (..., nq), v (..., nv): no accelerations in it.

    gravity: γ (..., 3) in world axes (m/s²). Y_r ζ = Cᵀ v − n with a C of skew Ṁ − 2C.
    """
    _refuse_full_inertias(tree)
    Bs, B_dots = body_jacobian_rates(tree, q, v)
    moving = zip(Bs, B_dots, body_velocities(tree, q, v), _fields(tree, q, gravity), strict=True)
    return blocks(
        [
            [
                transpose(B_dot) @ momentum_columns(V) + transpose(B) @ (_turned(V) + momentum_columns(Γ))
                for B, B_dot, V, Γ in moving
            ]
        ]
    )


def energy_regressor(tree: Tree, q: np.ndarray, v: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """y (..., 10 n) with y ζ = T + U [J] at q (..., nq), v (..., nv), without the kinetic energy of armature.

    gravity: γ (..., 3) in world axes (m/s²); U is zero at the world origin.
    The part of body i is ½ V_iᵀ L(V_i) − (γᵀp_i, γᵀR_i, 0).
    """
    _refuse_full_inertias(tree)
    γ = np.asarray(gravity)
    rows = []
    for V, g in zip(body_velocities(tree, q, v), body_poses(tree, q), strict=True):
        kinetic = 0.5 * apply(transpose(momentum_columns(V)), V)
        height = (γ * se3.position(g)).sum(axis=-1, keepdims=True)
        along = apply(transpose(se3.rotation(g)), γ)
        rows.append(kinetic - join([height, along, np.zeros(6)]))
    return join(rows)


def momentum_columns(X: np.ndarray) -> np.ndarray:
    """L(X) (..., 6, 10) with I X = L(X) ζ, for a twist or acceleration X = (v, ω) (..., 6)."""
    v, ω = X[..., :3], X[..., 3:]
    tensor = _tensor_columns(ω)
    return blocks([[v[..., None], so3.hat(ω), np.zeros((3, 6))], [np.zeros((3, 1)), -so3.hat(v), tensor]])


def _tensor_columns(ω: np.ndarray) -> np.ndarray:
    """T(ω) (..., 3, 6) with J ω = T(ω) (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)."""
    x, y, z = (ω[..., k] for k in range(3))
    o = np.zeros(())
    return matrix([[x, o, o, y, z, o], [o, y, o, x, o, z], [o, o, z, o, x, y]])


def _turned(V: np.ndarray) -> np.ndarray:
    """ad_Vᵀ L(V) (..., 6, 10)."""
    return transpose(se3.ad(V)) @ momentum_columns(V)


def _fields(tree: Tree, q: np.ndarray, gravity: np.ndarray) -> list[np.ndarray]:
    """Γ_i = (R_0iᵀ γ ; 0) (..., 6) of all bodies."""
    γ = np.asarray(gravity)
    return [join([apply(transpose(se3.rotation(g)), γ), np.zeros(3)]) for g in body_poses(tree, q)]


def _refuse_full_inertias(tree: Tree) -> None:
    for body in tree.bodies:
        if not body.inertia.is_rigid:
            raise ModelError.single(
                body.name,
                "inertial parameters",
                expected="a rigid body's inertia, which ten numbers tell",
                given="a full 6×6 inertia",
            )
