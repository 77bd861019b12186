"""YAML text → plain data, with the line of every key and item.

Files of plain lines are read by us (plain_lines.py). Others are built from the parser's events, not from its objects:
so tags, anchors, aliases and duplicate keys can be refused, and depth and size bounded, before anything is made of
them. Words follow YAML 1.2's core schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from ...errors import ModelError
from ...value import LARGEST
from ..file_problems import Problems, check_limit, file_error, short
from .core_values import core_value, in_bounds
from .plain_lines import plain_document

Path = tuple[str | int, ...]

# The parser takes about 30 µs for each key and item, and time that grows with the square of a line's length: the
# limits leave room for systems of a thousand bodies.
DEEPEST = 12

_LINE_ENDS = re.compile("[\n\r\x85\u2028\u2029]")
_MARKS = re.compile("[\\[{,:?\n\r\x85\u2028\u2029]|- ")
_NUMBER = re.compile(r"[-+]?\.?[0-9]")
_DIRECTIVE = re.compile(r"%YAML +1\.2 *(#.*)?")


@dataclass(frozen=True)
class Document:
    """A YAML document: plain dicts, lists, strings and numbers, and the line (from 1) of each path in it."""

    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int | None:
        """Line of the path, or of the nearest thing that holds it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def path_text(path: Path) -> str:
    """The path as a reader writes it: bodies[3].joint.axis."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".") or "file"


def parse_document(text: str, source: str) -> Document:
    """The one YAML document in `text`; a `ModelError` lists what is refused."""
    _check_size(text, source)
    _check_directives(text, source)
    plain = plain_document(text, DEEPEST)
    if plain is not None:
        return Document(*plain)
    reader = _Reader(text, source)
    data = reader.document()
    reader.problems.raise_any()
    return Document(data, reader.lines)


def _check_size(text: str, source: str) -> None:
    """Lines end where YAML ends them, at a carriage return too."""
    check_limit(source, "yaml_characters", len(text), "characters")
    check_limit(source, "yaml_line", max(map(len, _LINE_ENDS.split(text))), "line length")
    check_limit(source, "yaml_items", sum(1 for _ in _MARKS.finditer(text)), "keys and items, roughly")


def _check_directives(text: str, source: str) -> None:
    """Refuse lines that begin with % before the document, but %YAML 1.2."""
    for number, line in enumerate(_LINE_ENDS.split(text), 1):
        if line.startswith("%") and not _DIRECTIVE.fullmatch(line):
            expected, given = "none, or %YAML 1.2", short(line)
            raise file_error(source, "directive", expected=expected, given=given, line=number)
        if line.strip() and line[0] not in "%#":
            return


class _Reader:
    def __init__(self, text: str, source: str):
        self.problems = Problems(source)
        self.lines: dict[Path, int] = {}
        self._source = source
        self._events = self._guarded(text)

    def _guarded(self, text: str) -> Iterator[Any]:
        events = iter(YAML(typ="safe", pure=True).parse(text))
        while True:
            try:
                event = next(events)
            except StopIteration:
                return
            # Broken text drives the parser into errors of several kinds; to the user they are all one.
            except Exception as error:
                raise self._syntax_error(error) from None
            yield event

    def _syntax_error(self, error: Exception) -> ModelError:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        words = getattr(error, "problem", None) if isinstance(error, MarkedYAMLError) else None
        given = " ".join(str(words or error).split())
        return file_error(
            self._source, "syntax", expected="YAML", given=given, line=mark.line + 1 if mark else None
        )

    def document(self) -> Any:
        next(self._events)  # stream start
        event = next(self._events)
        if not isinstance(event, DocumentStartEvent):
            raise file_error(self._source, "content", expected="a YAML mapping", given="nothing")
        data = self._value(next(self._events), ())
        next(self._events)  # document end
        event = next(self._events)
        if isinstance(event, DocumentStartEvent):
            raise self._refused(event, "documents", "one", "a second one")
        return data

    def _value(self, event: Any, path: Path) -> Any:
        self.lines.setdefault(path, event.start_mark.line + 1)
        self._check_node(event, path)
        if isinstance(event, ScalarEvent):
            return self._scalar(event, path)
        return self._mapping(path) if isinstance(event, MappingStartEvent) else self._sequence(event, path)

    def _check_node(self, event: Any, path: Path) -> None:
        if isinstance(event, AliasEvent):
            raise self._refused(event, "alias", "no aliases", f"*{event.anchor}", path)
        assert isinstance(event, NodeEvent)
        if event.anchor is not None:
            raise self._refused(event, "anchor", "no anchors", f"&{event.anchor}", path)
        # an explicit "!" on a scalar only forbids resolving it, but is a tag all the same
        if getattr(event, "tag", None) is not None:
            raise self._refused(event, "tag", "no tags", short(str(getattr(event, "tag", ""))), path)
        if len(path) > DEEPEST:
            raise self._refused(event, "nesting", f"at most {DEEPEST} levels", "more", path[:3])

    def _sequence(self, event: Any, path: Path) -> list[Any]:
        assert isinstance(event, SequenceStartEvent)
        items: list[Any] = []
        while isinstance(event := next(self._events), NodeEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while isinstance(event := next(self._events), NodeEvent):
            line = event.start_mark.line + 1
            self._check_node(event, path)
            key = self._scalar(event, path) if isinstance(event, ScalarEvent) else None
            if not isinstance(key, str) or len(key) > 200 or not key.isprintable():
                given = short(key) if isinstance(event, ScalarEvent) else "a collection"
                raise self._refused(event, "key", "at most 200 printable characters", given, path)
            if key in items:
                first = self.lines[(*path, key)]
                self._note(
                    path,
                    f"key {short(key)}",
                    "one of a name",
                    f"a second one (the first is in line {first})",
                    line,
                )
            self.lines[(*path, key)] = line
            items[key] = self._value(next(self._events), (*path, key))
        return items

    def _scalar(self, event: ScalarEvent, path: Path) -> Any:
        text = event.value
        if not event.implicit[0]:  # quoted, or a block of text
            return text
        value = core_value(text)
        if in_bounds(value):
            return value
        beyond = _NUMBER.match(text)
        expected = f"a magnitude ≤ {LARGEST:g}" if beyond else "a finite number"
        self._note(path, "number", expected, short(text), event.start_mark.line + 1)
        return 0.0

    def _note(self, path: Path, rule: str, expected: str, given: str, line: int) -> None:
        self.problems.add(path_text(path), rule, expected=expected, given=given, line=line)

    def _refused(self, event: Any, rule: str, expected: str, given: str, path: Path = ()) -> ModelError:
        self._note(path, rule, expected, given, event.start_mark.line + 1)
        return self.problems.error()
