"""A folder of files with a sealed list of them: one size and one digest for each file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...error_roots import warn
from ...model import DataError, ModelWarning
from ...model.errors import some_of
from .seal import digest, read_bytes, seal, unseal

NAME = "unmoored-manifest.json"
_FORMAT = "unmoored manifest 1"


@dataclass(frozen=True)
class Folder:
    """The files of a folder, by their paths in it (with /). checked: whether a manifest vouched for them."""

    files: Mapping[str, bytes]
    checked: bool


def with_manifest(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files and their manifest."""
    listed = {name: [len(content), digest(content)] for name, content in sorted(files.items())}
    text = json.dumps({"format": _FORMAT, "files": listed}, indent=0)
    return {**files, NAME: seal(text.encode())}


def read_folder(path: Path) -> Folder:
    """All files of the folder, each checked against the manifest where there is one.

    Files that the manifest does not name are ignored with a warning in the folder itself; in folders below it, which
    hold arrays, they are damage.
    """
    found = _found(path)
    if NAME not in found:
        return Folder({name: read_bytes(path / name) for name in found}, checked=False)
    listed = _listed(path / NAME)
    _check_names(path, found - {NAME}, set(listed))
    files = {}
    for name, (size, expected) in listed.items():
        content = read_bytes(path / name)
        if len(content) != size or digest(content) != expected:
            given = f"{len(content)} bytes, {digest(content)}"
            raise DataError.single(
                str(path / name), "digest", expected=f"{size} bytes, {expected}", given=given
            )
        files[name] = content
    return Folder(files, checked=True)


def listed_files(path: Path) -> set[str]:
    """The names in a folder's manifest, with its own; a `DataError` if that is damaged."""
    return {NAME, *_listed(path / NAME)}


def files_below(path: Path) -> set[str]:
    """Paths of all that is in a folder and is not a folder itself, relative to it, with /."""
    return _found(path)


def _found(path: Path) -> set[str]:
    try:
        entries = [
            Path(folder, name).relative_to(path).as_posix()
            for folder, _, names in os.walk(path, onerror=_raise)
            for name in names
        ]
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError.single(str(path), "folder", expected="one that can be read", given=why) from None
    return set(entries)


def _raise(error: OSError) -> None:
    raise error


def _listed(path: Path) -> dict[str, tuple[int, str]]:
    content = unseal(read_bytes(path), path)
    try:
        data = json.loads(content)
        listed = {str(name): (int(size), str(value)) for name, (size, value) in data["files"].items()}
        known = data["format"] == _FORMAT
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError.single(str(path), "manifest", expected=_FORMAT, given=str(error)) from None
    if not known:
        given = repr(data["format"])
        raise DataError.single(str(path), "format", expected=repr(_FORMAT), given=given)
    for name in listed:
        if name.startswith("/") or "\\" in name or ".." in name.split("/"):
            raise DataError.single(str(path), "file name", expected="one inside the folder", given=repr(name))
    return listed


def _check_names(path: Path, found: set[str], listed: set[str]) -> None:
    missing, unknown = sorted(listed - found), sorted(found - listed)
    if missing:
        raise DataError.single(
            str(path), "files", expected="all that were saved", given=_few(missing, "missing")
        )
    inside = [name for name in unknown if "/" in name]
    if inside:
        given = _few(inside, "not ours")
        raise DataError.single(str(path), "files", expected="only those that were saved", given=given)
    if unknown:
        warn(f"{path}: ignored, not part of it: {_few(unknown, '')}", ModelWarning)


def _few(names: list[str], word: str) -> str:
    return f"{some_of(names)} {word}".rstrip()
