"""A law that acts on what a filter estimates, not on the true state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..model import ModelError
from ..model.short_text import short_repr
from ..worlds.law import Law, Seen, has_memory, respond

_FILTER, _LAW, _ESTIMATE = "filter.", "law.", "estimate."
_INPUTS = "inputs"
COVARIANCE = "covariance"


class Estimate(NamedTuple):
    """q (..., nq), v (..., nv): the estimated state.  covariance (..., n, n): of the filter's error, in the order of
    its `error_names`."""

    __repr__ = short_repr

    q: Any
    v: Any
    covariance: Any


class Estimated(Law):
    """A filter and the law that acts on its estimate: the law's `seen.q`, `seen.v` are the estimate.

    filter: a law with memory whose call gives (estimate, memory), the estimate with `.q`, `.v` and `.covariance`;
    it has `plant`. If its memory has a `covariance`, that is the estimate's, and kept once.
    law: of either form. The run keeps the estimate in `run.estimate`; the truth stays in `run.q`.
    """

    filter: Law
    law: Law

    def __post_init__(self) -> None:
        if not isinstance(self.filter, Law) or not self.filter.has_memory:
            raise _wrong("filter", "a law with memory (um.Law) that gives an estimate", self.filter)
        if not hasattr(self.filter, "plant"):
            raise _wrong("filter", "a law with `plant`, which tells the sizes of the estimate", self.filter)
        if not isinstance(self.law, Law):
            raise _wrong("law", "a law (um.Law)", self.law)

    @property
    def wants_delivered(self) -> bool:
        """Whether the law inside uses `seen.delivered`."""
        return self.law.wants_delivered

    def _when_held(self) -> Law:
        return Estimated(self.filter, self.law._when_held())

    @property
    def _tells_inputs(self) -> bool:
        """Whether the filter wants to know what the law gave in the period before."""
        return bool(getattr(self.filter, "wants_inputs", False))

    @property
    def memory(self) -> dict[str, Any]:
        """Those of the filter and of the law, and the estimate."""
        own: Mapping[str, Any] = self.filter.memory  # type: ignore[attr-defined]
        inner: Mapping[str, Any] = self.law.memory if has_memory(self.law) else {}  # type: ignore[attr-defined]
        plant = self.filter.plant  # type: ignore[attr-defined]
        if COVARIANCE not in own and not hasattr(self.filter, "error_names"):
            raise _wrong("filter", f"a memory {COVARIANCE!r}, or error_names that tell its size", self.filter)
        start = own.get(COVARIANCE)
        n = len(self.filter.error_names) if start is None else 0  # type: ignore[attr-defined]
        kept = {
            f"{_ESTIMATE}q": (plant.nq,),
            f"{_ESTIMATE}v": (plant.nv,),
            f"{_ESTIMATE}{COVARIANCE}": (n, n) if start is None else start,
        }
        if self._tells_inputs:
            kept[_INPUTS] = (plant.nu,)
        mine = {f"{_FILTER}{name}": x for name, x in own.items() if name != COVARIANCE}
        return kept | mine | {f"{_LAW}{name}": x for name, x in inner.items()}

    def __call__(self, seen: Seen, memory: Mapping[str, Any]) -> Any:
        if self._tells_inputs:
            seen = replace(seen, u=memory[_INPUTS])
        own = _part(memory, _FILTER) | {COVARIANCE: memory[f"{_ESTIMATE}{COVARIANCE}"]}
        estimate, new = self.filter(seen, own)
        shared = COVARIANCE in new
        if shared and new[COVARIANCE] is not estimate.covariance:
            raise _wrong("filter", "its memory `covariance` as the estimate's covariance", "another one")
        u, kept = respond(self.law, replace(seen, q=estimate.q, v=estimate.v), _part(memory, _LAW))
        told = {f"{_ESTIMATE}{name}": np.asarray(getattr(estimate, name)) for name in Estimate._fields}
        if self._tells_inputs:
            told[_INPUTS] = np.asarray(u)
        mine = {f"{_FILTER}{name}": x for name, x in new.items() if not (shared and name == COVARIANCE)}
        return u, told | mine | {f"{_LAW}{name}": x for name, x in kept.items()}


def estimate_in(memory: Mapping[str, np.ndarray]) -> Estimate | None:
    """The estimate that an `Estimated` law kept, alone or as a part of a sum; None if there is none."""
    for name in memory:
        if name.endswith(f"{_ESTIMATE}q"):
            front = name.removesuffix("q")
            return Estimate(*(memory[f"{front}{part}"] for part in Estimate._fields))
    return None


def filter_memory(memory: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What the filter of an `Estimated` law kept, by its own names."""
    for name in memory:
        if name.endswith(f"{_ESTIMATE}q"):
            front = name.removesuffix(f"{_ESTIMATE}q")
            return _part(memory, f"{front}{_FILTER}")
    return {}


def _part(memory: Mapping[str, Any], front: str) -> dict[str, Any]:
    return {name.removeprefix(front): x for name, x in memory.items() if name.startswith(front)}


def _wrong(what: str, expected: str, given: Any) -> ModelError:
    words = given if isinstance(given, str) else repr(given)
    return ModelError.single("Estimated", what, expected=expected, given=words)
