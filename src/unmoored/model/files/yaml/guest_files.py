"""Finds the systems that a file mounts: files inside the folders that the caller trusts, and built-in systems
by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import NoReturn

from ...errors import ModelError
from ...mimic import uncoupled
from ...tree import Tree

#: gives a built-in system by its name
BuiltIn = Callable[[str], Tree]

_SUFFIXES = (".yaml", ".yml", ".urdf", ".xml")
_DEEPEST = 32


@dataclass(frozen=True)
class GuestFiles:
    """Reads what one file mounts.

    folder: where relative paths start; None for a text that is in no file.  roots: folders that files may lie
    in, besides
    it.  built_in: of systems by name.  chain: the files on the way here, this one last, by their real paths.
    known: what was read already, or why it could not be, for all files of the chain.
    """

    folder: Path | None
    roots: tuple[str | os.PathLike[str], ...] = ()
    built_in: BuiltIn | None = None
    chain: tuple[str, ...] = ()
    known: dict[tuple[str, str, bool], Tree | ModelError] = field(default_factory=dict)

    def tree(self, system: str, mimic: str, merge_fixed: bool) -> Tree:
        """The system in a file, or the built-in one; a `ModelError` says why there is none."""
        if Path(system).suffix.lower() not in _SUFFIXES:
            if merge_fixed:
                self._refuse("merge_fixed", "only with a .urdf file", system)
            return uncoupled(self._named(system), mimic)
        path = self._file(system)
        if path in self.chain:
            ring = (*dropwhile(path.__ne__, self.chain), path)
            self._refuse("cycle", "files that do not mount themselves", " → ".join(map(_short, ring)))
        if len(self.chain) >= _DEEPEST:
            self._refuse("depth", f"at most {_DEEPEST} files that mount each other", "more")
        key = (path, mimic, merge_fixed)
        if key not in self.known:
            try:
                self.known[key] = self._read(path, mimic, merge_fixed)
            except ModelError as error:
                self.known[key] = error
        found = self.known[key]
        if isinstance(found, ModelError):
            raise found
        return found

    def _named(self, name: str) -> Tree:
        if self.built_in is None:
            expected = f"a path that ends in {', '.join(_SUFFIXES)}"
            raise ModelError.single("mount", "system", expected=expected, given=repr(name))
        return self.built_in(name)

    def _file(self, system: str) -> str:
        """The real path of a file, which lies in a trusted folder."""
        starts = [self.folder] if self.folder else self.roots
        if not system.isprintable():
            self._refuse("path", "printable characters", repr(system))
        candidates = [system] if os.path.isabs(system) else [os.path.join(start, system) for start in starts]
        allowed = [os.path.realpath(root) for root in (*([self.folder] if self.folder else ()), *self.roots)]
        inside = [
            path
            for path in map(os.path.realpath, candidates)
            if any(path.startswith(os.path.join(root, "")) for root in allowed)
        ]
        if not inside:
            folders = ", ".join(allowed) or "none given"
            self._refuse("path", f"inside the root folders ({folders})", repr(system))
        found = next(filter(os.path.isfile, inside), None)
        if found is None:
            self._refuse("path", "a file that exists", repr(system))
        return found

    def _read(self, path: str, mimic: str, merge_fixed: bool) -> Tree:
        from .. import read_mjcf, read_urdf  # here: MuJoCo and XML only for files that need them
        from ..urdf.merged_links import merge_fixed_bodies
        from .reader import read_guest_yaml

        suffix = Path(path).suffix.lower()
        if merge_fixed and suffix != ".urdf":
            self._refuse("merge_fixed", "only with a .urdf file", _short(path))
        if suffix == ".urdf":
            tree = read_urdf(path, roots=self._trusted, ignore_mimic=mimic == "free")
            tree = uncoupled(tree, mimic)
            return merge_fixed_bodies(tree) if merge_fixed else tree
        if suffix == ".xml":
            return uncoupled(read_mjcf(path, roots=self._trusted, ignore_mimic=mimic == "free"), mimic)
        inner = GuestFiles(Path(path).parent, self._trusted, self.built_in, (*self.chain, path), self.known)
        return uncoupled(read_guest_yaml(path, inner), mimic)

    @property
    def _trusted(self) -> tuple[str | os.PathLike[str], ...]:
        """The folders that a guest's own files may lie in."""
        return (*([self.folder] if self.folder else ()), *self.roots)

    def _refuse(self, rule: str, expected: str, given: str) -> NoReturn:
        raise ModelError.single("mount", rule, expected=expected, given=given)


def guests_of(
    path: str | os.PathLike[str], roots: Sequence[str | os.PathLike[str]], built_in: BuiltIn | None
) -> GuestFiles:
    """What the file `path` may mount."""
    return GuestFiles(Path(path).parent, tuple(roots), built_in, (os.path.realpath(path),))


def _short(path: str) -> str:
    return os.path.basename(path)
