"""An MJCF model and all it names as one text and plain bytes: what MuJoCo is given, and all that it can see.

We read the files, inside the trusted folders only, and give MuJoCo the elements again with names of our own in the
place of paths. Elements that a tree does not need (textures, height fields, skins, sensors, sizes) are left out or
replaced by small ones.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...errors import ModelError
from ..file_problems import Problems, check_limit, file_error
from ..file_text import read_file
from ..xml_elements import Element, parse_xml

_FOLDERS = ("meshdir", "texturedir", "assetdir", "strippath")
#: left out with everything in them
_NOT_NEEDED = ("size", "sensor", "custom", "skin", "visual", "statistic")
_REFUSED = {"plugin": "plugins", "flex": "deformable bodies (flex)", "flexcomp": "deformable bodies (flex)"}
#: elements whose `file` gives them a name if they have none
_WITH_FILES = ("mesh", "texture", "hfield", "model")
#: small ones that stand for large ones
_REPLACED = {
    "texture": {"type": "2d", "builtin": "flat", "width": "1", "height": "1"},
    "hfield": {"nrow": "2", "ncol": "2", "size": "1 1 1 1"},
}
_DEEPEST = 6  # files in files
#: attributes that say what bodies and joints are
_NUMBERS = frozenset(
    (
        "mass", "density", "size", "fromto", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "inertia",
        "diaginertia", "fullinertia", "axis", "range", "ref", "springref", "stiffness", "damping", "armature",
        "frictionloss", "polycoef", "scale", "refpos", "refquat", "gear", "offset", "boundmass", "boundinertia",
        "settotalmass", "shellinertia",
    )
)  # fmt: skip
_NAN = re.compile(r"(?<![^\s+-])nan(?![^\s(])", re.IGNORECASE)
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,8}")


@dataclass
class Flattened:
    """text: the model.  assets: other files by the names in it.  paths: where those files lie.

    lines: (file, line) of every line of the text.  left_out: how many of what was left out, by words.
    """

    text: str = ""
    assets: dict[str, bytes] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    lines: list[tuple[str, int]] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


def flattened(path: Path, roots: Sequence[str | os.PathLike[str]]) -> Flattened:
    """The model in the MJCF file `path`; a `ModelError` for files outside its folder and `roots`, and for too much."""
    reader = _Flattener(path, [os.path.realpath(root) for root in (path.parent, *roots)])
    found = reader.model(os.path.realpath(path), str(path))
    reader.problems.raise_any()
    found.assets, found.paths, found.left_out = reader.assets, reader.paths, reader.left_out
    return found


class _Flattener:
    def __init__(self, path: Path, allowed: list[str]):
        self._source, self._allowed = str(path), allowed
        self.problems = Problems(str(path))
        self.assets: dict[str, bytes] = {}
        self.paths: dict[str, str] = {}
        self.left_out: dict[str, int] = {}
        self._count = 0
        self._files_seen = 0
        self._models: list[str] = []  # files that are being read: models,
        self._open: list[str] = []  # and within the last of them what it includes

    def model(self, file: str, shown: str) -> Flattened:
        """One model with all that it includes."""
        if file in self._models or len(self._models) > _DEEPEST:
            raise file_error(self._source, "model", expected="no model in itself", given=shown)
        self._models.append(file)
        around, self._open = self._open, []
        root = parse_xml(read_file(file), shown)
        if root.tag != "mujoco":
            given = "<robot>: read URDF as URDF" if root.tag == "robot" else f"<{root.tag}>"
            raise file_error(shown, "root element", expected="<mujoco>", given=given, line=root.line)
        folder = os.path.dirname(file)
        whole = self._with_includes(root, folder, file)
        self._count += _expanded(whole)
        check_limit(self._source, "mjcf_elements", self._count, "elements, replicas included")
        out = Flattened()
        rows: list[str] = []
        for line, origin in self._written(whole, _Folders(whole, folder)):
            rows.append(line)
            out.lines.append(origin)
        out.text = "\n".join(rows)
        self._models.pop()
        self._open = around
        return out

    def _with_includes(self, root: Element, folder: str, file: str) -> Element:
        if file in self._open or len(self._open) > _DEEPEST:
            raise file_error(self._source, "include", expected="no file in itself", given=root.source)
        self._open.append(file)
        whole = self._with_includes_below(root, folder, file)
        self._open.pop()
        return whole

    def _with_includes_below(self, element: Element, folder: str, file: str) -> Element:
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self._included(child, folder, os.path.dirname(file))
            else:
                children.append(self._with_includes_below(child, folder, file))
        return replace(element, children=children)

    def _included(self, include: Element, folder: str, own: str) -> list[Element]:
        """The elements of an included file, which lies beside the model or beside the file that includes it."""
        target = self._file(include, "file", [folder, own])
        if target is None:
            return []
        self._note_file()
        return self._with_includes(parse_xml(read_file(target), target), folder, target).children

    def _written(self, element: Element, folders: _Folders) -> Iterator[tuple[str, tuple[str, int]]]:
        """Lines of text, each with the file and line that it comes from."""
        origin = (element.source, element.line)
        if element.tag in _REFUSED:
            self._note(element, f"<{element.tag}>", _REFUSED[element.tag], "none", "one")
            return
        if element.tag in _NOT_NEEDED:
            words = {"sensor": "sensors", "skin": "skins"}.get(element.tag)
            if words:
                counted = 1 if element.tag == "skin" else len(element.children)
                self.left_out[words] = self.left_out.get(words, 0) + counted
            self._check_paths(element, folders)
            return
        attributes = self._attributes(element, folders)
        text = " ".join([element.tag, *(f"{name}={_quoted(value)}" for name, value in attributes.items())])
        yield (f"<{text}>", origin)
        for child in element.children:
            yield from self._written(child, folders)
        yield (f"</{element.tag}>", origin)

    def _attributes(self, element: Element, folders: _Folders) -> dict[str, str]:
        for key in _NUMBERS & element.attributes.keys():
            value = element.attributes[key]
            if _NAN.search(value):  # which MuJoCo takes as if nothing had been said
                self._note(element, _key_of(key, element), "number", "finite", repr(value))
        plain = {key: value for key, value in element.attributes.items() if key not in _FOLDERS}
        if element.tag not in _WITH_FILES:
            return plain
        if "file" in plain:
            plain = {"name": os.path.splitext(os.path.basename(plain["file"]))[0], **plain}
        if element.tag in _REPLACED:
            self._check_paths(element, folders)
            return {key: plain[key] for key in plain.keys() & {"name"}} | _REPLACED[element.tag]
        if not _files(element):
            return plain
        if element.tag == "mesh":
            target = self._file(element, "file", [folders.meshes], strip=folders.strip)
            return plain if target is None else {**plain, "file": self._asset(target)}
        target = self._file(element, "file", [folders.model])
        return plain if target is None else {**plain, "file": self._model(target)}

    def _check_paths(self, element: Element, folders: _Folders) -> None:
        """Refuse files outside the roots even where we do not need them."""
        for inner in element.walk():
            for key in _files(inner):
                self._file(inner, key, [folders.textures], missing_ok=True)

    def _file(
        self, element: Element, key: str, folders: list[str], strip: bool = False, missing_ok: bool = False
    ) -> str | None:
        """The real path that an attribute names; None, with the problem noted, if it is not inside the roots."""
        value = element.attributes.get(key, "")
        where = _key_of(key, element)
        plain = os.path.basename(value) if strip else value
        if "\\" in value or "\0" in value or not value or any("\\" in folder for folder in folders):
            self._note(element, where, "path", "a path with / only, inside the root folders", repr(value))
            return None
        targets = [os.path.realpath(os.path.join(folder, plain)) for folder in folders]
        inside = [target for target in targets if self._inside(target)]
        if not inside:
            expected = f"inside the root folders ({', '.join(self._allowed)})"
            self._note(element, where, "path", expected, repr(value))
            return None
        found = next(filter(os.path.isfile, inside), None)
        if found is None and not missing_ok:
            self._note(element, where, "file", "a file that exists", repr(value))
        return found

    def _note(self, element: Element, where: str, rule: str, expected: str, given: str) -> None:
        """Note a broken rule at the element's place."""
        self.problems.add(
            where, rule, expected=expected, given=given, line=element.line, source=element.source
        )

    def _asset(self, target: str) -> str:
        """The name under which MuJoCo finds the bytes of a file."""
        known = next((name for name, path in self.paths.items() if path == target), None)
        if known is not None:
            return known
        suffix = _SUFFIX.fullmatch(os.path.splitext(target)[1])
        name = f"file{len(self.paths)}{suffix[0].lower() if suffix else ''}"
        try:
            self.assets[name] = read_file(target, bound="mesh_bytes")
        except ModelError as error:
            for problem in error.problems:
                self.problems.add(target, problem.rule, expected=problem.expected, given=problem.given)
        self._note_file()
        self.paths[name] = target
        return name

    def _model(self, target: str) -> str:
        """The name of a model that this one attaches, flattened too."""
        self._note_file()
        name = f"model{len(self.assets)}.xml"
        self.assets[name] = b""
        self.assets[name] = self.model(target, target).text.encode()
        return name

    def _note_file(self) -> None:
        self._files_seen += 1
        check_limit(self._source, "mjcf_files", self._files_seen, "files that the model names")

    def _inside(self, target: str) -> bool:
        return any(target.startswith(os.path.join(root, "")) for root in self._allowed)


