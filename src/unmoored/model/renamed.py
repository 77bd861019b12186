"""Old spellings of keywords: they raise, and say the new one."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from .errors import ModelError

C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Callable[..., Any])


def renamed_fields(**spellings: str) -> Callable[[C], C]:
    """Class decorator: fields that have another name now, {old: what to write instead}. Files read it too."""

    def decorate(cls: C) -> C:
        cls.__init__ = renamed_arguments(cls.__name__, **spellings)(cls.__init__)  # type: ignore[misc]
        cls.renamed = {**getattr(cls, "renamed", {}), **spellings}  # type: ignore[attr-defined]
        return cls

    return decorate


def renamed_arguments(where: str = "", **spellings: str) -> Callable[[F], F]:
    """Decorator of a function whose keywords have other names now, {old: what to write instead}."""

    def decorate(function: F) -> F:
        @wraps(function)
        def checked(*arguments: Any, **options: Any) -> Any:
            for old in spellings.keys() & options.keys():
                place = where or function.__name__
                raise ModelError.single(
                    place, f"{old}= is no more", expected=spellings[old], given=f"{old}={options[old]!r}"
                )
            return function(*arguments, **options)

        return checked  # type: ignore[return-value]

    return decorate
