"""pydantic's errors in the words of a `Problem`: the key's path, the rule, expected, given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from ..file_problems import Problems, short
from .schema import Entry, SystemFile
from .yaml_document import Document, Path, path_text

_EXPECTED = {
    "string_type": "text (quote it if it looks like a number)",
    "list_type": "a list",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "dict_type": "a mapping of keys",
    "union_tag_not_found": "a key `type`",
    "too_short": "at least one item",
}


def add_complaints(
    problems: Problems,
    document: Document,
    error: ValidationError,
    root: type[Entry] = SystemFile,
    under: Path = (),
    renamed_types: Mapping[str, str] | None = None,
) -> None:
    """Add all the errors with their lines.

    root: the entry that was validated, which stands at the path `under` of the file.
    renamed_types: {old: new} spellings of values of `type`.
    """
    for item in error.errors(include_url=False, include_context=True):
        path, entries = _walk(item["loc"], root)
        path = (*under, *path)
        rule, expected, given = _words(item, entries, renamed_types or {})
        problems.add(path_text(path), rule, expected=expected, given=given, line=document.line(path))


def _words(item: Any, entries: list[type[Entry]], renamed_types: Mapping[str, str]) -> tuple[str, str, str]:
    kind, given = item["type"], short(item["input"])
    if kind == "extra_forbidden":
        old = [getattr(entry, "renamed", {}).get(item["loc"][-1]) for entry in entries]
        if any(old):
            return "old key", next(filter(None, old)), repr(item["loc"][-1])
        known = ", ".join(dict.fromkeys(name for entry in entries for name in entry.model_fields))
        return "unknown key", f"one of {known}", repr(str(item["loc"][-1]))
    if kind == "missing":
        return "missing key", f"a key {item['loc'][-1]!r}", short(item["input"])
    if kind == "union_tag_invalid":
        tag, known = item["ctx"]["tag"], item["ctx"]["expected_tags"].translate({ord(c): None for c in "'<>"})
        if renamed_types.get(tag, "?") in known:
            return "old name of a type", renamed_types[tag], repr(tag)
        return "type", f"one of {known}", repr(tag)
    words = _EXPECTED.get(kind) or item["msg"].removeprefix("Input should be ").removeprefix("a valid ")
    return "value", words, given


def _walk(loc: tuple[str | int, ...], root: type[Entry]) -> tuple[Path, list[type[Entry]]]:
    """The path in the file (pydantic puts a union's `type` into it), and the entries that hold its end."""
    path: list[str | int] = []
    entries: list[type[Entry]] = [root]
    holders = entries
    for part in loc:
        if str(part).startswith("<"):  # what stands there has no `type`
            entries = [entry for entry in entries if _tag(entry) is None]
            continue
        tagged = [entry for entry in entries if _tag(entry) == part]
        if tagged:
            entries = tagged
            continue
        path.append(part)
        holders = entries
        if any(part in entry.model_fields for entry in entries):  # else a key of a mapping, or an index
            annotations = [
                entry.model_fields[str(part)].annotation for entry in entries if part in entry.model_fields
            ]
            entries = [found for annotation in annotations for found in _entries_in(annotation)]
    return tuple(path), holders


def _tag(entry: type[Entry]) -> str | None:
    field = entry.model_fields.get("type")
    return get_args(field.annotation)[0] if field else None


def _entries_in(annotation: Any) -> list[type[Entry]]:
    if isinstance(annotation, type) and issubclass(annotation, Entry):
        return [annotation]
    return [found for part in get_args(annotation) for found in _entries_in(part)]
