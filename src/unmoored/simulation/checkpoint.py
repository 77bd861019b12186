"""Keeping a long run on disk, and going on with it as if nothing had happened.

A checkpoint is a folder of sealed files: `task` (the run before it ran), `rows-0`, `rows-1`, … (rows taken between two
savings) and `course` (how far it is, with the digests of all others), which is replaced last and at once: a run that is
killed at any moment leaves a checkpoint that is whole. It holds numbers and texts only, no Python objects.
"""

from __future__ import annotations

import os
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from ..model import DataError, ModelError
from ..version import __version__
from .adaptive import AdaptiveCourse
from .arguments import as_plant, wrong
from .disk import digest, place_file, read_bytes
from .event_actions import Happenings
from .events import as_events
from .fixed_steps import Course
from .kept_task import FORMAT, Given, given_by_scenario, packed, task_bytes, task_of, unpacked
from .run import Run
from .run_kernels import to_host
from .task import Task, Way
from .trajectories import rows_of_states

_ARRAYS = ("t", "h", "state", "rates", "rows", "taken")
#: files of rows that do not say so hold whole states
_RECORDED = "recorded"
TASK, COURSE, LOCK = "task", "course", "lock"


class Checkpoint:
    """Writes a course into a folder every so many seconds; nobody else may while it lives."""

    def __init__(self, path: Path, every: float, rows: tuple[str, ...] = (), written: int = 0):
        """rows: digests of the files of rows that are there.  written: blocks of rows in them."""
        if isinstance(every, bool) or not isinstance(every, int | float) or not every >= 0:
            raise wrong("checkpoint_every", "seconds ≥ 0", every)
        self.path, self.every = path, float(every)
        lock = _locked(path)
        if lock is not None:
            weakref.finalize(self, lock.close)
        self._task = digest(read_bytes(path / TASK))
        self._rows, self._written, self._last = list(rows), written, time.monotonic()

    @classmethod
    def begun(cls, path: str | Path, task: Task, every: float) -> Checkpoint:
        """A new checkpoint of a task; an old one at the same place is refused."""
        path = Path(path)
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise wrong("checkpoint", "a directory that does not exist or is empty", str(path))
        path.mkdir(parents=True, exist_ok=True)
        content = task_bytes(task)
        place_file(path / TASK, content)
        return cls(path, every)

    def due(self) -> bool:
        """Whether it is time again."""
        return time.monotonic() - self._last >= self.every

    def keep(self, course: Way) -> None:
        """Write the course."""
        if isinstance(course, AdaptiveCourse):
            arrays = {name: getattr(course, name) for name in _ARRAYS}
            about: dict[str, Any] = {"period": course.period, **_happened(course)}
        else:
            self._keep_rows(course)
            arrays, about = (
                {"state": to_host(course.state)},
                {"done": course.done, "rows": self._rows, **_happened(course)},
            )
        place_file(self.path / COURSE, packed(arrays, {**about, "task": self._task}))
        self._last = time.monotonic()

    def _keep_rows(self, course: Course) -> None:
        """Write the rows that are new."""
        new = course.rows[self._written :]
        if new:
            content = packed({"rows": np.concatenate(new, axis=1)}, {"kind": _RECORDED})
            place_file(self.path / f"rows-{len(self._rows)}", content)
            self._rows.append(digest(content))
            self._written = len(course.rows)


