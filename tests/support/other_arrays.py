"""Arrays of another library: all that is known of them is that they can be handed over."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tensor:
    """An array that DLPack alone can read."""

    def __init__(self, array: np.ndarray):
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()
