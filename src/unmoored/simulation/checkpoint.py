"""Keeping a long run on disk, and going on with it as if nothing had happened.

A checkpoint is a directory: `task` (the run before it ran), `rows-0.npy`, `rows-1.npy`, … (rows taken between two
savings) and `course.npz` (how far it is), which is replaced last and at once: a run that is killed at any moment
leaves a checkpoint that is whole. It holds Python objects: resume only what you trust.
"""

from __future__ import annotations

import io
import os
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..model import ModelError
from ..system import System
from ..worlds import Plant
from .adaptive import AdaptiveCourse
from .arguments import wrong
from .fixed_steps import Course, to_host
from .run import Run
from .task import Task, Way

_ARRAYS = ("t", "h", "state", "rates", "rows", "taken")


class Checkpoint:
    """Writes a course into a directory every so many seconds."""

    def __init__(self, path: Path, every: float, files: int = 0, written: int = 0):
        self.path, self.every = path, every
        self._files, self._written, self._last = files, written, time.monotonic()

    @classmethod
    def begun(cls, path: str | Path, task: Task, every: float) -> Checkpoint:
        """A new checkpoint of a task; an old one at the same place is refused."""
        path = Path(path)
        if isinstance(every, bool) or not isinstance(every, int | float) or not every >= 0:
            raise wrong("checkpoint_every", "seconds ≥ 0", every)
        if path.exists() and any(path.iterdir()):
            raise wrong("checkpoint", "a directory that does not exist or is empty", str(path))
        path.mkdir(parents=True, exist_ok=True)
        _replace(path / "task", _pickled(task))
        return cls(path, float(every))

    def due(self) -> bool:
        """Whether it is time again."""
        return time.monotonic() - self._last >= self.every

    def keep(self, course: Way) -> None:
        """Write the course."""
        if isinstance(course, AdaptiveCourse):
            arrays = {name: getattr(course, name) for name in _ARRAYS} | {"period": np.array(course.period)}
        else:
            arrays = {"state": to_host(course.state), "done": np.array(course.done)} | self._keep_rows(course)
        stream = io.BytesIO()
        np.savez(stream, **arrays)  # type: ignore[arg-type]
        _replace(self.path / "course.npz", stream.getvalue())
        self._last = time.monotonic()

    def _keep_rows(self, course: Course) -> dict[str, np.ndarray]:
        """Write the rows that are new; the number of files."""
        new = course.rows[self._written :]
        if new:
            stream = io.BytesIO()
            np.save(stream, np.concatenate(new, axis=1))
            _replace(self.path / f"rows-{self._files}.npy", stream.getvalue())
            self._files, self._written = self._files + 1, len(course.rows)
        return {"files": np.array(self._files)}


def resume(path: str | Path, *, progress: bool | None = None, checkpoint_every: float = 60.0) -> Run:
    """Go on with a run from its checkpoint: the result has the same bits as that of a run that was never interrupted.

    The checkpoint is kept up. It holds Python objects: resume only what you trust.
    """
    path = Path(path)
    if not (path / "task").is_file():
        raise ModelError.single("resume", "path", expected="the directory of a checkpoint", given=str(path))
    task: Task = pickle.loads((path / "task").read_bytes())
    if not (path / "course.npz").is_file():
        return task.drive(task.fresh(), progress, Checkpoint(path, checkpoint_every))
    with np.load(path / "course.npz") as kept:
        if task.adaptive:
            course: Way = AdaptiveCourse(*(kept[name] for name in _ARRAYS), period=int(kept["period"]))
            return task.drive(course, progress, Checkpoint(path, checkpoint_every))
        files = int(kept["files"])
        course = Course(kept["state"], int(kept["done"]))
    for k in range(files):
        course.rows.append(np.load(path / f"rows-{k}.npy"))
    return task.drive(course, progress, Checkpoint(path, checkpoint_every, files, files))


class _Pickler(pickle.Pickler):
    """Pickles systems and plants without their compiled kernels."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, System):
            return type(obj), (obj.tree,)
        if isinstance(obj, Plant):
            return _plant, (obj.system, obj.world, obj.actuators, obj.constraints, dict(obj.prescribed),
                            obj.parameters, obj.joints)  # fmt: skip
        return NotImplemented


def _plant(system: System, *rest: Any) -> Plant:
    return Plant(system, *rest)


def _pickled(task: Task) -> bytes:
    stream = io.BytesIO()
    try:
        _Pickler(stream).dump(task)
    except (pickle.PicklingError, AttributeError, TypeError) as why:
        expected = "a plant, controller and events that can be pickled: functions of a module, not lambdas"
        raise ModelError.single("simulate", "checkpoint", expected=expected, given=str(why)) from why
    return stream.getvalue()


def _replace(path: Path, content: bytes) -> None:
    """Write a file at once: it is there whole, or the old one is."""
    new = path.with_name(path.name + ".new")
    with new.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(path)
