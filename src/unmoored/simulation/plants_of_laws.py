"""Whether laws were made for the plant that they drive: a law goes by the places of DoFs and inputs, not by names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..model import ModelError
from ..worlds import Law, Plant


def check_plants_of_laws(law: Any, plant: Plant) -> None:
    """Refuse a law, or one inside it, that was made for a plant with other DoFs or inputs, or in another order.

    Inputs count where that plant has actuators; all other things may differ, as a law's model may be wrong.
    """
    for one in _laws_in(law):
        own = vars(one).get("plant")
        if not isinstance(own, Plant) or own is plant:
            continue
        _check_same(one, "DoFs", own.tree.dof_names, plant.tree.dof_names)
        _check_same(one, "coordinates", own.coordinate_names, plant.coordinate_names)
        if own.actuators is not None:
            _check_same(one, "inputs", own.input_names, plant.input_names)


def _laws_in(x: Any) -> Iterator[Law]:
    """The law and all that are in its fields, and so on."""
    if isinstance(x, tuple | list):
        for one in x:
            yield from _laws_in(one)
    elif isinstance(x, Law):
        yield x
        yield from _laws_in(list(vars(x).values()))


def _check_same(law: Law, what: str, own: Sequence[str], run: Sequence[str]) -> None:
    if tuple(own) == tuple(run):
        return
    k = next((i for i, name in enumerate(own) if i >= len(run) or name != run[i]), len(own))
    a, b = (repr(names[k]) if k < len(names) else f"{len(names)} in all" for names in (own, run))
    expected = f"that of the run, or one with the same {what} in the same order: {what}[{k}] {b}"
    raise ModelError.single(f"law {type(law).__name__}", "plant", expected=expected, given=a)
