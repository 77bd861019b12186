"""Certified values and standard deviations of NIST's reference sets for nonlinear regression, by `um.identify`.

y = b1 (1 - exp(-b2 x)) is the speed of a cart of mass m with damping d, pushed by 1 N from rest for the time x:
b1 = 1/d, b2 = d/m (NIST/ITL StRD, Misra1a and BoxBOD: eleven digits, from 128-bit arithmetic).
"""

import numpy as np
import pytest

import unmoored as um
from unmoored import identification

MISRA1A = (
    [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
    [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78],
)
BOXBOD = ([1.0, 2, 3, 5, 7, 10], [109.0, 149, 149, 191, 213, 224])
#: data, start (b1, b2), certified b1 and b2, their standard deviations, that of the residuals, longest step
CASES = {
    "Misra1a": (MISRA1A, (250.0, 5e-4), (238.94212918, 5.5015643181e-4), (2.7070075241, 7.2668688436e-6),
                1.0187876330e-1, 2.0),
    "BoxBOD": (BOXBOD, (100.0, 0.75), (213.80940889, 0.54723748542), (12.354515176, 0.10455993237),
               17.088072423, 0.02),
}  # fmt: skip


class Speed(identification.Output):
    """The first DoF's speed: with a name of its own, so that the start is as well known as `v_noise` says."""

    def names(self, plant):
        return ("speed",)

    def difference(self, plant, q, v, q_seen, v_seen):
        return v_seen - v


@pytest.mark.parametrize("name", CASES)
def test_values_and_standard_deviations_are_those_certified(name):
    (x, y), (b1, b2), certified, deviations, left, step = CASES[name]
    b = um.SystemBuilder("cart")
    joint = um.Prismatic((1, 0, 0), damping=1 / b1)
    b.vehicle("cart", joint, inertia=um.Inertia(1 / b1 / b2, (0, 0, 0), (1, 1, 1)))
    plant = um.Plant(b.build(), actuators=[um.JointMotor("cart")])
    n = 1 + len(x)
    seen = um.Recording(
        np.r_[0.0, x], np.zeros((n, 1)), np.r_[0.0, y][:, None], np.ones((n, 1)), q_noise=1e-9, v_noise=1e-9,
        seen=np.r_[False, np.ones(n - 1, bool)], between="held",
    )  # fmt: skip
    found = um.identify(plant, seen, free=["cart.mass", "cart.damping"], outputs=[Speed()], step=step)
    m, d = found.values
    G = np.array([[0.0, -1 / d**2], [-d / m**2, 1 / m]])  # of (b1, b2) by (m, d)
    error = np.abs(np.array([1 / d, d / m]) - certified)
    assert (error / deviations).max() < (
        3e-6 if name == "BoxBOD" else 1e-9
    )  # large residuals are approached slowly
    np.testing.assert_allclose(np.sqrt(np.diag(G @ found.covariance @ G.T)), deviations, rtol=2e-6)
    assert found.freedom == pytest.approx(len(x) - 2)
    residuals = found.residuals[0].values
    assert np.sqrt((residuals**2).sum() / found.freedom) == pytest.approx(left, rel=1e-8)
