"""Wheels that lean: a rolling disc and a hoop against their linear equations, a bicycle against the
benchmark's eigenvalues.
"""

import numpy as np
import pytest

import unmoored as um
from unmoored.lie import so3

G = 9.81


def disc(radius=0.4, mass=2.0, hoop=False):
    diameter = mass * radius**2 * (0.5 if hoop else 0.25)
    b = um.SystemBuilder("disc")
    tensor = (diameter, 2 * diameter, diameter)
    b.vehicle("disc", um.Free(), inertia=um.Inertia(mass, (0, 0, 0), tensor))
    return um.Plant(
        b.build(), world=um.Earth((0, 0, -G)), constraints=[um.RollingDisc("world", "disc", radius)]
    )


def state(plant, radius, lean, spin, lean_rate=0.0, yaw_rate=0.0):
    """Leaning about x at heading x, rolling with spin about its axis; on the ground, contact point at rest."""
    R = so3.exp(np.array([lean, 0, 0]))
    height = radius * np.cos(lean)
    omega = np.array([lean_rate, 0, 0]) + R.T @ np.array([0, 0, yaw_rate]) + np.array([0, spin, 0])
    contact = np.array([0, 0, -radius])  # in the wheel's axes: its lowest point
    v = -np.cross(omega, contact)
    g = np.eye(4)
    g[:3, :3], g[2, 3] = R, height
    return plant.system.pack({"disc": g}), np.concatenate([v, omega])


@pytest.mark.parametrize("hoop", [False, True])
def test_upright_rolling_swings_as_its_linear_equation_says(hoop):
    """Lean φ̈ = k(g/r − cΩ²)φ: disc k = 4/5, c = 3; hoop k = 2/3, c = 4: stable above v² = gr/3 and gr/4."""
    radius, k, c = 0.4, (2 / 3 if hoop else 0.8), (4.0 if hoop else 3.0)
    plant = disc(radius, hoop=hoop)
    critical = np.sqrt(G / (c * radius))
    spin, tiny = 1.5 * critical, 1e-5
    ratio = 2.0  # of the axial moment to that about a diameter, for both
    q, v = state(plant, radius, tiny, spin, yaw_rate=-ratio * spin * tiny)  # it turns to where it leans
    run = um.simulate(plant, q, v, duration=2.0, step=2e-3)
    frequency = np.sqrt(k * (c * spin**2 - G / radius))
    wheel_lean = np.arcsin(run.q[:, 7])  # the axle's height
    assert np.allclose(wheel_lean / tiny, np.cos(frequency * run.t), atol=2e-3)
    slow, v = state(plant, radius, 1e-6, 0.5 * critical)
    fallen = um.simulate(plant, slow, v, duration=1.5, step=2e-3)
    assert np.abs(fallen.q[-1, 7]) > 1e-4


def test_a_wobbling_disc_keeps_energy_and_its_contact():
    radius = 0.4
    plant = disc(radius)
    q, v = state(plant, radius, 0.5, 9.0, lean_rate=0.3, yaw_rate=2.0)
    run = um.simulate(plant, q, v, duration=2.0, step=2e-3)
    energy = plant.energy(run.t, run.q, run.v).total
    assert np.ptp(energy) < 1e-7 * abs(energy[0])
    for k in (100, 500, 1000):
        R, p, V = run.q[k, :9].reshape(3, 3), run.q[k, 9:12], run.v[k]
        a = R[:, 1]
        m = np.array([0, 0, 1.0]) - a[2] * a
        c = -radius * m / np.linalg.norm(m)
        assert p[2] == pytest.approx(radius * np.linalg.norm(m), abs=1e-12)
        assert np.allclose(R @ V[:3] + np.cross(R @ V[3:], c), 0, atol=1e-11)
    # the ground carries the disc: M a + … = weight + its force
    loads = plant.closure_loads(0.0, q, v)
    assert loads.wrench.shape == (1, 6)
    a = plant.forward_dynamics(0.0, q, v)
    R = q[:9].reshape(3, 3)
    world = R @ (a[:3] + np.cross(v[3:], v[:3]))
    assert np.allclose(R @ loads.wrench[0, :3], 2.0 * (world + np.array([0, 0, G])), atol=1e-10)
    assert np.allclose(a, plant.forward_dynamics(0.0, q, v, backend="numpy"), atol=1e-11)


