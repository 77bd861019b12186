"""Which function a method of `System` would run, with which static arguments and which arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..dynamics.body_parameters import Parameter, body_parameters, declared, with_parameters
from ..dynamics.economy.fewest_operations import cheapest
from ..model import ModelError, Tree
from ..model.errors import unknown_name
from ..trace import Traced, trace
from .system import System


@dataclass(frozen=True)
class Argument:
    """A placeholder for an array of this length."""

    name: str
    size: int


@dataclass(frozen=True)
class Call:
    """function(tree, *arrays, *static); arrays are placeholders, or numbers to be folded.

    free: parameters of bodies that are arguments too, all in one array after the others.
    """

    function: Callable[..., Any]
    static: tuple
    arrays: dict[str, Any]
    free: tuple[Parameter, ...] = ()

    @property
    def arguments(self) -> list[Argument]:
        """The placeholders, in order."""
        found = [argument for x in self.arrays.values() for argument in _placeholders(x)]
        return found + ([Argument("parameters", self.free[-1].place.stop)] if self.free else [])

    @property
    def shapes(self) -> list[tuple[int]]:
        """Shapes of the placeholders."""
        return [(argument.size,) for argument in self.arguments]

    def flat(self, tree: Tree) -> Callable[..., Any]:
        """The function of the placeholders' arrays alone, for tracing."""

        def flat_function(*flat: Any) -> Any:
            values = iter(flat)
            arrays = [_filled(x, values) for x in self.arrays.values()]
            with_values = with_parameters(tree, self.free, next(values)) if self.free else tree
            result = cheapest(self.function, with_values, *arrays, *self.static)
            return tuple(result) if isinstance(result, tuple) else result

        return flat_function

    def traced(self, system: System, name: str, loops_beyond: int | None) -> Traced:
        """The function of its placeholders as a graph."""
        return trace(self.flat(system.tree), *self.shapes, name=name, loops_beyond=loops_beyond)


class _Recorder(System):
    """A system whose methods return what they would run."""

    def _run(self, function: Any, backend: Any, /, *static: Any, out: Any = None, **arrays: Any) -> Any:
        kept = {name: _placeholder(x) or self._argument(name, x) for name, x in arrays.items()}
        return Call(function, static, kept)

    def _array(self, name: str, x: Any, size: int | None = None) -> Any:
        return x if isinstance(x, Argument) else super()._array(name, x, size)

    def _mask(self, passive: Any) -> Any:
        return passive if isinstance(passive, Argument) else super()._mask(passive)


def method_names() -> list[str]:
    """Methods of `System` that can run on a backend."""
    members = inspect.getmembers(System, inspect.isfunction)
    return [
        name for name, method in members
        if not name.startswith("_") and "backend" in inspect.signature(method).parameters
    ]  # fmt: skip


def recorded(
    system: System,
    name: str,
    static: Sequence[Any],
    arguments: Sequence[str],
    options: Mapping[str, Any],
    free: Sequence[str] = (),
) -> Call:
    """What the method would run with placeholders for the arrays that it requires, and for `arguments`.

    static: values for its other parameters, in order. options: values by name; numbers are folded. free: names of
    parameters of bodies that become arguments.
    """
    method = getattr(System, name, None)
    if name.startswith("_") or not inspect.isfunction(method):
        raise unknown_name(system.name, "method", name, method_names())
    recorder = _Recorder(system.tree)
    given = _given(recorder, name, method, static, arguments, options)
    try:
        inspect.signature(method).bind(recorder, **given)
    except TypeError as problem:
        raise ModelError.single(
            system.name, name, expected=f"its arguments {inspect.signature(method)}", given=str(problem)
        ) from None
    call = method(recorder, **given)
    if not isinstance(call, Call):
        raise ModelError.single(system.name, name, expected="a method that is one kernel", given=f"{call!r}")
    return replace(call, free=declared(system.name, free, body_parameters(system.tree)))


def _given(
    recorder: _Recorder, name: str, method: Any, static: Sequence[Any], arguments: Sequence[str], options: Any
) -> dict[str, Any]:
    """Values for the parameters of a method, by name."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    arrays = [p.name for p in parameters if p.annotation in ("Any", Any) or p.name == "wrenches"]
    unknown = [x for x in arguments if x not in arrays and x != "passive"]
    if unknown:
        raise unknown_name(recorder.name, f"array of {name}", unknown[0], arrays)
    given = dict(options)
    for p in parameters:
        required = p.default is p.empty and p.name in arrays
        if p.name == "wrenches" and p.name in given and not isinstance(given[p.name], Mapping):
            given[p.name] = {frame: Argument(f"wrench_{frame}", 6) for frame in given[p.name]}
        elif p.name in arguments or (required and p.name not in given):
            given[p.name] = Argument(p.name, recorder._size(p.name))
    free = [p.name for p in parameters if p.name not in (*given, *arrays, "backend")]
    if len(static) > len(free):
        raise ModelError.single(recorder.name, name, expected=f"values for {free}", given=repr(tuple(static)))
    return given | dict(zip(free, static, strict=False))


def _placeholder(x: Any) -> Argument | None:
    """The placeholder that a method has passed on, perhaps as the one entry of an array."""
    if isinstance(x, np.ndarray) and x.dtype == object and x.size == 1:
        x = x.item()
    return x if isinstance(x, Argument) else None


def _placeholders(x: Any) -> Iterator[Argument]:
    for value in (x[frame] for frame in sorted(x)) if isinstance(x, Mapping) else (x,):
        if isinstance(value, Argument):
            yield value


def _filled(x: Any, values: Iterator[Any]) -> Any:
    """Arrays in the place of placeholders."""
    if isinstance(x, Mapping):
        return {frame: _filled(x[frame], values) for frame in sorted(x)} or None
    return next(values) if isinstance(x, Argument) else x
