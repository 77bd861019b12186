"""Numbers that files may give to fields: their shapes, how many there may be, the words and schemas for them."""

from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from unmoored.model.field_types import ANY, PER_DOF, Numbers, Rows, SixOrMatrix, Table

ONE = Annotated[Any, Numbers(())]
OPTION = Annotated[Any, Numbers((), (PER_DOF,))]
MATRIX = Annotated[Any, Numbers((2, 3))]
LIMITS = Annotated[Any, Numbers((2,), (2, PER_DOF))]
SERIES = Annotated[Any, Numbers((ANY,))]

FITS = [
    (ONE, [0, -1.5, 10**40]),
    (OPTION, [2, [1], [1, 2.5, 3, 4, 5, 6]]),
    (MATRIX, [[[1, 2, 3], [4, 5, 6]]]),
    (LIMITS, [[1, 2], [[1], [2]], [[1] * 6, [2]]]),
    (SERIES, [[1], [0.5] * 10_000]),
    (Rows, [[[1, 2, 3]], [[1, 2, 3]] * 3]),
    (Table, [[1, 2], [[1], [2, 3]]]),
    (SixOrMatrix, [1, [1] * 6, [[1] * 6] * 6]),
]
DOES_NOT = [
    (ONE, [True, "1", None, [1], []], "one number"),
    (OPTION, [[], [1] * 7, [[1]], (1, 2), [1, "2"], [1, True]], "one number or n numbers"),
    (MATRIX, [[[1, 2], [3, 4], [5, 6]], [[1, 2, 3]], [1, 2, 3], [[1, 2, 3]] * 3, [[1, 2, 3], [4, 5]]], "2×3 numbers"),
    (LIMITS, [1, [1], [1, 2, 3], [[1], []], [[1] * 7, [1]], [[1], [1], [1]]], "2 numbers or 2×n numbers"),
    (SERIES, [1, [], [0.5] * 10_001], "n numbers"),
    (Rows, [[], [1, 2, 3], [[1, 2]], [[1, 2, 3, 4]]], "n×3 numbers"),
    (Table, [1, [], [[1], []]], "n numbers or n×n numbers"),
    (SixOrMatrix, [[1] * 5, [[1] * 6] * 5, [[1] * 5] * 6], "one number or 6 numbers or 6×6 numbers"),
]  # fmt: skip


def test_numbers_of_the_right_shape_are_kept_as_they_are():
    for kind, values in FITS:
        for value in values:
            assert TypeAdapter(kind).validate_python(value) is value


@pytest.mark.parametrize(("kind", "values", "words"), DOES_NOT, ids=[words for *_, words in DOES_NOT])
def test_others_are_refused_in_words(kind, values, words):
    for value in values:
        with pytest.raises(ValidationError) as caught:
            TypeAdapter(kind).validate_python(value)
        assert caught.value.errors()[0]["msg"] == words


def test_editors_are_told_the_shapes_and_lengths():
    number = {"type": "number"}

    def array(least, most, items=number):
        return {"type": "array", "minItems": least, "maxItems": most, "items": items}

    for kind, schema in (
        (ONE, number),
        (OPTION, {"anyOf": [number, array(1, 6)]}),
        (MATRIX, array(2, 2, array(3, 3))),
        (SERIES, array(1, 10_000)),
        (Rows, array(1, 10_000, array(3, 3))),
        (SixOrMatrix, {"anyOf": [number, array(6, 6), array(6, 6, array(6, 6))]}),
    ):
        assert TypeAdapter(kind).json_schema() == schema
