"""Bodies without mass under joints that are always moved: allowed, simulated as heavy ones are, refused where
they have no answer.
"""

import numpy as np
import pytest

import unmoored as um

SWAY = um.Motion(lambda t: 0.3 * np.sin(2.0 * t))


def crane(mass, prescribed=True, both=True):
    """A trolley of that mass on a rail, and a yaw joint of no more inertia, with a pendulum below."""
    b = um.SystemBuilder("crane")
    inertia = um.Inertia.sphere(mass, 0.1) if mass else None
    b.vehicle("trolley", um.Prismatic((1, 0, 0)), inertia=inertia, prescribed=prescribed)
    b.link(
        "turn",
        parent="trolley",
        joint=um.Revolute((0, 0, 1)),
        inertia=inertia,
        prescribed=prescribed and both,
    )
    b.link(
        "rope", parent="turn", joint=um.Revolute((0, 1, 0)), inertia=um.Inertia.point(2.0, com=(0, 0, -1.5))
    )
    return b.build()


def plant(mass, **options):
    motions = {"trolley": SWAY, "turn": um.Motion(lambda t: 0.5 * t)}
    return um.Plant(crane(mass), world=um.Earth(), prescribed=motions, **options)


def test_the_pendulum_does_not_know_the_mass_of_what_is_moved():
    """m l² θ̈ = −m g l sin θ − m l cos θ (ẍ cos ψ) + m l² ψ̇² sin θ cos θ, with the pendulum in the turned plane."""
    light, heavy = plant(0.0), plant(7.0)
    q, v = np.array([0.0, 0.0, 0.4]), np.array([0.6, 0.5, -0.3])
    a = light.forward_dynamics(0.7, q, v)
    x_dd, psi, psi_d = -1.2 * np.sin(1.4), 0.35, 0.5
    angle, length = 0.4, 1.5
    # hanging at −z l: a positive turn about y moves it to −x
    expected = -9.81 / length * np.sin(angle) + x_dd * np.cos(psi) * np.cos(angle) / length
    expected += psi_d**2 * np.sin(angle) * np.cos(angle)
    assert a[2] == pytest.approx(expected, rel=1e-13)
    assert np.allclose(a, heavy.forward_dynamics(0.7, q, v), rtol=0, atol=1e-13)
    runs = [um.simulate(p, q, v, duration=1.0, step=0.01) for p in (light, heavy)]
    assert np.allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-12)
    assert np.isfinite(light.linearize(0.7, q, v, np.zeros(3)).A).all()
    assert np.isfinite(light.inverse_dynamics(0.7, q, v, a)).all()


def test_without_the_word_it_is_refused_as_before():
    with pytest.raises(um.ModelError, match="turn: no inertia behind the joint"):
        crane(0.0, both=False)
    with pytest.raises(um.ModelError, match="trolley: prescribed: expected a motion"):
        um.Plant(crane(0.0), world=um.Earth(), prescribed={"turn": SWAY})
    with pytest.raises(um.ModelError, match="does not end"):
        um.Plant(crane(0.0), prescribed={"trolley": um.UntilFailure(SWAY, 1.0), "turn": SWAY})
    with pytest.raises(um.ModelError, match="a joint that moves"):
        um.SystemBuilder("x").vehicle("x", um.Fixed(), prescribed=True)


def test_what_has_no_answer_is_refused_by_name():
    system, q, v = crane(0.0), np.zeros(3), np.zeros(3)
    assert np.linalg.matrix_rank(system.mass_matrix(q)) < 3
    system.inverse_dynamics(q, v, v)
    a, _ = system.hybrid_dynamics(q, v, tau=v, acceleration=v, passive=["rope"])
    assert np.isfinite(a).all()
    for act in (
        lambda: system.forward_dynamics(q, v, v),
        lambda: system.inverse_mass_matrix(q),
        lambda: system.hybrid_dynamics(q, v, tau=v, acceleration=v, passive=["turn"]),
        lambda: system.hybrid_dynamics(q, v, tau=v, acceleration=v, passive=np.array([0.0, 1.0, 1.0])),
    ):
        with pytest.raises(um.ModelError, match=r"(turn|trolley): .*a Plant that prescribes the joint"):
            act()
    with pytest.raises(um.ModelError, match="a Plant that prescribes the joint"):
        plant(0.0).lagrange_poincare(q, v)


def test_the_word_is_kept_in_files_and_guests(tmp_path):
    system = crane(0.0)
    system.save(tmp_path / "crane.yaml")
    assert um.load(tmp_path / "crane.yaml") == system
    with pytest.raises(um.ModelError, match="prescribed"):
        system.save(tmp_path / "crane.urdf")
    b = um.SystemBuilder("ship")
    b.vehicle("hull", um.Free(), prescribed=True)
    b.mount(system, "hull", joint=um.Prismatic((1, 0, 0)), prescribed=True, prefix="c/")
    assert [body.prescribed for body in b.build().tree.bodies] == [True, True, True, False]
