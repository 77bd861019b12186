"""Frozen objects with run-time numbers: laws, and the costs of planning."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass, field
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, dataclass_transform

from ..model import ModelError
from ..model.value import Value
from ..trace import looks_inside
from .gains import settle, structure_of


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
class Tunable(Value, ABC):
    """What has structure, of which kernels are made, and gains, which they are given. Subclasses become frozen
    dataclasses; see `gains` for which of their fields are which."""

    __law__: ClassVar[bool] = True
    #: names of fields that are structure although they hold numbers
    static: ClassVar[tuple[str, ...]] = ()
    #: {field: shape for one sample} of gains whose values may have a leading dimension of samples; may be a property
    shapes: ClassVar[Any] = MappingProxyType({})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, eq=False, repr=False)(cls)
        # the base class freezes, so that a class that is decorated as a dataclass once more is fine
        for name in ("__setattr__", "__delattr__"):
            delattr(cls, name)
        made = cls.__init__

        @wraps(made)
        def __init__(self: Any, *arguments: Any, **named: Any) -> None:
            made(self, *arguments, **named)
            if type(self) is cls:
                settle(self)

        type.__setattr__(cls, "__init__", __init__)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        expected = "nothing set after it is made: give a new law, or declare `memory`"
        raise ModelError.single(type(self).__name__, name, expected=expected, given=repr(value))

    def __delattr__(self, name: str) -> NoReturn:
        raise ModelError.single(type(self).__name__, name, expected="nothing deleted", given="del")


# kernels depend on the structure, not on the gains
looks_inside(Tunable, lambda x: tuple(structure_of(x).items()))
