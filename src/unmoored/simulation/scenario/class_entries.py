"""From a public class to its entry in a scenario file: the same name, the same fields, with their types."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, Discriminator, Field, Tag, create_model

from ...model import Pose
from ...model.field_types import Number, Numbers, TableText
from ...model.files.yaml.schema import Entry, Name, PoseEntry
from .registry import GROUPS, ONE_OF, RENAMED_KEYS

_PLAIN = {
    str: Name,
    bool: bool,
    int: int,
    float: Number,
    Pose: PoseEntry,
    TableText: Annotated[str, Field(min_length=1, max_length=2_000_000)],
    Any: None,
    NoneType: None,
}


class ClassEntry(Entry):
    """An entry that stands for an object of a class."""

    stands_for: ClassVar[type]
    renamed: ClassVar[dict[str, str]]


@cache
def entry_of(cls: type, tagged: bool = True) -> type[ClassEntry]:
    """The entry with the fields of a dataclass that a file can say, and a key `type` if it is tagged."""
    hints = get_type_hints(cls, include_extras=True)
    keys: dict[str, Any] = {"type": (Literal[cls.__name__], ...)} if tagged else {}  # type: ignore[valid-type]
    for field in dataclasses.fields(cls):
        kind = file_type(hints[field.name]) if field.init else None
        if kind is not None:
            required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            keys[field.name] = (kind, Field() if required else None)
    base = ClassEntry
    if cls in ONE_OF:
        extra = {"oneOf": [{"required": [key]} for key in ONE_OF[cls]]}
        base = type("OneOf", (ClassEntry,), {"model_config": ConfigDict(json_schema_extra=extra)})  # type: ignore[dict-item]
    first = (cls.__doc__ or "").split("\n\n")[0]
    entry = create_model(f"{cls.__name__}Entry", __base__=base, __doc__=first, **keys)
    entry.stands_for, entry.renamed = cls, {**getattr(cls, "renamed", {}), **RENAMED_KEYS.get(cls, {})}
    return entry


def file_type(annotation: Any) -> Any:
    """What a file may give for a field with this annotation; None if nothing (functions, plants)."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return annotation if isinstance(arguments[1], Numbers) else file_type(arguments[1])
    if origin is Literal:
        return annotation
    if origin in (Union, UnionType):
        return _any_of([kind for part in arguments if (kind := file_type(part)) is not None])
    if origin in (list, tuple):
        return list[file_type(arguments[0])]
    if origin in (dict, Mapping):
        return dict[str, file_type(arguments[1])]
    if annotation in GROUPS:
        classes = GROUPS[annotation]
        return one_of(classes) if len(classes) > 1 else entry_of(*classes, tagged=False)
    return _PLAIN.get(annotation)


def one_of(classes: Iterable[type]) -> Any:
    """An entry of one of the classes, told by its key `type`."""
    return _chosen([Annotated[entry_of(cls), Tag(cls.__name__)] for cls in classes])


def _any_of(kinds: list[Any]) -> Any:
    """Objects of classes (with a `type`), a pose (a mapping without), or numbers."""
    if len(kinds) < 2:
        return kinds[0] if kinds else None
    parts: list[Any] = []
    for kind in kinds:
        if kind is PoseEntry:
            parts.append(Annotated[PoseEntry, Tag("<a pose (xyz, rpy, …)>")])
        elif isinstance(numbers := get_args(kind)[1], Numbers):
            parts.append(Annotated[Any, numbers, Tag(f"<{numbers.words}>")])
        else:
            parts += get_args(get_args(kind)[0])
    return _chosen(parts)


def _chosen(parts: list[Any]) -> Any:
    tags = [get_args(part)[-1].tag for part in parts]
    pose = next((tag for tag in tags if tag.startswith("<a pose")), None)
    numbers = next((tag for tag in tags if tag.startswith("<") and tag != pose), None)

    def tag_of(x: Any) -> str | None:
        if not isinstance(x, dict):
            return numbers
        return x["type"] if isinstance(x.get("type"), str) else pose

    return Annotated[Union[tuple(parts)], Discriminator(tag_of)]  # noqa: UP007
