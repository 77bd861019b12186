"""A digest at the end of a file, of all that stands before it: one changed bit, and the file is refused.

HDF5 readers do not look beyond what the file's head says, and in a zip archive the seal is the comment, so other
programs still read sealed files.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path

from ...model import DataError

_MARK = b"\nunmoored seal 1 sha256:"
_SEAL = re.compile(re.escape(_MARK) + rb"([0-9a-f]{64})\n")
SEAL_LENGTH = len(_MARK) + 65


def digest(content: bytes) -> str:
    """SHA-256 as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def seal(content: bytes) -> bytes:
    """The content with its seal behind it."""
    return content + _MARK + digest(content).encode() + b"\n"


def is_sealed(content: bytes) -> bool:
    """Whether there is a seal at the end, right or wrong."""
    return _SEAL.fullmatch(content[-SEAL_LENGTH:]) is not None


def unseal(content: bytes, where: str | Path) -> bytes:
    """The content without its seal; a `DataError` that names the file `where` if it is missing or does not fit."""
    found = _SEAL.fullmatch(content[-SEAL_LENGTH:])
    if found is None:
        raise DataError.single(
            str(where), "seal", expected="a digest at its end", given="none: cut or changed"
        )
    rest = content[:-SEAL_LENGTH]
    if digest(rest) != found[1].decode():
        raise DataError.single(str(where), "digest", expected=found[1].decode(), given=digest(rest))
    return rest


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file; a `DataError` for anything else (a folder, a pipe, one that cannot be read)."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DataError.single(str(path), "file", expected="a regular file", given="something else")
            return file.read()
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError.single(str(path), "file", expected="a file that can be read", given=why) from None
