"""A stand-in for CuPy that runs kernels on the host: CUDA source compiled as C++, a warp's threads as threads.

It has just what the CUDA backend uses. Its arrays refuse to become NumPy arrays by themselves, as CuPy's do.
"""

import ctypes
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .compilers import shared_library

SHIM = """\
#include <cmath>
#include <cstring>
#include <pthread.h>
#include <utility>
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__
#define __restrict__
#define __shared__ static
#define __launch_bounds__(threads)
struct Index { unsigned x; };
static thread_local Index threadIdx, blockIdx;
static Index blockDim;
static pthread_barrier_t warp;
static inline void __syncwarp() { pthread_barrier_wait(&warp); }
static inline float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, 4); return x; }
static inline double __longlong_as_double(long long bits) { double x; std::memcpy(&x, &bits, 8); return x; }
"""
LAUNCH = """
template <class... A, size_t... I>
static void call(void (*kernel)(A...), void **arguments, std::index_sequence<I...>)
{
    kernel(*static_cast<A *>(arguments[I])...);
}
template <class... A> static void call(void (*kernel)(A...), void **arguments)
{
    call(kernel, arguments, std::index_sequence_for<A...>{});
}
struct Lane { void **arguments; unsigned block, thread; };
static void *run(void *given)
{
    const Lane *lane = static_cast<Lane *>(given);
    blockIdx.x = lane->block;
    threadIdx.x = lane->thread;
    call(KERNEL, lane->arguments);
    return nullptr;
}
extern "C" void launch(void **arguments, unsigned blocks, unsigned threads)
{
    blockDim.x = threads;
    pthread_barrier_init(&warp, nullptr, 32);
    for (unsigned block = 0; block < blocks; ++block)
        for (unsigned first = 0; first < threads; first += 32) {
            Lane lanes[32];
            pthread_t running[32];
            for (unsigned i = 0; i < 32; ++i) {
                lanes[i] = {arguments, block, first + i};
                pthread_create(&running[i], nullptr, run, &lanes[i]);
            }
            for (unsigned i = 0; i < 32; ++i) pthread_join(running[i], nullptr);
        }
    pthread_barrier_destroy(&warp);
}
"""
# not optimised, and by the standard whose <cmath> is short: compiling takes longer than all the runs, and bits stay
OPTIONS = ("-std=c++14", "-O0", "-ffp-contract=off", "-march=native", "-pthread", "-Wno-unknown-pragmas")


class DeviceArray:
    """An array of the stand-in."""

    def __init__(self, host):
        self.host = host

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    @property
    def __cuda_array_interface__(self):
        return self.host.__array_interface__

    shape = property(lambda self: self.host.shape)
    ndim = property(lambda self: self.host.ndim)
    dtype = property(lambda self: self.host.dtype)
    strides = property(lambda self: self.host.strides)
    itemsize = property(lambda self: self.host.itemsize)
    nbytes = property(lambda self: self.host.nbytes)
    data = property(lambda self: SimpleNamespace(ptr=self.host.ctypes.data))
    flags = property(lambda self: SimpleNamespace(c_contiguous=self.host.flags.c_contiguous))

    def astype(self, dtype, copy=True):
        return DeviceArray(self.host.astype(dtype, copy=copy))

    def get(self):
        return self.host.copy()

    def __getitem__(self, index):
        return DeviceArray(self.host[index])

    def __setitem__(self, index, value):
        self.host[index] = value.host


class CupyOnHost:
    """The module."""

    ndarray = DeviceArray

    def __init__(self, folder: Path):
        self.folder, self.uploads, self.launches = folder, 0, 0

    def asarray(self, x):
        if not hasattr(x, "__cuda_array_interface__"):
            self.uploads += 1
        return x if isinstance(x, DeviceArray) else DeviceArray(np.array(x))

    def from_dlpack(self, x):
        return DeviceArray(x.host)

    def empty(self, shape, dtype):
        return DeviceArray(np.full(shape, np.nan, dtype))

    def broadcast_to(self, x, shape):
        return DeviceArray(np.broadcast_to(x.host, shape))

    def ascontiguousarray(self, x):
        return DeviceArray(np.ascontiguousarray(x.host))

    def may_share_memory(self, a, b):
        return np.may_share_memory(a.host, b.host)

    def RawKernel(self, source, entry, options):
        assert "-fmad=false" in options
        text = SHIM + source + LAUNCH.replace("KERNEL", entry)
        library = shared_library(text, ".cpp", self.folder, *OPTIONS)

        def launch(grid, block, arguments):
            self.launches += 1
            values = [
                ctypes.c_void_p(x.host.ctypes.data) if isinstance(x, DeviceArray) else ctypes.c_longlong(x)
                for x in arguments
            ]
            pointers = (ctypes.c_void_p * len(values))(
                *(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values)
            )
            library.launch(pointers, math.prod(grid), math.prod(block))

        return launch
