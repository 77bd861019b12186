"""What was used last, at most so much of it."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

#: one for all: it is held for a microsecond. Keys that are compared may look something up themselves.
_lock = threading.RLock()


def _free_in_child() -> None:
    """Whoever held the lock is not in the child; what was between two of its steps there is whole."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_in_child)


class Recent(OrderedDict[K, V]):
    """Values by their keys, of which the one that was used least recently goes when there are more than `most`.

    Any number of threads may look and keep at once.
    """

    def __init__(self, most: int):
        super().__init__()
        self.most = most

    def find(self, key: K) -> V | None:
        """The value, which counts as used now; None if there is none."""
        with _lock:
            if key not in self:
                return None
            self.move_to_end(key)
            return self[key]

    def keep(self, key: K, value: V) -> V:
        """The value, kept in the place of an older one of this key."""
        with _lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > self.most:
                self.popitem(last=False)
        return value

    def shared(self, key: K, value: V) -> V:
        """The value that is kept; this one if there is none."""
        with _lock:
            found = self.find(key)
            return self.keep(key, value) if found is None else found


def keep_within(most: int, kept: dict[K, V], key: K, value: V) -> None:
    """Put a value into a plain dictionary, out of which the oldest go; plain, because lookups in it must be quick."""
    with _lock:
        kept[key] = value
        while len(kept) > most:
            del kept[next(iter(kept))]
