"""The lines that most YAML files are made of, read without a general parser, in a tenth of its time.

One key or item a line, with a word, a quoted text or a flow collection that ends on its line, or with indented lines
below; comments. A file with anything else in it (escapes, tags, anchors, text over several lines, tabs, a key twice, a
number out of bounds) is left to the general parser as a whole: what is read here is what it reads, lines included.
"""

from __future__ import annotations

import re
from typing import Any

from .core_values import core_value, in_bounds

Path = tuple[str | int, ...]
#: of a line that can be read here: indent (columns), text, number (from 1)
_Line = tuple[int, str, int]

_KEYED = re.compile(r"([A-Za-z_][A-Za-z0-9_./-]{0,99}):(?: +(.*))?")
_TEXT = re.compile(r"(?:[A-Za-z0-9_./+(~]|-[0-9.])(?:[^:#]|:(?=[^ ])|(?<=[^ ])#)*(?<![ :])")
_FLOW_WORD = re.compile(r"(?:[A-Za-z0-9_./+]|-(?=[0-9.A-Za-z_]))[A-Za-z0-9_./+-]*(?: +[A-Za-z0-9_./+-]+)*")
_QUOTED = re.compile(r'"[^"\\]*"|\'[^\']*\'')
_NUMBERS = re.compile(r"\[ *[-+]?\.?[0-9][-+0-9.eE]*(?:, *[-+]?\.?[0-9][-+0-9.eE]*)* *\]")


class _NotPlainError(Exception):
    """The general parser is asked."""


def plain_document(text: str, deepest: int) -> tuple[Any, dict[Path, int]] | None:
    """The data of a file and the line of every path in it, at most `deepest` levels deep; None if it is not plain."""
    try:
        reader = _PlainReader(_plain_lines(text), deepest)
        return reader.whole(), reader.places
    except _NotPlainError:
        return None


def _plain_lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip(" ")
        if not content.isprintable():
            raise _NotPlainError
        if " #" in content:
            if '"' in content or "'" in content:
                raise _NotPlainError
            content = content.partition(" #")[0].rstrip(" ")
        if content and content[0] != "#":
            found.append((len(line) - len(line.lstrip(" ")), content, number))
    if not found:
        raise _NotPlainError
    return found


