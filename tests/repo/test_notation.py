"""docs/notation.md and docs/theory.md: a symbol has one meaning."""

import re
from collections import Counter
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
#: letter → sections of theory.md in which it stands, without an index, for what notation.md says
SECTIONS = {
    "n": {0, 5, 6, 7, 11, 15, 24, 26},  # forces of a potential
    "A": {7, 8, 9, 11, 18},  # mechanical connection
    "B": set(),  # body Jacobian: always with the index of its body
    "C": {0, 5, 7, 8, 10, 11, 15, 17, 24, 26},  # Coriolis matrix
    "D": {7, 15, 28, 30, 32, 33},  # damping
    "E": {7, 13, 23, 26, 29, 39},  # velocities that constraints leave
    "F": {5, 7, 28, 29, 31, 33, 35, 37},  # wrench, force
    "G": {0, 2, 16},  # group of the vehicle
    "H": {0, 2, 3, 4, 6, 7, 8, 9, 12, 13, 16, 25, 29},  # twist basis of a group
    "I": {1, 5, 7, 10, 12, 24, 33, 35},  # inertia
    "J": {11},  # Jacobian of a frame
    "K": {2, 3, 5, 7, 10, 12, 17, 18},  # bracket matrix of a momentum
    "L": {24},  # regressor of one body
    "M": {0, 4, 5, 8, 9, 10, 12, 15, 16, 17, 18, 23, 25, 26, 29},  # mass matrix
    "N": set(),  # projector of a law
    "P": {0, 5, 8, 9, 10, 11, 16, 18},  # momentum of the vehicle
    "Q": set(),
    "R": {0, 1, 2, 3, 5, 6, 10, 11, 15, 16, 18, 20, 25, 34, 36},  # rotation
    "S": {3, 12, 29},  # twist basis of a joint
    "T": {8, 19, 24, 31},  # kinetic energy
    "U": {6, 8, 9, 14, 16, 17, 19, 24, 28, 30, 31},  # potential energy
    "V": {1, 5, 7, 11, 16, 24, 29, 31, 32, 34, 35, 36},  # twist
    "W": {5, 12, 18},  # slopes of the mass matrix times a velocity
    "X": {1, 22, 24},  # any twist, any matrix
    "Y": {24, 25},  # regressor
    "Z": set(),
    r"\Gamma": set(),  # gain of learning: laws only
    r"\Theta": {15, 20},  # Euler angles
    r"\Lambda": set(),  # inertia of a frame: laws only
    r"\Pi": {12},  # articulated inertia
    r"\Sigma": {36},  # covariance
    r"\Upsilon": {5},  # local coordinates' rates
    r"\Phi": {25, 36},  # derivative of a step
    r"\Psi": {23},  # velocities of a joined system
    r"\Omega": {8, 9},  # locked velocity
}
#: said to be another's letter, or no symbol at all: the order O(n²)
QUOTED = ("of Jain & Rodriguez is", "O(n^{2})")
#: marks of how a formula was shown, subgroups' names
MARKS = re.compile(r"\[[DN]\]|(?:SE|SO|T|C|X|Y)\(\w\)")


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
    index = "" if letter.startswith("\\") else r"_|\}_|"  # B_i and n_q are other symbols than B and n
    before = r"(?:(?<=dot\{)|(?<=sqrt\{)|(?<![A-Za-z\\_{^]))"  # a letter in an index is no symbol of its own
    alone = re.compile(before + re.escape(letter) + f"(?!{index}[A-Za-z])")
    elsewhere = {}
    for number, part in zip(map(int, parts[::2]), parts[1::2], strict=True):
        part = "\n".join(line for line in part.split("\n") if not any(quoted in line for quoted in QUOTED))
        used = [formula for formula in formulas(part) if alone.search(MARKS.sub("", formula))]
        if used and number not in SECTIONS[letter]:
            elsewhere[number] = used[0]
    assert not elsewhere
