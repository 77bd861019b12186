"""Runs on disk: a .zarr folder, the same in one file (.zarr.zip), or NetCDF (.nc), by xarray (extra `data`).

What is written has a digest for every file and takes its place at once, see `disk`. What is read is checked first and
then decoded from the bytes that were checked.
"""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..error_roots import warn
from ..model import DataError, ModelError, ModelWarning
from .disk import Folder, is_sealed, place_file, place_folder, read_bytes, read_folder, recover, seal, unseal
from .disk.manifest import NAME as MANIFEST
from .disk.manifest import files_below, listed_files, with_manifest
from .disk.seal import SEAL_LENGTH
from .run import Run
from .run_dataset import FORMAT, as_dataset, from_dataset, xarray

SUFFIXES = (".zarr", ".zarr.zip", ".nc")
#: bytes that the arrays of a run may take in memory
LARGEST_RUN = 16 * 2**30

_ARRAY = r"(?!\.)[^/\\]+"  # memories are called as their laws call them
_ZARR_NAME = re.compile(rf"({_ARRAY}/)?(\.zarray|\.zattrs|\.zgroup)|{_ARRAY}/\d+(\.\d+)*|\.zmetadata")
_COMPRESSORS = ("blosc", "zlib", "gzip", "zstd", "lz4", "bz2", "lzma")
_TRIES = 3


