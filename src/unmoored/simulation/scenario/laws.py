"""The controller of a scenario: its laws added up, their gains swept, forces shared out among the actuators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...control import Allocated, Inputs, Unloading
from ...model.errors import unknown_name
from ...worlds import Law

Maker = Callable[..., Law]


def controller_of(
    makers: Sequence[Maker], plant: Any, swept: Mapping[str, np.ndarray], allocation: Mapping[str, Any],
    unloading: Mapping[str, Any] | None = None,
) -> Law | None:  # fmt: skip
    """The sum of the laws that the makers give; None without any.

    Forces along DoFs are shared out among the plant's actuators, if it has some. swept: {"0.stiffness": (S, n)},
    gains by the number of the law in the list, which its maker takes by name.  allocation: options of `Allocated`;
    unloading: those of `Unloading`, which then does it.
    """
    laws = [_swept(i, make, swept) for i, make in enumerate(makers)]
    given: list[Law] = [law for law in laws if isinstance(law, Inputs)]
    forces = [law for law in laws if not isinstance(law, Inputs)]
    if forces:
        total = sum(forces[1:], forces[0])
        given.append(_shared_out(total, plant, allocation, unloading))
    return sum(given[1:], given[0]) if given else None


def _shared_out(
    law: Law, plant: Any, allocation: Mapping[str, Any], unloading: Mapping[str, Any] | None
) -> Law:
    if plant.actuators is None:
        return law
    return Allocated(plant, law, **allocation) if unloading is None else Unloading(plant, law, **unloading)


def _swept(i: int, make: Maker, swept: Mapping[str, np.ndarray]) -> Law:
    """Law i with its swept gains in the place of its own."""
    nominal = make()
    own = {key.partition(".")[2]: x for key, x in swept.items() if key.partition(".")[0] == str(i)}
    shapes, names = dict(nominal.shapes), {field.name for field in fields(nominal)}  # type: ignore[arg-type]
    known = [name for name, shape in shapes.items() if len(shape) < 2 and name in names]
    for name in own:
        if name not in known:
            raise unknown_name(f"controllers[{i}]", "gain to sweep", name, known)
    return make(**{name: _spread(x, shapes[name]) for name, x in own.items()}) if own else nominal


def _spread(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Swept gains (S,) or (S, n) as (S, *shape): one number stands for all DoFs."""
    return np.repeat(values[:, None], shape[0], axis=1) if shape and values.ndim == 1 else values
