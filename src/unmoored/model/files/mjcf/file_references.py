"""Finds every file that MuJoCo would open for a model, and refuses those outside the trusted folders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..file_problems import Problems, file_error
from ..file_text import read_file
from ..xml_elements import Element, parse_xml

_MOST_FILES = 1_000
_FOLDERS = ("meshdir", "texturedir", "assetdir")
_XML_TAGS = ("include", "model")


def check_references(path: Path, roots: Sequence[str | os.PathLike[str]]) -> None:
    """A `ModelError` if the model, or one that it includes, names a file outside its folder and `roots`.

    MuJoCo starts relative paths at several folders; all of them are checked, whether a file is there or not.
    """
    allowed = [os.path.realpath(root) for root in (path.parent, *roots)]
    problems = Problems(str(path))
    models = _models(path, allowed, problems)
    folders = {os.path.dirname(name) for name in models}
    for element in (element for model in models.values() for element in model.walk()):
        folders |= {
            os.path.join(f, element.attributes[key])
            for f in folders
            for key in _FOLDERS
            if key in element.attributes
        }
    for name, model in models.items():
        for element in model.walk():
            _check_element(element, name, folders, allowed, problems)
    problems.raise_any()


def _models(path: Path, allowed: list[str], problems: Problems) -> dict[str, Element]:
    """The root element of the model and of all models that it includes, by file."""
    models: dict[str, Element] = {}
    waiting = [os.path.realpath(path)]
    while waiting:
        name = waiting.pop()
        if name in models:
            continue
        if len(models) >= _MOST_FILES:
            raise file_error(str(path), "included files", expected=f"at most {_MOST_FILES}", given="more")
        models[name] = root = parse_xml(read_file(name), name)
        if len(models) == 1 and root.tag != "mujoco":
            given = "<robot>: read URDF as URDF" if root.tag == "robot" else f"<{root.tag}>"
            raise file_error(str(path), "root element", expected="<mujoco>", given=given, line=root.line)
        included = [
            e.attributes["file"] for e in root.walk() if e.tag in _XML_TAGS and "file" in e.attributes
        ]
        folders = {os.path.dirname(name), os.path.dirname(os.path.realpath(path))}
        targets = {os.path.realpath(os.path.join(folder, file)) for folder in folders for file in included}
        waiting += [target for target in targets if _inside(target, allowed) and os.path.isfile(target)]
    return models


def _check_element(
    element: Element, source: str, folders: set[str], allowed: list[str], problems: Problems
) -> None:
    if element.tag == "plugin":
        problems.add("<plugin>", "plugins", expected="none", given="one", line=element.line)
    for key, value in element.attributes.items():
        if not (key.startswith("file") or key in _FOLDERS):
            continue
        targets = [os.path.realpath(os.path.join(folder, value)) for folder in folders]
        if "\0" in value or not all(_inside(target, allowed) for target in targets):
            where = f"{key} of <{element.tag}> in {source}"
            expected = f"inside the root folders ({', '.join(allowed)})"
            problems.add(where, "path", expected=expected, given=repr(value), line=element.line)


def _inside(target: str, allowed: list[str]) -> bool:
    return any(target == root or target.startswith(os.path.join(root, "")) for root in allowed)
