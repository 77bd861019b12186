"""Values in a scenario file that system files do not have: lists of any length, states of joints."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from pydantic_core import PydanticCustomError, core_schema

from ....model.files.yaml.schema import Numbers, PoseEntry

LONGEST = 10_000


class Series:
    """Marks a type: a list of 1 to LONGEST numbers, or of rows of `width` numbers."""

    def __init__(self, width: int | None = None):
        self._width = width

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        number, n = {"type": "number"}, self._width
        row = number if n is None else {"type": "array", "minItems": n, "maxItems": n, "items": number}
        return {"type": "array", "minItems": 1, "maxItems": LONGEST, "items": row}

    def _check(self, x: Any) -> Any:
        items = x if type(x) is list and 1 <= len(x) <= LONGEST else [None]
        if not all(self._fits(item) for item in items):
            words = "a list of numbers" if self._width is None else f"a list of rows of {self._width} numbers"
            raise PydanticCustomError("series", "{words}", {"words": words})
        return x

    def _fits(self, item: Any) -> bool:
        if self._width is None:
            return type(item) in (int, float)
        return type(item) is list and len(item) == self._width and all(type(i) in (int, float) for i in item)


class NumberOrList:
    """Marks a type: one number, or a list of numbers."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {"anyOf": [{"type": "number"}, {"type": "array", "minItems": 1, "items": {"type": "number"}}]}

    def _check(self, x: Any) -> Any:
        items = x if type(x) is list and x else [x]
        if not all(type(item) in (int, float) for item in items):
            raise PydanticCustomError("numbers", "{words}", {"words": "one number or a list of numbers"})
        return x


class JointState:
    """Marks a type: coordinates (a number or a list), or a pose (a mapping, checked where it is read)."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        pose = {k: v for k, v in PoseEntry.model_json_schema().items() if k != "title"}
        numbers = NumberOrList().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [*numbers["anyOf"], pose]}

    def _check(self, x: Any) -> Any:
        if type(x) is not dict:
            items = x if type(x) is list and x else [x]
            if not all(type(item) in (int, float) for item in items):
                words = "a number, a list of numbers, or a pose (xyz, rpy, …)"
                raise PydanticCustomError("joint", "{words}", {"words": words})
        return x


List = Annotated[Any, Series()]
Rows = Annotated[Any, Series(3)]
PerDof = Annotated[Any, NumberOrList()]
JointValue = Annotated[Any, JointState()]
Pair = Annotated[Any, Numbers((2,))]
Count = Annotated[int, Field(ge=1, le=10_000_000)]
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
