"""The data around a function as it was before the function was traced, to be put back afterwards.

Tracing calls a function with symbols. One that keeps something between calls would be left holding them.
"""

from __future__ import annotations

import collections
import random
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .code_digest import names_in
from .dependencies import fingerprint
from .object_parts import filled_slots, slots
from .object_walk import GENERATORS, Walk


class Snapshot(Walk):
    """Everything that can be reached from some things and could change."""

    def __init__(self, *things: Any, busy: frozenset[int] = frozenset(), undo: list | None = None):
        super().__init__(busy)
        self._undo: list[Callable[[], None]] = [] if undo is None else undo
        self._generators: list[tuple[Any, bytes]] = []
        if undo is None:  # those of the process, too, which any function can use
            for one in (random._inst, np.random.mtrand._rand):  # type: ignore[attr-defined]
                self.changeable(one)
        for thing in things:
            self.visit(thing)
        self.finish()

    def restore(self) -> None:
        """Put everything back as it was."""
        for put_back in self._undo:
            put_back()

    @property
    def drawn(self) -> bool:
        """Whether random numbers were drawn since."""
        return any(fingerprint(_sown(x)).digest != before for x, before in self._generators)

    def changeable(self, x: Any) -> None:
        super().changeable(x)
        if isinstance(x, GENERATORS):
            self._generators.append((x, fingerprint(_sown(x)).digest))
        self._undo += [
            put_back for put_back in (_put_back(x), _put_back_attributes(x)) if put_back is not None
        ]

    def _take_over(self, inside: Walk) -> None:
        super()._take_over(inside)
        assert isinstance(inside, Snapshot)
        self._generators += inside._generators

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
    if isinstance(x, GENERATORS):
        return partial(_sow, x, _sown(x))
    return None


def _sown(x: Any) -> Any:
    """The state of a generator of random numbers."""
    if isinstance(x, np.random.RandomState):
        return x.get_state(legacy=False)
    if isinstance(x, random.Random):
        return x.getstate()
    return (x.bit_generator if isinstance(x, np.random.Generator) else x).state


def _sow(x: Any, state: Any) -> None:
    if isinstance(x, np.random.RandomState):
        x.set_state(state)
    elif isinstance(x, random.Random):
        x.setstate(state)
    else:
        (x.bit_generator if isinstance(x, np.random.Generator) else x).state = state


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
