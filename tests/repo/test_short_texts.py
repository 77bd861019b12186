"""Objects show themselves in short: a table in a field does not fill the screen, nor an error."""

import dataclasses
import inspect

import numpy as np
import pytest

import unmoored as um
from unmoored.model.short_text import short_repr, shown
from unmoored.model.value import Value, in_full

CLASSES = sorted(
    (
        cls
        for name in dir(um)
        if inspect.isclass(cls := getattr(um, name)) and not issubclass(cls, BaseException)
    ),
    key=lambda cls: cls.__name__,
)
#: written by dataclasses, of words and single numbers only
OF_WORDS = (um.Event, um.LocalPolynomial, um.Status, um.Tolerances)
TABLE = np.arange(90_000.0).reshape(300, 300)


def filled(cls):
    """An instance with a table in every field, made without its checks."""
    if inspect.isabstract(cls):
        cls = dataclasses.dataclass(frozen=True, eq=False, repr=False)(type(cls.__name__, (cls,), {}))
        cls.__abstractmethods__ = frozenset()
    if issubclass(cls, tuple):
        return tuple.__new__(cls, [TABLE] * len(cls._fields))
    found = object.__new__(cls)
    for field in dataclasses.fields(cls):
        object.__setattr__(found, field.name, TABLE)
    return found


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_tables_are_shown_by_their_shape(cls):
    if cls in OF_WORDS:
        return
    written_out = hasattr(cls.__repr__, "__wrapped__") or (
        issubclass(cls, tuple) and cls.__repr__ is not short_repr
    )
    assert not written_out, "give the class __repr__ = short_repr, or repr=False if it is a Value"
    if cls.__repr__ in (Value.__repr__, short_repr):
        assert len(repr(filled(cls))) < 2000


def test_few_numbers_have_all_their_digits():
    assert repr(um.Thruster("bus", at=(0.1, 1 / 3, 0), limits=(-1, 2))).count("0.3333333333333333") == 1
    assert shown(np.zeros((2, 40))) == "<2×40 float64>"
    assert shown(list(range(100))) == f"[{', '.join(map(str, range(16)))}, … 100 in all]"
    assert shown("a" * 500).endswith("… (500 characters)")
    assert shown({"a": TABLE, 1: (2.5,)}) == "{'a': <300×300 float64>, 1: (2.5,)}"
    ship = um.supply_vessel()
    assert len(repr(ship)) < 400
    assert len(repr(um.Sea())) < 800
    assert len(in_full(ship)) > 10_000  # for records
