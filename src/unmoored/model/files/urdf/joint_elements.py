"""URDF joints → joints of the model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from ...value import LARGEST
from ..xml_elements import Element
from .attributes import Attributes

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_BOUNDED = ("revolute", "prismatic")
_DEFAULT_AXIS = (1.0, 0.0, 0.0)


def read_joint(element: Element, read: Attributes, unlimited: list[str]) -> Joint:
    """The joint of a `<joint>`; one that lacks its `<limit>` is put on the list `unlimited`."""
    kind = element.attributes.get("type")
    if kind not in TYPES:
        read.problem(element, "type", f"one of {', '.join(TYPES)}", repr(kind))
        return Fixed()
    if kind == "fixed":
        return Fixed()
    options = _dynamics(element, read) | _limits(element, read, kind)
    if kind in _BOUNDED and element.first("limit") is None:
        unlimited.append(element.attributes.get("name", ""))
    with read.errors_of(element):
        return _joint(kind, _axis(element, read), options)
    return Fixed()


class Following(NamedTuple):
    """What a `<mimic>` says: the name of the joint to follow, multiplier and offset (rad, m)."""

    leader: str
    multiplier: float
    offset: float


def read_mimic(element: Element, read: Attributes) -> Following | None:
    """The `<mimic>` of a `<joint>`, None if it has none or does not move."""
    mimic = read.one(element, "mimic")
    if mimic is None or element.attributes.get("type") == "fixed":
        return None
    leader = read.text(mimic, "joint")
    return Following(leader, read.number(mimic, "multiplier", 1.0), read.number(mimic, "offset", 0.0))


def _joint(kind: str, axis: tuple[float, ...], options: dict[str, Any]) -> Joint:
    if kind == "floating":
        return Free(**options)
    if kind == "planar":
        return Planar(axis, **options)
    return Prismatic(axis, **options) if kind == "prismatic" else Revolute(axis, **options)


def _axis(element: Element, read: Attributes) -> tuple[float, ...]:
    axis = read.one(element, "axis")
    return _DEFAULT_AXIS if axis is None else read.numbers(axis, "xyz", 3, _DEFAULT_AXIS)


def _dynamics(element: Element, read: Attributes) -> dict[str, Any]:
    dynamics = read.one(element, "dynamics")
    if dynamics is None:
        return {}
    return {name: read.number(dynamics, name, 0.0) for name in ("damping", "friction")}


def _limits(element: Element, read: Attributes, kind: str) -> dict[str, Any]:
    """Numbers as large as the largest that a model may hold stand for none (the writer uses them so)."""
    limit = read.one(element, "limit")
    if limit is None:
        return {}
    options: dict[str, Any] = {name: read.optional_number(limit, name) for name in ("effort", "velocity")}
    if kind in _BOUNDED:
        bounds = (read.number(limit, "lower", 0.0), read.number(limit, "upper", 0.0))
        options["limits"] = bounds if max(np.abs(bounds)) < LARGEST else None
    return {name: None if value == LARGEST else value for name, value in options.items()}
