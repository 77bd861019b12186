"""A plan as bytes for other processes: our own classes by pickle, users' laws by cloudpickle, or refused by name."""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Mapping
from typing import Any

from ..error_roots import optional
from ..model import ModelError
from ..trace import Recent
from .plan import Plan

#: plans that a worker has unpacked, with everything that they compiled, by the digest of their bytes
_known: Recent[str, Plan] = Recent(4)


def packed_plan(plan: Plan) -> bytes:
    """The plan as bytes; a `ModelError` names what in it cannot travel."""
    cloudpickle = optional("cloudpickle", "dask", "a campaign on several processes")
    try:
        return zlib.compress(cloudpickle.dumps(plan), 1)
    except Exception as error:
        raise _refused(plan, cloudpickle, error) from None


def unpacked_plan(content: bytes) -> Plan:
    """The plan again, the same one for the same bytes: a worker compiles once."""
    key = hashlib.sha256(content).hexdigest()
    found = _known.find(key)
    return _known.shared(key, pickle.loads(zlib.decompress(content))) if found is None else found


def _refused(plan: Plan, cloudpickle: Any, error: Exception) -> ModelError:
    parts: dict[str, Any] = {"plant": plan.plant, **_named("vary", plan.vary), **plan.options}
    for name, part in parts.items():
        for inner, x in {name: part, **_fields(name, part)}.items():
            if inner != name and _travels(cloudpickle, x):
                continue
            if inner != name or (not _travels(cloudpickle, part) and not _fields(name, part)):
                why = f"{type(x).__name__}: {' '.join(str(error).split())[:200]}"
                return ModelError.single(
                    "Campaign", inner, expected="what can be sent to other processes", given=why
                )
    return ModelError.single(
        "Campaign", "plan", expected="what can be sent to other processes", given=str(error)[:300]
    )


def _fields(name: str, x: Any) -> dict[str, Any]:
    """What an object holds, by name: attributes, or what a function closes over."""
    if hasattr(x, "__closure__") and x.__closure__:
        cells = (cell.cell_contents for cell in x.__closure__)
        return _named(name, dict(zip(x.__code__.co_freevars, cells, strict=True)))
    return (
        _named(name, vars(x)) if hasattr(x, "__dict__") and not callable(getattr(x, "__code__", None)) else {}
    )


def _named(name: str, parts: Mapping[Any, Any]) -> dict[str, Any]:
    return {f"{name}: {key}": x for key, x in parts.items()}


def _travels(cloudpickle: Any, x: Any) -> bool:
    try:
        cloudpickle.dumps(x)
    except Exception:
        return False
    return True
