"""Inputs that are given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from ..model.errors import unknown_name
from ..model.field_types import Number
from ..model.value import replace_arrays
from ..worlds.law import Law
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
            columns = np.broadcast_arrays(*(values.get(name, 0.0) for name in names))
            values = np.stack(columns, axis=-1)
        replace_arrays(self, values=gain("Inputs", "values", values, (len(names),)))

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the gains for one sample."""
        return {"values": (len(self.plant.input_names),)}

    def __call__(self, t: Any, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self.values + 0.0 * v[..., :1]