def save_run(run: Run, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a run; see `Run.save`."""
    path = Path(path)
    kind = kind_of(path)
    recover(path)
    if os.path.lexists(path):
        _check_replaceable(path, kind, overwrite)
    data = as_dataset(run)
    if kind == ".nc":
        place_file(path, seal(bytes(data.to_netcdf(engine="h5netcdf"))))
    elif kind == ".zarr":
        place_folder(path, with_manifest(_to_zarr(data)))
    else:
        place_file(path, _to_zip(_to_zarr(data)))


def load_run(
    path: str | Path,
    plant: Any = None,
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    largest: int = LARGEST_RUN,
    law: Any = None,
) -> Run:
    """A run from a .zarr folder, a .zarr.zip or a .nc file, bit for bit.

    plant, law: neither is in the file, and both may be given.  roots: folders that its mesh files may lie in.
    largest: bytes that its arrays may take in memory.
    Every byte is checked against the digests that were saved with it; anything damaged is a `DataError`.
    """
    path = Path(path)
    kind = kind_of(path)
    recover(path)
    if not path.exists():
        raise ModelError.single(
            "load_run", "path", expected="a file or directory that exists", given=str(path)
        )
    for attempt in range(_TRIES):
        seen = path.stat().st_ino
        try:
            return _loaded(path, kind, plant, roots, largest, law)
        except DataError:
            # replaced by a newer one while it was read?
            if attempt + 1 == _TRIES or not path.exists() or path.stat().st_ino == seen:
                raise
    raise AssertionError("unreachable")


def kind_of(path: Path) -> str:
    """Which of the formats the name stands for; a `ModelError` if none."""
    kind = next((suffix for suffix in SUFFIXES if path.name.endswith(suffix) and path.name != suffix), None)
    if kind is None:
        raise ModelError.single(
            str(path), "file type", expected=f"one of {', '.join(SUFFIXES)}", given=path.suffix
        )
    return kind


def _loaded(path: Path, kind: str, plant: Any, roots: Any, largest: int, law: Any) -> Run:
    xarray()
    if kind == ".zarr":
        checked, lazy = _open_folder(path)
    else:
        content = read_bytes(path)
        checked = is_sealed(content)
        inside = unseal(content, path) if checked else content
        lazy = _decoded(path, _open_nc, inside) if kind == ".nc" else _open_zip(path, content)
    try:
        with lazy as opened:
            return _decoded(path, _as_run, opened, path, checked, plant, roots, largest, law)
    except RecursionError as error:
        raise _damaged(path, error) from None


def _as_run(opened: Any, path: Path, checked: bool, plant: Any, roots: Any, largest: int, law: Any) -> Run:
    if opened.nbytes > largest:
        expected = f"at most {largest:,} bytes of arrays (load_run(..., largest=…) raises it)"
        raise DataError.single(str(path), "size", expected=expected, given=f"{opened.nbytes:,}")
    if opened.attrs.get("format") == FORMAT and not checked:
        raise DataError.single(str(path), "digests", expected="those that were saved with it", given="none")
    run = from_dataset(opened.load(), str(path), plant, roots, law)
    if not checked:
        warn(f"{path}: saved by version 0.1 without digests, so nothing could be checked", ModelWarning)
    return run


def _decoded(path: Path, function: Any, *arguments: Any) -> Any:
    """Call a decoder; the libraries below fail in many ways on damaged bytes, and each of them is a `DataError`."""
    try:
        return function(*arguments)
    except (DataError, ImportError):
        raise
    except Exception as error:
        raise _damaged(path, error) from None


def _damaged(path: Path, error: BaseException) -> DataError:
    given = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return DataError.single(str(path), "content", expected="a saved run", given=given)


def _open_nc(content: bytes) -> Any:
    return xarray().open_dataset(io.BytesIO(content), engine="h5netcdf")


def _open_folder(path: Path) -> tuple[bool, Any]:
    if not path.is_dir():
        raise DataError.single(str(path), "file", expected="a folder", given="a file")
    folder = read_folder(path)
    return folder.checked, _decoded(path, _open_zarr, folder)


def _open_zip(path: Path, content: bytes) -> Any:
    def opened() -> Any:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if any(entry.compress_type != zipfile.ZIP_STORED or entry.is_dir() for entry in entries):
                raise DataError.single(str(path), "archive", expected="stored files", given="compressed ones")
            return _open_zarr(Folder({entry.filename: archive.read(entry) for entry in entries}, True))

    return _decoded(path, opened)


def _open_zarr(folder: Folder) -> Any:
    from zarr.core.buffer import default_buffer_prototype
    from zarr.storage import MemoryStore

    for name, content in folder.files.items():
        if not _ZARR_NAME.fullmatch(name):
            raise DataError.single(name, "file name", expected="one of a Zarr array", given=repr(name))
        if name.endswith(".zarray"):
            _check_array(name, json.loads(content), folder.files)
    buffer = default_buffer_prototype().buffer
    store = MemoryStore({name: buffer.from_bytes(content) for name, content in folder.files.items()})
    return xarray().open_zarr(store, consolidated=False, zarr_format=2)


def _check_array(name: str, about: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Plain numbers or texts, no filters (they can run code), a known compressor, every chunk there."""
    compressor = about["compressor"]
    plain = about["filters"] is None and re.fullmatch(r"[<>|][fiubU]\d+", about["dtype"])
    if not plain or (compressor is not None and compressor["id"] not in _COMPRESSORS):
        expected = f"plain numbers without filters, compressed by one of {', '.join(_COMPRESSORS)}"
        given = f"dtype {about['dtype']}, filters {about['filters']}, compressor {compressor}"
        raise DataError.single(name, "array", expected=expected, given=given)
    counts = [-(-size // chunk) for size, chunk in zip(about["shape"], about["chunks"], strict=True)]
    expected_chunks = 0 if 0 in about["shape"] else 1
    for count in counts:
        expected_chunks *= max(count, 1)
    own = name.removesuffix(".zarray")
    found = sum(file.startswith(own) and not file.endswith((".zarray", ".zattrs")) for file in files)
    if found != expected_chunks and expected_chunks:
        raise DataError.single(name, "chunks", expected=str(expected_chunks), given=str(found))


def _to_zarr(data: Any) -> dict[str, bytes]:
    """The files of a Zarr folder."""
    from zarr.storage import MemoryStore

    held: dict[str, Any] = {}
    # an empty chunk is written too: a chunk that is not there is damage
    encoding = {name: {"write_empty_chunks": True} for name in data.variables}
    data.to_zarr(MemoryStore(held), mode="w", consolidated=False, zarr_format=2, encoding=encoding)
    return {name: buffer.to_bytes() for name, buffer in held.items()}


def _to_zip(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of the files; its comment is the seal."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
        archive.comment = b" " * SEAL_LENGTH
    return seal(stream.getvalue()[:-SEAL_LENGTH])


def _check_replaceable(path: Path, kind: str, overwrite: bool) -> None:
    """A `ModelError` unless overwriting was asked for and all that is there is a run of ours."""
    if not overwrite:
        expected = "a place where nothing is, or overwrite=True"
        raise ModelError.single("save", "path", expected=expected, given=f"{path}, which exists")
    why = _foreign_folder(path) if kind == ".zarr" else _foreign_file(path)
    if why:
        expected = "a saved run, which overwrite=True replaces"
        raise ModelError.single("save", "path", expected=expected, given=f"{path}: {why}")


def _foreign_file(path: Path) -> str | None:
    """Why a file is none of ours; None if it is."""
    if path.is_symlink() or not path.is_file():
        return "not a regular file"
    content = read_bytes(path)
    ours = is_sealed(content) or (content[:8] == b"\x89HDF\r\n\x1a\n" and b"unmoored run" in content)
    return None if ours else "not written by unmoored"


def _foreign_folder(path: Path) -> str | None:
    if path.is_symlink() or not path.is_dir():
        return "not a folder"
    found = files_below(path)
    if MANIFEST in found:
        try:
            unknown = sorted(found - listed_files(path))
        except DataError:
            unknown = []
    elif ".zattrs" in found and b"unmoored run" in read_bytes(path / ".zattrs"):
        unknown = []
    else:
        return "not written by unmoored"
    unknown = unknown or sorted(n for n in found - {MANIFEST} if not _ZARR_NAME.fullmatch(n))
    return f"it also holds {', '.join(unknown[:8])}" if unknown else None
