"""Loading systems: from files, and the built-in ones by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from ..error_roots import warn
from ..model import Joint, ModelError, ModelWarning, Tree, files
from ..model.errors import unknown_name
from ..model.files.urdf.merged_links import merge_fixed_bodies
from ..model.mimic import uncoupled
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
    mimic: str | None = None,
    inertia: str = "given",
) -> System:
    """A system from a .yaml, .urdf or .xml (MJCF) file, or a built-in one by name.

    `roots`: folders that meshes, and files that a .yaml file mounts, may lie in, beside the file's own. For
    URDF alone: `base` is the joint between
    the world and the root link (Fixed if not given), `packages` {name: folder} of package:// names, `merge_fixed` melts
    bodies on fixed joints into their parents and keeps their frames, `inertia` "nearest" replaces tensors that no real
    body has by the nearest that one can have (warnings say which).
    mimic: what becomes of joints that follow others: "coupled" keeps them as `system.couplings` for a `Plant` to apply,
    "free" lets them move on their own, "locked" welds them where they stand while their leaders are at zero; not given,
    "coupled", with a warning for URDF and MJCF (`<mimic>`, and `<equality><joint>` with a linear polycoef).
    """
    name = str(source)
    folders = [Path(root) for root in roots]
    suffix = Path(name).suffix.lower()
    if suffix == ".urdf":
        if packages is not None and not isinstance(packages, Mapping):
            expected = "{package's name: its folder}"
            raise ModelError.single("load", "packages", expected=expected, given=repr(packages))
        named = {key: Path(path) for key, path in (packages or {}).items()}
        nearest = _one_of("inertia", inertia, ("given", "nearest")) == "nearest"
        tree = files.read_urdf(
            Path(name),
            base=base,
            roots=folders,
            packages=named,
            nearest_inertia=nearest,
            ignore_mimic=mimic == "free",
        )
        tree = _coupled(tree, name, mimic)
        return System(merge_fixed_bodies(tree) if merge_fixed else tree)
    urdf_only = {
        "base": base,
        "packages": packages,
        "merge_fixed": merge_fixed or None,
        "inertia": None if inertia == "given" else inertia,
    }
    if refused := [key for key, value in urdf_only.items() if value is not None]:
        raise ModelError.single(name, "argument", expected="only with a .urdf file", given=", ".join(refused))
    if suffix in (".yaml", ".yml"):
        tree = files.read_yaml(Path(name), roots=folders, built_in=built_in)
        return System(uncoupled(tree, mimic or "coupled"))
    if suffix == ".xml":
        tree = files.read_mjcf(Path(name), roots=folders, ignore_mimic=mimic == "free")
        return System(_coupled(tree, name, mimic))
    return System(built_in(name))


def _coupled(tree: Tree, name: str, mimic: str | None) -> Tree:
    """The tree with its couplings as `mimic` says; a warning if it says nothing."""
    if tree.couplings and mimic is None:
        followers = ", ".join(coupling.joint for coupling in tree.couplings)
        warn(
            f'{name}: joints that follow others ({followers}) are kept as couplings; mimic="coupled" says that '
            'this is meant, "free" or "locked" that it is not',
            ModelWarning,
        )
    return uncoupled(tree, mimic or "coupled")


def _one_of(what: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise unknown_name("load", what, value, known)
    return value


def built_in(name: str) -> Tree:
    """The built-in system of that name."""
    path = _LIBRARY / f"{name}.yaml"
    if not name.isidentifier() or not path.is_file():
        known = [*systems(), "or a path that ends in .yaml, .urdf or .xml"]
        raise unknown_name("load", "system", name, known)
    return files.parse_yaml(path.read_text(encoding="utf-8"), f"{name}.yaml", built_in=built_in)
