"""System file → `Tree`: every problem of the file at once, each with its line and the path of its key."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path as FilePath
from typing import Any

from pydantic import ValidationError

from ...body import Body, Frame
from ...checks import tree_problems
from ...errors import ModelError, Problem
from ...mimic import Mimic
from ...mounting import Mounted, mounted, place_of
from ...names import WORLD
from ...part import Part
from ...pose import Pose
from ...tree import Tree
from ...visual import Visual
from ..file_problems import Problems, check_limit
from ..file_text import decode, read_file
from ..mesh_paths import KeptMeshPaths, MeshPaths
from .entry_values import fluid_of, guest_of, inertia_of, joint_of, options_of, pose_of, stand_in
from .guest_files import BuiltIn, GuestFiles, guests_of
from .schema import (
    GUEST_FORMS,
    SHAPES,
    BodyEntry,
    ComposedFile,
    Entry,
    FrameEntry,
    MountEntry,
    SystemFile,
)
from .validation_errors import add_complaints
from .yaml_document import Document, Path, parse_document, path_text

#: The key that a rule of the tree speaks of.
_KEYS = {
    "unknown parent": "parent",
    "cycle": "parent",
    "name used twice": "name",
    "joint name used twice": "joint_name",
    "ambiguous name": "name",
}


def read_yaml(
    path: str | os.PathLike[str],
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    built_in: BuiltIn | None = None,
) -> Tree:
    """The tree in the system file `path` (SI units; see docs/system-files.md).

    roots: folders that meshes and mounted files may lie in, besides the file's own.  built_in: gives the
    built-in system
    of a name, for files that mount one.  A `ModelError` lists all problems.
    """
    text = decode(read_file(path), os.fspath(path))  # first: what is no file has no folder either
    guests = guests_of(path, roots, built_in)
    return _tree(text, os.fspath(path), MeshPaths(FilePath(path).parent, roots), guests)


def read_guest_yaml(path: str, guests: GuestFiles) -> Tree:
    """The tree in the system file `path`, which is the last of the chain of `guests`."""
    text = decode(read_file(path), path)
    return _tree(text, path, MeshPaths(FilePath(path).parent, guests.roots), guests)


def parse_yaml(
    text: str,
    source: str = "<text>",
    *,
    roots: Sequence[str | os.PathLike[str]] = (),
    built_in: BuiltIn | None = None,
) -> Tree:
    """The tree in the text of a system file; errors call it `source`. Relative mesh paths are kept."""
    return _tree(text, source, MeshPaths(None, roots), GuestFiles(None, tuple(roots), built_in))


def parse_kept_yaml(text: str, source: str, roots: Sequence[str | os.PathLike[str]] = ()) -> Tree:
    """The tree in the text of a system that was saved with a run; its meshes are looked for in `roots` only."""
    return _tree(text, source, KeptMeshPaths(roots), GuestFiles(None))


def yaml_description(text: str, source: str = "<text>") -> str:
    """The one-line description in the text of a system file, where it stands before the bodies."""
    head = text.partition("\nbodies:")[0]
    data = parse_document(head, source).data
    description = data.get("description", "") if isinstance(data, dict) else ""
    return description if isinstance(description, str) else ""


def _tree(text: str, source: str, meshes: MeshPaths, guests: GuestFiles) -> Tree:
    document = parse_document(text, source)
    builder = _Builder(document, Problems(source), meshes, guests)
    tree = builder.tree()
    meshes.warn(source)
    return tree


class _Builder:
    def __init__(self, document: Document, problems: Problems, meshes: MeshPaths, guests: GuestFiles):
        self._document = document
        self._problems = problems
        self._meshes = meshes
        self._guests = guests
        self._paths: dict[str, list[Path]] = {}  # by name, which broken files may use twice

    def tree(self) -> Tree:
        header = self._validated()
        bodies = [self._body(entry, path) for path, entry in self._entries("bodies", BodyEntry, header)]
        frames = [self._frame(entry, path) for path, entry in self._entries("frames", FrameEntry, header)]
        bodies, frames = [b for b in bodies if b is not None], [f for f in frames if f is not None]
        mounts = list(self._entries("mount", MountEntry, header))
        guests: list[Mounted | None] = []
        for path, entry in mounts:
            guests.append(self._mount(entry, path, bodies, frames, orphan=None not in guests))
        if header is None or self._problems:
            if bodies:
                self._add_tree_problems("system", bodies, frames, orphans=None not in guests)
            raise self._problems.error()
        found = [guest for guest in guests if guest is not None]
        couplings = (*self._couplings(header), *(c for guest in found for c in guest.couplings))
        parts = (*self._parts(header), *(part for guest in found for part in guest.parts))
        try:
            return Tree(
                name=header.name,
                bodies=tuple(bodies),
                frames=tuple(frames),
                parts=parts,
                description=header.description,
                sources=tuple(header.sources),
                assumptions=tuple(header.assumptions),
                couplings=couplings,
            )
        except ModelError as error:
            self._add_tree_problems(header.name, bodies, frames, couplings, parts)
            if not self._problems:  # of the header
                for problem in error.problems:
                    line = self._document.line((problem.rule,))
                    self._problems.add(
                        problem.where, problem.rule, expected=problem.expected, given=problem.given, line=line
                    )
            raise self._problems.error() from None

    def _couplings(self, header: SystemFile) -> tuple[Mimic, ...]:
        found = []
        for i, entry in enumerate(header.couplings):
            self._paths.setdefault(entry.joint, []).append(("couplings", i))
            with self._problems.of(f"couplings[{i}]", self._document.line(("couplings", i))):
                found.append(Mimic(entry.joint, entry.leader, entry.multiplier, entry.offset))
        self._problems.raise_any()
        return tuple(found)

    def _mount(
        self, entry: Any, path: Path, bodies: list[Body], frames: list[Frame], orphan: bool
    ) -> Mounted | None:
        """A guest, whose bodies and frames join those that are there; None if there is something wrong with it.

        orphan: whether an unknown parent counts; not where it may be in a guest that could not be read.
        """
        if not isinstance(entry, MountEntry):
            return None
        line, found = self._document.line(path), len(self._problems)
        form = next((key for key in GUEST_FORMS if key in entry.given()), "system")
        try:
            tree, source = guest_of(entry, self._guests)
            check_limit(self._problems.source, "mounted_bodies", len(bodies) + len(tree.bodies), "bodies")
        except ModelError as error:
            for problem in error.problems:
                if problem.location is None:
                    self._add((*path, form), problem.rule, problem.expected, problem.given)
                else:
                    self._problems.adopt(problem, line)
            return None
        joint = self._part(entry.joint, (*path, "joint"), joint_of)
        at = self._part(entry.at, (*path, "at"), pose_of)
        if not orphan and entry.parent not in {WORLD, *(x.name for x in (*bodies, *frames))}:
            return None
        with self._noted(path):
            parent, placed = place_of(entry.parent, bodies, frames, tree.name)
            if len(self._problems) == found:
                prefix = f"{tree.name}/" if entry.prefix is None else entry.prefix
                guest = mounted(tree, parent, placed @ at, joint, prefix, source, entry.prescribed)
                bodies += guest.bodies
                frames += guest.frames
                for part in (*guest.bodies, *guest.frames):
                    self._paths.setdefault(part.name, []).append(path)
                return guest
        return None

    def _parts(self, header: SystemFile) -> tuple[Part, ...]:
        found = []
        for i, entry in enumerate(header.parts):
            with self._problems.of(f"parts[{i}]", self._document.line(("parts", i))):
                found.append(Part(**entry.given()))
        self._problems.raise_any()
        return tuple(found)

    def _validated(self) -> SystemFile | None:
        data = self._document.data
        form = ComposedFile if isinstance(data, dict) and "mount" in data else SystemFile
        try:
            return form.model_validate(data)
        except ValidationError as error:
            add_complaints(self._problems, self._document, error, form)
            return None

    def _entries(
        self, key: str, schema: type[Entry], header: SystemFile | None
    ) -> Iterator[tuple[Path, Any]]:
        """The items of a list with their paths: as entries, or as raw data where they do not validate.

        header: the file, if it validates as a whole.
        """
        if header is not None:
            for i, entry in enumerate(getattr(header, key)):
                if self._problems.full:
                    return
                yield (key, i), entry
            return
        data = self._document.data
        items = data.get(key) if isinstance(data, dict) else None
        for i, item in enumerate(items if isinstance(items, list) else ()):
            if self._problems.full:
                return
            try:
                yield (key, i), schema.model_validate(item)
            except ValidationError:
                yield (key, i), item

    def _body(self, entry: Any, path: Path) -> Body | None:
        if not isinstance(entry, BodyEntry):
            return self._placeholder(entry, path)
        self._paths.setdefault(entry.name, []).append(path)
        found = len(self._problems)
        parts = {
            "joint": self._part(entry.joint, (*path, "joint"), joint_of),
            "inertia": self._part(entry.inertia, (*path, "inertia"), inertia_of),
            "at": self._part(entry.at, (*path, "at"), pose_of),
            "visuals": [
                self._part(visual, (*path, "visuals", i), self._visual)
                for i, visual in enumerate(entry.visuals)
            ],
            "fluid": self._part(entry.fluid, (*path, "fluid"), fluid_of),
        }
        if len(self._problems) > found:
            return stand_in(entry.name, entry.parent)
        with self._noted(path):
            return Body(
                name=entry.name,
                parent=entry.parent,
                joint_name=entry.joint_name,
                prescribed=entry.prescribed,
                **parts,  # type: ignore[arg-type]
            )
        return None

    def _placeholder(self, item: Any, path: Path) -> Body | None:
        """Stands in for a body with problems of its own, so that the tree around it can be checked too."""
        if not isinstance(item, dict):
            return None
        name, parent = item.get("name"), item.get("parent", "world")
        if not isinstance(name, str) or not isinstance(parent, str):
            return None
        self._paths.setdefault(name, []).append(path)
        return stand_in(name, parent)

    def _frame(self, entry: Any, path: Path) -> Frame | None:
        if not isinstance(entry, FrameEntry):
            return None
        self._paths.setdefault(entry.name, []).append(path)
        at = self._part(entry.at, (*path, "at"), pose_of)
        with self._noted(path):
            return Frame(name=entry.name, parent=entry.parent, at=at or Pose())
        return None

    def _visual(self, entry: Any) -> Visual:
        options = options_of(entry)
        if "at" in options:
            options["at"] = pose_of(options["at"])
        if "path" in options:
            options["path"] = self._meshes.resolve(options["path"])
        return SHAPES[entry.type](**options)

    def _part(self, entry: Any, path: Path, build: Any) -> Any:
        with self._noted(path):
            return build(entry)
        return None

    @contextmanager
    def _noted(self, path: Path) -> Iterator[None]:
        """Note a `ModelError` at the path of the key that it speaks of, if there is one, else at `path`."""
        try:
            yield
        except ModelError as error:
            for problem in error.problems:
                self._add(path, problem.rule, problem.expected, problem.given)

    def _add_tree_problems(
        self,
        name: str,
        bodies: list[Body],
        frames: list[Frame],
        couplings: tuple[Mimic, ...] = (),
        parts: tuple[Part, ...] = (),
        orphans: bool = True,
    ) -> None:
        """orphans: whether unknown parents count; not where one may be in a guest that could not be read."""
        taken: set[tuple[Path, str]] = set()
        for problem in tree_problems(name, bodies, frames, couplings, parts):
            if self._problems.full:
                return
            if problem.rule == "unknown parent" and not orphans:
                continue
            path = self._path_of(problem, taken)
            taken.add((path, problem.rule))
            key = (
                _KEYS.get(problem.rule) if path[:1] != ("mount",) else "prefix"
            )  # what makes a guest's names
            self._add((*path, key) if key and path else path, problem.rule, problem.expected, problem.given)

    def _path_of(self, problem: Problem, taken: set[tuple[Path, str]]) -> Path:
        """Path of the body or frame that breaks the rule: of several with its name, the next one that does."""
        coupling = problem.rule.startswith("mimic")
        paths = [path for path in self._paths.get(problem.where, []) if (path[0] == "couplings") == coupling]
        if problem.rule == "name used twice":
            paths = paths[1:]
        if problem.rule == "part":
            return ("parts",)
        if problem.rule == "unknown parent":
            paths = [path for path in paths if repr(self._item(path).get("parent")) == problem.given]
        return next((path for path in paths if path[0] == "mount" or (path, problem.rule) not in taken), ())

    def _add(self, path: Path, rule: str, expected: str, given: str) -> None:
        if (*path, rule) in self._document.lines:
            path, rule = (*path, rule), "value"
        where, line = path_text(path), self._document.line(path)
        name = self._name(path)
        where = f"{where} ({name})" if name else where
        self._problems.add(where, rule, expected=expected, given=given, line=line)

    def _name(self, path: Path) -> str | None:
        """Name of the body or frame that the path leads into."""
        if len(path) < 2 or path[0] not in ("bodies", "frames"):
            return None
        item = self._item(path)
        name = item.get("name") if isinstance(item, dict) else None
        return name if isinstance(name, str) and name.isprintable() else None

    def _item(self, path: Path) -> Any:
        """What the file has for the body or frame at the path."""
        return self._document.data[path[0]][path[1]]
