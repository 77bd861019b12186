"""docs/notation.md and docs/theory.md: a symbol has one meaning."""

import re
from collections import Counter
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
#: letter → sections of theory.md in which it stands for what notation.md says
SECTIONS = {
    "n": {0, 5, 6, 7, 11, 15, 24, 26},  # forces of a potential
    r"\Omega": {8, 9},  # locked velocity
    "B": set(),  # body Jacobian: always with the index of its body
    "P": {0, 5, 8, 9, 10, 11, 16, 18},  # momentum of the vehicle
    r"\Phi": {25, 36},  # derivative of a step
}
#: said to be another's letter, or no symbol at all: the order O(n²)
QUOTED = ("of Jain & Rodriguez is", "O(n^{2})")


def formulas(text):
    """Formulas of a Markdown text, without words and names of functions in them."""
    found = re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", text, re.S)
    return [re.sub(r"\\(?:text|mathrm|operatorname|begin|end)\{[^}]*\}", "", a or b) for a, b in found]


def test_no_symbol_is_listed_twice():
    text = (DOCS / "notation.md").read_text(encoding="utf-8")
    tables = text[text.index("## Configurations and velocities") : text.index("## One meaning per letter")]
    rows = re.findall(r"^\| ([^|]*\$[^|]*) \|", tables, re.M)
    symbols = Counter(symbol for row in rows for symbol in re.findall(r"\$([^$]+)\$", row))
    assert len(symbols) > 50
    assert not [symbol for symbol, count in symbols.items() if count > 1]


@pytest.mark.parametrize("letter", SECTIONS)
def test_letter_stands_for_one_thing(letter):
    text = (DOCS / "theory.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (\d+)\. ", text, flags=re.M)[1:]
    index = "" if letter.startswith("\\") else "_"  # B_i and n_q are other symbols than B and n
    alone = re.compile(r"(?<![A-Za-z\\_{^])" + re.escape(letter) + f"(?![A-Za-z{index}])")
    elsewhere = {}
    for number, part in zip(map(int, parts[::2]), parts[1::2], strict=True):
        part = "\n".join(line for line in part.split("\n") if not any(quoted in line for quoted in QUOTED))
        used = [formula for formula in formulas(part) if alone.search(formula)]
        if used and number not in SECTIONS[letter]:
            elsewhere[number] = used[0]
    assert not elsewhere
