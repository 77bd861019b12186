"""YAML text → plain data, with the line of every key and item.

Files of plain lines are read by us (plain_lines.py), others with a general parser (parser_events.py). Words follow YAML
1.2's core schema.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..file_problems import check_limit, file_error, short
from .plain_lines import plain_document

Path = tuple[str | int, ...]

# The parser takes about 30 µs for each key and item, and time that grows with the square of a line's length: the
# limits leave room for systems of a thousand bodies.
DEEPEST = 12

_LINE_ENDS = re.compile("[\n\r\x85\u2028\u2029]")
_MARKS = re.compile("[\\[{,:?\n\r\x85\u2028\u2029]|- ")
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
    from .parser_events import read_events  # here, because most files do without the parser

    return Document(*read_events(text, source, DEEPEST))


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
