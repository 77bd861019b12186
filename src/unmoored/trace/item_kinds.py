"""Items of a scan sorted into kinds, and their entries into constants, table columns and variables."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import Graph
from .nested_values import Form
from .symbol import Symbol

#: at most this many kinds when items are told apart by where their numbers are exactly 0, 1 or -1
_MOST_KINDS = 8


@dataclass(frozen=True, eq=False)
class Kind:
    """Items of one form. Entries are constants, columns of the table, or variables; equal ones once."""

    items: tuple[int, ...]
    form: Form
    #: for every entry: a number, or (0, column) or (1, variable)
    places: tuple[Any, ...]
    #: for every column and every variable, the first entry that it stands for
    column: tuple[int, ...]
    variable: tuple[int, ...]
    table: np.ndarray

    @property
    def columns(self) -> int:
        """Number of columns of the table."""
        return len(self.column)

    def symbols(self, graph: Graph, first_variable: int) -> list[Any]:
        """The entries in a step's graph: numbers, and inputs of the step."""
        bases = (0, first_variable)
        return [
            Symbol(graph, graph.node("input", bases[place[0]] + place[1]))
            if isinstance(place, tuple)
            else place
            for place in self.places
        ]

    def entry_of_input(self, k: int, carry: int) -> int | None:
        """The entry that a step's flat input stands for; None if it belongs to the carry."""
        if k < self.columns:
            return self.column[k]
        k -= self.columns + carry
        return self.variable[k] if k >= 0 else None


def group(kinds: Sequence[Hashable], items: Sequence[tuple[list[Any], Form]]) -> list[Kind]:
    """Kinds by key and form, and by the pattern of zeros and ones if that gives few of them."""
    plain = [(kind, form) for kind, (_, form) in zip(kinds, items, strict=True)]
    fine = [(key, _pattern(entries)) for key, (entries, _) in zip(plain, items, strict=True)]
    keys: list[Hashable] = fine if len(set(fine)) <= _MOST_KINDS else plain  # type: ignore[assignment]
    members: dict[Hashable, list[int]] = {}
    for item, key in enumerate(keys):
        members.setdefault(key, []).append(item)
    return [_kind(tuple(chosen), items) for chosen in members.values()]


def _pattern(entries: list[Any]) -> tuple:
    """Which entries are numbers, and which of those are exactly 0, 1 or -1."""
    return tuple(
        None if isinstance(entry, Symbol) else entry if entry in (0.0, 1.0, -1.0) else "number"
        for entry in entries
    )


def _bits(values: list[float]) -> bytes:
    return np.array(values, float).tobytes()


def _kind(chosen: tuple[int, ...], items: Sequence[tuple[list[Any], Form]]) -> Kind:
    places: list[Any] = []
    known: dict[Any, Any] = {}
    column: list[int] = []
    variable: list[int] = []
    for k in range(len(items[chosen[0]][0])):
        values = [items[item][0][k] for item in chosen]
        varies = any(v.__class__ is Symbol for v in values)
        # numbers are compared by their bits
        identity = (
            tuple(v.index if v.__class__ is Symbol else (v,) for v in values) if varies else _bits(values)
        )
        if identity not in known:
            if varies:
                known[identity] = (1, len(variable))
                variable.append(k)
            elif identity == _bits(values[:1]) * len(values):
                known[identity] = values[0]
            else:
                known[identity] = (0, len(column))
                column.append(k)
        places.append(known[identity])
    table = np.array([[items[item][0][k] for k in column] for item in chosen], float).reshape(
        len(chosen), len(column)
    )
    return Kind(chosen, items[chosen[0]][1], tuple(places), tuple(column), tuple(variable), table)
