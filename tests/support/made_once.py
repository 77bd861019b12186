"""Files that several test processes look at and one of them makes: a built site, a report."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder `name` that all processes of this test run share; the first to ask fills it with `make`."""
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    shared = factory.getbasetemp() if alone else factory.getbasetemp().parent
    folder, finished = shared / name, shared / f"{name}.made"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            make(folder)
            finished.touch()
    return folder
