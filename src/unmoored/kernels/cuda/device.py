"""CuPy, imported when the GPU is first asked for, and arrays that live there."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...error_roots import UnmooredError, optional

#: DLPack's numbers for memory of an NVIDIA GPU, plain and managed
_DLPACK_CUDA = (2, 13)


class CudaError(UnmooredError, RuntimeError):
    """The CUDA backend cannot run here."""


#: the class of CuPy's arrays, once CuPy is there
array_type: type | None = None


@cache
def cupy() -> Any:
    """The module CuPy, if it finds a GPU; `MissingExtraError` (an ImportError) if it is not installed."""
    module = optional("cupy", "cuda", "the CUDA backend")
    try:
        count = module.cuda.runtime.getDeviceCount()
    except module.cuda.runtime.CUDARuntimeError as problem:
        raise CudaError(f"the CUDA backend needs an NVIDIA GPU with its driver: {problem}") from problem
    if not count:
        raise CudaError("the CUDA backend needs an NVIDIA GPU, but CuPy finds none")
    global array_type
    array_type = module.ndarray
    return module


def on_device(x: Any) -> bool:
    """Whether an array lives on a GPU: it has `__cuda_array_interface__`, or DLPack says so."""
    if type(x) is np.ndarray:
        return False
    if hasattr(x, "__cuda_array_interface__"):
        return True
    place = getattr(x, "__dlpack_device__", None)
    return place is not None and int(place()[0]) in _DLPACK_CUDA


def device_array(x: Any) -> Any:
    """`x` as a CuPy array: arrays on the GPU without a copy, host data uploaded."""
    module = cupy()
    if isinstance(x, module.ndarray):
        return x
    if on_device(x) and not hasattr(x, "__cuda_array_interface__"):
        return module.from_dlpack(x)
    return module.asarray(x)
