"""All free numbers of a fit: their coordinates together, bounds, and what is known of them beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..dynamics.free_numbers import Parameter
from ..model import ModelError
from ..model.errors import unknown_name
from ..trace import plain_numbers
from .coordinates import Coordinates, coordinates_of
from .recording import Array, wrong


@dataclass(frozen=True, eq=False)
class ParameterSpace:
    """The coordinates θ (k,) of a plant's free parameters p (n,), one after the other.

    prior_mean, prior_deviation (n,): what is known of p beforehand; a deviation of infinity where nothing is.
    """

    parameters: tuple[Parameter, ...]
    blocks: tuple[Coordinates, ...]
    lower: Array
    upper: Array
    prior_mean: Array
    prior_deviation: Array

    @cached_property
    def start(self) -> Array:
        """θ at the plant as built, within the bounds."""
        return np.clip(np.concatenate([block.start for block in self.blocks]), self.lower, self.upper)

    @cached_property
    def sizes(self) -> Array:
        """Changes (k,) of θ that count as large."""
        return np.concatenate([block.sizes for block in self.blocks])

    @cached_property
    def reach(self) -> Array:
        """How far (k,) one step may go."""
        return np.concatenate([block.reach for block in self.blocks])

    @cached_property
    def _places(self) -> list[slice]:
        edges = np.cumsum([0, *(len(block.start) for block in self.blocks)])
        return [slice(a, b) for a, b in pairwise(edges)]

    def values(self, θ: Array) -> Array:
        """p (n,) at θ."""
        return np.concatenate(
            [block.values(θ[at]) for block, at in zip(self.blocks, self._places, strict=True)]
        )

    def slopes(self, θ: Array) -> Array:
        """∂p/∂θ (n, k)."""
        found = np.zeros((self.parameters[-1].place.stop, len(θ)))
        for parameter, block, at in zip(self.parameters, self.blocks, self._places, strict=True):
            found[parameter.place, at] = block.slopes(θ[at])
        return found

    def prior_rows(self, θ: Array) -> tuple[Array, Array]:
        """Residuals (m,) of what is known beforehand, and their slopes (m, k)."""
        known = np.isfinite(self.prior_deviation)
        weight = 1.0 / self.prior_deviation[known]
        off = weight * (self.values(θ) - self.prior_mean)[known]
        return off, weight[:, None] * self.slopes(θ)[known]


def parameter_space(
    parameters: Sequence[Parameter],
    bounds: Mapping[str, Any] | None = None,
    prior: Mapping[str, Any] | None = None,
) -> ParameterSpace:
    """The space of these parameters.

    bounds: {name: (lowest, highest)}, numbers or arrays of the parameter's shape, of parameters that are searched as
    they are.  prior: {name: (mean, standard deviation)} or {name: standard deviation} about the value as built.
    """
    if not parameters:
        raise wrong("identify", "free", "one or more names", "none")
    names = [parameter.name for parameter in parameters]
    for what, given in (("bounds", bounds), ("prior", prior)):
        for name in given or {}:
            if name not in names:
                raise unknown_name("identify", f"name in {what}", name, names)
    blocks = _blocks(parameters, bounds or {})
    told = [_prior(p, (prior or {}).get(p.name)) for p in parameters]
    return ParameterSpace(
        tuple(parameters),
        blocks,
        np.concatenate([block.lower for block in blocks]),
        np.concatenate([block.upper for block in blocks]),
        np.concatenate([mean for mean, _ in told]),
        np.concatenate([deviation for _, deviation in told]),
    )


def _blocks(parameters: Sequence[Parameter], bounds: Mapping[str, Any]) -> tuple[Coordinates, ...]:
    """Coordinates of all parameters; what is wrong with any of them is told at once."""
    found, problems = [], []
    for parameter in parameters:
        try:
            found.append(_bounded(coordinates_of(parameter), parameter, bounds.get(parameter.name)))
        except ModelError as error:
            problems += error.problems
    if problems:
        raise ModelError(problems)
    return tuple(found)


def _bounded(block: Coordinates, parameter: Parameter, given: Any) -> Coordinates:
    if given is None:
        return block
    low, high = (_shaped(parameter, "bounds", x) for x in _pair(given))
    if np.any(low >= high):
        raise wrong(parameter.name, "bounds", "lowest < highest", repr(given))
    logarithmic = block.values is np.exp
    if parameter.field == "tensor" or (not logarithmic and len(block.start) != len(low)):
        raise wrong(parameter.name, "bounds", "none: it is searched by the factor of a matrix", repr(given))
    if logarithmic:
        with np.errstate(divide="ignore"):
            low, high = np.log(np.maximum(low, 0.0)), np.log(np.maximum(high, 0.0))
    lower, upper = np.maximum(block.lower, low), np.minimum(block.upper, high)
    if np.any(lower >= upper):
        raise wrong(parameter.name, "bounds", "a highest value > 0", repr(given))
    return replace(block, lower=lower, upper=upper)


def _prior(parameter: Parameter, given: Any) -> tuple[Array, Array]:
    if given is None:
        return parameter.nominal, np.full(parameter.nominal.shape, np.inf)
    mean, deviation = _pair(given) if isinstance(given, tuple | list) else (parameter.value, given)
    mean = parameter.flat(_shaped(parameter, "prior", mean).reshape(parameter.value.shape))
    deviation = _shaped(parameter, "prior", deviation)
    if np.any(deviation <= 0):
        raise wrong(parameter.name, "prior", "a standard deviation > 0", repr(given))
    return mean, deviation


def _shaped(parameter: Parameter, what: str, given: Any) -> Array:
    """One number, or an array of the parameter's shape, as (n,)."""
    shape = parameter.value.shape
    try:
        found = np.broadcast_to(plain_numbers(given), shape).reshape(-1)
    except (TypeError, ValueError):
        found = np.array([np.nan])
    if np.any(np.isnan(found)):
        raise wrong(parameter.name, what, f"one number, or shape {shape}", repr(given))
    return found


def _pair(given: Any) -> tuple[Any, Any]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise wrong("identify", "bounds or prior", "two values", repr(given))
    return given[0], given[1]
