"""Putting files and folders in place at once: whoever looks, at any moment, sees the old one or the new one, whole.

What is new is written beside its place, flushed to the disk, and then takes the place: a file by `os.replace`, a folder
by an exchange of names (`renameat2`). Where the system has no exchange, a journal says what is under way, and `recover`
finishes it.
"""

from __future__ import annotations

import ctypes
import json
import os
import secrets
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path

from ...model import DataError
from .seal import digest, read_bytes, seal, unseal

_AT_FDCWD, _EXCHANGE = -100, 2
_HOST = digest(socket.gethostname().encode())[:6]


def place_file(path: Path, content: bytes) -> None:
    """Make `content` the file at `path`, flushed to the disk."""
    _sweep(path)
    new = _beside(path)
    try:
        _write(new, content)
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def place_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder with these files (by their paths in it) the one at `path`, flushed to the disk.

    A folder that is there is replaced with all that is in it: look first.
    """
    recover(path)
    _sweep(path)
    new = _beside(path)
    try:
        for name, content in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            _write(new / name, content)
        for folder, _, _ in os.walk(new):
            _flush_folder(Path(folder))
        if not path.exists():
            os.rename(new, path)
        elif not _exchange(new, path):
            _replace_by_journal(path, new)
    except BaseException:
        recover(path)  # once a journal stands, the new folder is on its way
        shutil.rmtree(new, ignore_errors=True)
        raise
    _flush_folder(path.parent)
    shutil.rmtree(new, ignore_errors=True)  # the old one, after an exchange


def recover(path: Path) -> None:
    """Finish a replacement at `path` that was cut short, if there was one."""
    journal = _journal(path)
    if not journal.exists():
        return
    try:
        entry = json.loads(unseal(read_bytes(journal), journal))
        new, old = (path.with_name(str(entry[key])) for key in ("new", "old"))
    except (DataError, ValueError, KeyError, TypeError):
        journal.unlink(missing_ok=True)  # cut while it was written: nothing had begun
        return
    _finish(path, new, old)


def _replace_by_journal(path: Path, new: Path) -> None:
    old = _beside(path, "old")
    _write(_journal(path), seal(json.dumps({"new": new.name, "old": old.name}).encode()))
    _flush_folder(path.parent)
    _finish(path, new, old)


def _finish(path: Path, new: Path, old: Path) -> None:
    if new.exists() and path.exists():
        os.rename(path, old)
    if new.exists():
        os.rename(new, path)
    _flush_folder(path.parent)
    _journal(path).unlink(missing_ok=True)
    shutil.rmtree(old, ignore_errors=True)


def _exchange(a: Path, b: Path) -> bool:
    """Exchange the names of two folders; False where the system cannot."""
    rename = getattr(_libc(), "renameat2", None)
    if rename is None:
        return False
    return rename(_AT_FDCWD, os.fsencode(a), _AT_FDCWD, os.fsencode(b), _EXCHANGE) == 0


def _libc() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):  # not on every system
        return None


def _beside(path: Path, kind: str = "new") -> Path:
    """A name of this process's own beside `path`."""
    return path.with_name(f".{path.name[:150]}.{_HOST}.{os.getpid()}.{secrets.token_hex(4)}.{kind}")


def _journal(path: Path) -> Path:
    return path.with_name(f".{path.name[:150]}.journal")


def _sweep(path: Path) -> None:
    """Remove what processes of this machine that are no more left beside `path`."""
    for left in path.parent.glob(f".{_escaped(path.name[:150])}.{_HOST}.*.*.*"):
        _, _, process, _, kind = left.name.rsplit(".", 4)
        if kind in ("new", "old") and process.isdigit() and not _alive(int(process)):
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _escaped(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _write(path: Path, content: bytes) -> None:
    with path.open("xb" if path.suffix != ".journal" else "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    """Make new names in a folder last; systems that cannot open folders do without."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
