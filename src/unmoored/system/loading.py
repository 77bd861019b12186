"""Loading systems: from files, and the built-in ones by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from ..model import Joint, ModelError, files
from ..model.errors import unknown_name
from .system import System

_LIBRARY = resources.files("unmoored.system") / "library"


def systems() -> dict[str, str]:
    """Names of the built-in systems, each with one line that says what it is."""
    found = {
        path.name.removesuffix(".yaml"): path for path in _LIBRARY.iterdir() if path.name.endswith(".yaml")
    }
    return {name: files.yaml_description(found[name].read_text(encoding="utf-8")) for name in sorted(found)}


def load(
    source: str | Path,
    *,
    base: Joint | None = None,
    roots: Sequence[str | Path] = (),
    packages: Mapping[str, str | Path] | None = None,
    merge_fixed: bool = False,
) -> System:
    """A system from a .yaml, .urdf or .xml (MJCF) file, or a built-in one by name.

    `roots`: folders that mesh files may lie in, beside the file's own. For URDF alone: `base` is the joint between
    the world and the root link (Fixed if not given), `packages` the folders of package:// names, `merge_fixed` melts
    bodies on fixed joints into their parents and keeps their frames.
    """
    name = str(source)
    folders = [Path(root) for root in roots]
    suffix = Path(name).suffix.lower()
    if suffix == ".urdf":
        named = {key: Path(path) for key, path in (packages or {}).items()}
        tree = files.read_urdf(Path(name), base=base, roots=folders, packages=named, merge_fixed=merge_fixed)
        return System(tree)
    urdf_only = {"base": base, "packages": packages, "merge_fixed": merge_fixed or None}
    if refused := [key for key, value in urdf_only.items() if value is not None]:
        raise ModelError.single(name, "argument", expected="only with a .urdf file", given=", ".join(refused))
    if suffix in (".yaml", ".yml"):
        return System(files.read_yaml(Path(name), roots=folders))
    if suffix == ".xml":
        return System(files.read_mjcf(Path(name), roots=folders))
    return _built_in(name)


def _built_in(name: str) -> System:
    path = _LIBRARY / f"{name}.yaml"
    if not name.isidentifier() or not path.is_file():
        known = [*systems(), "or a path that ends in .yaml, .urdf or .xml"]
        raise unknown_name("load", "system", name, known)
    return System(files.parse_yaml(path.read_text(encoding="utf-8"), f"{name}.yaml"))
