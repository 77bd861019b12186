"""Motions with known solutions: torque-free bodies, pendulums and chains of them."""

import numpy as np
from scipy.special import ellipj, ellipk, roots_laguerre

import unmoored as um

GRAVITY = 9.81


def body(joint, inertia):
    builder = um.SystemBuilder("body")
    builder.vehicle("body", joint, inertia=inertia)
    return builder.build()


def test_torque_free_body_follows_jacobi():
    """ω(t) of a free asymmetric top in elliptic functions, I₁ < I₂ < I₃ and energy above that of the middle axis."""
    I = np.array([1.0, 2.0, 3.0])
    system = body(um.Spherical(), um.Inertia(mass=1.0, com=(0, 0, 0), tensor=np.diag(I)))
    ω0 = np.array([0.3, 0.0, 1.1])  # a motion about the third axis: L² > 2 E I₂
    E2, L2 = (I * ω0**2).sum(), ((I * ω0) ** 2).sum()
    assert E2 * I[1] < L2
    amplitudes = np.sqrt(
        [
            (E2 * I[2] - L2) / (I[0] * (I[2] - I[0])),
            (E2 * I[2] - L2) / (I[1] * (I[2] - I[1])),
            (L2 - E2 * I[0]) / (I[2] * (I[2] - I[0])),
        ]
    )
    rate = np.sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / I.prod())
    m = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0]))
    run = um.simulate(system, system.neutral(), ω0, duration=20.0, step=1e-3, record_every=100)
    sn, cn, dn, _ = ellipj(rate * run.t, m)
    # at t = 0: ω₁ = its amplitude, ω₂ = 0, and ω̇₂ = (I₃ − I₁) ω₃ω₁ / I₂ > 0
    expected = np.stack([amplitudes[0] * cn, amplitudes[1] * sn, amplitudes[2] * dn], axis=-1)
    assert np.abs(run.v - expected).max() < 1e-12
    L = run.momentum()[:, 3:]
    assert np.abs(L - L[0]).max() < 1e-12


def chain(n):
    """n equal point masses on massless rods of one metre, hanging."""
    builder = um.SystemBuilder("chain")
    bob = um.Inertia(mass=1.0, com=(0, 0, -1), tensor=1e-14 * np.eye(3))
    first = builder.vehicle("rod1", um.Revolute(axis=(0, 1, 0)), inertia=bob)
    for k in range(2, n + 1):
        first = builder.link(
            f"rod{k}",
            parent=first,
            joint=um.Revolute(axis=(0, 1, 0)),
            at=um.Pose(xyz=(0, 0, -1)),
            inertia=bob,
        )
    return um.Plant(builder.build(), world=um.Earth(gravity=(0, 0, -GRAVITY)))


def test_chains_of_pendulums_swing_at_the_zeros_of_laguerre():
    """ω² = (g/l) x with the zeros x of the Laguerre polynomial L_n, in modes shaped by L_k(x)."""
    for n in (1, 2, 3, 5):
        plant = chain(n)
        zeros = roots_laguerre(n)[0]
        for x in zeros:
            places = laguerre_values(n, x)  # sideways, from the lowest mass (k = 0) up to the support (k = n)
            shape = np.diff(places[::-1])
            angles = -1e-6 * np.diff(np.concatenate([[0.0], shape])) / np.abs(shape).max()
            ω = np.sqrt(GRAVITY * x)
            period = 2 * np.pi / ω
            run = um.simulate(plant, angles, None, duration=period, step=period / 2000, record_every=100)
            expected = np.cos(ω * run.t)[:, None] * angles
            assert np.abs(run.q - expected).max() < 1e-16 + 1e-9 * np.abs(angles).max()


def laguerre_values(n, x):
    values = [1.0, 1.0 - x]
    for k in range(1, n):
        values.append(((2 * k + 1 - x) * values[k] - k * values[k - 1]) / (k + 1))
    return np.array(values[: n + 1])


def test_a_pendulum_that_swings_high_takes_the_time_of_the_elliptic_integral():
    """A quarter of the period, found as an event, is K(sin²(θ₀/2)) √(l/g)."""
    plant, θ0 = chain(1), 2.5
    expected = ellipk(np.sin(θ0 / 2) ** 2) / np.sqrt(GRAVITY)
    passing = um.Event(lambda t, q, v: q[0], "lowest point")
    for method, step in (("rkmk4", 1e-3), ("dopri5", 1e-2)):
        run = um.simulate(
            plant,
            [θ0],
            None,
            duration=2.0,
            step=step,
            method=method,
            events=passing,
            **({"tolerance": 1e-13} if method == "dopri5" else {}),
        )
        assert str(run.status[0]).startswith("stopped: event lowest point at t=")
        assert abs(run.t[-1] - expected) < 1e-10
        assert abs(run.q[-1, 0]) < 1e-12
