"""What a function of the user's depends on, as far as it can be seen: code, closure, globals, defaults, attributes.

Two fingerprints are equal if everything that was seen is; what cannot be seen into (iterators, random generators,
objects of other languages) is named. Files and clocks cannot be noticed at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .object_walk import Walk


class Fingerprint(NamedTuple):
    """digest: of all that was seen.  code: names of functions and classes that are not this package's.  unseen: what
    could not be seen into.  kept: objects that are told apart by identity; as long as they are kept, no other has the
    same."""

    digest: bytes
    code: tuple[str, ...]
    unseen: tuple[str, ...]
    kept: tuple[Any, ...]

    @property
    def own(self) -> bool:
        """Whether all code is this package's."""
        return not self.code and not self.unseen


def fingerprint(*things: Any, with_caches: bool = True) -> Fingerprint:
    """The fingerprint of functions and data; with_caches: with the values that cached properties have kept."""
    walk = Walk()
    walk.with_caches = with_caches
    try:
        for thing in things:
            walk.visit(thing)
        walk.finish()
    except RecursionError:
        walk.unseen.append("data nested too deeply")
    return Fingerprint(walk.hash.digest(), tuple(walk.code), tuple(walk.unseen), tuple(walk.kept))
