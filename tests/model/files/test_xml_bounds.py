"""XML texts up to their bounds: encodings, levels, numbers of elements, and what is refused just beyond them."""

import pytest

import unmoored as um
from unmoored.model.files.xml_elements import DEEPEST, parse_xml


def refused(content, said):
    with pytest.raises(um.ModelError, match=f"^f(:1)?: file: {said}"):
        parse_xml(content, "f")


@pytest.mark.whole
@pytest.mark.parametrize("encoding", ["cp1252", "utf-7", "cp037", "utf-16"])
@pytest.mark.parametrize("spaces", [1, 900, 970, 5000])
def test_an_encoding_is_refused_by_name_however_far_away_it_is_declared(encoding, spaces):
    declared = f'<?xml version="1.0"{" " * spaces}encoding="{encoding}"?>'
    refused(f"{declared}<r/>".encode(), f"encoding: expected UTF-8 text, given '{encoding}'")
    known = declared.replace(encoding, "ISO-8859-1")
    assert parse_xml(f'{known}<r a="é"/>'.encode("latin-1"), "f").attributes == {"a": "é"}
    assert parse_xml(f"{declared}<r/>", "f").tag == "r"  # a text is read already


def test_wide_texts_are_told_apart_by_their_first_bytes():
    wide = "encoding: expected UTF-8 text, given UTF-16 or UTF-32"
    for content in (b"\xff\xfeAA", b"\xfe\xffAA", b"\0<AA", b"<\0AA", b"<A\0A", b"<AA\0"):
        refused(content, wide)
    for encoding in ("utf-16", "utf-16-be", "utf-32", "utf-32-be"):
        refused("<a/>".encode(encoding), wide)
    for content in (b"<AAA\0", b"<r/>\0", b"A\xff\xfeA", b"\xff<r/>"):
        refused(content, "syntax: expected well-formed XML")
    assert parse_xml("<r>Ā</r>".encode("utf-8-sig"), "f").tag == "r"


def test_what_is_refused_has_the_line_where_it_stands(monkeypatch):
    monkeypatch.setattr(um.limits, "xml_elements", 70)
    for content, line in (
        ("<a>\n" * 66, 65),
        ("<a>\n" + "<b/>\n" * 70, 71),
        ("\n\n<!DOCTYPE r><r/>", 3),
        ("<a>\n</b>", 2),
    ):
        with pytest.raises(um.ModelError) as caught:
            parse_xml(content, "f")
        assert caught.value.problems[0].location == f"f:{line}"


def test_elements_may_be_as_deep_as_is_said():
    def nest(levels):
        return "<a>" * levels + "</a>" * levels

    assert len(list(parse_xml(nest(DEEPEST), "f").walk())) == DEEPEST == 64
    refused(nest(DEEPEST + 1), "nesting: expected at most 64 levels")


def test_elements_may_be_as_many_as_is_said(monkeypatch):
    monkeypatch.setattr(um.limits, "xml_elements", 5)
    assert len(parse_xml(f"<a>{'<b/>' * 4}</a>", "f").all("b")) == 4
    refused(f"<a>{'<b/>' * 5}</a>", "number of elements: expected at most 5")


def test_elements_are_walked_in_the_order_of_the_file():
    root = parse_xml('<a><b n="1"><c/></b>\n<d/><b n="2"/></a>', "f")
    assert [element.tag for element in root.walk()] == ["a", "b", "c", "d", "b"]
    assert [element.line for element in root.walk()] == [1, 1, 1, 2, 2]
    assert [b.attributes["n"] for b in root.all("b")] == ["1", "2"]
    assert root.first("b") is root.children[0]
    assert root.first("c") is None


@pytest.mark.parametrize(
    "text",
    ["<!DOCTYPE r><r/>", '<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>', '<!DOCTYPE r SYSTEM "/etc/x"><r/>'],
)
def test_declarations_of_types_and_entities_are_refused(text):
    refused(text, "DTD or entity: expected no document type and no entities")
