"""`unmoored convert`: a system file in another format."""

from __future__ import annotations

from pathlib import Path

from ..model import JOINTS, ModelError
from ..model.errors import unknown_name
from ..system import load

_WRITTEN = (".yaml", ".yml", ".urdf")


def convert_file(source: str, target: Path, base: str | None, merge_fixed: bool, overwrite: bool) -> str:
    """Write the system `source` (a file or a built-in name) to `target`; one line about it."""
    if target.suffix.lower() not in _WRITTEN:
        expected = f"a file that ends in {', '.join(_WRITTEN)}"
        raise ModelError.single(str(target), "file type", expected=expected, given=repr(target.suffix))
    if target.exists() and not overwrite:
        raise ModelError.single(str(target), "target", expected="a new file, or --overwrite", given="a file")
    if base is not None and base not in JOINTS:
        raise unknown_name("convert", "joint for --base", base, JOINTS)
    joint = None if base is None else _joint(base)
    system = load(source, base=joint, merge_fixed=merge_fixed)
    system.save(target)
    return f"{target}: {system!r}"


def _joint(kind: str):
    try:
        return JOINTS[kind]()
    except TypeError:
        raise ModelError.single(
            "convert", "joint for --base", expected="one without an axis of its own", given=kind
        ) from None
