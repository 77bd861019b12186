"""How many processors this process may use: those that it may run on, and in a container the share that it is given."""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


def processors() -> int:
    """At least one. Which ones a process may run on can change while it runs, so that is asked anew."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = _own_share()
    return own if own <= share else max(1, math.ceil(share))


@cache
def _own_share() -> float:
    return share_of_container(_CONTROL_GROUPS, _OWN_GROUP)


def share_of_container(groups: Path, own: Path) -> float:
    """Processors' worth of time that Linux's control groups give a container (docker run --cpus), infinite if any."""
    try:
        lines = own.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return math.inf
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::")), "")
    places = [groups, *(groups.joinpath(*Path(path).parts[: k + 1]) for k in range(len(Path(path).parts)))]
    found = [_quotient(place / "cpu.max") for place in places]
    old = groups / "cpu"
    return min(*found, math.inf, _quotient(old / "cpu.cfs_quota_us", old / "cpu.cfs_period_us"))


def _quotient(*files: Path) -> float:
    """Time over period, both in microseconds, from one file or from two; infinite if there is no bound."""
    try:
        numbers = " ".join(file.read_text(encoding="ascii") for file in files).split()
        time, period = float(numbers[0]), float(numbers[1])
    except (OSError, ValueError, IndexError):  # not there, or "max"
        return math.inf
    return time / period if time > 0 and period > 0 else math.inf
