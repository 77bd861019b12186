"""Coordinates of a search: every point is physical, slopes are slopes, the start is the plant as built."""

import numpy as np
import pytest

import unmoored as um
from unmoored.identification.parameter_space import parameter_space

A = np.diag([5.0, 6.0, 7.0, 0.2, 0.3, 0.4]) + 0.05 * np.ones((6, 6))
D = np.diag([4.0, 5.0, 6.0, 0.5, 0.6, 0.7]) + 0.1 * np.triu(np.ones((6, 6)), 1)
Q = np.diag([10.0, 11.0, 12.0, 1.0, 2.0, 3.0]) - 0.1 * np.tril(np.ones((6, 6)), -1)


def plant(free):
    b = um.SystemBuilder("float")
    fluid = um.Fluid(added_mass=A, linear_drag=D, quadratic_drag=Q, volume=0.02)
    tensor = [[0.5, 0.05, -0.02], [0.05, 0.6, 0.01], [-0.02, 0.01, 0.4]]
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia(12.0, (0.1, 0.0, -0.05), tensor), fluid=fluid)
    b.link(
        "arm",
        parent=hull,
        joint=um.Revolute((0, 0, 1), damping=0.3, friction=0.1, armature=0.02),
        inertia=um.Inertia(1.0, (0.2, 0, 0), (0.01, 0.02, 0.02)),
    )
    return um.Plant(b.build(), um.Ocean(), free=free)


ALL = ["hull.mass", "hull.com", "hull.tensor", "hull.fluid.*", "arm.damping", "arm.friction", "arm.armature"]


def test_the_start_is_the_plant_as_built():
    made = plant(ALL)
    space = parameter_space(made._declared)
    np.testing.assert_allclose(space.values(space.start), made.nominal_parameters, rtol=1e-12, atol=1e-14)


def test_slopes_are_derivatives():
    space = parameter_space(plant(ALL)._declared)
    θ = space.start + 0.1 * np.random.default_rng(1).normal(size=space.start.shape)
    h = 1e-6
    differences = [(space.values(θ + h * e) - space.values(θ - h * e)) / (2 * h) for e in np.eye(len(θ))]
    np.testing.assert_allclose(space.slopes(θ), np.transpose(differences), atol=1e-7)


def test_any_numbers_are_a_body_in_water():
    """A thousand random points: all pass the checks that values given by a user have to pass, and the pseudo-inertia
    [[½ tr(J) 1 − J, m c], [m cᵀ, m]] about the origin is positive definite."""
    made = plant(ALL)
    space = parameter_space(made._declared)
    rng = np.random.default_rng(2)
    for _ in range(1000):
        θ = np.clip(space.start + 2.0 * rng.normal(size=space.start.shape), space.lower, space.upper)
        p = space.values(θ)
        for parameter in made._declared:
            parameter.flat(parameter.of(p))  # raises for what is not physical
        m, c, six = (next(x for x in made._declared if x.field == f).of(p) for f in ("mass", "com", "tensor"))
        J = np.array([[six[0], six[3], six[4]], [six[3], six[1], six[5]], [six[4], six[5], six[2]]])
        second = 0.5 * np.trace(J) * np.eye(3) - J + m * np.outer(c, c)
        pseudo = np.block([[second, m * c[:, None]], [m * c[None], np.array([[m]])]])
        scale = 1.0 / np.sqrt(np.diag(pseudo))
        assert np.linalg.eigvalsh(scale[:, None] * pseudo * scale)[0] > 0


def test_what_cannot_start_is_refused_by_name():
    b = um.SystemBuilder("point")
    b.vehicle("bus", um.Free(), inertia=um.Inertia(3.0, (0, 0, 0), (0.1, 0.1, 0.2)))
    flat = um.Plant(b.build(), free=["bus.tensor"])
    with pytest.raises(um.ModelError, match=r"bus\.tensor.*sum of the other two"):
        parameter_space(flat._declared)
    made = plant(["hull.tensor", "hull.mass", "arm.damping"])
    with pytest.raises(um.ModelError, match=r"hull\.tensor: bounds"):
        parameter_space(made._declared, bounds={"hull.tensor": (0.0, 1.0)})
    with pytest.raises(um.ModelError, match="unknown name in prior"):
        parameter_space(made._declared, prior={"hull.com": 0.1})
    space = parameter_space(made._declared, bounds={"hull.mass": (10.0, 14.0), "arm.damping": (0.1, 0.4)})
    wide = space.values(np.clip(space.start + 9.0, space.lower, space.upper))
    assert wide[6] == pytest.approx(14.0)
    assert wide[7] == 0.4


def test_priors_of_numbers_and_of_arrays_stand_in_one_row():
    """One number, (mean, deviation), arrays of the parameter's shape: as many entries as there are numbers."""
    made = plant(["hull.mass", "hull.com", "hull.tensor", "arm.damping"])
    prior = {"hull.mass": (11.0, 0.5), "hull.com": (0.1, (0.1, 0.2, 0.3)), "arm.damping": 0.2}
    space = parameter_space(made._declared, prior=prior)
    tensor = made.nominal_parameters[4:10]
    np.testing.assert_allclose(space.prior_mean, [11.0, 0.1, 0.1, 0.1, *tensor, 0.3])
    np.testing.assert_allclose(space.prior_deviation, [0.5, 0.1, 0.2, 0.3, *[np.inf] * 6, 0.2])