class _PlainReader:
    def __init__(self, lines: list[_Line], deepest: int):
        self._lines = [*lines, (-1, "", 0)]
        self._at = 0
        self._deepest = deepest
        self.places: dict[Path, int] = {}

    def whole(self) -> Any:
        """All lines, one mapping or sequence."""
        indent, _, number = self._lines[0]
        self.places[()] = number
        data = self._block(indent, ())
        if self._at != len(self._lines) - 1:
            raise _NotPlainError
        return data

    def _block(self, indent: int, path: Path) -> Any:
        if len(path) >= self._deepest:
            raise _NotPlainError
        is_list = self._lines[self._at][1].startswith("- ")
        return self._sequence(indent, path) if is_list else self._mapping(indent, path)

    def _mapping(self, indent: int, path: Path) -> dict[str, Any]:
        items: dict[str, Any] = {}
        while self._lines[self._at][0] == indent:
            _, content, number = self._lines[self._at]
            keyed = _KEYED.fullmatch(content)
            if keyed is None:
                raise _NotPlainError
            key, below = self._new_key(keyed[1], items), (*path, keyed[1])
            self.places[below] = number
            self._at += 1
            items[key] = self._inline(keyed[2], number, below) if keyed[2] else self._below(indent, below)
            if self._lines[self._at][0] > indent:
                raise _NotPlainError
            if self._lines[self._at][1].startswith("- "):
                break
        return items

    def _below(self, indent: int, path: Path) -> Any:
        """What lies below a key: more indented lines, or items in its own column."""
        there, content, _ = self._lines[self._at]
        if there > indent:
            return self._block(there, path)
        if there == indent and content.startswith("- "):
            return self._sequence(indent, path)
        raise _NotPlainError

    def _sequence(self, indent: int, path: Path) -> list[Any]:
        items: list[Any] = []
        while self._lines[self._at][0] == indent and self._lines[self._at][1].startswith("- "):
            _, content, number = self._lines[self._at]
            rest, below = content[2:].lstrip(" "), (*path, len(items))
            self.places[below] = number
            if _KEYED.fullmatch(rest):
                column = indent + len(content) - len(rest)
                self._lines[self._at] = (column, rest, number)
                items.append(self._block(column, below))
            else:
                self._at += 1
                items.append(self._inline(rest, number, below))
            if self._lines[self._at][0] > indent:
                raise _NotPlainError
        return items

    def _inline(self, text: str, number: int, path: Path) -> Any:
        """What stands behind a key or a dash."""
        if text[0] in "[{":
            value, end = self._flow(text, 0, number, path)
            if end != len(text):
                raise _NotPlainError
            return value
        if _QUOTED.fullmatch(text):
            return text[1:-1]
        if not _TEXT.fullmatch(text):
            raise _NotPlainError
        return self._value(text, path)

    def _flow(self, text: str, at: int, number: int, path: Path) -> tuple[Any, int]:
        """What begins at a place in the text, and where it ends."""
        if len(path) > self._deepest:
            raise _NotPlainError
        if text[at] == "[":
            return self._flow_sequence(text, at, number, path)
        if text[at] == "{":
            return self._flow_mapping(text, at, number, path)
        quoted = _QUOTED.match(text, at)
        if quoted:
            return quoted[0][1:-1], quoted.end()
        word = _FLOW_WORD.match(text, at)
        if word is None:
            raise _NotPlainError
        return self._value(word[0], path), word.end()

    def _flow_sequence(self, text: str, at: int, number: int, path: Path) -> tuple[list[Any], int]:
        items: list[Any] = []
        numbers = _NUMBERS.match(text, at)
        if numbers:
            for word in numbers[0][1:-1].split(","):
                below = (*path, len(items))
                self.places[below] = number
                items.append(self._value(word.strip(" "), below))
            return items, numbers.end()
        at = _after_spaces(text, at + 1)
        if text[at] == "]":
            return items, at + 1
        while True:
            below = (*path, len(items))
            self.places[below] = number
            value, at = self._flow(text, at, number, below)
            items.append(value)
            at, ended = _separated(text, at, "]")
            if ended:
                return items, at

    def _flow_mapping(self, text: str, at: int, number: int, path: Path) -> tuple[dict[str, Any], int]:
        items: dict[str, Any] = {}
        at = _after_spaces(text, at + 1)
        if text[at] == "}":
            return items, at + 1
        while True:
            word = _FLOW_WORD.match(text, at)
            if word is None or not text.startswith(": ", word.end()) or not _KEYED.fullmatch(word[0] + ":"):
                raise _NotPlainError
            key, below = self._new_key(word[0], items), (*path, word[0])
            self.places[below] = number
            items[key], at = self._flow(text, _after_spaces(text, word.end() + 2), number, below)
            at, ended = _separated(text, at, "}")
            if ended:
                return items, at

    def _new_key(self, text: str, items: dict[str, Any]) -> str:
        if text in items or not isinstance(core_value(text), str):
            raise _NotPlainError
        return text

    def _value(self, text: str, path: Path) -> Any:
        value = core_value(text)
        if not in_bounds(value) or len(path) > self._deepest:
            raise _NotPlainError
        return value


def _after_spaces(text: str, at: int) -> int:
    while text.startswith(" ", at):
        at += 1
    if at >= len(text):
        raise _NotPlainError
    return at


def _separated(text: str, at: int, end: str) -> tuple[int, bool]:
    """Where it goes on behind an item of a flow collection, and whether that is its end."""
    at = _after_spaces(text, at)
    if text[at] == end:
        return at + 1, True
    if text[at] != ",":
        raise _NotPlainError
    at = _after_spaces(text, at + 1)
    if text[at] == end:
        raise _NotPlainError
    return at, False
