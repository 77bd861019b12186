"""Plain lines of YAML, read by us, against the general parser: the same data and lines, or none."""

import random
from importlib import resources

import pytest
from tests.model.files import hostile_yaml

import unmoored as um
from unmoored.model.files.yaml import yaml_document
from unmoored.model.files.yaml.plain_lines import plain_document

SOUND = [
    path.read_text(encoding="utf-8")
    for room in ("system", "simulation")
    for path in (resources.files(f"unmoored.{room}") / "library").iterdir()
    if path.name.endswith(".yaml")
]


PIECES = [" ", "\n", ":", "#", "- ", "[", "]", "{", "}", ",", "'", '"', "a", "1", "-", ".", "\t", ": ", " #"]


def general(text, monkeypatch):
    """What the general parser makes of it."""
    with monkeypatch.context() as patch:
        patch.setattr(yaml_document, "plain_document", lambda *given: None)
        return yaml_document.parse_document(text, "file")


def compare(text, monkeypatch):
    found = plain_document(text, yaml_document.DEEPEST)
    if found is None:
        return 0
    whole = general(text, monkeypatch)
    assert repr(found[0]) == repr(whole.data)  # 1 is not 1.0, nor True
    assert found[1] == whole.lines
    return 1


def test_nearly_all_files_of_the_library_are_plain(monkeypatch):
    assert sum(compare(text, monkeypatch) for text in SOUND) >= len(SOUND) - 2


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n  - x\n  - y: 2\n    z: [1, 2.0, -3e2, .5]\n",
        "a:\n- 1\n- {b: c, d: [e f, {g: 0x1F}]}\n# comment\nh: true # more\ni: ~\n",
        "  a: 1\n  b: {}\n  c: []\n",
        "a: -1.5 m\nb: x:y\nc: a#b\nd: don't\ne: \"it's fine\"\nf: 'q'\n",
        "a: 2001-01-01\nb: 1_000\nc: 0o17\nd: +5\ne: 1.\nf: yes\ng: (a, b) [c]\n",
        "- 1\n- a: 2\n",
        'a: ["x, y", \'z\', {b: "c: d", e: \'f\'}, "", g]\nh: "#"\n',
    ],
)
def test_what_is_plain(text, monkeypatch):
    assert compare(text, monkeypatch) == 1


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "# only\n", "a: 1\na: 2\n", "a:\n", "a:\nb: 1\n", "a: &x 1\n", "a: *x\n", "a: !t 1\n", "a: |\n  t\n",
        "a: x\n  y\n", "a: 'x''y'\n", 'a: "\\n"\n', "a: [1,\n 2]\n", "a: [1, 2,]\n", "a: {b:1}\n", "a: .nan\n",
        "a: 1e999\n", "a: " + "9" * 50 + "\n", "---\na: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n", "a:\t1\n",
        "- - 1\n", "-\n  a: 1\n", "? a\n: 1\n", "a: b: c\n", "true: 1\n", "1: 2\n", "a: {b: 1, b: 2}\n", "a: [- 1]\n",
        "a: [0, - ]\n", "a: @x\n", "a:  1\n b: 2\n",
        "a: 1\r\n", "a: x\x85\n", "\ufeffa: 1\n", "a: \"x\" # '\n", "<<: {a: 1}\n",
        "a:\n" + "".join("  " * k + f"b{k}:\n" for k in range(1, 14)) + "  " * 14 + "c: 1\n",
    ],
)  # fmt: skip
@pytest.mark.whole
def test_what_is_not(text):
    assert plain_document(text, yaml_document.DEEPEST) is None


def lists(levels):
    return f"a: {'[' * levels}1{']' * levels}\n"


def mappings(levels):
    return "".join(f"{' ' * k}a:\n" for k in range(levels)) + f"{' ' * levels}a: 1\n"


def items(levels):
    return "a:\n" + "".join(f"{' ' * 4 * k}- b:\n" for k in range(levels)) + f"{' ' * 4 * levels}- 1\n"


