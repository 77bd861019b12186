"""What a script waits for before it begins: importing the package, and loading large systems from files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ...model.limits import limits
from ...system import load
from .bench_systems import free_flyer

#: bodies of a system file, with bar and goal in seconds; arms have fifty joints
_FILES = {1000: (1.0, 0.6), 2500: (2.5, 1.5)}
_ARM = 50
#: of a URDF file
_MOST_LINKS = 2000
_IMPORTS = 5


def rows() -> list[dict[str, Any]]:
    """Rows of the second table; seconds of processor time."""
    return [_importing(), *_loading()]


def _importing() -> dict[str, Any]:
    """Best of some processes; byte code is there from the first on."""
    environment = {key: x for key, x in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    seconds = min(_seconds_of_child("import unmoored", environment) for _ in range(_IMPORTS))
    return _row("import unmoored, Python itself included", "", seconds, 0.4, 0.25)


def _seconds_of_child(program: str, environment: dict[str, str]) -> float:
    before = sum(os.times()[2:4])
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return sum(os.times()[2:4]) - before


def _loading() -> list[dict[str, Any]]:
    found, allowed = [], (limits.yaml_items, limits.yaml_characters)
    limits.yaml_items, limits.yaml_characters = 1_000_000, 2**24
    try:
        with tempfile.TemporaryDirectory() as folder:
            for bodies, (bar, goal) in _FILES.items():
                system = free_flyer([_ARM] * (bodies // _ARM))
                for suffix in (".yaml", ".urdf") if bodies < _MOST_LINKS else (".yaml",):
                    path = Path(folder) / f"large{suffix}"
                    system.save(path)
                    what = f"loading {bodies:,} bodies from {suffix[1:].upper()}"
                    found.append(_row(what, f"6+{bodies}", _seconds_of_loading(path), bar, goal))
    finally:
        limits.yaml_items, limits.yaml_characters = allowed
    return found


def _seconds_of_loading(path: Path) -> float:
    """Best of three, in a process that has loaded something before."""
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        load(path)
        best = min(best, time.process_time() - started)
    return best


def _row(what: str, system: str, ours: float, bar: float, goal: float) -> dict[str, Any]:
    return {
        "what": what, "system": system, "ours": ours, "bar": bar, "goal": goal, "unit": "s", "least": False,
    }  # fmt: skip
