"""The data around a function as it was before the function was traced, to be put back afterwards.

Tracing calls a function with symbols. One that keeps something between calls would be left holding them.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .code_digest import names_in
from .dependencies import Walk, filled_slots, slots


class Snapshot(Walk):
    """Everything that can be reached from some things and could change."""

    def __init__(self, *things: Any, busy: frozenset[int] = frozenset(), undo: list | None = None):
        super().__init__(busy)
        self._undo: list[Callable[[], None]] = [] if undo is None else undo
        for thing in things:
            self.visit(thing)
        self.finish()

    def restore(self) -> None:
        """Put everything back as it was."""
        for put_back in self._undo:
            put_back()

    def changeable(self, x: Any) -> None:
        super().changeable(x)
        self._undo += [
            put_back for put_back in (_put_back(x), _put_back_attributes(x)) if put_back is not None
        ]

    def _inside(self, x: Any) -> Walk:
        return Snapshot(busy=self._busy | {id(x)}, undo=self._undo)


def _put_back(x: Any) -> Callable[[], None] | None:
    """A function that gives x its present content again."""
    if isinstance(x, np.ndarray):
        return partial(np.copyto, x, x.copy())
    if isinstance(x, list | collections.deque):
        return partial(_refill, x, x.extend, list(x))
    if isinstance(x, dict | set):
        return partial(_refill, x, x.update, x.copy())
    if isinstance(x, types.CellType):
        return partial(_refill_cell, x, _content(x))
    if isinstance(x, types.FunctionType):
        names = {name: x.__globals__[name] for name in names_in(x.__code__) if name in x.__globals__}
        return partial(_put_back_globals, x, names, dict(vars(x)))
    if isinstance(x, np.random.Generator):
        return partial(setattr, x.bit_generator, "state", x.bit_generator.state)
    if isinstance(x, np.random.RandomState):
        return partial(x.set_state, x.get_state())
    return None


def _put_back_attributes(x: Any) -> Callable[[], None] | None:
    """A function that gives x its present attributes again."""
    if isinstance(x, type | types.ModuleType):
        return partial(_set_attributes, x, dict(vars(x)))
    if isinstance(x, types.FunctionType):
        return None
    own = getattr(x, "__dict__", None)
    if not slots(type(x)):
        return None if not isinstance(own, dict) else partial(_refill, own, own.update, dict(own))
    filled = {name: getattr(x, name) for name in filled_slots(x, type(x))}
    return partial(_set_slots, x, filled, None if not isinstance(own, dict) else dict(own))


_EMPTY = object()


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _refill(container: Any, fill: Callable[[Any], Any], content: Any) -> None:
    container.clear()
    fill(content)


def _set_attributes(x: Any, attributes: dict[str, Any]) -> None:
    now = dict(vars(x))
    for name in now.keys() - attributes.keys():
        delattr(x, name)
    for name, value in attributes.items():
        if name not in now or now[name] is not value:
            setattr(x, name, value)


def _set_slots(x: Any, filled: dict[str, Any], attributes: dict[str, Any] | None) -> None:
    for name in set(filled_slots(x, type(x))) - filled.keys():
        object.__delattr__(x, name)
    for name, value in filled.items():
        if getattr(x, name) is not value:
            object.__setattr__(x, name, value)
    if attributes is not None:
        _refill(vars(x), vars(x).update, attributes)


def _refill_cell(cell: types.CellType, content: Any) -> None:
    if content is _EMPTY:
        del cell.cell_contents
    else:
        cell.cell_contents = content


def _put_back_globals(
    function: types.FunctionType, names: dict[str, Any], attributes: dict[str, Any]
) -> None:
    for name, value in names.items():
        if function.__globals__.get(name) is not value:
            function.__globals__[name] = value
    if dict(vars(function)) != attributes:
        _refill(vars(function), vars(function).update, attributes)
