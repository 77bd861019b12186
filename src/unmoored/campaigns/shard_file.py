"""A shard on disk: a Zarr group (format 2) in one zip file, with a manifest of digests inside, sealed as a whole.

It is one file, so it takes its place at once and costs one flush. What is stored in a zip file uncompressed lies there
as it is: a reader takes one array out of a large shard, checks it against the manifest, and never reads the rest.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..error_roots import optional
from ..model import DataError
from ..simulation.disk import digest, read_bytes, seal, unseal, with_manifest
from ..simulation.disk.manifest import NAME as MANIFEST
from ..simulation.disk.seal import SEAL_LENGTH
from ..simulation.status import Status
from .shard_data import ShardData

FORMAT = "unmoored shard 2"
#: bytes of a zip archive's header before a file, without names
_HEADER = 30
#: begins the names of a summary's arrays
SUMMARY = "summary_"
_PLAIN = ("f8", "f4", "i8", "i4", "i1")
_DIMENSIONS = {
    "count": ("row",), "mean": ("row", "channel"), "scatter": ("row", "channel", "channel_2"),
    "lowest": ("row", "channel"), "highest": ("row", "channel"), "lowest_sample": ("row", "channel"),
    "highest_sample": ("row", "channel"), "sketch_means": ("cluster", "row", "channel"),
    "sketch_weights": ("cluster", "row", "channel"),
}  # fmt: skip


def shard_bytes(shard: ShardData, about: Mapping[str, Any]) -> bytes:
    """The file of a shard. about: what else it says, plain data. The same shard gives the same bytes."""
    attributes = {
        "format": FORMAT,
        **about,
        "shard": shard.number,
        "causes": [cause.record for cause in shard.causes],
        "events": list(shard.event_names),
    }
    arrays = {"samples": (("sample",), shard.samples.astype(np.int64)), **shard.arrays}
    arrays |= {f"{SUMMARY}{name}": (_DIMENSIONS[name], a) for name, a in shard.summary.arrays.items()}
    files = {".zgroup": _json({"zarr_format": 2}), ".zattrs": _json(attributes)}
    for name, (dims, array) in arrays.items():
        files |= _array_files(name, dims, array)
    return _zipped(with_manifest(files))


def _array_files(name: str, dims: tuple[str, ...], array: np.ndarray) -> dict[str, bytes]:
    array = np.ascontiguousarray(array)
    codec = _codec() if array.nbytes > 4096 else None
    about = {
        "zarr_format": 2,
        "shape": array.shape,
        "chunks": [max(1, n) for n in array.shape],
        "dtype": array.dtype.newbyteorder("<").str,
        "compressor": None if codec is None else codec.get_config(),
        "fill_value": None,
        "order": "C",
        "filters": None,
    }
    files = {f"{name}/.zarray": _json(about), f"{name}/.zattrs": _json({"_ARRAY_DIMENSIONS": dims})}
    if array.size:
        content = array.tobytes() if codec is None else bytes(codec.encode(array))
        files[f"{name}/{'.'.join('0' * array.ndim)}"] = content
    return files


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of stored files; its comment is the seal."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
        archive.comment = b" " * SEAL_LENGTH
    return seal(stream.getvalue()[:-SEAL_LENGTH])


class ShardFile:
    """A shard on disk; each part is checked against the manifest as it is read."""

    def __init__(self, path: Path):
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                listed = archive.infolist()
                _check_size(listed, archive.start_dir, path)
                self._places = {info.filename: _content_of(info) for info in listed}
            self._listed: dict[str, Any] = {}
            self._listed = json.loads(unseal(self._read(MANIFEST), f"{path}: {MANIFEST}"))["files"]
            self.about: dict[str, Any] = json.loads(self._part(".zattrs"))
            known = self.about["format"] == FORMAT
        except (
            OSError,
            KeyError,
            zipfile.BadZipFile,
            EOFError,
            ValueError,
            NotImplementedError,
            TypeError,
        ) as error:
            if isinstance(error, DataError):
                raise
            raise self._damaged(error) from None
        if not known:
            given = repr(self.about["format"])[:80]
            raise DataError.single(str(path), "format", expected=repr(FORMAT), given=given)

    @property
    def names(self) -> list[str]:
        """Names of the arrays."""
        return [name.removesuffix("/.zarray") for name in self._listed if name.endswith("/.zarray")]

    @property
    def causes(self) -> tuple[Status, ...]:
        """Ways in which samples of the shard ended."""
        return tuple(map(Status.from_record, self.about["causes"]))

    def dimensions(self, name: str) -> tuple[str, ...]:
        """Names of an array's dimensions."""
        return tuple(json.loads(self._part(f"{name}/.zattrs"))["_ARRAY_DIMENSIONS"])

    def array(self, name: str) -> np.ndarray:
        """One array."""
        try:
            about = json.loads(self._part(f"{name}/.zarray"))
            shape, dtype, compressor = tuple(about["shape"]), np.dtype(about["dtype"]), about["compressor"]
            if (
                dtype.str[1:] not in _PLAIN
                or about["filters"]
                or (compressor and compressor["id"] != "blosc")
            ):
                raise ValueError(f"dtype {dtype}, filters {about['filters']}, compressor {compressor}")
            if 0 in shape:
                return np.zeros(shape, dtype)
            content = self._part(f"{name}/{'.'.join('0' * len(shape))}")
            raw = content if compressor is None else _codec().decode(content)
            if len(raw) != math.prod(shape) * dtype.itemsize:
                raise ValueError(f"{len(raw)} bytes of {shape} {dtype}")
            return np.frombuffer(raw, dtype).reshape(shape)
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            if isinstance(error, DataError):
                raise
            raise self._damaged(error) from None

    def arrays(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Several arrays by name."""
        return {name: self.array(name) for name in names}

    def verify(self) -> None:
        """Check every byte; a `DataError` for damage."""
        unseal(read_bytes(self.path), self.path)

    def _part(self, name: str) -> bytes:
        size, expected = self._listed[name]
        content = self._read(name)
        if len(content) != size or digest(content) != expected:
            where = f"{self.path}: {name}"
            raise DataError.single(where, "digest", expected=expected, given=digest(content))
        return content

    def _read(self, name: str) -> bytes:
        """The bytes of a stored file, unchecked."""
        header, size = self._places[name]
        with open(self.path, "rb") as file:
            file.seek(header)
            start = file.read(_HEADER)
            names = int.from_bytes(start[26:28], "little") + int.from_bytes(start[28:30], "little")
            file.seek(names, 1)
            return file.read(size)

    def _damaged(self, error: BaseException) -> DataError:
        given = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        expected = "a shard of a campaign; run the campaign again to have it made anew"
        return DataError.single(str(self.path), "content", expected=expected, given=given)


def _content_of(info: zipfile.ZipInfo) -> tuple[int, int]:
    """Where the header of a stored file begins, and the length of its content."""
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        raise ValueError(f"{info.filename} is compressed")
    return info.header_offset, info.file_size


def _check_size(listed: list[zipfile.ZipInfo], directory: int, path: Path) -> None:
    """Refuse an archive whose files do not lie one after the other from its first byte to its directory and its end.

    A name in the directory takes 46 bytes and its own, the end 22 and the seal.
    """
    place, names = 0, 0
    for info in listed:
        if info.header_offset != place:
            raise ValueError(f"{info.filename} at {info.header_offset}, not at {place}")
        names += len(info.filename.encode())
        place += _HEADER + len(info.filename.encode()) + info.compress_size
    size = place + 46 * len(listed) + names + 22 + SEAL_LENGTH
    if directory != place or path.stat().st_size != size:
        raise ValueError(f"{path.stat().st_size} bytes instead of {size}")


def _json(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


def _codec() -> Any:
    numcodecs = optional("numcodecs", "campaigns", "a campaign on disk")
    return numcodecs.Blosc(cname="zstd", clevel=1, shuffle=numcodecs.Blosc.SHUFFLE)
