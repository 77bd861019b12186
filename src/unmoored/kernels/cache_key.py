"""The name of a kernel in the disk cache: everything that its machine code depends on.

The package's own code is part of it, so that a change anywhere makes new kernels.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from . import disk_cache, machine_code
from .number_formats import Format

#: rooms whose code takes no part in a kernel
_WITHOUT = ("views", "cli")
_SUFFIXES = (".py", ".pyc")


def place(kind: str, key: str, name: str, form: Format, lanes: int) -> str | None:
    """Name of the cache entry for a key of the caller's; None if the package's code has no digest."""
    code, processor = source_digest(), machine_code.host()
    if code is None:
        return None
    computer = (
        machine_code.llvm_version(),
        processor.name,
        processor.features,
        str(machine_code.optimisation()),
    )
    return disk_cache.digest(kind, code, key, name, form.name, str(lanes), *computer)


@cache
def source_digest() -> str | None:
    """Digest of the package's code and of NumPy's version; None where neither source nor byte code can be read."""
    digest, files = hashlib.sha256(np.__version__.encode()), 0
    for suffix in _SUFFIXES:
        for name, content in _files(resources.files("unmoored"), suffix, ""):
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
            files += 1
        if files:
            return digest.hexdigest()
    return None


def _files(folder: Any, suffix: str, path: str) -> list[tuple[str, bytes]]:
    """(path, content) of all files with this suffix below a folder, in order."""
    found: list[tuple[str, bytes]] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if entry.name not in _WITHOUT and entry.name != "__pycache__":
                found += _files(entry, suffix, f"{path}{entry.name}/")
        elif entry.name.endswith(suffix):
            found.append((path + entry.name, entry.read_bytes()))
    return found
