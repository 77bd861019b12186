"""A plant near one state: a linear system with its poles and modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .modes import Modes, modes


@dataclass(frozen=True, eq=False)
class Linearization:
    """d/dt ξ = A ξ + B δu for ξ = (δq, δw, δx), of which closures leave some entries.

    A: (m, m).  B: (m, nu).  names: of the entries of ξ.  input_names: of those of δu.
    tangents: (n, m), all of (δq, δw, δx), called all_names, as tangents @ ξ; 1 without closures.
    """

    A: np.ndarray
    B: np.ndarray
    names: tuple[str, ...]
    input_names: tuple[str, ...]
    tangents: np.ndarray
    all_names: tuple[str, ...]

    def poles(self) -> np.ndarray:
        """Eigenvalues (m,) of A (1/s), the slowest first."""
        found = np.linalg.eigvals(self.A)
        return found[np.lexsort((found.imag, np.round(np.abs(found), 12)))]

    def modes(self) -> Modes:
        """The modes, slowest first, with frequency, damping, time constant and shape by name; `str()` is a table."""
        return modes(self.A, self.names)
