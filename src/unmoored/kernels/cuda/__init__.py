"""Kernels for NVIDIA GPUs: CUDA source from lowered graphs, compiled and launched by CuPy."""

from .device import CudaError, device_array, on_device
from .kernel import CudaKernel, compile, source

__all__ = ["CudaError", "CudaKernel", "compile", "device_array", "on_device", "source"]
