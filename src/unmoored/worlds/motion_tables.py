"""The tables in what a run is made of: trajectories and references through many points, found and left out.

Kernels get them by their address (`trace.span_table`), so that what they hold is no part of any key.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from ..trace.span_table import SpanTable
from .plants.plant_data import PlantData


def tables_in(x: Any) -> tuple[SpanTable, ...]:
    """All tables in a trajectory, a law, or a collection of them, each once, in the order of fields."""
    return tuple({id(table): table for table in _found(x)}.values())


def _found(x: Any) -> Iterator[SpanTable]:
    own = getattr(x, "_table", None)
    if isinstance(own, SpanTable):
        yield own
    else:
        for part in _parts(x):
            yield from _found(part)


def _parts(x: Any) -> list[Any]:
    if isinstance(x, PlantData):  # of a law: what acts there is the run's own plant
        return []
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return [getattr(x, field.name) for field in dataclasses.fields(x)]
    if isinstance(x, Mapping):
        return list(x.values())
    return list(x) if isinstance(x, tuple | list) else []


def without_content(x: Any) -> Any:
    """The same with only the form of every table: equal for those that kernels cannot tell apart."""
    own = getattr(x, "_table", None)
    if isinstance(own, SpanTable):
        return type(x).__name__, x.size, own.layout
    if not tables_in(x):
        return x
    if isinstance(x, Mapping):
        return {name: without_content(part) for name, part in x.items()}
    if isinstance(x, tuple | list):
        return tuple(map(without_content, x))
    changed = copy.copy(x)
    for field in dataclasses.fields(x):
        object.__setattr__(changed, field.name, without_content(getattr(x, field.name)))
    return changed