class _Folders:
    """Where the files of one model lie: what its <compiler> elements say, the later ones over the earlier."""

    def __init__(self, root: Element, folder: str):
        self.model = folder
        said: dict[str, str] = {}
        for element in root.walk():
            if element.tag == "compiler":
                given = element.attributes
                if "assetdir" in given:
                    said["meshdir"] = said["texturedir"] = given["assetdir"]
                said |= {key: given[key] for key in ("meshdir", "texturedir", "strippath") if key in given}
        self.strip = said.get("strippath") == "true"
        self.meshes = os.path.join(folder, said.get("meshdir", ""))
        self.textures = os.path.join(folder, said.get("texturedir", ""))


def _files(element: Element) -> list[str]:
    return [key for key in element.attributes if key.startswith("file")]


def _key_of(key: str, element: Element) -> str:
    return f"{key} of <{element.tag}> in {element.source}"


def _expanded(element: Element) -> int:
    """How many elements there are once replicas and composites are made."""
    inside = 1 + sum(map(_expanded, element.children))
    if element.tag == "replicate":
        return inside * _counts(element)
    if element.tag == "composite":
        return inside + 4 * _counts(element)
    return inside


def _counts(element: Element) -> int:
    """The product of a `count` attribute, by the first digits of long numbers; 1 for one that MuJoCo will not
    understand.
    """
    numbers = re.findall(r"\d+", element.attributes.get("count", ""))
    return math.prod(int(number[:12]) for number in numbers[:3]) or 1


def _quoted(value: str) -> str:
    from xml.sax.saxutils import quoteattr  # brings the modules of the network with it

    return quoteattr(value)
