"""Mass, centre of mass and tensor of a body that an arm holds, from momentum alone.

What the known bodies' momentum loses, the target gains: Ad_{g_0t⁻¹}ᵀ I_t V_t + μ_known(t) = μ₀ in world axes about the
world's origin, μ₀ unknown. No accelerations and no forces; noise in the twists and in the momenta is allowed for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dynamics.regressors import momentum_columns
from ..lie import se3
from ..model import Body, Free, Inertia, Tree
from ..model.inertia import nearest_tensor
from ..model.joints import numbers_from_pose
from ..model.value import checked_numbers
from ..system import System
from ..worlds import Plant
from .equations import momentum_of
from .identified import Identified
from .parameter_space import parameter_space
from .recording import Array, Recording, wrong
from .row_fit import fit_rows
from .tall_matrices import triangle


def identify_target(
    poses: npt.ArrayLike,
    twists: npt.ArrayLike,
    known_momentum: npt.ArrayLike,
    *,
    twist_noise: Any = None,
    momentum_noise: Any = None,
    recording: npt.ArrayLike | None = None,
    inertia: Inertia | None = None,
    prior: Any = None,
    iterations: int = 60,
    tolerance: float = 1e-9,
) -> Identified:
    """The ten numbers of a captured target, "target.mass", ".com" (3) and ".tensor" (6), in its own frame.

    poses (T, 4, 4): of the target's frame in the world.  twists (T, 6): its body-fixed velocity.
    known_momentum (T, 6): of all that is known, in world axes about the world's origin, linear part first.
    twist_noise, momentum_noise: standard deviations, one number or six; both None: each reading has noise of the same
    share of its own rms, of a size that the residuals tell.
    recording (T,): number of the stretch of time that each row belongs to; each has a μ₀ of its own.
    inertia: where the search starts; by least squares from the rows if None.
    """
    given = (("poses", poses), ("twists", twists), ("known_momentum", known_momentum))
    g, V, μ = (checked_numbers(x, where="identify_target", what=what) for what, x in given)
    T = len(g) if g.ndim else 0
    for what, x, shape in (("poses", g, (T, 4, 4)), ("twists", V, (T, 6)), ("known_momentum", μ, (T, 6))):
        if x.shape != shape or not np.all(np.isfinite(x)):
            raise wrong("identify_target", what, f"finite numbers {shape}", f"shape {x.shape}")
    if T < 4:
        raise wrong("identify_target", "rows", "4 or more", str(T))
    which = np.zeros(T, dtype=int) if recording is None else np.unique(recording, return_inverse=True)[1]
    start = _by_least_squares(g, V, μ, which) if inertia is None else inertia
    if (twist_noise is None) != (momentum_noise is None):
        raise wrong("identify_target", "noise", "of twists and momenta, or of neither", "of one")
    told = twist_noise is not None
    noise: dict[str, Any] = (
        {"v_noise": twist_noise, "u_noise": momentum_noise}
        if told
        else {"v_noise": _rms(V), "u_noise": _rms(μ)}
    )
    made = []
    for i in range(which.max() + 1):
        own = which == i
        rows: dict[str, Any] = {"q": numbers_from_pose(g[own]), "v": V[own], "u": μ[own]}
        made.append(Recording(np.arange(own.sum()), **rows, **noise, name=f"stretch {i}"))
    plant = _target()
    begin = {"mass": np.asarray(start.mass), "com": start.com, "tensor": _six(start.tensor)}
    space = parameter_space([replace(x, value=begin[x.field]) for x in plant._declared], None, prior)
    deviations = np.array([np.concatenate([r.noise("v", 6), r.noise("u", 6)]) for r in made])  # type: ignore[misc]
    limits = {"iterations": iterations, "tolerance": tolerance}
    equation = momentum_of(plant, True)
    return fit_rows(
        plant,
        plant,
        [0.0] * len(made),
        made,
        space,
        equation,
        (("v", "u"), deviations, told),
        "momentum",
        limits,
    )


@cache
def _target() -> Plant:
    """One free body in space."""
    inertia = Inertia(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    body = Body(name="target", parent="world", joint=Free(), inertia=inertia)
    return Plant(
        System(Tree(name="captured_target", bodies=(body,))),
        free=["target.mass", "target.com", "target.tensor"],
    )


def _six(J: Array) -> Array:
    return np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])


def _rms(x: Array) -> Array:
    found = np.sqrt((x**2).mean(axis=0))
    return np.where(found > 0, found, max(float(found.max()), 1e-12))


def _by_least_squares(g: Array, V: Array, μ: Array, which: np.ndarray) -> Inertia:
    """An inertia next to the least-squares solution of Ad⁻ᵀ L(V) ζ − μ₀ = −μ_known: a place to start from."""
    A = np.swapaxes(se3.Ad(se3.inverse(g)), 1, 2) @ momentum_columns(V)
    constants = np.zeros((len(g), 6, 6 * (which.max() + 1)))
    for i in range(which.max() + 1):
        constants[which == i, :, 6 * i : 6 * i + 6] = -np.eye(6)
    rows = np.concatenate([A, constants], axis=2).reshape(6 * len(g), -1)
    R = triangle(np.column_stack([rows, -μ.reshape(-1)]))
    ζ = np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=1e-9)[0][:10]
    m = ζ[0] if ζ[0] > 0 else 1.0
    c = ζ[1:4] / m
    xx, yy, zz, xy, xz, yz = ζ[4:]
    c_hat = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    J = nearest_tensor(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) + m * c_hat @ c_hat)
    size = max(float(np.trace(J)), 1e-3 * m)
    S = 0.5 * np.trace(J) * np.eye(3) - J
    λ, Q = np.linalg.eigh(S)
    S = (Q * np.maximum(λ, 1e-4 * size)) @ Q.T
    return Inertia(m, c, np.trace(S) * np.eye(3) - S)
