"""Machine code from the disk cache, or compiled by one thread while others that want the same wait for it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from . import disk_cache
from .disk_cache import Entry

_log = logging.getLogger("unmoored")
_guard = threading.RLock()
_under_way: dict[str, Future[Entry]] = {}
#: whether a fork that is under way has taken the guard
_taken: list[bool] = []


def compiled_once(place: str | None, name: str, compiled: Callable[[], Entry]) -> Entry:
    """The entry at a place of the disk cache, else what `compiled` makes, which is put there.

    place: None for code that is not kept, which every caller makes anew.  name: for the log.
    """
    if place is None:
        return _timed(name, compiled)
    with _guard:
        waiting = _under_way.get(place)
        mine = _under_way.setdefault(place, Future())
    if waiting is not None:
        _log.debug("wait %s: another thread compiles it", name)
        return waiting.result()
    try:
        entry = _from_cache(place, name, compiled)
        mine.set_result(entry)
        return entry
    except BaseException as error:
        mine.set_exception(error)
        raise
    finally:
        with _guard:
            _under_way.pop(place, None)


def _from_cache(place: str, name: str, compiled: Callable[[], Entry]) -> Entry:
    entry = disk_cache.read(place)
    if entry is not None:
        _log.debug("cache hit %s: %s", name, place)
        return entry
    _log.debug("cache miss %s: %s", name, place)
    entry = _timed(name, compiled)
    disk_cache.write(place, entry)
    return entry


def _timed(name: str, compiled: Callable[[], Entry]) -> Entry:
    started = time.perf_counter()
    entry = compiled()
    _log.info(
        "compiled %s: %s operations in %.3f s", name, entry.facts["operations"], time.perf_counter() - started
    )
    return entry


def _take() -> None:
    _guard.acquire()
    _taken.append(True)


def _give_back() -> None:
    if _taken:  # not if this module was imported while a fork was about to begin
        _taken.pop()
        _guard.release()


def _alone() -> None:
    """In the child of a fork: the threads that were compiling are not there, and nobody is to wait for them."""
    _under_way.clear()
    _give_back()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take, after_in_parent=_give_back, after_in_child=_alone)
