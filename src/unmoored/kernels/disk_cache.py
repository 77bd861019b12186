"""The disk cache of compiled objects: private to the user, checked before use, written atomically.

An entry is one file: a line of JSON with the checksum and the facts about the kernel, then the object code.
Files or folders that belong to someone else, or that others may write to, are never read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..error_roots import UnmooredWarning

_MAGIC = "unmoored-kernel-1"
#: bytes that this process may still write into a folder, kept to a bound, before it measures the folder again
_room: dict[tuple[Path, int], int] = {}


class CacheWarning(UnmooredWarning):
    """The disk cache of kernels cannot be used; kernels are compiled anew."""


@dataclass(frozen=True)
class Entry:
    """A compiled kernel as it lies in the cache."""

    facts: dict[str, Any]
    code: bytes


def folder() -> Path:
    """$UNMOORED_CACHE_DIR, else $XDG_CACHE_HOME/unmoored, else ~/.cache/unmoored; without a home, a temporary one."""
    own = os.environ.get("UNMOORED_CACHE_DIR")
    if own:
        return Path(own)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unmoored"
    except RuntimeError:  # a user without a home, as in many containers
        user = os.getuid() if hasattr(os, "getuid") else "user"
        return Path(tempfile.gettempdir()) / f"unmoored-{user}"


def most_bytes() -> int:
    """How large the cache may grow: $UNMOORED_CACHE_BYTES, else 2 GiB. What was used longest ago goes first."""
    try:
        return int(os.environ.get("UNMOORED_CACHE_BYTES", ""))
    except ValueError:
        return 2 * 2**30


def digest(*parts: str) -> str:
    """Name of the entry for a key made of several texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read(name: str) -> Entry | None:
    """The entry, or None if there is none that can be trusted."""
    home = folder()
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        if not home.is_dir() or not _trusted_folder(home):
            return None
        descriptor = os.open(home / name, flags)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _ours(status):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            content = file.read()
        os.utime(home / name)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return _unpacked(content)


def write(name: str, entry: Entry) -> None:
    """Put an entry in place in one step; a cache that cannot be written is left alone."""
    home = folder()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _trusted_folder(home):
            return
        descriptor, temporary = tempfile.mkstemp(dir=home, prefix=".new-")  # mode 0600
        content = _packed(entry)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            os.replace(temporary, home / name)
        except BaseException:
            os.unlink(temporary)
            raise
        _keep_bounded(home, len(content))
    except OSError as error:
        warnings.warn(f"kernels are not cached in {home}: {error}", CacheWarning, stacklevel=2)


def _keep_bounded(home: Path, written: int) -> None:
    """Trim the folder if it may be too large. It is measured after every twentieth of the bound, not for each file."""
    limit = most_bytes()
    left = _room.get((home, limit), 0) - written
    if left < 0:
        left = min(limit - _trimmed(home, limit), limit // 20)
    _room[home, limit] = left


def _trimmed(home: Path, limit: int) -> int:
    """Bytes in the folder; if they are too many, entries go, those used longest ago first, until there is some room."""
    files = []
    for item in os.scandir(home):
        with contextlib.suppress(FileNotFoundError):  # another process has just put its entry in place
            status = item.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                files.append((status.st_mtime, status.st_size, item.path))
    total = sum(size for _, size, _ in files)
    if total <= limit:
        return total
    for _, size, path in sorted(files):
        if total <= limit - limit // 20:
            break
        with contextlib.suppress(FileNotFoundError):  # another process may trim too
            os.unlink(path)
        total -= size
    return total


def _packed(entry: Entry) -> bytes:
    body = json.dumps(entry.facts, sort_keys=True).encode() + b"\n" + entry.code
    return f"{_MAGIC} {hashlib.sha256(body).hexdigest()}\n".encode() + body


def _unpacked(content: bytes) -> Entry | None:
    """The entry in a file's content, or None if it is damaged."""
    head, _, body = content.partition(b"\n")
    if head != f"{_MAGIC} {hashlib.sha256(body).hexdigest()}".encode():
        return None
    facts, _, code = body.partition(b"\n")
    return Entry(json.loads(facts), code)


def _ours(status: os.stat_result) -> bool:
    """Whether a file or folder is the user's and nobody else may write to it."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _trusted_folder(home: Path) -> bool:
    if _ours(os.stat(home)):
        return True
    warnings.warn(
        f"kernels are not cached: {home} belongs to another user or others may write to it "
        f"(expected mode 0700)", CacheWarning, stacklevel=4,
    )  # fmt: skip
    return False
