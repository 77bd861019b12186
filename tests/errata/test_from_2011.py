"""From, Pettersen & Gravdahl 2011: what is printed fails, what this library has holds (docs/errata.md)."""

import numpy as np
from tests.errata import from_dynamics, from_spacecraft
from tests.errata.chains import RIGHT, WRONG, assert_erratum, blocks, chain, error, moving_chain, refuses

from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.lie import se3


def test_S1():
    assert_erratum(*from_dynamics.bracket_at_identity())
    assert_erratum(*from_dynamics.bracket_anywhere())


def test_S2():
    """A 6×6 inertia does not fit a vehicle with three velocities; HᵀI_bH does."""
    tree = chain(2, "Spherical", arm=())
    H, I_b = tree.links[0].joint.basis(np.zeros(12)), tree.links[0].inertia
    M = mass_matrix(tree, tree.links[0].joint.neutral())
    assert refuses(lambda: M - I_b)
    assert error(H.T @ I_b @ H, M) < RIGHT


def test_S3():
    assert_erratum(*from_dynamics.quaternion_with_inertial_rate())
    assert_erratum(*from_dynamics.quaternion_with_inertia())


def test_S4():
    printed, ours = from_dynamics.external_torque_of_attitude_dynamics()
    assert np.max(np.abs(printed)) > WRONG
    assert np.max(np.abs(ours)) < RIGHT


def test_S5():
    assert_erratum(*from_dynamics.euler_rates_with_inertial_rate())


def test_S6():
    """Without the transpose it differs from the paper of 2010, and is wrong too."""
    assert_erratum(*from_dynamics.free_vehicle_bracket(lambda p: -se3.ad(p)))


def test_S7():
    assert_erratum(*from_dynamics.sum_to_six())


def test_S8():
    assert_erratum(*from_spacecraft.reduced_without_momentum_terms(spin=2.0))
    drifting, _, true = from_spacecraft.reduced_without_momentum_terms(spin=0.0)
    assert error(drifting, true) < RIGHT


def test_S9():
    assert_erratum(*from_spacecraft.inertia_of_pinned_base())


def test_S10():
    printed, ours, true = from_spacecraft.reduced_inertia_of_attitude_model()
    assert_erratum(printed, ours, true)
    assert ours.shape == (5, 5)  # n×n, not 3×3


def test_S11():
    tree, q, v = moving_chain(8)
    b = blocks(tree, q)
    assert refuses(lambda: b.M_hat @ v)
    assert (b.M_hat @ v[6:]).shape == (b.n,)


def test_S12():
    assert_erratum(*from_spacecraft.rotational_energy_with_mixed_frames())


def test_S13():
    assert_erratum(*from_spacecraft.inertial_rate_as_velocity_state())


def test_S14():
    assert_erratum(*from_dynamics.jacobian_derivative_columns())
