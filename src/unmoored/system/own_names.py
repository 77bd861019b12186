"""A class that is put together from several files speaks in messages with its own name."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar

C = TypeVar("C", bound=type)


def with_own_names(cls: C) -> C:
    """Class decorator: methods of the parts that a class is made of ("…Methods", "…Data") are called "Class.method"."""
    for part in cls.__mro__[1:]:
        if not part.__name__.endswith(("Methods", "Data")):
            continue
        for name, member in vars(part).items():
            function = getattr(member, "__func__", member)
            while isinstance(function, FunctionType) and function.__name__ == name:
                function.__qualname__, function.__module__ = f"{cls.__name__}.{name}", cls.__module__
                function = getattr(function, "__wrapped__", None)
    return cls
