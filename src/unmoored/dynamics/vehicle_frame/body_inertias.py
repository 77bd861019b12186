"""Inertia and velocity matrix of a moving body, in its vehicle's frame (docs/derivatives.md §3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...lie import se3, so3
from ...lie.arrays import apply, blocks, mirrored, scale, scale_vector, transpose
from ...model import Link, Tree
from ...trace import is_symbolic, is_zero
from ..joint_crossing import carried
from ..tree_scans import each, inward
from .moving_bodies import Moving

ZERO = np.zeros((3, 3))
NONE = np.zeros((6, 6))


class Inertias(NamedTuple):
    """Of one body, or of everything on and beyond a joint; each (..., 6, 6).

    rigid: inertia of a rigid body with the link's mass and centre of mass.  excess: what the inertia I has
    beyond it (added mass).  velocity: B = K6(I V) − I ad_V − ad_Vᵀ I with B V = −2 ad_Vᵀ I V, so that the
    body takes the wrench I A + ½ B V, and changes δA = ad_{δV} V, δV change it by B δV.
    """

    rigid: np.ndarray
    excess: np.ndarray
    velocity: np.ndarray

    @property
    def inertia(self) -> np.ndarray:
        """I (..., 6, 6)."""
        return self.rigid + self.excess


def body_inertias(tree: Tree, bodies: list[Moving]) -> list[Inertias]:
    """The matrices of every body."""
    return each(tree, _inertias, bodies)


def outboard(tree: Tree, matrices: list[Inertias]) -> list[Inertias]:
    """For every joint the sums over the bodies on and beyond it."""

    def step(_, arriving, own):
        sums = Inertias(*(a + b for a, b in zip(arriving, own, strict=True)))
        return sums, sums

    return inward(tree, step, Inertias(NONE, NONE, NONE), matrices)[0]


def _inertias(link: Link, body: Moving) -> Inertias:
    J, c_hat = link.inertia[..., 3:, 3:], so3.hat(link.com)
    mass, moment = scale(link.mass, np.eye(3)), scale(link.mass, c_hat)
    excess = link.inertia - blocks([[mass, -moment], [moment, J]])
    rigid, velocity = _rigid(link.mass, link.com, J + moment @ c_hat, body)
    if is_zero(excess):
        return Inertias(rigid, NONE, velocity)
    E = carried(body.pose, excess)
    return Inertias(rigid, E, velocity + _velocity_matrix(E, body.twist))


def _rigid(
    m: float | np.ndarray, com: np.ndarray, J: np.ndarray, body: Moving
) -> tuple[np.ndarray, np.ndarray]:
    """Inertia and velocity matrix of a rigid body; J about the centre of mass.

    With the moments of mass Σ = ½ tr(J) − J and the linear momentum h, B = −2 [[0, ĥ], [0, ĉĥ + ω̂Σ]]. The
    zeros say that a rigid body does not feel a uniform velocity.
    """
    R, ω = se3.rotation(body.pose), body.twist[..., 3:]
    c = se3.position(body.pose) + apply(R, com)
    twice_h, c_hat = so3.hat(scale_vector(2.0 * m, body.twist[..., :3] + so3.cross(ω, c))), so3.hat(c)
    trace = scale(np.trace(J, axis1=-2, axis2=-1), np.eye(3))
    twice_Σ = _turned(R, trace - 2.0 * J)
    about_origin = mirrored(0.5 * (trace - twice_Σ) - scale(m, c_hat) @ c_hat)
    moment = scale(m, c_hat)
    rigid = blocks([[scale(m, np.eye(3)), -moment], [moment, about_origin]])
    return rigid, -blocks([[ZERO, twice_h], [ZERO, c_hat @ twice_h + so3.hat(ω) @ twice_Σ]])


def _turned(R: np.ndarray, A: np.ndarray) -> np.ndarray:
    """R A Rᵀ (..., 3, 3) of a constant symmetric A: a multiple of the identity need not be turned."""
    middle = A[..., 0, 0] if is_symbolic(A) else np.median(np.diagonal(A, axis1=-2, axis2=-1), axis=-1)
    spherical = scale(middle, np.eye(3))
    return mirrored(R @ (A - spherical) @ transpose(R)) + spherical


def _velocity_matrix(I: np.ndarray, V: np.ndarray) -> np.ndarray:
    """B = K6(I V) − I ad_V − ad_Vᵀ I (..., 6, 6) of any symmetric inertia."""
    turned = I @ se3.ad(V)
    return se3.momentum_bracket(apply(I, V)) - turned - transpose(turned)
