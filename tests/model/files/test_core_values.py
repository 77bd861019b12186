"""What unquoted words of YAML files stand for (YAML 1.2, core schema)."""

import math

import pytest

from unmoored.model.files.yaml.core_values import core_value, in_bounds

VALUES = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None, "nUll": "nUll", "nulls": "nulls",
    "true": True, "True": True, "TRUE": True, "tRue": "tRue", "false": False, "FALSE": False, "yes": "yes", "no": "no",
    "0": 0, "-0": 0, "+7": 7, "007": 7, "12e": "12e", "1_000": "1_000", "0o17": 15, "0x1F": 31, "0x": "0x",
    "0b1": "0b1", "-0x1": "-0x1", "0o8": "0o8", "1.": 1.0, ".5": 0.5, "-.5": -0.5, ".": ".", "-": "-", "+": "+",
    "1.5": 1.5,
    "1e3": 1000.0, "1E+3": 1000.0, "-1.5e-3": -0.0015, "1e": "1e", "e3": "e3", ".e3": ".e3", "1.2.3": "1.2.3",
    "1 2": "1 2", "inf": "inf", ".5.": ".5.", "१": "१", "ä": "ä", "_1": "_1", "--1": "--1",
}  # fmt: skip


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.whole
def test_words(text):
    value, expected = core_value(text), VALUES[text]
    assert type(value) is type(expected)
    assert value == expected
    assert in_bounds(value)


@pytest.mark.parametrize(
    "text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN", "9" * 50, "1e400", "-" + "1" * 45]
)
def test_numbers_beyond_all_bounds(text):
    value = core_value(text)
    assert isinstance(value, float)
    assert not math.isfinite(value)
    assert not in_bounds(value)


def test_whole_numbers_have_fewer_than_forty_characters():
    """So that none takes long to read; zeros count, too."""
    for start, base in (("", 10), ("0x", 16), ("0o", 8)):
        for length in (38, 39):
            digits = "1" * (length - len(start))
            assert core_value(start + digits) == int(digits, base)
            assert core_value(start + "0" * (len(digits) - 1) + "7") == 7
        assert core_value(start + "0" * (39 - len(start)) + "7") == math.inf
