"""The pages on the papers: every numbered result, with a function and a test that exist; worked examples run."""

import re
from functools import reduce
from pathlib import Path

import pytest
from tests.repo.test_tutorials import run_page

import unmoored as um

ROOT = Path(__file__).parents[2]
PAPERS = ROOT / "docs" / "papers"


def numbers(prefix, count):
    return {f"{prefix}{k}" for k in range(1, count + 1)}


#: numbered equations of each paper, and how its slips begin in the errata
RESULTS = {
    "from-2010": (numbers("", 111) | numbers("A.", 3) | numbers("B.", 2), "F"),
    "from-2011": (numbers("", 44) | numbers("A.", 3) | numbers("B.", 2) | numbers("C.", 7), "S"),
    "from-2014-appendix": (numbers("A.", 15), "B"),
    "moghaddam-chhabra": (numbers("", 147), "L"),
    "jain-rodriguez": (
        set().union(*(numbers(f"{k}.", n) for k, n in zip("34567A", (6, 10, 4, 13, 3, 11), strict=True))),
        "J",
    ),
}
CHEAP = {"from-2014-appendix"}


def rows(name):
    """(result, functions, test, slips) of every row of the page's table."""
    text = (PAPERS / f"{name}.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ") and "`" in line and "::" in line]
    for line in lines:
        result, _, here, test, slips = (cell.strip() for cell in line.strip("|").split("|"))
        yield result, re.findall(r"`([^`]+)`", here), test.strip("`"), re.findall(r"[A-Z]\d+", slips)


def named(result):
    """The equations that a cell names: "(3), (5)–(7)"."""
    found = set()
    for first, last in re.findall(r"\(([A-C\d.]+)\)(?:–\(([A-C\d.]+)\))?", result):
        head, _, low = first.rpartition(".")
        high = (last or first).rpartition(".")[2]
        found |= {f"{head}.{k}" if head else str(k) for k in range(int(low), int(high) + 1)}
    return found


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_function_and_a_test(name):
    every, letter = RESULTS[name]
    seen, slips = set(), set()
    for result, functions, test, own in rows(name):
        seen |= named(result)
        slips |= set(own)
        for function in functions:
            assert reduce(getattr, function.split("."), um) is not None, function
        path, _, function = test.partition("::")
        source = (ROOT / "tests" / path).read_text(encoding="utf-8")
        assert re.search(rf"def {function}\(", source), test
    assert seen == every
    errata = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    assert slips == set(re.findall(rf"^\| ({letter}\d+) ", errata, re.M))


def test_every_paper_has_its_page():
    assert {page.stem for page in PAPERS.glob("*.md")} == set(RESULTS)


@pytest.mark.parametrize(
    "name", [name if name in CHEAP else pytest.param(name, marks=pytest.mark.long) for name in RESULTS]
)
def test_worked_examples_run(name, tmp_path, monkeypatch):
    scope = run_page(f"../papers/{name}", tmp_path, monkeypatch)
    if name == "from-2010":
        _holds_counts_that_are_told(scope["counts"])
    pictures = re.findall(r"images/papers/(\w+\.png)", (PAPERS / f"{name}.md").read_text(encoding="utf-8"))
    for picture in pictures:
        assert (tmp_path / picture).exists()
        assert (ROOT / "docs" / "images" / "papers" / picture).exists()


def _holds_counts_that_are_told(counts):
    """Operations of M and C in the table of the page, to what another NumPy's roundings may change."""
    text = (PAPERS / "from-2010.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)`, [^|]* \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", text, re.M)
    assert {system for system, *_ in told} == set(counts)
    for system, *row in told:
        found = [counts[system][form] for form in ("skew", "papers", "Euler")]
        assert [int(cell.replace(",", "")) for cell in row] == pytest.approx(found, rel=0.01)


def test_every_worked_example_has_its_picture():
    """The examples that the papers work out, or say that they can be: each ends in a figure."""
    for name, headings in {
        "from-2010": ("Section 6: ", "Section 3: ", "Attitude: "),
        "from-2011": ("Section 5: ",),
        "moghaddam-chhabra": ("Examples 1 to 3: ",),
        "jain-rodriguez": ("Section 7: ",),
    }.items():
        text = (PAPERS / f"{name}.md").read_text(encoding="utf-8")
        sections = {part.split("\n")[0]: part for part in text.split("\n## ")}
        for heading in headings:
            (part,) = [part for title, part in sections.items() if title.startswith(heading)]
            assert re.search(r"!\[[^]]+\]\(\.\./images/papers/\w+\.png\)", part), (name, heading)
