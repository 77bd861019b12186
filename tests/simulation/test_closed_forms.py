"""Whole runs against motions known in closed form: a sinking sphere, a body in ideal fluid, a knife edge."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import unmoored as um

STEP = 1e-3


def free_body(inertia, fluid):
    b = um.SystemBuilder("body")
    b.vehicle("body", um.Free(), inertia=inertia, fluid=fluid)
    return b.build()


def test_a_sphere_sinks_with_the_hyperbolic_tangent():
    """(m + ½ρ∇) v̇ = (m − ρ∇) g − D v²: v = v∞ tanh(t/τ), added mass of a sphere in it."""
    m, volume, density, g, D = 5.0, 3e-3, 1000.0, 9.81, 12.0
    fluid = um.Fluid(
        added_mass=(*[density * volume / 2] * 3, 0, 0, 0), quadratic_drag=(D, D, D, 0, 0, 0), volume=volume
    )
    plant = um.Plant(
        free_body(um.Inertia.sphere(m, 0.09), fluid), world=um.Ocean(density=density, gravity=(0, 0, -g))
    )
    run = um.simulate(plant, plant.system.neutral(), np.zeros(6), duration=2.0, step=STEP)
    weight = (m - density * volume) * g
    speed, τ = np.sqrt(weight / D), (m + density * volume / 2) / np.sqrt(weight * D)
    assert np.allclose(-run.v[:, 2], speed * np.tanh(run.t / τ), rtol=0, atol=1e-12)
    depth = speed * τ * np.log(np.cosh(run.t / τ))
    assert np.allclose(run.q[:, 11], -depth, rtol=0, atol=1e-12)


def test_a_spheroid_in_ideal_fluid_follows_kirchhoff():
    """In the plane, with the impulse P along x: J θ̈ = (m₁ − m₂) u v, u = P cos θ/m₁, v = −P sin θ/m₂."""
    m, added = 10.0, np.array([1.0, 8.0, 8.0, 0.0, 0.5, 0.5])
    inertia = um.Inertia(m, tensor=(0.2, 1.0, 1.0))
    plant = um.Plant(
        free_body(inertia, um.Fluid(added_mass=added, volume=m / 1000.0)), world=um.Ocean(density=1000.0)
    )
    m1, m2, J, P = m + added[0], m + added[1], 1.0 + added[5], 9.0
    θ0, rate = 0.7, 0.2
    pose = um.lie.se3.exp(np.array([0, 0, 0, 0, 0, θ0]))
    v0 = np.array([P * np.cos(θ0) / m1, -P * np.sin(θ0) / m2, 0, 0, 0, rate])
    run = um.simulate(plant, plant.system.pack({"body": pose}), v0, duration=5.0, step=STEP, record_every=100)

    def pendulum(_, y):
        return [y[1], (m1 - m2) * (P * np.cos(y[0]) / m1) * (-P * np.sin(y[0]) / m2) / J]

    known = solve_ivp(pendulum, (0, 5), [θ0, rate], t_eval=run.t, method="DOP853", rtol=1e-13, atol=1e-13)
    θ = np.unwrap(np.arctan2(run.q[:, 3], run.q[:, 0]))
    assert np.ptp(θ) > 0.5  # it does turn
    assert np.allclose(θ, known.y[0], rtol=0, atol=1e-10)
    assert np.allclose(run.v[:, 5], known.y[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("a", [0.3, -0.3])
def test_a_knife_edge_turns_until_its_mass_leads(a):
    """Chaplygin's sleigh: v = V tanh(λt + c), ω = Ω sech(λt + c), λ = aΩ²/V (docs/theory.md §13)."""
    m, J = 4.0, 0.5
    b = um.SystemBuilder("sleigh")
    b.vehicle("sleigh", um.Planar(), inertia=um.Inertia(m, (a, 0, 0), (J, J, J)))
    plant = um.Plant(b.build(), constraints=[um.ChaplyginSleigh("sleigh")])
    v0, ω0 = 0.4, 1.5
    run = um.simulate(plant, plant.system.neutral(), np.array([v0, 0.0, ω0]), duration=6.0, step=STEP)
    energy = 0.5 * m * v0**2 + 0.5 * (J + m * a**2) * ω0**2
    V, Ω = np.sqrt(2 * energy / m), np.sqrt(2 * energy / (J + m * a**2))
    λ, c = a * Ω**2 / V, np.arctanh(v0 / V)
    assert np.allclose(run.v[:, 0], V * np.tanh(λ * run.t + c), rtol=0, atol=1e-11)
    assert np.allclose(run.v[:, 2], Ω / np.cosh(λ * run.t + c), rtol=0, atol=1e-11)
    assert np.array_equal(run.v[:, 1], np.zeros(len(run.t)))
