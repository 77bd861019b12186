"""YAML text → plain data from a general parser's events, not from its objects.

So tags, anchors, aliases and duplicate keys can be refused, and depth and size bounded, before anything is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from ..file_problems import Problems, file_error, short
from .core_values import core_value, in_bounds
from .yaml_document import Path, path_text

_NUMBER = re.compile(r"[-+]?\.?[0-9]")


def read_events(text: str, source: str, deepest: int) -> tuple[Any, dict[Path, int]]:
    """The data of the one document in the text, at most `deepest` levels deep, and the line (from 1) of every path."""
    reader = _Reader(text, source, deepest)
    data = reader.document()
    reader.problems.raise_any()
    return data, reader.lines


class _Reader:
    def __init__(self, text: str, source: str, deepest: int):
        self.problems = Problems(source)
        self.lines: dict[Path, int] = {}
        self._source, self._deepest = source, deepest
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
        if len(path) > self._deepest:
            raise self._refused(event, "nesting", f"at most {self._deepest} levels", "more", path[:3])

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
        return text

    def _note(self, path: Path, rule: str, expected: str, given: str, line: int) -> None:
        self.problems.add(path_text(path), rule, expected=expected, given=given, line=line)

    def _refused(self, event: Any, rule: str, expected: str, given: str, path: Path = ()) -> ModelError:
        self._note(path, rule, expected, given, event.start_mark.line + 1)
        return self.problems.error()
