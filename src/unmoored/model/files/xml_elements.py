"""XML → elements with their lines, through the standard library's expat, with DTDs and entities refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from ..errors import ModelError
from ..limits import limits
from .file_problems import file_error, short

DEEPEST = 64

# Those that expat knows itself: for any other name Python would import a module of that name.
_ENCODINGS = (b"utf-8", b"us-ascii", b"iso-8859-1")
_DECLARED = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")


@dataclass(frozen=True)
class Element:
    """An XML element with its attributes and children; it starts at `line` (from 1) of `source`. Text is not kept."""

    tag: str
    attributes: dict[str, str]
    line: int
    source: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child with this tag, None if there is none."""
        return next((child for child in self.children if child.tag == tag), None)

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting.extend(reversed(element.children))


def parse_xml(content: bytes | str, source: str) -> Element:
    """The root element; a `ModelError` with the line for anything that is not plain, well-formed XML."""
    if isinstance(content, bytes) and (content[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in content[:4]):
        raise file_error(source, "encoding", expected="UTF-8 text", given="UTF-16 or UTF-32", line=1)
    declared = _DECLARED.match(content) if isinstance(content, bytes) else None
    if declared and declared[1].lower() not in _ENCODINGS:
        given = repr(declared[1].decode("ascii", "replace"))
        raise file_error(source, "encoding", expected="UTF-8 text", given=given, line=1)
    reader = _Reader(source)
    try:
        reader.parser.Parse(content, True)
    except ModelError:
        raise
    except expat.ExpatError as error:
        given = expat.ErrorString(error.code) or "not well-formed"
        raise file_error(
            source, "syntax", expected="well-formed XML", given=given, line=error.lineno
        ) from None
    # an unknown or broken encoding, or text that is not Unicode
    except (LookupError, ValueError, TypeError) as error:
        raise file_error(source, "encoding", expected="UTF-8 text", given=short(str(error))) from None
    assert reader.root is not None
    return reader.root


class _Reader:
    def __init__(self, source: str):
        self.root: Element | None = None
        self._source = source
        self._open: list[Element] = []
        self._count = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        # called before anything declared could be expanded or fetched
        self.parser.StartDoctypeDeclHandler = self._refuse_declaration
        self.parser.EntityDeclHandler = self._refuse_declaration
        self.parser.ExternalEntityRefHandler = self._refuse_declaration

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self._count += 1
        if self._count > limits.xml_elements:
            raise self._refused("number of elements", limits.words("xml_elements"), "more")
        if len(self._open) >= DEEPEST:
            raise self._refused("nesting", f"at most {DEEPEST} levels", "more")
        element = Element(tag, attributes, line, self._source)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, tag: str) -> None:
        self._open.pop()

    def _refuse_declaration(self, *declaration: object) -> int:
        raise self._refused("DTD or entity", "no document type and no entities", short(declaration[0]))

    def _refused(self, rule: str, expected: str, given: str) -> ModelError:
        line = self.parser.CurrentLineNumber
        return file_error(self._source, rule, expected=expected, given=given, line=line)
