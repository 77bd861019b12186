"""REMUS 100 in steady turns: against Fossen's model (PythonVehicleSimulator@c717e07), coded independently here.

Like with like, its terms and no others: the Coriolis terms of added mass that it drops are taken out of ours
by a law, and
its rudder feels no sideslip. With all terms, the same hull turns otherwise: the last test says by how much.
"""

import numpy as np
import pytest
from tests.worlds.test_remus import (
    LENGTH_HALF,
    RADIUS,
    RHO,
    T,
    coriolis_from_mass,
    fossen_matrices,
    restoring,
)

import unmoored as um

LENGTH, DIAMETER = 2 * LENGTH_HALF, 2 * RADIUS
AREA = 0.7 * LENGTH * DIAMETER
HOERNER = 1.1977  # of a round section
K0, K1, Q0, Q1 = 0.4566, (0.4566 - 0.1798) / 0.6632, 0.0070, (0.0070 - 0.00312) / 0.6632
RUDDER_AREA, RUDDER_SLOPE = 2 * 0.00665, 0.5
TURNS = 1525 / 60
DROPPED = [(0, 4), (4, 0), (0, 5), (5, 0), (1, 5), (5, 1), (2, 4), (4, 2)]
STRIPS = np.polynomial.legendre.leggauss(40)


def dropped_forces(MA, nu):
    """What the dropped entries of C_A would add to C_A ν, in forward-right-down axes."""
    C, total = coriolis_from_mass(MA, nu), [0.0] * 6
    for i, j in DROPPED:
        total[i] = total[i] + C[i, j] * nu[j]
    return total


def rates(nu, phi, theta, delta, matrices):
    """ν̇ of Fossen's model in forward-right-down axes, rudder angle delta (rad), full turns."""
    m, MRB, MA, D = matrices
    u, v, w, _, _, r = nu
    U = np.linalg.norm(nu[:3])
    D = D @ np.diag([np.exp(-3 * U), np.exp(-3 * U), 1, 1, 1, 1])
    C = coriolis_from_mass(MRB, nu) + coriolis_from_mass(MA, nu)
    alpha, aspect = np.arctan2(w, u), DIAMETER**2 / AREA
    lift = np.pi * aspect / (1 + np.sqrt(1 + (aspect / 2) ** 2)) * alpha
    drag = 0.42 * np.pi * RADIUS**2 / AREA + lift**2 / (np.pi * 0.7 * aspect)
    F_lift, F_drag = 0.5 * RHO * U**2 * AREA * np.array([lift, drag])
    x = LENGTH_HALF * STRIPS[0]
    across = -0.5 * RHO * DIAMETER * HOERNER * LENGTH_HALF * STRIPS[1] * np.abs(v + x * r) * (v + x * r)
    V_a, side = 0.944 * U, u * u + v * v
    thrust = RHO * 0.14**3 * TURNS * (K0 * 0.14 * TURNS - K1 * V_a)
    torque = RHO * 0.14**4 * TURNS * (Q0 * 0.14 * TURNS - Q1 * V_a)
    Y = -0.5 * RHO * side * RUDDER_AREA * RUDDER_SLOPE * delta
    forces = np.array(
        [
            0.9 * thrust + Y * delta - np.cos(alpha) * F_drag + np.sin(alpha) * F_lift,
            Y + across.sum(),
            -np.sin(alpha) * F_drag - np.cos(alpha) * F_lift,
            torque,
            0.0,
            -LENGTH_HALF * Y + (x * across).sum(),
        ]
    )
    forces += dropped_forces(MA, nu)
    return np.linalg.solve(MRB + MA, forces - (C + D) @ nu - restoring(m, phi, theta))


