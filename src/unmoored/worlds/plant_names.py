"""Sizes and names of a plant: what its vectors hold."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np


class PlantNames:
    """The sizes of q, v, w, x, u and p, and a name for every entry."""

    system: Any
    tree: Any
    actuators: Any
    velocities: Any
    declared: Any

    @property
    def name(self) -> str:
        """Name of the system."""
        return self.system.name

    @property
    def nq(self) -> int:
        """Length of the configuration q."""
        return self.tree.nq

    @property
    def nv(self) -> int:
        """Length of the full velocity v."""
        return self.tree.nv

    @property
    def nw(self) -> int:
        """Number of independent velocities w: nv unless constraints or trajectories take some."""
        return len(self.velocities.names)

    @property
    def nx(self) -> int:
        """Number of states of the actuators."""
        return len(self.state_names)

    @property
    def nu(self) -> int:
        """Number of inputs."""
        return len(self.input_names)

    @property
    def dof_names(self) -> tuple[str, ...]:
        """A name for every entry of v."""
        return self.tree.dof_names

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """A name for every input: the actuator's, with the command's if it has several."""
        if self.actuators is None:
            return self.tree.dof_names
        return tuple(_named(a, name) for a in self.actuators for name in a.inputs(self.tree))

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """A name for every state of the actuators."""
        return tuple(_named(a, name) for a in self.actuators or () for name in a.states(self.tree))

    @cached_property
    def thrust_names(self) -> tuple[str, ...]:
        """A name for every column of the allocation matrix."""
        return tuple(_named(a, name) for a in self.actuators or () for name in a.thrusts(self.tree))

    @property
    def speed_names(self) -> tuple[str, ...]:
        """A name for every independent velocity."""
        return self.velocities.names

    @cached_property
    def tangent_names(self) -> tuple[str, ...]:
        """A name for every entry of (δq, δw, δx): "d bus.vx" and "d elbow" of δq, then speeds and actuators' states."""
        return (*(f"d {name}" for name in self.dof_names), *self.speed_names, *self.state_names)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """A name for every entry of p: "ocean.density", "ocean.current[0]", …"""
        return tuple(
            p.name if len(p.nominal) == 1 else f"{p.name}[{k}]"
            for p in self.declared
            for k in range(len(p.nominal))
        )

    @cached_property
    def nominal_parameters(self) -> np.ndarray:
        """p (n,) as the plant was built."""
        return np.concatenate([np.zeros(0), *(p.nominal for p in self.declared)])

    def size_of(self, word: str) -> int:
        """The number behind a size in a declaration: "nq", "nv", "nw", "nx", "nu" or "np"."""
        if word == "np":
            return len(self.nominal_parameters)
        return getattr(self, word)


def _named(actuator: Any, name: str) -> str:
    return f"{actuator.label}.{name}" if name else actuator.label
