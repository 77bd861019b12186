"""Drawn values that no plant can have, such as a mass below zero, are refused by the number of their sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..model import ModelError
from .targets import ParameterTarget, Target


def refuse_impossible(
    plant: Any, targets: Sequence[Target], numbers: np.ndarray, values: Mapping[str, Any]
) -> None:
    """numbers (S,): of samples.  values: {parameter: (S, *shape)} of those that the targets set."""
    wanted = {target.name for target in targets if isinstance(target, ParameterTarget)}
    for parameter in plant._declared:
        if parameter.name not in wanted:
            continue
        given = np.asarray(values[parameter.name], dtype=float).reshape(len(numbers), *parameter.value.shape)
        wrong = parameter.first_wrong(given, 1)
        if wrong is None:
            continue
        (k, *_), words = wrong
        expected = f"{words}, in all samples (TruncatedNormal, LogNormal and Uniform draw within bounds)"
        given = f"{given[k].tolist()} in sample {int(numbers[k])}"
        raise ModelError.single("Campaign", f"vary: {parameter.name}", expected=expected, given=given)
