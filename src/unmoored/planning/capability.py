"""What a plant's actuators can hold at most: the strongest current from every side, the largest force of a tool.

The plant rests at q. Its actuators give B f, lowest ≤ f ≤ highest, and have to give

    τ(α) = h(α) ,   h the forces that hold it in a current of speed α            (`current_capability`)
    τ(α) = h + α Jᵀ(Rᵀd ; 0) ,   d the direction in which the tool pushes         (`force_capability`)

along the DoFs that must be held. The largest α for which bounded least squares (theory.md §27) leaves nothing over is
found by bisection, all directions side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import kernels
from ..lie.arrays import apply, transpose
from ..model import ModelError
from ..model.value import checked_numbers
from ..worlds import Plant
from ..worlds.bounded_allocation import bounded_allocation
from ..worlds.equilibria.trim import input_bounds
from ..worlds.loads import setting
from .problem_checks import array, check_inputs_are_thrusts, configuration, wrong

#: part of the forces that may be missing where they count as held, and bisections
_MISSING, _HALVINGS, _DOUBLINGS = 1e-7, 50, 40
_FAR = 1e12


@dataclass(frozen=True, eq=False, repr=False)
class Capability:
    """largest (k,): speed of the current (m/s) or force (N) that is held at most, infinite where nothing limits it.

    directions (k, 3): in world axes.  inputs (k, nu): there.  limiting: names of the inputs that are at a limit there.
    """

    largest: np.ndarray
    directions: np.ndarray
    inputs: np.ndarray
    limiting: tuple[tuple[str, ...], ...]

    def __repr__(self) -> str:
        return f"<Capability: {self.largest.min():.4g} to {self.largest.max():.4g} in {len(self.largest)} directions>"


def current_capability(
    plant: Plant,
    q: npt.ArrayLike,
    headings: npt.ArrayLike,
    *,
    current: str = "ocean.current",
    dofs: Iterable[str] | None = None,
    p: npt.ArrayLike | None = None,
    t: float = 0.0,
) -> Capability:
    """The fastest steady current (m/s) that the plant can hold q (nq,) in, by where it flows to: headings (k,) [rad].

    The current is U (cos ψ, sin ψ, 0) in world axes. plant: with the parameter `current` free
    (`um.Plant(..., free=["ocean.current"])`).  dofs: joints and DoFs that must be held; all if None.
    """
    where = "current_capability"
    held = _held(where, plant, dofs)
    if current not in plant.free:
        expected = f"a plant whose {current} is free: um.Plant(…, free=[{current!r}])"
        raise wrong(where, "plant", expected, ", ".join(plant.free) or "nothing free")
    place = next(declared.place for declared in plant._declared if declared.name == current)
    q, ψ = (
        configuration(where, "q", plant, q),
        np.atleast_1d(checked_numbers(headings, where=where, what="headings")),
    )
    base = array(where, "p", plant.nominal_parameters if p is None else p, (len(plant.nominal_parameters),))
    if ψ.ndim != 1 or not np.all(np.isfinite(ψ)):
        raise wrong(where, "headings", "finite numbers (k,) [rad]", headings)
    d = np.stack([np.cos(ψ), np.sin(ψ), 0.0 * ψ], axis=-1)

    def needed(speed: np.ndarray) -> np.ndarray:
        values = np.tile(base, (len(d), 1))
        values[:, place] = speed[:, None] * d
        return np.asarray(plant.holding_forces(t, np.tile(q, (len(d), 1)), p=values))[:, held]

    return _capability(where, plant, q, held, needed, d, base, 1.0)


def force_capability(
    plant: Plant,
    q: npt.ArrayLike,
    frame: str,
    directions: npt.ArrayLike,
    *,
    dofs: Iterable[str] | None = None,
    p: npt.ArrayLike | None = None,
    t: float = 0.0,
) -> Capability:
    """The largest force (N) with which a frame can push at rest at q (nq,), by direction (k, 3) in world axes.

    dofs: joints and DoFs that must be held; all if None.
    """
    where = "force_capability"
    held = _held(where, plant, dofs)
    q = configuration(where, "q", plant, q)
    d = array(where, "directions", directions, (3,)).reshape(-1, 3)
    lengths = np.linalg.norm(d, axis=-1, keepdims=True)
    if not np.all(lengths > 0):
        raise wrong(where, "directions", "none of length zero", d.tolist())
    d = d / lengths
    base = array(where, "p", plant.nominal_parameters if p is None else p, (len(plant.nominal_parameters),))
    system = plant.system if p is None else plant.system_at(base)
    g, J = system.pose(q, frame), system.jacobian(q, frame)
    reaction = plant.velocities.joints.forces(apply(transpose(J[:3]), apply(transpose(g[:3, :3]), d)))
    rest = plant.velocities.joints.forces(np.asarray(plant.holding_forces(t, q, p=base)))

    def needed(force: np.ndarray) -> np.ndarray:
        return (rest + force[:, None] * reaction)[:, held]

    return _capability(where, plant, q, held, needed, d, base, 1.0)


def _held(where: str, plant: Any, dofs: Any) -> np.ndarray:
    if not isinstance(plant, Plant):
        raise wrong(where, "plant", "a Plant", plant)
    check_inputs_are_thrusts(where, plant)
    led = set(plant.velocities.joints.dofs)
    every = range(plant.nv) if dofs is None else plant.tree.dofs(dofs)
    return np.array([i for i in every if i not in led], dtype=int)


def _capability(
    where: str, plant: Plant, q: np.ndarray, held: np.ndarray, needed: Callable[[np.ndarray], np.ndarray],
    d: np.ndarray, p: np.ndarray, first: float,
) -> Capability:  # fmt: skip
    B = np.asarray(plant.allocation_matrix(q, p=p))[held]
    low, high = (np.clip(x, -_FAR, _FAR) for x in input_bounds(plant, setting(plant, p).actuators))
    share = kernels.compile(
        lambda B, τ, low, high: bounded_allocation(B, τ, low, high, 0.0),
        [B.shape, (len(held),), low.shape, high.shape], name="capability", exact_zeros=False,
    )  # fmt: skip
    lengths = np.linalg.norm(B, axis=1)
    scale = 1.0 / np.where(lengths > 0, lengths, 1.0)  # rows alike: forces and torques of every size count

    def left(α: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        τ = scale * needed(α)
        f, missing = share(scale[:, None] * B, τ, low, high)
        return f, np.linalg.norm(missing, axis=-1) - _MISSING * (1e-3 + np.linalg.norm(τ, axis=-1))

    bad = left(np.zeros(len(d)))[1] > 0
    if bad.any():
        missing = np.abs(needed(np.zeros(len(d)))[0] - B @ left(np.zeros(len(d)))[0][0])
        worst = plant.dof_names[held[int(np.argmax(missing))]]
        given = f"{missing.max():g} missing along {worst}"
        raise ModelError.single(
            where, "rest at q", expected="forces that the actuators can give", given=given
        )
    low_α, high_α = np.zeros(len(d)), np.full(len(d), first)
    for _ in range(_DOUBLINGS):
        good = left(high_α)[1] <= 0
        if not good.any():
            break
        low_α, high_α = np.where(good, high_α, low_α), np.where(good, 2.0 * high_α, high_α)
    endless = left(high_α)[1] <= 0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low_α + high_α)
        good = left(middle)[1] <= 0
        low_α, high_α = np.where(good, middle, low_α), np.where(good, high_α, middle)
    f = left(low_α)[0]
    near = 1e-6 * np.maximum(1.0, np.abs(f))
    limiting = tuple(
        tuple(plant.input_names[i] for i in np.flatnonzero((row <= low + tol) | (row >= high - tol)))
        for row, tol in zip(f, near, strict=True)
    )
    return Capability(np.where(endless, np.inf, low_α), d, f, limiting)
