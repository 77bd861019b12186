"""Hundreds of laws and compiled methods: the memory that they take is bounded (`make long`)."""

import gc
import resource

import numpy as np
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.kernels import machine_code

COUNT = 300


def memory() -> float:
    """Bytes that the process has in memory."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_hundreds_of_laws_and_methods():
    system = small_arm()
    q, v = states(system, 1)
    sizes, engines = [], []
    for i in range(COUNT):
        um.simulate(
            system,
            q[0],
            v[0],
            controller=lambda t, q, v, i=i: -(0.1 + 1e-3 * i) * v,
            duration=0.02,
            step=0.01,
        )
        kernel = um.compile_method(system, "forward_dynamics", gravity=(0.0, 0.0, -1.0 - i))
        kernel(q[0], v[0], np.zeros(system.nv))
        if i % 50 == 49:
            sizes.append(memory())
            engines.append(machine_code.loaded())
    assert max(engines) < 150  # 32 kinds of runs with up to four kernels each, and what is in use
    assert sizes[-1] - sizes[1] < 60e6, sizes
