"""The equations that recorded rows fulfil: conserved momentum, and accelerations."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..model import Free
from ..worlds import Plant, Space
from .recording import Recording, wrong


class Equation(NamedTuple):
    """function: (t, q, v, a, u, x, p) ↦ (k,).  names: of its entries.  constant: whether it is one number per
    recording that is not known, else zero.  noisy: which readings are in it, the noisiest first."""

    function: Callable[..., Any]
    names: tuple[str, ...]
    constant: bool
    noisy: tuple[str, ...]


def momentum_equation(plant: Plant, recordings: list[Recording]) -> Equation:
    """The momentum of everything, about the world's origin in world axes, is the same in all rows: no accelerations,
    and no forces of joints. Only where nothing outside acts."""
    outside = [world.name for world in plant.worlds if not isinstance(world, Space) or world.in_orbit]
    roots = [link for link in plant.tree.links if link.parent < 0]
    if outside or not all(isinstance(link.joint, Free) for link in roots):
        expected = 'a free vehicle in space: nothing outside acts on it; by="trajectories" takes the rest'
        raise wrong("identify", 'by="momentum"', expected, ", ".join(outside) or "a vehicle that is not free")
    _refuse_outer_inputs(plant, recordings)
    for closure in plant.closures:
        if any(plant.system.tree.locate(name)[0] < 0 for name in (closure.frame_a, closure.frame_b)):
            raise wrong("identify", 'by="momentum"', "no closure on the world, which pushes", closure.label)
    return momentum_of(plant, False)


MOMENTA = tuple(f"{kind} momentum {axis}" for kind in ("linear", "angular") for axis in "xyz")


@lru_cache(maxsize=32)
def momentum_of(plant: Plant, with_inputs: bool) -> Equation:
    """The plant's momentum, to which its six inputs are added if they stand for that of others."""

    def momentum(t: Any, q: Any, v: Any, a: Any, u: Any, x: Any, p: Any) -> Any:
        own = plant.momentum(t, q, v, x if plant.nx else None, p=p)
        return own + u if with_inputs else own

    return Equation(momentum, MOMENTA, True, ("v", "u") if with_inputs else ("v", "q"))


def acceleration_equation(plant: Plant, recordings: list[Recording]) -> Equation:
    """The equations of motion at (q, v, a, u), of all DoFs that nothing prescribes."""
    # readings with noise are off the closures: which rows of a loop are redundant is not told there
    if plant.closures:
        expected = 'no closures: by="trajectories" or by="energy"'
        raise wrong("identify", 'by="accelerations"', expected, plant.closures[0].label)
    for recording in recordings:
        if recording.a is None:
            raise wrong(
                recording.name, "a", 'accelerations, by="accelerations" (record() differentiates)', "none"
            )
    return _acceleration_of(plant)


@lru_cache(maxsize=32)
def _acceleration_of(plant: Plant) -> Equation:
    """Forces that the inputs give less those that the accelerations take: linear in all inertial numbers and friction.

    Where ties have forces that nobody recorded, accelerations of the model less the recorded ones.
    """
    driven = set(plant.velocities.driven.tolist())
    dofs = np.array([k for k in range(plant.nv) if k not in driven], dtype=int)
    noisy = ("a", "v", "q", "u") if plant.nu else ("a", "v", "q")

    def forces(t: Any, q: Any, v: Any, a: Any, u: Any, x: Any, p: Any) -> Any:
        taken = plant.inverse_dynamics(t, q, v, a, p=p)
        if not plant.nu:
            return -taken[dofs]
        return (plant.delivered_forces(t, q, v, u, x=x if plant.nx else None, p=p) - taken)[dofs]

    if not (plant.constraints or plant.closures or plant.velocities.joints.dofs):
        return Equation(forces, tuple(f"force {plant.dof_names[k]}" for k in dofs), False, noisy)

    def rest(t: Any, q: Any, v: Any, a: Any, u: Any, x: Any, p: Any) -> Any:
        found = plant.forward_dynamics(t, q, v, u if plant.nu else None, x=x if plant.nx else None, p=p)
        return (found - a)[dofs]

    names = tuple(f"acceleration {plant.dof_names[k]}" for k in dofs)
    return Equation(rest, names, False, noisy)


def _refuse_outer_inputs(plant: Plant, recordings: list[Recording]) -> None:
    """Inputs along a vehicle's own DoFs, or thrusters, change the momentum."""
    if plant.actuators is not None:
        outer = [a.label for a in plant.actuators if type(a).__name__ not in ("JointMotor", "ReactionWheel")]
        if outer and any(r.u is not None and np.any(r.u) for r in recordings):
            raise wrong("identify", 'by="momentum"', "no thrust", ", ".join(outer))
        return
    for link in plant.tree.links:
        for recording in recordings if link.parent < 0 else ():
            if recording.u is not None and np.any(recording.u[:, link.v]):
                raise wrong(recording.name, 'u, by="momentum"', f"no force on {link.name}", "some")
