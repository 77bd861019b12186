"""Threads that take part in jobs of machine code; between jobs they look for the next one for a moment, then sleep.

A thread that sleeps costs tens of microseconds to wake, which is as long as many jobs take; one that looks at a word of
memory sees a job at once. Nothing of Python is needed while a job runs.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import cache

import numpy as np

from . import disk_cache, machine_code
from .cache_key import place as place_of
from .compile_once import compiled_once
from .number_formats import FLOAT64
from .team_source import LINE, team_bytes, team_source

#: how long a thread looks for another job before it sleeps (s)
_PATIENCE = 2e-4
_FOR_EVER = 2**62
_Number = ctypes.c_int64
# those that may take long release the interpreter's lock
_Begin = ctypes.PYFUNCTYPE(None, _Number, _Number, ctypes.c_void_p, *[_Number] * 5)
_Finish = ctypes.CFUNCTYPE(_Number, _Number, _Number)
_Serve = ctypes.CFUNCTYPE(None, *[_Number] * 4)
_Turns = ctypes.PYFUNCTYPE(None, _Number)
_give_way: Callable[[], object] = getattr(os, "sched_yield", None) or (lambda: time.sleep(0))


class TeamCode:
    """The functions of `team_source`. They stay for ever: threads are in them until the process ends."""

    def __init__(self, futexes: bool) -> None:
        def compiled() -> disk_cache.Entry:
            source = team_source(machine_code.host().architecture, futexes)
            return disk_cache.Entry({"operations": 0}, machine_code.assemble(source))

        place = place_of("team", f"futexes: {futexes}", "team", FLOAT64, 1)
        names = ("begin", "finish", "serve", "leave", "rest", "pieces")
        self._loaded = machine_code.LoadedCode(compiled_once(place, "team", compiled).code, names)
        begin, finish, serve, leave, rest, self.pieces = self._loaded.addresses
        self.begin, self.finish, self.serve = _Begin(begin), _Finish(finish), _Serve(serve)
        self.leave = _Turns(leave)
        #: how often one looks before one sleeps
        self.patience = _turns(_Turns(rest), _PATIENCE)


def _turns(rest: Callable[[int], None], wanted: float) -> int:
    """So many turns of resting take `wanted` seconds."""
    turns, seconds = 1000, 1.0
    for _ in range(3):
        started = time.perf_counter()
        rest(turns)
        seconds = min(seconds, time.perf_counter() - started)
    return max(1, int(turns * wanted / max(seconds, 1e-7)))


@cache
def team_code(futexes: bool = sys.platform == "linux") -> TeamCode:
    """The machine code that all teams share. futexes: whether the system has them."""
    return TeamCode(futexes)


class Team:
    """A number of members: the thread that has a job, and others that wait for one."""

    def __init__(self, most: int, code: TeamCode | None = None) -> None:
        """most: members, unless the system refuses some of the threads."""
        self._code = code or team_code()
        self._memory = np.zeros(team_bytes(most) + LINE, np.uint8)
        self._address = -(-self._memory.ctypes.data // LINE) * LINE
        self._busy = threading.Lock()
        #: gates of threads that sleep before them, where they do not in machine code
        self._asleep: list[threading.Lock] = []
        self._to_wake = 0
        self._retired = False
        self.most = self.members = most
        for member in range(1, most):
            thread = threading.Thread(target=self._serve, args=(member,), name="unmoored", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # no more threads here, or the interpreter is about to end
                self.members = member
                break

    def run(
        self, function: int, context: int | bytes, samples: int, chunk: int, slots: int, members: int
    ) -> bool:
        """function(context, first, last) for all samples, in slots of `chunk`, so many of each member; then True.

        False, and nothing is done, if the team is at work for another thread.
        """
        if not self._busy.acquire(blocking=False):
            return False
        code, team = self._code, self._address
        try:
            code.begin(team, function, context, samples, chunk, slots, members, self.most)
            if self._asleep:
                self._to_wake = members - self.members + len(self._asleep)
                self._wake()
            while not code.finish(team, code.patience):
                _give_way()
        except (
            BaseException
        ):  # Ctrl-C: the others still write into the arrays, which are gone once this returns
            code.finish(team, _FOR_EVER)
            raise
        finally:
            self._busy.release()
        return True

    def retire(self) -> None:
        """Let the threads end; a job under way is done first."""
        with self._busy:
            self._retired = True
            self._code.leave(self._address)
            while self._asleep:
                self._asleep.pop().release()

    def _wake(self) -> None:
        """Wake two threads, which wake two others each."""
        for _ in range(2):
            if self._to_wake <= 0 or not self._asleep:
                return
            try:
                gate = self._asleep.pop()
            except IndexError:  # another thread was quicker
                return
            self._to_wake -= 1
            gate.release()

    def _serve(self, member: int) -> None:
        code, gate = self._code, threading.Lock()
        gate.acquire()
        while not self._retired:
            code.serve(self._address, member, self.most, code.patience)
            self._asleep.append(gate)
            if self._retired:
                return
            gate.acquire()
            self._wake()
