"""Inertias against integrals and closed forms, and what is refused."""

import numpy as np
import pytest

from unmoored.lie import se3, so3
from unmoored.model import Inertia, ModelError


def cloud_inertia(points, masses):
    """6×6 of point masses: Σ m Bᵀ B with v_point = v + ω × r."""
    total = np.zeros((6, 6))
    for r, m in zip(points, masses, strict=True):
        B = np.hstack([np.eye(3), -so3.hat(r)])
        total += m * B.T @ B
    return total


def test_matrix_is_that_of_point_masses():
    rng = np.random.default_rng(1)
    points, masses = rng.normal(size=(9, 3)), rng.uniform(1, 2, 9)
    com = masses @ points / masses.sum()
    tensor = sum(
        m * ((r - com) @ (r - com) * np.eye(3) - np.outer(r - com, r - com))
        for r, m in zip(points, masses, strict=True)
    )
    matrix = Inertia(masses.sum(), com, tensor).matrix
    assert np.allclose(matrix, cloud_inertia(points, masses), atol=1e-13, rtol=0)


def gauss_cloud(shape, n=24):
    """Points and weights of a solid by Gauss quadrature: exact for the quadratic integrands here."""
    x, w = np.polynomial.legendre.leggauss(n)
    if shape[0] == "box":
        size = np.array(shape[1]) / 2
        grid = np.stack(np.meshgrid(x, x, x, indexing="ij"), -1).reshape(-1, 3) * size
        weights = np.einsum("i,j,k->ijk", w, w, w).ravel() * size.prod()
        return grid, weights
    _, radius, half = shape  # a body of revolution: radius as a function of z
    z, wz = x * half, w * half
    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    points, weights = [], []
    for zi, wi in zip(z, wz, strict=True):
        R = radius(zi)
        r, wr = (x + 1) * R / 2, w * R / 2
        for rj, wj in zip(r, wr, strict=True):
            points += [(rj * np.cos(a), rj * np.sin(a), zi) for a in angle]
            weights += [wi * wj * rj * 2 * np.pi / 32] * 32
    return np.array(points), np.array(weights)


@pytest.mark.parametrize(
    ("inertia", "shape"),
    [
        (Inertia.box(3.0, (1, 2, 0.5)), ("box", (1, 2, 0.5))),
        (Inertia.cylinder(3.0, 0.4, 1.2), ("revolution", lambda z: 0.4, 0.6)),
        (Inertia.sphere(3.0, 0.7), ("revolution", lambda z: np.sqrt(0.49 - z * z), 0.7)),
    ],
)
def test_solids_are_their_integrals(inertia, shape):
    points, weights = gauss_cloud(shape)
    masses = 3.0 * weights / weights.sum()
    assert np.allclose(inertia.matrix, cloud_inertia(points, masses), atol=1e-12, rtol=0)


def test_rod_cylinder_axis_and_point():
    along_x = Inertia.cylinder(2.0, 0.1, 1.0, axis=(2, 0, 0))
    turn = so3.exp(np.array([0, np.pi / 2, 0]))
    along_z = Inertia.cylinder(2.0, 0.1, 1.0)
    assert np.allclose(along_x.tensor, turn @ along_z.tensor @ turn.T, atol=1e-15)
    assert np.allclose(Inertia.rod(2.0, 3.0).tensor, np.diag([1.5, 1.5, 0.0]))
    assert np.array_equal(Inertia.point(2.0, (0, 0, 1)).matrix, cloud_inertia(np.array([[0.0, 0, 1]]), [2.0]))


def test_moving_the_frame_is_the_adjoint_congruence():
    """I_b = Ad_{g_ab}ᵀ I_a Ad_{g_ab} (docs/theory.md §1)."""
    rng = np.random.default_rng(2)
    g = se3.exp(rng.normal(size=6))
    R, p = g[:3, :3], g[:3, 3]
    tensor = np.diag([0.3, 0.4, 0.5])
    at_b = Inertia(2.0, (0.1, 0.2, 0.3), tensor)
    at_a = Inertia(2.0, R @ at_b.com + p, R @ tensor @ R.T)
    Ad = se3.Ad(g)
    assert np.allclose(at_b.matrix, Ad.T @ at_a.matrix @ Ad, atol=1e-14, rtol=0)


def test_full_matrix_keeps_mass_and_centre_beside_it():
    full = np.diag([10.0, 20, 30, 1, 2, 3])
    inertia = Inertia(5.0, (0, 0, 0.1), full=full)
    assert np.array_equal(inertia.matrix, full)
    assert inertia.mass == 5.0
    assert not inertia.is_rigid


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((-1.0,), "mass ≥ 0"),
        ((np.nan,), "mass"),
        ((1.0, (0, 0)), "com"),
        ((1.0, (0, 0, 0), [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        ((1.0, (0, 0, 0), (1, 1, -1)), "negative eigenvalue"),
        ((1.0, (0, 0, 0), (1, 1, 1), -np.eye(6)), "negative eigenvalue"),
        ((1.0, (0, 0, 0), (1, 1, 1), np.eye(5)), "full"),
    ],
)
def test_bad_inertias_are_refused(arguments, words):
    with pytest.raises(ModelError, match=words):
        Inertia(*arguments)
    with pytest.raises(ModelError, match="size"):
        Inertia.box(1.0, (1, -1, 1))