def resume(
    path: str | Path,
    plant: Any = None,
    *,
    controller: Any = None,
    sensors: Any = (),
    events: Any = (),
    progress: bool | None = None,
    checkpoint_every: float = 60.0,
    any_version: bool = False,
) -> Run:
    """Go on with a run from its checkpoint: the result has the same bits as that of a run that was never interrupted.

    plant, controller, sensors, events: those that the run was begun with, which are compared; a run that came from a
    scenario file needs none of them. The checkpoint is kept up. Damage is a `DataError`.
    any_version: take a checkpoint of another version of the package too; the bits may differ.
    """
    path = Path(path)
    if not path.is_dir() or not (path / TASK).exists():
        raise ModelError.single("resume", "path", expected="the directory of a checkpoint", given=str(path))
    arrays, about = unpacked(read_bytes(path / TASK), str(path / TASK))
    _check_version(about, path, any_version)
    own = None if plant is None else as_plant(plant)
    if own is None and events:
        raise ModelError.single("resume", "events", expected="the plant beside them", given="events alone")
    given = Given(own, controller, sensors, () if own is None else as_events(events, own.tree))
    try:
        task = task_of(arrays, about, _complete(given, about, path), str(path))
    except (KeyError, TypeError, IndexError) as error:
        given_words = f"{type(error).__name__}: {error}"
        raise DataError.single(str(path / TASK), "content", expected="a task", given=given_words) from None
    if not (path / COURSE).exists():
        return task.drive(task.fresh(), progress, Checkpoint(path, checkpoint_every))
    course, rows = _course(path, task)
    return task.drive(course, progress, Checkpoint(path, checkpoint_every, rows, len(rows)))


def _complete(given: Given, about: dict[str, Any], path: Path) -> Given:
    if given.plant is not None:
        return given
    found = given_by_scenario(about, str(path))
    if found is None:
        expected = (
            "the plant that the run was begun with, and its controller and events: resume(path, plant, …)"
        )
        raise ModelError.single("resume", "plant", expected=expected, given="none")
    return found


def _check_version(about: dict[str, Any], path: Path, any_version: bool) -> None:
    if about.get("format") != FORMAT:
        raise DataError.single(str(path), "format", expected=repr(FORMAT), given=repr(about.get("format")))
    if about.get("version") != __version__ and not any_version:
        expected = f"a checkpoint of version {__version__}, or any_version=True (the bits may differ)"
        raise ModelError.single("resume", "version", expected=expected, given=repr(about.get("version")))


def _course(path: Path, task: Task) -> tuple[Way, tuple[str, ...]]:
    """How far the run is, and the digests of its files of rows; every file checked."""
    where = str(path / COURSE)
    arrays, about = unpacked(read_bytes(path / COURSE), where)
    if about.get("task") != digest(read_bytes(path / TASK)):
        raise DataError.single(where, "task", expected="the course of this task", given="of another one")
    try:
        if task.adaptive:
            parts = (arrays[name] for name in _ARRAYS)
            return AdaptiveCourse(*parts, period=int(about["period"]), happened=_happenings(about)), ()
        course, rows = Course(arrays["state"], int(about["done"])), tuple(map(str, about["rows"]))
        course.happened = _happenings(about)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError.single(where, "content", expected="a course", given=repr(error)) from None
    for k, expected in enumerate(rows):
        file = path / f"rows-{k}"
        content = read_bytes(file)
        if digest(content) != expected:
            raise DataError.single(str(file), "digest", expected=expected, given=digest(content))
        block, said = unpacked(content, str(file))
        if said.get("kind") != _RECORDED:
            block["rows"] = rows_of_states(task, block["rows"], sum(x.shape[1] for x in course.rows))
        course.rows.append(block["rows"])
    return course, rows


def _happened(course: Way) -> dict[str, Any]:
    """The events of a course as plain data."""
    return {"events": course.happened.events, "stopped": sorted(course.happened.stopped.items())}


def _happenings(about: dict[str, Any]) -> Happenings:
    events = [(int(i), float(t), int(k)) for i, t, k in about.get("events", ())]
    return Happenings(events, {int(i): float(t) for i, t in about.get("stopped", ())})


def _locked(path: Path) -> Any:
    """An open file that holds the lock on a checkpoint for this process, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        return None
    file = open(path / LOCK, "wb")  # noqa: SIM115 - held as long as the checkpoint
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        expected = "a checkpoint that no other process works on"
        raise wrong("checkpoint", expected, os.fspath(path)) from None
    return file
