"""A user's own law: its code is not told by this package's source, so its kernels never come from the disk cache."""

from dataclasses import dataclass

import numpy as np

import unmoored as um
from unmoored.control.law import Law


def own_law(sign):
    @dataclass(frozen=True, eq=False, repr=False)
    class Push(Law):
        """Pushes one way; two such classes differ in code alone."""

        strength: float

        def __call__(self, t, q, v):
            return sign * self.strength + 0.0 * v

        def gain_shapes(self):
            return {}

    return Push(1.0)


def test_two_laws_that_differ_in_code_alone_differ(tmp_path, monkeypatch):
    monkeypatch.setenv("UNMOORED_CACHE_DIR", str(tmp_path))
    system = um.load("tumbling_brick")
    q, v = system.neutral(), np.zeros(6)
    runs = [um.simulate(system, q, v, 0.01, 1e-3, controller=own_law(sign)) for sign in (1.0, -1.0)]
    assert runs[0].v[-1, 0] > 0
    assert runs[1].v[-1, 0] < 0
    assert own_law(1.0).structure() is None
