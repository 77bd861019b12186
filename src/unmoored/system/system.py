"""The public `System`: a frozen tree with its algorithms as methods."""

from __future__ import annotations

from pathlib import Path

from ..model import files
from .balances import BalanceMethods
from .closed_form import ClosedFormMethods
from .constrained import ConstrainedMethods
from .derivatives import DerivativeMethods
from .joining import JoiningMethods
from .kinematics import KinematicsMethods
from .properties import PropertyMethods
from .recursive import RecursiveMethods
from .reductions import ReductionMethods
from .spacecraft import SpacecraftMethods
from .underactuated import UnderactuatedMethods


class System(
    KinematicsMethods,
    ClosedFormMethods,
    RecursiveMethods,
    DerivativeMethods,
    UnderactuatedMethods,
    ReductionMethods,
    SpacecraftMethods,
    ConstrainedMethods,
    JoiningMethods,
    BalanceMethods,
    PropertyMethods,
):
    """A vehicle-manipulator system: vehicles on the world, arms on them, any branching.

    Configurations q (..., nq), velocities v and forces tau (..., nv): leading dimensions are a batch, everywhere.
    Make one with `SystemBuilder`, `load` or from a `Tree`. It never changes.
    """

    def save(self, path: str | Path) -> None:
        """Write the system to a .yaml or .urdf file; loading a .yaml gives it back bit for bit."""
        files.write(self.tree, path)
