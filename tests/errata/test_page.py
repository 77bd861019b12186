"""docs/errata.md and the tests name each other: every erratum has its test, every test its erratum."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "errata.md"
ROW = re.compile(r"^\| ([FSBLJ]\d+)(?: ⚡)? \|.*\| `(test_\w+\.py)::test_([FSBLJ]\d+)` \|$", re.MULTILINE)
COUNTS = {"F": 30, "S": 14, "B": 5, "L": 20, "J": 19}


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
