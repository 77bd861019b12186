"""Where a number stands in a part, nothing else is taken: every public class on the page of parts, field by field."""

import dataclasses
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import unmoored as um
from unmoored.model.value import Value

PAGE = Path(__file__).parents[2] / "docs" / "parts.md"
NO_NUMBERS = ("1", True, ["1"], [None], 1j, np.array(1j), object(), np.nan, -np.inf)
#: on and off are 1 and 0
SWITCHES = ("active",)
#: a wave's spectrum as the sea makes it, which is no part that a user makes
MADE_BY_OTHERS = ("WaveMotion",)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """One of every class that the page makes, as long as it can be made again from its fields."""
    made: dict[type, list[Value]] = {}
    new = Value.__new__

    def noted(cls, *arguments, **options):
        part = new(cls, *arguments, **options)
        made.setdefault(cls, []).append(part)
        return part

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.chdir(tmp_path_factory.mktemp("parts"))
        patch.setattr(Value, "__new__", noted)
        names = {"__name__": "page"}
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
            exec(block, names)
    return {cls: found for cls, found in made.items() if cls.__module__.startswith("unmoored")}


def numbers_in(part):
    """Names of the fields that hold a number, or several, and nothing else."""
    for field in dataclasses.fields(part):
        value = getattr(part, field.name, None)
        several = list(value) if isinstance(value, tuple | list) else [value]
        if isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
            several = [0.0]
        if field.init and several and all(type(x) in (int, float) for x in several):
            yield field.name


def can_be_made_again(part):
    """Whether its fields are what it is made from."""
    try:
        dataclasses.replace(part)
    except Exception:
        return False
    return True


def test_where_a_number_stands_nothing_else_is_taken(parts):
    wrong, seen = [], set()
    for cls, made in parts.items():
        for part in made:
            if cls.__name__ in MADE_BY_OTHERS or not can_be_made_again(part):
                continue
            for name in {*numbers_in(part)} - {name for kind, name in seen if kind is cls}:
                seen.add((cls, name))
                for bad in NO_NUMBERS:
                    try:
                        found = dataclasses.replace(part, **{name: bad})
                    except um.ModelError:
                        continue
                    except Exception as error:
                        wrong.append((cls.__name__, name, bad, error))
                        continue
                    if not (name in SWITCHES and bad is True):
                        wrong.append((cls.__name__, name, bad, getattr(found, name)))
    assert wrong == []
    assert len(seen) > 250
