"""Modes of linear systems against closed forms."""

import numpy as np
import pytest

import unmoored as um
from unmoored.worlds.equilibria.modes import modes


def second_order(M, D, K):
    """A of M ẍ + D ẋ + K x = 0."""
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])


def test_damped_oscillator():
    m, d, k = 2.0, 0.6, 50.0
    (mode,) = modes([[0, 1], [-k / m, -d / m]], ["x", "v"])
    ω = np.sqrt(k / m)
    assert abs(mode.frequency_hz - ω / (2 * np.pi)) < 1e-14
    assert abs(mode.damping_ratio - d / (2 * np.sqrt(k * m))) < 1e-14
    assert abs(mode.time_constant - 2 * m / d) < 1e-12
    assert mode.kind == "oscillation"
    assert abs(mode.shape["x"] * mode.pole - mode.shape["v"]) < 1e-14
    assert mode.shape["v"] == 1.0


def test_overdamped_growing_and_unstable():
    slow, fast = modes([[0, 1], [-2, -3]], ["x", "v"])  # (λ + 1)(λ + 2)
    assert (slow.kind, fast.kind) == ("decay", "decay")
    np.testing.assert_allclose([slow.pole.real, fast.pole.real], [-1, -2], atol=1e-14)
    np.testing.assert_allclose([slow.time_constant, fast.time_constant], [1, 0.5], atol=1e-14)
    assert slow.damping_ratio == 1.0
    (swing,) = modes([[0, 1], [-4, 0.2]], ["x", "v"])
    assert swing.kind == "growing oscillation"
    assert abs(swing.damping_ratio + 0.05) < 1e-14
    assert abs(swing.time_constant + 10) < 1e-12
    falling, rising = modes([[0, 1], [9, 0]], ["x", "v"])
    assert (falling.kind, rising.kind) == ("decay", "growth")
    assert rising.damping_ratio == -1.0


def test_double_pendulum():
    """Equal masses and lengths: ω² = (2 ∓ √2) g/l, shapes θ₂ = ±√2 θ₁ (θ from the vertical)."""
    g, length = 9.81, 0.7
    M = np.array([[2.0, 1.0], [1.0, 1.0]]) * length**2
    K = np.diag([2.0, 1.0]) * g * length
    found = modes(second_order(M, np.zeros((2, 2)), K), ["θ1", "θ2", "ω1", "ω2"])
    for mode, sign in zip(found, (1, -1), strict=True):
        ω = np.sqrt((2 - sign * np.sqrt(2)) * g / length)
        assert abs(mode.frequency_hz * 2 * np.pi - ω) < 1e-12
        assert abs(mode.damping_ratio) < 1e-13
        assert mode.time_constant > 1e11 or mode.time_constant < -1e11
        assert abs(mode.shape["θ2"] / mode.shape["θ1"] - sign * np.sqrt(2)) < 1e-12


def test_what_drifts_freely_is_rigid():
    """Two masses and a spring, seen in mixed coordinates: a double zero, which rounding splits, and one oscillation."""
    K = 30.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    A = second_order(np.diag([1.0, 3.0]), np.zeros((2, 2)), K)
    T = np.random.default_rng(0).normal(size=(4, 4))
    first, second, swing = modes(T @ A @ np.linalg.inv(T), list("abcd"))
    assert first.kind == second.kind == "rigid"
    assert first.pole == second.pole == 0
    assert first.time_constant == np.inf
    assert abs(swing.frequency_hz * 2 * np.pi - np.sqrt(40.0)) < 1e-6
    (critical, again) = modes([[0, 1], [-1, -2]], ["x", "v"])
    assert critical.kind == again.kind == "decay"


def test_table():
    A = np.zeros((3, 3))
    A[:2, :2] = [[0, 1], [-4, -0.4]]
    A[2, 2] = -0.5
    found = modes(A, ["x", "v", "lag"])
    assert [mode.kind for mode in found] == ["decay", "oscillation"]
    lines = str(found).splitlines()
    assert len(lines) == 3
    assert lines[1].split() == ["decay", "0.07958", "Hz", "1.000", "2", "s", "lag", "1.00"]
    assert "0.3183 Hz" in lines[2]
    assert "v 1.00 at 0°, x 0.50" in lines[2]


@pytest.mark.parametrize(
    ("A", "names"), [(np.eye(2), ["a"]), (np.eye(2), ["a", "a"]), ([["x"]], ["a"]), ([[np.nan]], ["a"])]
)
def test_misfits_are_refused(A, names):
    with pytest.raises(um.ModelError, match="modes: A"):
        modes(A, names)
