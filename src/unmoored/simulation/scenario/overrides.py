"""`key=value` settings: values of a scenario file replaced before anything is checked."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ...model import ModelError
from ...model.errors import unknown_name
from ...model.files.yaml.yaml_document import Document, parse_document


def overridden(document: Document, settings: Sequence[str]) -> Document:
    """The document with the settings put in; lines of replaced values stay those of the file."""
    if not settings or not isinstance(document.data, dict):
        return document
    data = copy.deepcopy(document.data)
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key:
            raise ModelError.single("--set", "setting", expected="key=value", given=repr(setting))
        _put(data, key, parse_document(f"value: {text}", f"--set {key}").data["value"])
    return Document(data, document.lines)


def sabotaged(document: Document, name: str | None) -> Document:
    """The document with one of its stated sabotages put in, and called "NAME-SABOTAGE"; as it is without a name."""
    if name is None or not isinstance(document.data, dict):
        return document
    stated = document.data.get("sabotage")
    stated = stated if isinstance(stated, dict) else {}
    if name not in stated:
        raise unknown_name(str(document.data.get("name", "scenario")), "sabotage", name, stated)
    data = copy.deepcopy(document.data)
    for key, value in (stated[name] or {}).items():
        _put(data, str(key), value)
    data["name"] = f"{data.get('name')}-{name}"
    return Document(data, document.lines)


def _put(data: dict[str, Any], key: str, value: Any) -> None:
    """Set data[a][b]… for the key "a.b.…"; names with dots in them ("bus.vx") are found where they exist."""
    place: Any = data
    parts = key.split(".")
    while len(parts) > 1:
        joined = ".".join(parts)
        if isinstance(place, dict) and joined in place:
            break
        head, parts = parts[0], parts[1:]
        if isinstance(place, list):
            place = _item(place, head, key)
            continue
        if not isinstance(place, dict):
            raise ModelError.single(
                "--set", key, expected="a key that holds others", given=f"a value at {head!r}"
            )
        place = place.setdefault(head, {})
    last = ".".join(parts)
    if isinstance(place, list):
        place[_index(place, last, key)] = value
    elif isinstance(place, dict):
        place[last] = value
    else:
        raise ModelError.single(
            "--set", key, expected="a key that holds others", given=f"a value before {last!r}"
        )


def _item(items: list[Any], text: str, key: str) -> Any:
    return items[_index(items, text, key)]


def _index(items: list[Any], text: str, key: str) -> int:
    if not text.isdigit() or int(text) >= len(items):
        expected = f"an index from 0 to {len(items) - 1}"
        raise ModelError.single("--set", key, expected=expected, given=repr(text))
    return int(text)
