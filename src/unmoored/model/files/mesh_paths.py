"""Finds mesh files, and only inside the folders that the caller trusts. No mesh is opened here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...error_roots import warn
from ..errors import ModelError, ModelWarning, some_of
from ..tree import Tree
from ..visual import Mesh

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_LONGEST = 4096
_MOST_LISTED = 8


def relative_mesh(path: str, folder: str | None) -> str:
    """A mesh path as a file in `folder` (an absolute path, or None) writes it: relative if it lies inside."""
    inside = folder is not None and path.startswith(os.path.join(folder, ""))
    return Path(path).relative_to(str(folder)).as_posix() if inside else path


def warn_of_meshes_elsewhere(tree: Tree, path: str | os.PathLike[str]) -> None:
    """A `ModelWarning` if a tree saved as `path` has meshes outside that folder: readers will want `roots` for them."""
    folder = os.path.realpath(Path(path).parent)
    meshes = [v.path for body in tree.bodies for v in body.visuals if isinstance(v, Mesh)]
    away = sorted({os.path.dirname(mesh) for mesh in meshes if os.path.isabs(relative_mesh(mesh, folder))})
    if away:
        message = (
            f"{os.fspath(path)}: meshes lie outside its folder; to load it give roots={away[:_MOST_LISTED]}"
        )
        warn(message, ModelWarning)


class MeshPaths:
    """Resolves the mesh paths of one file.

    folder: where relative paths start; None for a model that was not read from a file.
    roots: folders that meshes may lie in, besides `folder`.  packages: folder of each `package://` name.
    """

    def __init__(
        self,
        folder: Path | None,
        roots: Sequence[str | os.PathLike[str]] = (),
        packages: Mapping[str, str | os.PathLike[str]] | None = None,
    ):
        self._folder = folder
        self._packages = {name: Path(path) for name, path in (packages or {}).items()}
        self._starts = [*([folder] if folder else []), *map(Path, roots)]
        self._allowed = [os.path.realpath(path) for path in (*self._starts, *self._packages.values())]
        self._missing: list[str] = []

    def resolve(self, path: str) -> str:
        """The absolute path of the mesh if it is found; the given text if it is not, which `warn` then lists.

        A `ModelError` if it lies, or would lie, outside the allowed folders.
        """
        if not path.isprintable() or not 0 < len(path) <= _LONGEST:
            expected = f"1 to {_LONGEST} printable characters"
            raise ModelError.single("mesh", "path", expected=expected, given=repr(path))
        candidates = self._candidates(path)
        inside = [target for target in map(os.path.realpath, candidates) if self._allows(target)]
        if candidates and not inside:
            raise self._escape(path)
        found = next(filter(os.path.isfile, inside), None)
        if found is None and self._starts:
            self._missing.append(path)
        return found or path

    def warn(self, source: str) -> None:
        """One `ModelWarning` that lists the meshes that were not found."""
        if self._missing:
            names = sorted(set(self._missing))
            message = f"{source}: {len(names)} mesh files not found: {some_of(names)}"
            warn(message, ModelWarning)

    def _candidates(self, path: str) -> list[str]:
        scheme = _SCHEME.fullmatch(path)
        if scheme and scheme[1] == "package":
            return self._in_package(path, *scheme[2].lstrip("/").partition("/")[::2])
        if scheme and scheme[1] != "file":
            raise ModelError.single(
                "mesh", "path", expected="package://, file:// or a plain path", given=repr(path)
            )
        plain = scheme[2] if scheme else path
        if os.path.isabs(plain):
            return [plain]
        if ".." in re.split(r"[/\\]", plain) and not self._starts:
            raise self._escape(path)
        return [os.path.join(start, plain) for start in ([self._folder] if self._folder else self._starts)]

    def _in_package(self, path: str, package: str, rest: str) -> list[str]:
        """A package's meshes lie in its own folder: no `..` leads to another one."""
        if (
            package in ("", ".", "..")
            or "\\" in package
            or ".." in re.split(r"[/\\]", rest)
            or os.path.isabs(rest)
        ):
            raise self._escape(path)
        if package in self._packages:
            return [os.path.join(self._packages[package], rest)]
        inside = [os.path.join(start, package, rest) for start in self._starts]
        itself = [
            os.path.join(start, rest)
            for start in self._starts
            if Path(os.path.realpath(start)).name == package
        ]
        return itself + inside

    def _allows(self, target: str) -> bool:
        return any(target.startswith(os.path.join(root, "")) for root in self._allowed)

    def _escape(self, path: str) -> ModelError:
        folders = ", ".join(self._allowed) or "none given"
        return ModelError.single(
            "mesh", "path", expected=f"inside the root folders ({folders})", given=repr(path)
        )


class KeptMeshPaths(MeshPaths):
    """Finds the meshes of a system that was saved, perhaps on another machine: in the given roots only.

    A mesh is where it was, if that is inside a root, or at the longest end of its path that a root has. One that is
    not found keeps only its file's name, and `warn` lists it.
    """

    def __init__(self, roots: Sequence[str | os.PathLike[str]] = ()):
        super().__init__(None, roots)
        self._folders: set[str] = set()

    def resolve(self, path: str) -> str:
        """The absolute path of the mesh if it is in a root, else the name of its file."""
        parts = [part for part in re.split(r"[/\\]", path) if part not in ("", ".", "..")]
        ends = (os.path.join(*parts[k:]) for k in range(len(parts)))
        candidates = [path, *(os.path.join(root, end) for end in ends for root in self._starts)]
        for target in map(os.path.realpath, candidates if path.isprintable() else []):
            if self._allows(target) and os.path.isfile(target):
                return target
        self._missing.append(path)
        self._folders.add(os.path.dirname(path))
        return parts[-1] if parts else "mesh"

    def warn(self, source: str) -> None:
        """One `ModelWarning` that says how many meshes were not found, and where they were."""
        if self._missing:
            count, folders = len(set(self._missing)), sorted(self._folders)[:_MOST_LISTED]
            message = f"{source}: {count} mesh files not found, so not shown; they were in {folders}: give roots=[…]"
            warn(message, ModelWarning)
