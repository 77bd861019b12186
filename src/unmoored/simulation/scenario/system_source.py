"""The systems that a scenario names: built-in ones, or files relative to the scenario's folder."""

from __future__ import annotations

from pathlib import Path

from ...model import Joint, ModelError
from ...model.files.file_text import decode, read_file
from ...system import System, load


def system_named(name: str, folder: Path, base: Joint | None = None) -> System:
    """A built-in system, or that of a file, relative to the folder; base: joint under the root link of a URDF file."""
    if not Path(name).suffix:
        return load(name, base=base)
    path = Path(name) if Path(name).is_absolute() else folder / name
    if path.suffix.lower() in (".yaml", ".yml") and "unmoored_scenario" in decode(read_file(path), str(path)):
        raise ModelError.single("", "system", expected="a system file", given=f"a scenario file: {name}")
    return load(path, base=base)