@pytest.mark.parametrize(("make", "most"), [(lists, 11), (mappings, 11), (items, 5)])
def test_nesting_is_taken_as_deep_as_is_said(make, most, monkeypatch):
    """Twelve steps to the innermost number, one for each key and each item: by us and by the general parser."""
    assert yaml_document.DEEPEST == 12
    assert compare(make(most), monkeypatch) == 1
    assert max(map(len, plain_document(make(most), 12)[1])) == 12
    assert plain_document(make(most + 1), 12) is None
    with pytest.raises(um.ModelError, match=r"nesting: expected at most 12 levels, given more"):
        yaml_document.parse_document(make(most + 1), "f")


def test_words_and_quoted_texts_are_as_deep_as_numbers(monkeypatch):
    for text, deeper in (
        (lists(11).replace("1", "x"), lists(12).replace("1", "x")),
        (lists(11).replace("1", "'x'"), lists(12).replace("1", "'x'")),
        (mappings(11).replace("1", "'x'"), mappings(12).replace("1", "'x'")),
        (mappings(10) + f"{' ' * 11}a: []\n", mappings(11) + f"{' ' * 12}a: []\n"),
    ):
        found = text.replace(f"{' ' * 10}a: 1\n", f"{' ' * 10}a:\n")
        assert compare(found, monkeypatch) == 1
        assert plain_document(deeper.replace(f"{' ' * 11}a: 1\n", f"{' ' * 11}a:\n"), 12) is None


def test_keys_have_at_most_200_printable_characters():
    for n in (99, 100, 101, 200):
        key = "k" * n
        found = yaml_document.parse_document(f"{key}: 1\n", "f")
        assert (found.data, found.lines) == ({key: 1}, {(): 1, (key,): 1})
        assert (plain_document(f"{key}: 1\n", 12) is None) == (n > 100)
    for key in ("k" * 201, '"a\\u0007"', "1", "[a]"):
        with pytest.raises(um.ModelError, match=r"key: expected at most 200 printable characters"):
            yaml_document.parse_document(f"{key}: 1\n", "f")


@pytest.mark.parametrize(("name", "at"), [("yaml_characters", 20), ("yaml_line", 6), ("yaml_items", 7)])
def test_texts_may_be_as_long_as_is_said(name, at, monkeypatch):
    """Marks are three colons, a bracket and three ends of lines."""
    text = "a: 123\nb: [1]\nc: 12\n"
    monkeypatch.setattr(um.limits, name, at)
    yaml_document._check_size(text, "f")
    monkeypatch.setattr(um.limits, name, at - 1)
    with pytest.raises(um.ModelError, match=f"expected at most {at - 1} .unmoored.limits.{name} raises"):
        yaml_document._check_size(text, "f")


LINES = [
    "a: 1", "b:", "c: [1, x y, {d: e}]", "- f", "- g: 2.5", "-", "h: {i: [], j: {k: -l}}", "m: n o # p", "# q", "",
    "r: s: t", "- [u, v]", "- - w", "x: 'y'", 'z: "1"', "A: -", "B: - 1", "C: ,", "D: a, b", "E: 1:2", "F: [a:b]",
    "G: .5e3", "H: ?", "I: [ 1 ,2 ]", "J: [-, 1]", "K: {a: b c}", "L : 1", "M: %", "N: a%", "O: =", "P: a: ",
    "Q: [1 2, .3, +4]", "R: [1e5]x",
]  # fmt: skip


def made(rng: random.Random) -> str:
    """Lines in random columns, or some of a sound file, with a character changed here and there."""
    if rng.random() < 0.6:
        text = "".join(
            f"{' ' * rng.choice([0, 0, 0, 2, 2, 4])}{rng.choice(LINES)}\n" for _ in range(rng.randint(1, 5))
        )
    else:
        lines = rng.choice(SOUND).splitlines(keepends=True)
        first = rng.randrange(len(lines))
        text = "".join(lines[first : first + rng.randint(2, 12)])
    for _ in range(rng.randint(0, 2)):
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(PIECES) + text[at + rng.randint(0, 2) :]
    return text


def test_broken_files_are_the_same_or_left_to_it(monkeypatch):
    rng, plain = random.Random(1), 0
    for _ in range(600):
        text = made(rng)
        try:
            plain += compare(text, monkeypatch)
        except um.ModelError as error:
            raise AssertionError(text) from error
    assert plain > 60


def test_hostile_files(monkeypatch):
    texts = [value for value in vars(hostile_yaml).values() if isinstance(value, str)]
    assert all(compare(text, monkeypatch) in (0, 1) for text in texts)
