"""Inputs that are given, and forces shared out among actuators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..lie.arrays import apply, solved, transpose
from ..model import ModelError
from ..model.errors import unknown_name
from ..model.field_types import Number
from ..model.renamed import renamed_fields
from ..model.value import replace_arrays
from ..worlds.law import Law, respond
from .law_parts import check_plant, gain


class Inputs(Law):
    """Constant inputs by name, {input: value}; the rest is zero. values: or all of them, (nu,) or (samples, nu)."""

    plant: Any
    values: Annotated[Any, Mapping[str, Number]]

    def __post_init__(self) -> None:
        check_plant("Inputs", self.plant)
        names = self.plant.input_names
        values = self.values
        if isinstance(values, Mapping):
            for name in values:
                if name not in names:
                    raise unknown_name("Inputs", "input", name, names)
            columns = np.broadcast_arrays(*(np.asarray(values.get(name, 0.0), dtype=float) for name in names))
            values = np.stack(columns, axis=-1)
        replace_arrays(self, values=gain("Inputs", "values", values, (len(names),)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {"values": (len(self.plant.input_names),)}

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.values + 0.0 * v[..., :1]


@renamed_fields(regularisation="regularization")
class Allocated(Law):
    """A law that gives forces along the DoFs, shared out among the actuators of a plant: Bᵀ(B Bᵀ + ε² 1)⁻¹ τ.

    plant: with actuators that take thrusts or forces as they are: no azimuth, no curve.
    law: gives forces (..., nv).  regularization: ε, in the units of B's entries; limits are the actuators' own.
    For thrusts within limits by least squares, call `unmoored.allocate` from a law in Python.
    """

    plant: Any
    law: Law
    regularization: float = 1e-3

    def __post_init__(self) -> None:
        check_plant("Allocated", self.plant)
        if self.plant.actuators is None or self.plant.thrust_names != self.plant.input_names:
            given = ", ".join(self.plant.thrust_names) if self.plant.actuators else "no actuators"
            raise ModelError.single(
                "Allocated", "actuators", expected="inputs that are thrusts or forces", given=given
            )
        for actuator in self.plant.actuators:
            if getattr(actuator, "curve", None) is not None:
                raise ModelError.single(actuator.label, "curve", expected="none, for Allocated", given="one")

    @property
    def has_memory(self) -> bool:
        """Whether the law inside is in the full form."""
        return self.law.has_memory

    @property
    def memory(self) -> dict[str, Any]:
        """That of the law inside."""
        return self.law.memory  # type: ignore[attr-defined]

    def __call__(self, *seen: Any) -> Any:
        if len(seen) == 3:
            t, q, v = seen
            return self._shared_out(q, self.law(t, q, v))
        now, memory = seen
        forces, memory = respond(self.law, now, memory)
        return self._shared_out(now.q, forces), memory

    def _shared_out(self, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Inputs (..., nu) for forces (..., nv)."""
        B = self.plant.allocation_matrix(q)
        square = B @ transpose(B) + self.regularization**2 * np.eye(self.plant.nv)
        return apply(transpose(B), solved(square, forces))
