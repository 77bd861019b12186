"""The public `System`: a frozen tree with its algorithms as methods."""

from __future__ import annotations

from pathlib import Path

from ..model import files
from .balance_methods import BalanceMethods
from .closed_form_methods import ClosedFormMethods
from .constraint_methods import ConstraintMethods
from .derivative_methods import DerivativeMethods
from .joining_methods import JoiningMethods
from .kinematics_methods import KinematicsMethods
from .own_names import with_own_names
from .property_methods import PropertyMethods
from .recursion_methods import RecursionMethods
from .reduction_methods import ReductionMethods
from .regressor_methods import RegressorMethods
from .spacecraft_methods import SpacecraftMethods
from .underactuated_methods import UnderactuatedMethods


@with_own_names
class System(
    KinematicsMethods,
    ClosedFormMethods,
    RecursionMethods,
    DerivativeMethods,
    UnderactuatedMethods,
    ReductionMethods,
    SpacecraftMethods,
    ConstraintMethods,
    JoiningMethods,
    BalanceMethods,
    RegressorMethods,
    PropertyMethods,
):
    """A vehicle-manipulator system: vehicles on the world, arms on them, any branching.

    Configurations q (..., nq), velocities v and forces tau (..., nv): leading dimensions are a batch, everywhere.
    SI units and radians. Velocities of a joint are along its DoFs in the axes of the body that it moves, of a free
    vehicle (v, ω); twists and wrenches have their linear part first; the world's z is up (notation.md).
    Make one with `SystemBuilder`, `load` or from a `Tree`. It never changes.
    """

    def save(self, path: str | Path) -> None:
        """Write the system to a .yaml or .urdf file; loading a .yaml gives it back bit for bit."""
        files.write(self.tree, path)