def fossens_turn(degrees):
    """(turn rate (rad/s), radius (m)) after 40 s at a rudder angle."""
    matrices, delta, h = fossen_matrices(), np.radians(degrees), 0.1

    def slope(y):
        nu, (phi, theta) = y[:6], y[6:]
        p, q, r = nu[3:]
        turning = q * np.sin(phi) + r * np.cos(phi)
        angles = [p + np.tan(theta) * turning, q * np.cos(phi) - r * np.sin(phi)]
        return np.concatenate([rates(nu, phi, theta, delta, matrices), angles])

    y = np.array([2.0, 0, 0, 0, 0, 0, 0, 0])
    for _ in range(400):
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        y = y + h / 6 * (a + 2 * b + 2 * c + slope(y + h * c))
    return abs(y[5]), np.linalg.norm(y[:3]) / abs(y[5])


def hull():
    """The REMUS with strips, lift and fading drag, in forward-left-up axes."""
    m, _, MA, D = fossen_matrices()
    strips = um.StripDrag(
        across=0.5 * RHO * HOERNER * DIAMETER, length=LENGTH, at=um.Pose(rpy=(0, np.pi / 2, 0)), strips=12
    )
    drag = 0.42 * np.pi * RADIUS**2 / AREA
    lift = um.Lift.wing(area=AREA, span=DIAMETER, density=RHO, drag=drag, efficiency=0.7, stall_rad=3.0)
    fluid = um.Fluid(
        added_mass=T @ MA @ T,
        linear_drag=np.diag(D),
        fading=(3, 3, 0, 0, 0, 0),
        flow_parts=(strips, lift),
        volume=m / RHO,
    )
    return um.SystemBuilder.of(um.load("remus100")).change("hull", fluid=fluid).builder.build()


PROPELLER = um.Propeller(
    "propeller",
    diameter=0.14,
    thrust=K0,
    thrust_slope=K1,
    torque=Q0,
    torque_slope=Q1,
    wake=0.056,
    deduction=0.1,
)


class AsFossen(um.Law):
    """The rudder's force without sideslip, and the Coriolis terms that Fossen drops taken out."""

    delta: float
    memory = {}

    def __call__(self, seen, memory):
        MA, flip = fossen_matrices()[2], np.diag(T)
        nu = flip * seen.v
        side = nu[0] * nu[0] + nu[1] * nu[1]
        Y = -0.5 * RHO * side * RUDDER_AREA * RUDDER_SLOPE * self.delta
        forces = dropped_forces(MA, nu)
        forces[0] = forces[0] + Y * self.delta
        forces[1] = forces[1] + Y
        forces[5] = forces[5] - LENGTH_HALF * Y
        return np.concatenate([[TURNS], flip * np.stack(forces)]), {}


def our_turn(plant, law):
    q = plant.system.neutral()
    v = np.array([2.0, 0, 0, 0, 0, 0])
    run = um.simulate(
        plant, q, v, duration=40.0, step=0.05, control_step=0.05, controller=law, record_every=100
    )
    v = run.v[-1]
    return abs(v[5]), np.linalg.norm(v[:3]) / abs(v[5])


@pytest.fixture(scope="module")
def turns():
    return {degrees: fossens_turn(degrees) for degrees in (5, 10, 15)}


def test_turns_as_fossens_with_the_same_terms(turns):
    plant = um.Plant(
        hull(), world=um.Ocean(density=RHO), actuators=[PROPELLER, um.Wrench("hull", name="rest")]
    )
    for degrees, expected in turns.items():
        ours = our_turn(plant, AsFossen(np.radians(degrees)))
        assert ours == pytest.approx(expected, rel=0.01)


def test_munks_moment_makes_narrow_turns(turns):
    """With all terms: a bare hull without tail fins is unstable in yaw, and turns at the rate that strips allow."""
    rudder = um.Rudder("propeller", name="rudder", area=RUDDER_AREA, lift_slope=RUDDER_SLOPE)
    plant = um.Plant(hull(), world=um.Ocean(density=RHO), actuators=[PROPELLER, rudder])
    rate, radius = our_turn(plant, lambda t, q, v: np.array([TURNS, np.radians(5)]))
    assert rate == pytest.approx(0.5501, rel=1e-3)
    assert rate / turns[5][0] == pytest.approx(8.2, rel=0.01)
    assert radius == pytest.approx(4.31, rel=1e-2)  # 37.8 m without
