"""Kernels for NVIDIA GPUs: CUDA source from lowered graphs, compiled and launched by CuPy."""

from .cuda_kernel import CudaKernel, compile, source
from .device import CudaError, device_array, on_device

__all__ = ["CudaError", "CudaKernel", "compile", "device_array", "on_device", "source"]
