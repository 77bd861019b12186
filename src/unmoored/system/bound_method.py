"""A method with some of its arguments fixed: what `compile_method`, `export_c` and the bridges are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..dynamics.free_numbers import Parameter, declared, tree_numbers, with_parameters
from ..model import ModelError
from ..model.errors import unknown_name
from ..trace import LOOPS_BEYOND, Traced, call_traced, trace
from .argument_kinds import ArrayOf, WrenchesOn
from .method import Method, method_named
from .method_calls import layout_of
from .method_kernels import Layout

#: sizes of what a plant is given at run time: the states of its actuators, inputs, parameters
_RUN_TIME = ("nx", "nu", "np")


class Argument(NamedTuple):
    """An array that stays an argument: its name, its shape, and the parameter of the method that it belongs to."""

    name: str
    shape: tuple[int, ...]
    parameter: str


class BoundMethod:
    """A method whose names and some of whose arrays are fixed.

    static: values for the names among its arguments, in order. arguments: optional arrays that stay arguments, beside
    those that the method requires. options: values by name. free: numbers of bodies that become an argument too, all
    in one array after the others. run_time: whether a plant's x, u and p stay arguments, too, if it has any.
    """

    def __init__(
        self,
        owner: Any,
        name: str,
        static: Sequence[Any],
        arguments: Iterable[str],
        options: Mapping[str, Any],
        free: Iterable[str] = (),
        *,
        run_time: bool = False,
    ):
        self.owner, self.method = owner, method_named(owner, name)
        kept = (*names_of(arguments), *(_run_time(owner, self.method, options) if run_time else ()))
        self.given = _given(owner, self.method, static, kept, dict(options))
        self.names = {k: kind.read(owner, self.given[k]) for k, kind in self.method.names.items()}
        self.layout: Layout = layout_of(self.method, owner, self.names, self.given)
        self.free: tuple[Parameter, ...] = ()
        if free := names_of(free):
            if owner._subject is owner:
                expected = "none here: say what is free of a plant when it is made, um.Plant(…, free=[…])"
                raise ModelError.single(owner.name, "free", expected=expected, given=", ".join(free))
            self.free = declared(owner.name, free, tree_numbers(owner.tree))
        self.flat = self._flat()
        #: which of the flat arrays are masks that are fixed
        self.masks = self._masks()
        #: where the arrays that are left lie among the flat ones, in the order of the method's signature
        self.places = self._places()

    @property
    def arguments(self) -> list[Argument]:
        """The arrays that are left, in the order of the method's signature."""
        left: list[Any] = [self.flat[k] for k in self.places]
        return left + ([Argument("parameters", (self.free[-1].place.stop,), "")] if self.free else [])

    def result_names(self, traced: Traced) -> tuple[str, ...]:
        """Names of the result's fields (with `_out` if arguments are called so), `out`, or `out0`, `out1` …"""
        if self.method.returns is not None:
            fields: tuple[str, ...] = self.method.returns._fields  # type: ignore[attr-defined]
            given = {argument.name for argument in self.arguments}
            return tuple(f"{field}_out" if field in given else field for field in fields)
        count = len(traced.outputs)
        return ("out",) if count == 1 else tuple(f"out{k}" for k in range(count))

    @property
    def fixed(self) -> dict[str, Any]:
        """Everything that is fixed, by name."""
        return {name: x for name, x in self.given.items() if not _stays(x) and x is not None}

    def traced(self, name: str, loops_beyond: int | None = LOOPS_BEYOND) -> Traced:
        """The method as a graph of what is left of its arrays.

        Fixed numbers are arguments of an inner function: the results have the bits of the method in Python. A mask that
        is fixed folds, and what it turns off with it: results are then the method's to rounding.
        """
        shapes = [argument.shape for argument in self.arguments]
        return trace(self.function(loops_beyond), *shapes, name=name, loops_beyond=loops_beyond)

    def function(self, loops_beyond: int | None = LOOPS_BEYOND) -> Callable[..., Any]:
        """The method as a traceable function of what is left of its arrays."""
        kernels, bound = self.owner._kernels, (self.method, self.names, self.layout)

        def with_free(*arrays: Any) -> Any:
            *given, p = arrays
            subject = with_parameters(self.owner._subject, self.free, p)
            return kernels.flat_function(*bound, subject)(*self._filled(given))

        if self.free:
            return with_free
        if self.masks:
            return self._without_masked(kernels.flat_function(*bound), loops_beyond)
        if self.places == list(range(len(self.flat))):
            return kernels.flat_function(*bound)
        return lambda *arrays: call_traced(kernels.graph(*bound, loops_beyond), *self._filled(arrays))

    def _without_masked(self, plain: Callable[..., Any], loops_beyond: int | None) -> Callable[..., Any]:
        """The function of the flat arrays with its masks as constants; what else is fixed are numbers of a call."""
        others = [k for k in range(len(self.flat)) if k not in self.masks]
        if len(others) == len(self.places):
            return lambda *arrays: plain(*self._filled(arrays))

        def folded(*arrays: Any) -> Any:
            filled: list[Any] = list(self.flat)
            for place, x in zip(others, arrays, strict=True):
                filled[place] = x
            return plain(*filled)

        shapes = [self.flat[k].shape for k in others]
        graph = trace(folded, *shapes, name=self.method.name, loops_beyond=loops_beyond)

        def called(*arrays: Any) -> Any:
            filled = self._filled(arrays)
            return call_traced(graph, *(filled[k] for k in others))

        return called

    @property
    def key(self) -> str | None:
        """Text that tells the kernel apart in every process; None if code of the user's is part of it."""
        key = self.owner._kernels.key(self.method, self.names, self.layout)
        fixed = [None if isinstance(x, Argument) else x.tolist() for x in self.flat]
        return None if key is None else "\0".join((key, repr(fixed), repr([p.name for p in self.free])))

    def _filled(self, arrays: Sequence[Any]) -> list[Any]:
        filled: list[Any] = list(self.flat)
        for place, x in zip(self.places, arrays, strict=True):
            filled[place] = x
        return filled

    def _places(self) -> list[int]:
        order = list(self.method.signature.parameters)
        left = [(order.index(x.parameter), k) for k, x in enumerate(self.flat) if isinstance(x, Argument)]
        return [k for _, k in sorted(left)]

    def _masks(self) -> set[int]:
        arrays = zip(self.method.arrays.values(), self.layout, strict=True)
        kinds = [
            kind for kind, taken in arrays for _ in (taken if isinstance(taken, tuple) else range(taken))
        ]
        return {
            k
            for k, (kind, x) in enumerate(zip(kinds, self.flat, strict=True))
            if isinstance(kind, ArrayOf) and kind.structural and not isinstance(x, Argument)
        }

    def _flat(self) -> list[Argument | np.ndarray]:
        """The flat arrays of the method: what is left, and what is fixed."""
        flat: list[Argument | np.ndarray] = []
        for (name, kind), taken in zip(self.method.arrays.items(), self.layout, strict=True):
            if isinstance(kind, WrenchesOn):
                parts = {f: self.given[name][f] for f in taken}  # type: ignore[union-attr]
                for frame, F in parts.items():
                    fixed = None if _stays(F) else kind.read(self.owner, self.names, name, {frame: F})[frame]
                    flat.append(Argument(f"wrench_{frame}", (6,), name) if fixed is None else fixed)
            elif taken and _stays(self.given[name]):
                flat.append(Argument(name, kind.shape(self.owner, self.names), name))
            elif taken:
                flat.append(self._fixed(name, kind))
        return flat

    def _fixed(self, name: str, kind: ArrayOf) -> np.ndarray:
        """Numbers that are fixed, for all samples the same."""
        x = kind.read(self.owner, self.names, name, self.given[name])
        shape = kind.shape(self.owner, self.names)
        if x.shape != shape:
            expected, given = f"shape {shape}, the same for all samples", f"shape {x.shape}"
            raise ModelError.single(self.owner.name, name, expected=expected, given=given)
        return x


