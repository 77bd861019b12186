"""Reads a whole file, but never more of it, or of another kind of file, than a model can be."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..limits import limits
from .file_problems import file_error


def read_file(path: str | os.PathLike[str], *, bound: str = "file_bytes") -> bytes:
    """The bytes of the regular file `path`; a `ModelError` if it cannot be read or is too large.

    bound: the name of that limit in `unmoored.limits`.
    """
    source, largest = str(path), int(getattr(limits, bound))
    try:
        path = Path(path)
        if not path.is_file():
            given = (
                "a folder" if path.is_dir() else ("not a regular file" if path.exists() else "no such file")
            )
            raise file_error(source, "reading", expected="a file that exists", given=given)
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except (OSError, TypeError, ValueError) as error:
        if hasattr(error, "problems"):
            raise
        raise file_error(source, "reading", expected="a readable file", given=str(error)) from None
    if len(content) > largest:
        raise file_error(
            source, "size in bytes", expected=limits.words(bound), given=f"{path.stat().st_size:,}"
        )
    return content


def decode(content: bytes, source: str) -> str:
    """UTF-8 text (with or without a byte-order mark); a `ModelError` with the line of the first bad byte."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        given = f"byte 0x{content[error.start]:02x}"
        raise file_error(source, "encoding", expected="UTF-8 text", given=given, line=line) from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` as UTF-8 with plain line feeds, the same bytes on every machine.

    The file takes its place at once: if writing fails, the old one is still there.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):  # a pipe, or a terminal
        with open(target, "wb") as file:
            file.write(text.encode())
        return
    new = os.path.join(
        os.path.dirname(target), f".{os.path.basename(target)[:150]}.{secrets.token_hex(4)}.new"
    )
    try:
        with open(new, "xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, target)
    except BaseException:
        Path(new).unlink(missing_ok=True)
        raise


def is_number_text(text: str) -> bool:
    """Whether a text is a number: "1.5", "-2e3", "nan"."""
    try:
        float(text)
    except ValueError:
        return False
    return True
