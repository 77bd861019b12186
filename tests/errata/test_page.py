"""docs/errata.md and the tests name each other: every erratum has its test, every test its erratum."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "errata.md"
ROW = re.compile(r"^\| ([FSBLJ]\d+)(?: ⚡)? \|.*\| `(test_\w+\.py)::test_([FSBLJ]\d+)` \|$", re.MULTILINE)
COUNTS = {"F": 34, "S": 14, "B": 5, "L": 22, "J": 21}


def written_tests() -> dict[str, str]:
    """Erratum → file of its test."""
    tests = {}
    for path in HERE.glob("test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and re.fullmatch(r"test_[FSBLJ]\d+", node.name):
                assert node.name not in tests, f"two tests for {node.name}"
                tests[node.name.removeprefix("test_")] = path.name
    return tests


def test_every_erratum_names_its_test_and_every_test_an_erratum():
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert all(erratum == tested for erratum, _, tested in rows)
    assert {erratum: file for erratum, file, _ in rows} == written_tests()


def test_none_is_missing():
    expected = {f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)}
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert {erratum for erratum, _, _ in rows} == expected
    assert len(rows) == len(expected)


#: Erratum → how the list of right equations names its text.
TEXTS = {
    "F": "2010",
    "S": "2011",
    "B": "2014",
    "L": "Moghaddam & Chhabra",
    "J": "Jain & Rodriguez",
}
NUMBER = re.compile(r"\([A-C]?\.?\d+(?:\.\d+)?[a-c]?\)")


def plain_numbers(text: str) -> set[str]:
    """Equation numbers that stand alone between commas, ranges written out: those with a word beside them say more."""
    found: set[str] = set()
    for part in re.split(r"[,;]\s*", re.sub(r"\s+", " ", text).strip(" .")):
        numbers = NUMBER.findall(part)
        if NUMBER.sub("", part).strip(" –") == "" and numbers:
            found |= _spread(numbers)
    return found


def _spread(ends: list[str]) -> set[str]:
    if len(ends) == 1:
        return {ends[0]}
    first, last = (re.fullmatch(r"\((.*?)(\d+)\)", end) for end in ends)
    assert first
    assert last
    return {f"({first[1]}{k})" for k in range(int(first[2]), int(last[2]) + 1)}


def test_nothing_is_both_misprinted_and_right():
    """Unless the list of what is right says what it leaves out."""
    page = PAGE.read_text(encoding="utf-8")
    right = page[page.index("## Checked and found right") :]
    wheres = re.findall(r"^\| ([FSBLJ])\d+(?: ⚡)? \| ([^|]*) \|", page, re.MULTILINE)
    for letter, text in TEXTS.items():
        (listed,) = re.findall(rf"^\* \*\*{text}\*\*: (.*?)(?=^\* |\Z)", right, re.MULTILINE | re.DOTALL)
        misprinted = {number for which, where in wheres if which == letter for number in plain_numbers(where)}
        assert len(misprinted) > 2
        assert not misprinted & plain_numbers(listed), text
