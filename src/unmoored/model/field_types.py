"""What the fields of public classes take, for their annotations: Python checks the numbers, files read the shapes.

`Annotated[Any, X]` on a field means: in Python whatever the class accepts, in a file X. A field that has no such type
(a function, a plant) does not exist in files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    from pydantic_core import core_schema

#: in a shape: any length, one per degree of freedom; any length at all
PER_DOF, ANY = -1, -2
_LONGEST = {PER_DOF: 6, ANY: 10_000}


class Numbers:
    """Marks a type: one number for the shape (), else nested lists of numbers of one of the shapes."""

    def __init__(self, *shapes: tuple[int, ...]):
        self._shapes = shapes

    @property
    def words(self) -> str:
        """The shapes as a reader says them: "one number or n numbers"."""
        return " or ".join(map(_shape_words, self._shapes))

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        schemas = [_shape_schema(shape) for shape in self._shapes]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}

    def _check(self, x: Any) -> Any:
        if not any(_fits(x, shape) for shape in self._shapes):
            from pydantic_core import PydanticCustomError

            raise PydanticCustomError("numbers", "{words}", {"words": self.words})
        return x


def _fits(x: Any, shape: tuple[int, ...]) -> bool:
    if not shape:
        return type(x) in (int, float)
    least, most = _lengths(shape[0])
    return type(x) is list and least <= len(x) <= most and all(_fits(item, shape[1:]) for item in x)


def _lengths(n: int) -> tuple[int, int]:
    return (1, _LONGEST[n]) if n in _LONGEST else (n, n)


def _shape_words(shape: tuple[int, ...]) -> str:
    words = "×".join("n" if n in _LONGEST else str(n) for n in shape)
    return f"{words} numbers" if shape else "one number"


def _shape_schema(shape: tuple[int, ...]) -> dict[str, Any]:
    if not shape:
        return {"type": "number"}
    least, most = _lengths(shape[0])
    return {"type": "array", "minItems": least, "maxItems": most, "items": _shape_schema(shape[1:])}


class TableText(str):
    """Marks a field that takes a name, the path of a file, or a whole table as text."""


Number = Annotated[Any, Numbers(())]
Pair = Annotated[Any, Numbers((2,))]
Vector = Annotated[Any, Numbers((3,))]
Six = Annotated[Any, Numbers((), (6,))]
SixOrMatrix = Annotated[Any, Numbers((), (6,), (6, 6))]
Series = Annotated[Any, Numbers((ANY,))]
NumberOrSeries = Annotated[Any, Numbers((), (ANY,))]
Table = Annotated[Any, Numbers((ANY,), (ANY, ANY))]
Rows = Annotated[Any, Numbers((ANY, 3))]
Rows6 = Annotated[Any, Numbers((ANY, 6))]
