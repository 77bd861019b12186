"""Unknowns and conditions of an equilibrium by name: degrees of freedom and inputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import ModelError
from ...model.errors import unknown_name
from ...system.argument_kinds import checked_array
from ...system.nan_samples import refuse_nan
from ..plants.plant_equations import passive_mask

if TYPE_CHECKING:
    from ..plants.plant import Plant


def one_sample(plant: Plant, q0: Any, t: Any, p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (nq,), t (), p (n,), refused with a batch or with NaN."""
    given = {
        "q0": checked_array(plant.name, "q0", q0, (plant.nq,)),
        "t": checked_array(plant.name, "t", t, ()),
        "p": checked_array(
            plant.name, "p", plant.nominal_parameters if p is None else p, plant.nominal_parameters.shape
        ),
    }
    for name, x in given.items():
        if x.ndim > (name != "t"):
            raise ModelError.single(
                plant.name, name, expected="one state, no batch", given=f"shape {x.shape}"
            )
    refuse_nan(plant, given)
    q, t, p = (np.asarray(x, dtype=float) for x in given.values())
    return q, t, p


def free_unknowns(plant: Plant, names: str | Iterable[str], t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(indices of DoFs, of inputs) that are free; "q.elbow" is a joint, "u.elbow" an input of the same name."""
    dofs: set[int] = set()
    inputs: set[int] = set()
    for name in _listed(plant, "free", names):
        moved, driven = _dofs_named(plant, name), _inputs_named(plant, name)
        if not moved and not driven and name.startswith("q."):
            moved = _dofs_named(plant, name[2:])
        if not moved and not driven and name.startswith("u."):
            driven = _inputs_named(plant, name[2:])
        if moved and driven:
            expected = f"'q.{name}' for the configuration or 'u.{name}' for the input"
            raise ModelError.single(plant.name, "free", expected=expected, given=f"{name!r}, which is both")
        if not moved and not driven:
            known = (*plant.dof_names, *plant.input_names)
            raise unknown_name(plant.name, "degree of freedom or input (free=…)", name, known)
        dofs |= moved
        inputs |= driven
    _refuse_prescribed(plant, "free", dofs, t)
    return np.array(sorted(dofs), dtype=int), np.array(sorted(inputs), dtype=int)


def vanishing_dofs(plant: Plant, names: str | Iterable[str], t: np.ndarray) -> np.ndarray:
    """Indices of the DoFs whose acceleration must vanish."""
    found = plant.tree.dofs(_listed(plant, "zero", names))
    _refuse_prescribed(plant, "zero", set(found.tolist()), t)
    return found


def _listed(plant: Plant, what: str, names: str | Iterable[str]) -> list[str]:
    try:
        listed = [names] if isinstance(names, str) else list(names)
    except TypeError:
        listed = []
    if not listed or not all(isinstance(name, str) for name in listed):
        expected = "names of degrees of freedom" + (" or inputs" if what == "free" else "")
        raise ModelError.single(plant.name, what, expected=expected, given=repr(names))
    return listed


def _dofs_named(plant: Plant, name: str) -> set[int]:
    try:
        return set(plant.tree.dofs(name).tolist())
    except ModelError:
        return set()


def _inputs_named(plant: Plant, name: str) -> set[int]:
    """Indices of the input with this name, or of all inputs of the actuator with it."""
    own = {i for i, known in enumerate(plant.input_names) if known == name}
    if plant.actuators is None or own:
        return own
    labels = [actuator.label for actuator in plant.actuators for _ in actuator.inputs(plant.tree)]
    return {i for i, label in enumerate(labels) if label == name}


def _refuse_prescribed(plant: Plant, what: str, dofs: set[int], t: np.ndarray) -> None:
    """What a leader or, at time t, a trajectory moves can neither be free nor be asked to rest."""
    for dof, leader in plant.velocities.joints.dofs.items():
        if dof in dofs:
            expected = f"{plant.dof_names[leader]!r}, which leads it"
            raise ModelError.single(plant.name, what, expected=expected, given=repr(plant.dof_names[dof]))
    moved = sorted(dofs & set(np.flatnonzero(np.asarray(passive_mask(plant, t)) == 0).tolist()))
    if moved:
        expected = "degrees of freedom that no trajectory prescribes"
        raise ModelError.single(plant.name, what, expected=expected, given=repr(plant.dof_names[moved[0]]))