def bicycle():
    """The benchmark of Meijaard et al., Proc. R. Soc. A 463 (2007), in axes with z up, x forward: y, z change sign."""
    wheelbase, trail, tilt = 1.02, 0.08, np.pi / 10
    rear, front = 0.3, 0.35
    b = um.SystemBuilder("bicycle")

    def up(xx, xz, yy, zz):
        return np.array([[xx, 0, -xz], [0, yy, 0], [-xz, 0, zz]])  # x z products change sign with z

    # rear frame with the rider: origin at the rear wheel's centre
    origin = np.array([0, 0, rear])
    body = um.Inertia(85.0, np.array([0.3, 0, 0.9]) - origin, up(9.2, 2.4, 11.0, 2.8))
    b.vehicle("frame", um.Free(), inertia=body)
    b.link(
        "rear",
        parent="frame",
        joint=um.Revolute((0, 1, 0)),
        inertia=um.Inertia(2.0, (0, 0, 0), (0.0603, 0.12, 0.0603)),
    )
    # steering axis through the ground at x = w + c, leaning back by the tilt
    axis = np.array([-np.sin(tilt), 0, np.cos(tilt)])
    foot = np.array([wheelbase + trail, 0, 0])
    hub = np.array([wheelbase, 0, front])
    on_axis = foot + axis * ((hub - foot) @ axis)
    fork_com = np.array([0.9, 0, 0.7]) - on_axis
    fork = um.Inertia(4.0, fork_com, up(0.05892, -0.00756, 0.06, 0.00708))
    b.link("fork", parent="frame", joint=um.Revolute(axis), at=um.Pose(xyz=on_axis - origin), inertia=fork)
    wheel = um.Inertia(3.0, (0, 0, 0), (0.1405, 0.28, 0.1405))
    b.link("front", parent="fork", joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=hub - on_axis), inertia=wheel)
    ground = [um.RollingDisc("world", "rear", rear), um.RollingDisc("world", "front", front)]
    return um.Plant(b.build(), world=um.Earth((0, 0, -G)), constraints=ground)


def poles_from(signal, h, order):
    """Exponents (1/s) of a sum of exponentials, by least squares on its samples."""
    A = np.stack([signal[k : len(signal) - order + k] for k in range(order)], axis=1)
    c = np.linalg.lstsq(A, signal[order:], rcond=None)[0]
    roots = np.roots([1, *(-c[::-1])])
    return np.log(roots.astype(complex)) / h


#: M, C₁, K₀, K₂ of M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0, q = (lean, steer): Meijaard et al. 2007, equation (5.4),
#: the same digits in NLEVP's problem "bicycle"
PUBLISHED = (
    np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]),
    np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]),
    np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]),
    np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]]),
)


def published_poles(speed):
    M, C1, K0, K2 = PUBLISHED
    top = -np.linalg.solve(M, np.hstack([9.81 * K0 + speed**2 * K2, speed * C1]))
    return np.linalg.eigvals(np.vstack([np.hstack([np.zeros((2, 2)), np.eye(2)]), top]))


def test_the_published_matrices_have_the_published_eigenvalues():
    """Their table 2 at 5 m/s, and the speeds between which the bicycle is stable."""
    expected = [-14.07838969279822, -0.32286642900409, -0.77534188219585 - 4.46486771378823j]
    found = published_poles(5.0)
    for pole in expected:
        assert np.abs(found - pole).min() < 1e-10
    for weave_or_capsize in (4.29238253634111, 6.02426201538837):
        assert abs(published_poles(weave_or_capsize).real.max()) < 1e-10


def test_the_bicycle_is_the_benchmark():
    """Eigenvalues at 5 m/s as those of the published matrices: weave and capsize."""
    plant, speed = bicycle(), 5.0
    weave, capsize = sorted(published_poles(speed), key=lambda p: (p.imag, -p.real))[:2]
    system = plant.system
    g = np.eye(4)
    g[2, 3] = 0.3
    q = system.pack({"frame": g})
    v = system.pack_velocity(
        {"frame.vx": speed, "rear": speed / 0.3, "front": speed / 0.35, "frame.wx": 1e-5}
    )
    start = plant.assemble(q, v)
    run = um.simulate(plant, start.q, start.v, duration=3.0, step=2e-3)
    steering = run.q[:, 13]
    settled = steering[500:1500:10] * 1e5  # castering has died out: weave and capsize are left
    poles = sorted(poles_from(settled, 0.02, 3), key=lambda p: p.imag)
    assert poles[0] == pytest.approx(weave, abs=2e-3)
    assert poles[1] == pytest.approx(capsize, abs=2e-3)


