"""What varies in a campaign: names, distributions, and their values for any samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import ModelError
from ..simulation.scenario.random_values import Random
from ..simulation.scenario.sweeps import Grid
from .designs import check_design, uniforms
from .targets import Inputs, Target, target_of


@dataclass(frozen=True)
class Variable:
    """One entry of `vary`: its key, its distribution or list, and what it changes; several targets share a row."""

    key: str
    source: Random | Grid
    targets: tuple[Target, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""
        return self.source.shape if isinstance(self.source, Random) else self.source.points().shape[1:]

    @property
    def columns(self) -> list[str]:
        """A name for every number of a value."""
        size = math.prod(self.shape)
        names = split_key(self.key)
        if len(names) > 1:
            return names
        return [self.key] if not self.shape else [f"{self.key}[{k}]" for k in range(size)]

    def put(self, inputs: Inputs, values: np.ndarray) -> None:
        """Put values (S, *shape) in; a number stands for a list of one, such as the stiffness of one DoF."""
        for k, target in enumerate(self.targets):
            own = values if len(self.targets) == 1 else values[:, k]
            target.put(inputs, own[:, None] if own.ndim == 1 and target.shape == (1,) else own)


class Variables:
    """All variables of a campaign. `samples`: of every combination of lists; `total`: of the campaign."""

    def __init__(
        self,
        vary: Mapping[Any, Any],
        plant: Any,
        law: Any,
        sensors: tuple[Any, ...],
        *,
        samples: int,
        seed: int,
        design: str,
    ):
        self.all = [_variable(key, source, plant, law, sensors) for key, source in vary.items()]
        self._samples, self._seed, self._design = samples, seed, design
        self._lists = {v.key: v.source.points() for v in self.all if isinstance(v.source, Grid)}
        self.total = math.prod(len(points) for points in self._lists.values()) * samples
        self._sizes = {v.key: v.source.numbers for v in self.all if isinstance(v.source, Random)}
        check_design(design, sum(self._sizes.values()), self.total)
        self.columns = [name for variable in self.all for name in variable.columns]
        _refuse_what_two_set(self.all)

    @property
    def targets(self) -> list[Target]:
        """What is changed."""
        return [target for variable in self.all for target in variable.targets]

    def values(self, samples: np.ndarray) -> dict[str, np.ndarray]:
        """{key: values (S, *shape)} of the samples with these numbers (S,).

        Lists go through all combinations in the order given, the last one fastest, each `samples` times.
        """
        found: dict[str, np.ndarray] = {}
        numbers = uniforms(self._design, self._seed, self._sizes, self.total, samples) if self._sizes else {}
        place = samples // self._samples
        for variable in reversed(self.all):
            key, source = variable.key, variable.source
            if isinstance(source, Random):
                found[key] = source.at(numbers[key])
            else:
                points = self._lists[key]
                found[key] = points[place % len(points)]
                place = place // len(points)
        return {variable.key: found[variable.key] for variable in self.all}

    def flat(self, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
        """Values as rows (S, columns)."""
        return np.concatenate(
            [np.zeros((count, 0)), *(x.reshape(count, -1) for x in values.values())], axis=1
        )

    def shaped(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The values again from rows (S, columns)."""
        found, first = {}, 0
        for variable in self.all:
            last = first + math.prod(variable.shape)
            found[variable.key] = rows[:, first:last].reshape(len(rows), *variable.shape)
            first = last
        return found

    def put(self, inputs: Inputs, values: Mapping[str, np.ndarray]) -> None:
        """Put the values into what `simulate` is given."""
        for variable in self.all:
            variable.put(inputs, values[variable.key])


def _refuse_what_two_set(variables: list[Variable]) -> None:
    """Every number has one distribution, whatever names it has."""
    by: dict[str, str] = {}
    for variable in variables:
        for place in (place for target in variable.targets for place in target.places):
            if place in by:
                given = f"{by[place]!r} and {variable.key!r}, which both set {place}"
                raise ModelError.single(
                    "Campaign", f"vary: {variable.key}", expected="each number once", given=given
                )
            by[place] = variable.key


def split_key(key: str) -> list[str]:
    """The names in a key: "elbow.mass, wrist.mass" are two that one distribution gives values together."""
    return [name.strip() for name in key.split(",")]


def _variable(key: Any, source: Any, plant: Any, law: Any, sensors: tuple[Any, ...]) -> Variable:
    text = ", ".join(key) if isinstance(key, tuple) else key
    if not isinstance(text, str):
        raise ModelError.single("Campaign", "vary", expected="names", given=repr(key))
    if not isinstance(source, Random | Grid):
        expected = "a distribution (um.Normal, um.Uniform, …), um.Values or um.Range"
        raise ModelError.single("Campaign", f"vary: {text}", expected=expected, given=repr(source))
    targets = [target_of(name, plant, law, sensors) for name in split_key(text)]
    found = Variable(", ".join(split_key(text)), source, tuple(targets))
    if len(targets) > 1:
        if any(target.shape not in ((), (1,)) for target in targets) or found.shape != (len(targets),):
            expected = f"{len(targets)} numbers, one for each of the names"
            raise ModelError.single(
                "Campaign", f"vary: {text}", expected=expected, given=f"shape {found.shape}"
            )
    elif found.shape != targets[0].shape and (found.shape, targets[0].shape) != ((), (1,)):
        expected = f"values of shape {targets[0].shape}"
        raise ModelError.single("Campaign", f"vary: {text}", expected=expected, given=f"shape {found.shape}")
    return found
