"""Methods of a plant with motions through many points: the compiled ones read them as tables, with NumPy's results."""

import numpy as np
from tests.simulation.arms import small_arm, states

import unmoored as um

SYSTEM = small_arm()
TIMES = np.linspace(-0.1, 1.0, 3000)


def test_compiled_methods_read_the_motions():
    t, found = np.array([0.1, 0.4, 0.7]), []
    for speed in (1.0, 2.0):
        motion = um.Sampled(TIMES, np.sin(speed * TIMES)[:, None])
        other = um.Sampled(TIMES[::2], 0.2 * np.cos(speed * TIMES[::2])[:, None])
        prescribed = {"arm1": motion, "arm2": other}
        plant = um.Plant(SYSTEM, um.Earth(), prescribed=prescribed, free=["gravity"])
        p = plant.nominal_parameters * np.array([[0.9], [1.0], [1.1]])
        q, v = states(SYSTEM, 3, seed=6)
        q = plant.configuration(t, q, p=p, backend="numpy")
        v = plant.full_velocity(t, q, plant.velocities.independent(q, v), p=p, backend="numpy")
        right = plant.forward_dynamics(t, q, v, p=p, backend="numpy")
        out = np.empty_like(right)
        for _ in range(2):  # the second call goes straight to the kernel
            found.append(plant.forward_dynamics(t, q, v, p=p))
            np.testing.assert_allclose(found[-1], right, atol=1e-11)
            assert plant.forward_dynamics(t, q, v, p=p, out=out) is out
            assert np.array_equal(out, found[-1])
    assert not np.allclose(found[0], found[-1], atol=1e-3)