@pytest.mark.long
def test_the_bicycle_linearised_has_the_published_eigenvalues():
    """All four of them at 5 m/s, beside those of its place, heading, wheels' angles and speed: zero."""
    plant, speed, g = bicycle(), 5.0, np.eye(4)
    g[2, 3] = 0.3
    v = plant.system.pack_velocity({"frame.vx": speed, "rear": speed / 0.3, "front": speed / 0.35})
    line = plant.linearize(0.0, *plant.assemble(plant.system.pack({"frame": g}), v))
    poles = line.poles()
    assert len(poles) == 10
    assert np.abs(poles[:6]).max() < 1e-6
    for pole in published_poles(speed):
        assert np.abs(poles - pole).min() < 1e-8


def test_mistakes_are_told():
    with pytest.raises(um.ModelError, match="radius"):
        um.RollingDisc("world", "disc", 0.0)
    with pytest.raises(um.ModelError, match="two different bodies"):
        um.Plant(disc().system, constraints=[um.RollingDisc("disc", "disc", 0.3)])
    with pytest.raises(um.ModelError, match="VelocityConstraint or RollingDisc"):
        um.Plant(disc().system, constraints=[3])
    event = um.Event(lambda t, q, v: t - 0.1, name="up", then=[um.Open("wheel_world_disc")])
    plant = disc()
    with pytest.raises(um.ModelError, match="to switch"):
        um.simulate(plant, *state(plant, 0.4, 0.0, 5.0), duration=0.2, step=0.01, events=[event])


def cart():
    """A floating body with one wheel, whose axis lies askew, on a plane that is tilted."""
    b = um.SystemBuilder("cart")
    b.frame("slope", parent="world", at=um.Pose(rpy=(0.1, -0.2, 0.3)))
    b.vehicle("body", um.Free(), inertia=um.Inertia.box(4.0, (0.5, 0.4, 0.3), com=(0.05, 0.02, 0.01)))
    wheel = um.Inertia(1.0, (0, 0, 0), (0.02, 0.04, 0.02))
    at = um.Pose(xyz=(0.1, 0.05, -0.2), rpy=(0.2, 0.1, -0.3))
    b.link("wheel", parent="body", joint=um.Revolute((0.1, 1.0, 0.2)), at=at, inertia=wheel)
    wheel = um.RollingDisc("slope", "wheel", 0.25, axis=(0.1, 1.0, 0.2))
    return um.Plant(b.build(), world=um.Earth((0, 0, -G)), constraints=[wheel])


def on_the_slope(plant):
    q = plant.system.random_configuration(3)
    g = um.Pose(xyz=(0.3, 0.1, 0.6), rpy=(0.3, 0.2, 0.9)).matrix
    return plant.assemble(
        np.concatenate([g[:3, :3].ravel(), g[:3, 3], q[12:]]), [1.0, 0.3, 0.2, 0.5, -0.4, 0.8, 3.0]
    )


def differences(of, n, h=1e-6):
    """Derivatives (m, n) of a function of a tangent at zero, by differences of the fourth order."""
    columns = []
    for e in np.eye(n):
        d = [of(k * h * e) for k in (-2, -1, 1, 2)]
        columns.append((d[0] - 8 * d[1] + 8 * d[2] - d[3]) / (12 * h))
    return np.stack(columns, axis=-1)


def test_what_becomes_of_changes_is_the_derivative_of_the_way_back():
    """Of closed_state, also along the rows that tie velocities only; and linear_system beside it."""
    plant = cart()
    q, v = on_the_slope(plant)
    system, n = plant.system, plant.nv

    def back(z):
        end = plant.closed_state(0.0, system.retract(q, z[:n]), v + z[n:])
        return np.concatenate([system.local(q, end.q), end.v])

    Π = plant.closure_projection(0.0, q, v)
    assert np.abs(Π - differences(back, 2 * n)).max() < 1e-7
    assert np.abs(Π @ Π - Π).max() < 1e-12


def test_derivatives_of_accelerations_and_steps_are_in_closed_form():
    """Against differences, at a state beside the plane too, where the rows' own change counts."""
    plant = cart()
    q, v = on_the_slope(plant)
    system, n, u = plant.system, plant.nv, np.zeros(plant.nu)
    found = plant.forward_dynamics_derivatives(0.0, q, v)
    by_state = differences(
        lambda z: plant.forward_dynamics(0.0, system.retract(q, z[:n]), v + z[n:]), 2 * n, 1e-5
    )
    assert np.abs(np.hstack([found.dq, found.dv]) - by_state).max() < 1e-7 * np.abs(by_state).max()

    end = plant.step(0.0, q, v, u, 0.02)

    def stepped(z):
        after = plant.step(0.0, system.retract(q, z[:n]), v + z[n:], u, 0.02)
        return np.concatenate([system.local(end.q, after.q), after.v])

    D = plant.step_derivatives(0.0, q, v, u, 0.02).state
    assert np.abs(D - differences(stepped, 2 * n)).max() < 1e-7 * np.abs(D).max()
