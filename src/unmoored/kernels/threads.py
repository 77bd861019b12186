"""Large batches over several threads: the samples are cut into slots that the members of a team take."""

from __future__ import annotations

import ctypes
import os
import threading
from functools import lru_cache

from ..error_roots import ArrayError
from .processors import processors
from .team import Team

#: operations below which one thread is faster than handing work to others (a hundred microseconds)
WORTH_SHARING = 4_000_000
#: least operations of a slot (some microseconds), and most slots of a member
_SLOT, _MOST_SLOTS = 150_000, 256
_Piece = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
_team: Team | None = None
_making = threading.Lock()


def available() -> int:
    """Threads to use: $UNMOORED_THREADS, else as many as processors that this process may use."""
    chosen = os.environ.get("UNMOORED_THREADS")
    if chosen:
        try:
            return max(1, int(chosen))
        except ValueError:
            raise ArrayError(f"UNMOORED_THREADS must be a whole number, got {chosen!r}") from None
    return processors()


def share(
    function: int, context: int | bytes, samples: int, operations: int, unit: int, least: int = 1
) -> None:
    """Call `void function(context, first, last)` for all samples; the ranges begin at multiples of `unit`.

    function: its address.  context: an address, or what is there.  operations: of one sample.  least: samples that a
    range should have, if there are enough.

    They run side by side if that is worth it, and if no other thread of the process has the team just then.
    """
    units, allowed = -(-samples // unit), 1
    if samples * operations >= WORTH_SHARING and units > 1:
        allowed = available()
    if allowed > 1:
        team = _team_of(allowed)
        members = min(team.members, units)
        slots, chunk = _cut(samples, operations, unit, least, members)
        if team.run(function, context, samples, chunk, slots, members):
            return
    _Piece(function)(context, 0, samples)


@lru_cache(maxsize=256)
def _cut(samples: int, operations: int, unit: int, least: int, members: int) -> tuple[int, int]:
    """Slots of every member, and samples of a slot."""
    units = -(-samples // unit)
    wanted = min(samples * operations // (members * _SLOT), samples // (members * least), _MOST_SLOTS)
    slots = even_slots(units, members, max(1, min(wanted, -(-units // members))))
    return slots, -(-units // (members * slots)) * unit


def even_slots(units: int, members: int, wanted: int) -> int:
    """About as many slots of a member as wanted, such that no member has many more units to do than others."""
    choices = range(-(-wanted // 2), min(wanted + wanted // 4, _MOST_SLOTS) + 1)
    return min(choices, key=lambda slots: (-(-units // (members * slots)) * slots, -slots))


def _team_of(members: int) -> Team:
    """The team of this process; a new one takes the place of one of another size."""
    global _team
    with _making:
        if _team is None or _team.most != members:
            if _team is not None:
                _team.retire()
            _team = Team(members)
        return _team


def _forget_team() -> None:
    global _team, _making
    _team, _making = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_team)  # threads do not survive a fork
