"""Where there is no GPU: NumPy in the place of CuPy, and kernels for the GPU compiled for the host."""

import ctypes

import numpy as np

from unmoored.kernels.cuda import cuda_kernel, device
from unmoored.kernels.time_loop import cuda_loop_kernel
from unmoored.simulation import device_run, rollout, stepper

from .compilers import shared_library
from .cuda_on_host import LAUNCH, OPTIONS, SHIM


class NumpyAsCupy:
    """NumPy's functions, and kernels compiled for the host."""

    def __init__(self, folder):
        self.folder = folder

    def __getattr__(self, name):
        return getattr(np, name)

    def RawKernel(self, source, entry, options):
        library = shared_library(
            SHIM + source + LAUNCH.replace("KERNEL", entry), ".cpp", self.folder, *OPTIONS
        )

        def launch(grid, block, arguments):
            values = [_argument(x) for x in arguments]
            pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
            library.launch(pointers, *grid, *block)

        return launch


def _argument(x):
    if isinstance(x, np.ndarray):
        # columns of longer rows, and records: their strides are given
        assert x.flags.c_contiguous or x.ndim == 3 or x.strides[-1] == x.itemsize
        return ctypes.c_void_p(x.ctypes.data)
    return ctypes.c_double(x) if isinstance(x, float) else ctypes.c_longlong(x)


def on_gpu_or_host(monkeypatch, folder):
    """Put the stand-in in the place of CuPy unless there is a GPU."""
    try:
        device.cupy()
    except (ImportError, RuntimeError):
        module = NumpyAsCupy(folder)
        for place in (device, cuda_kernel, cuda_loop_kernel, device_run, rollout, stepper):
            monkeypatch.setattr(place, "cupy", lambda: module)
