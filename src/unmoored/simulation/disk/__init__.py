"""Files that are whole or not there: sealed with digests, put in place at once. Knows nothing of runs."""

from .manifest import Folder, read_folder, with_manifest
from .placing import place_file, place_folder, recover
from .seal import digest, is_sealed, read_bytes, seal, unseal

__all__ = [
    "Folder", "digest", "is_sealed", "place_file", "place_folder", "read_bytes", "read_folder", "recover", "seal",
    "unseal", "with_manifest",
]  # fmt: skip