class _Stays:
    """Stands in the place of an array that stays an argument."""


_STAYS = _Stays()


def _stays(x: Any) -> bool:
    return x is _STAYS or (isinstance(x, Mapping) and any(value is _STAYS for value in x.values()))


def _run_time(owner: Any, method: Method, options: Mapping[str, Any]) -> Iterable[str]:
    """Names of a plant's x, u and p among the arrays that have no value yet, as far as it has any."""
    for name, kind in method.arrays.items():
        size = getattr(kind, "size", None)
        if name not in options and size in _RUN_TIME and owner._size_of(size):
            yield name


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """The names; one alone is a tuple of one."""
    return (names,) if isinstance(names, str) else tuple(names)


def _given(
    owner: Any, method: Method, static: Sequence[Any], arguments: Sequence[str], options: dict[str, Any]
) -> dict[str, Any]:
    """A value for every argument of the method."""
    for name in arguments:
        if name not in method.arrays:
            raise unknown_name(owner.name, f"array of {method.name}", name, method.arrays)
    for name in options:
        if name not in method.kinds:
            raise unknown_name(owner.name, f"argument of {method.name}", name, method.kinds)
    places = [name for name in method.signature.parameters if name in method.names and name not in options]
    if len(static) > len(places):
        raise ModelError.single(
            owner.name, method.name, expected=f"values for {places}", given=repr(tuple(static))
        )
    given: dict[str, Any] = (
        options | dict(zip(places, static, strict=False)) | dict.fromkeys(arguments, _STAYS)
    )
    defaults = method.defaults
    for name, kind in method.kinds.items():
        if isinstance(kind, WrenchesOn) and name in given and not isinstance(given[name], Mapping):
            given[name] = None if given[name] is None else dict.fromkeys(names_of(given[name]), _STAYS)
        elif name not in given and name not in defaults and name in method.names:
            expected = f"a value for {name!r} of {method.signature}"
            raise ModelError.single(owner.name, method.name, expected=expected, given="none")
        elif name not in given:
            given[name] = defaults.get(name, _STAYS)
    return {name: given[name] for name in method.kinds}
