"""What functions and data say, as a digest that is the same in every process: to compare those of a run with those that
are given to resume it.

Unlike `fingerprint`, which tells things apart within a process: nothing is told apart by identity, functions are known
by their source, and notes and pictures do not count. What cannot be seen into counts by its type only.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable
from typing import Any

from .code_walk import visit_class
from .graph_digest import graph_digest
from .kept_data import Snapshot
from .object_walk import Walk
from .traced import trace

_NOTES = frozenset(("visuals", "description", "sources", "assumptions"))


def lasting_digest(*things: Any) -> str:
    """Hexadecimal digits for what functions and data say."""
    walk = _LastingWalk()
    walk.with_caches = False
    for thing in things:
        walk.visit(thing)
    walk.finish()
    return walk.hash.hexdigest()


def lasting_digest_of_graph(function: Callable[..., Any], *shapes: tuple[int, ...]) -> str:
    """The digest of the graph that a function makes of arrays of these shapes; of its source if it makes none."""
    before = Snapshot(function)
    try:
        return graph_digest(trace(function, *shapes, name="compared"))
    except Exception:
        return lasting_digest(function)
    finally:
        before.restore()


class _LastingWalk(Walk):
    def _object(self, x: Any) -> None:
        if not dataclasses.is_dataclass(x) or isinstance(x, type):
            super()._object(x)
            return
        visit_class(self, type(x))
        shown = [field.name for field in dataclasses.fields(x) if field.name not in _NOTES]
        self.visit_all("fields", [part for name in shown for part in (name, getattr(x, name, None))])

    def _own_value(self, x: Any, parts: Callable[[], Any]) -> None:
        self.visit_all(type(x).__qualname__, parts())

    def source(self, x: types.FunctionType) -> None:
        try:
            self.add("source", inspect.getsource(x).encode())
        except (OSError, TypeError):
            super().source(x)

    def surroundings(self, x: types.FunctionType, names: frozenset[str]) -> None:
        """Nothing: every process has an environment of its own."""

    def _by_identity(self, x: Any) -> None:
        names = getattr(x, "__dict__", None) or getattr(type(x), "__slots__", ())
        self.add("object", type(x).__qualname__.encode())
        self.visit_all("state", [part for name in names for part in (name, getattr(x, name, None))])

    def hidden(self, x: Any) -> None:
        self.add("hidden", type(x).__qualname__.encode())

    def _inside(self, x: Any) -> Walk:
        return _LastingWalk(self._busy | {id(x)})
