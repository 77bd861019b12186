"""The types in the signatures of methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

#: numbers in results: (..., n), leading dimensions are a batch
Array = npt.NDArray[np.float64]
#: where a method runs: compiled for this processor, on a GPU, or as the NumPy reference
Backend = Literal["cpu", "cuda", "numpy"]
#: {frame: wrench (force, moment) (..., 6) in that frame's axes} (N, N m)
Wrenches = Mapping[str, ArrayLike]
#: one name, or several
Names = str | Iterable[str]
#: an array (of a CUDA library too), or a tuple of them, to write a result into
Out = Any

__all__ = ["Array", "ArrayLike", "Backend", "Names", "Out", "Wrenches"]
