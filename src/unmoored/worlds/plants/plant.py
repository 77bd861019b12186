"""The `Plant`: a system in a world, with what drives it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields, replace
from typing import Any, get_args

import numpy as np

from ...dynamics.nonholonomic import VelocityConstraint, check_constraints
from ...model import Inertia, Joint, ModelError, Tree
from ...model.value import Value, replace_arrays
from ...notebook_views import ShownInNotebooks
from ...system import System
from ...system.argument_kinds import checked_array
from ...system.method_kernels import MethodKernels
from ...system.own_names import with_own_names
from ...system.signature_types import ArrayLike, Names
from ...trace import looks_inside
from ..actuators import Actuator
from ..closures import Closure, RollingDisc
from ..elements import Element
from ..equilibria.trim import Trim, trim
from ..independent_velocities import Velocities
from ..joint_effects import JointEffects
from ..orbits.space import Space
from ..prescribed_motion import UntilFailure, as_trajectory
from ..world import World, common_gravity
from .assembly import Assembled, assembled
from .bodies_in_worlds import added_inertia_of, displaces
from .joined_plants import JoinedPlant, State, join_plants
from .plant_balance_methods import PlantBalanceMethods
from .plant_matrix_methods import PlantMatrixMethods
from .plant_parameters import declared
from .plant_step_methods import PlantStepMethods


@with_own_names
@dataclass(frozen=True, eq=False, repr=False)
class Plant(PlantMatrixMethods, PlantBalanceMethods, PlantStepMethods, ShownInNotebooks, Value):
    """A system with the world around it, the joints' own springs, damping, friction and stops, and actuators. Frozen.

    system: the `System`, dry.
    world: one world or several that combine, such as (Earth(), Ocean()).
    actuators: what takes the inputs u; None: u (nv) are forces along all DoFs.
    constraints: velocity constraints (DifferentialDrive, Car, …), and wheels that lean (RollingDisc), which become
    closures. Joints of the system that follow others
    (`system.couplings`) do so: q and v stay full, of their entries those of followers do not count.
    prescribed: {joint: trajectory} of joints that are moved; a `Trajectory`, or a function of time for `Motion`.
    free: names of numbers that are run-time parameters p: "gravity", "ocean.current", "arm3.mass", …
    joints: which effects of the joints' options act.
    elements: springs, bushings and lines between two frames (SpringDamper, Bushing, Line).
    closures: joints that close loops (Closure), wheels that roll (RollingDisc): q and v stay those of the tree.
    """

    system: System
    world: Any = field(default_factory=Space)
    actuators: Any = None
    constraints: Any = ()
    prescribed: Any = None
    free: Any = None
    joints: JointEffects = field(default_factory=JointEffects)
    elements: Any = ()
    closures: Any = ()
    parameters: InitVar[Any] = None

    def __post_init__(self, parameters: Any) -> None:
        if parameters is not None:
            expected = "free=[names]: the numbers that simulate(parameters=…) varies"
            raise ModelError.single("Plant", "parameters", expected=expected, given="parameters=")
        self._check_types()
        worlds = _as_tuple(self.world)
        constraints = tuple(c for c in self.constraints if not isinstance(c, RollingDisc))
        discs = tuple(c for c in self.constraints if isinstance(c, RollingDisc))
        dry = self.system.tree
        if not dry.nv:
            given = f"{dry.name!r}, whose joints are all fixed"
            raise ModelError.single("Plant", "system", expected="one with a degree of freedom", given=given)
        for world in worlds:
            world.check(dry, constraints)
        check_constraints(dry, self.system.neutral(), constraints)
        gravity = common_gravity(worlds)
        actuators = None if self.actuators is None else tuple(a.named_in(dry) for a in self.actuators)
        for actuator in actuators or ():
            actuator.check(dry)
            actuator.check_worlds(worlds)
        elements, closures = tuple(self.elements), (*self.closures, *discs)
        for tie in (*elements, *closures):
            tie.check(dry)
        if closures and any(actuator.depletes for actuator in actuators or ()):
            expected = "no closures beside actuators that use propellant"
            raise ModelError.single("Plant", "closures", expected=expected, given=closures[0].label)
        tree = _wet(dry, worlds, actuators or ())
        prescribed = _merged(dry, worlds, self.prescribed)
        for name, path in prescribed if closures else ():
            if isinstance(path, UntilFailure):
                expected = "no prescribed joint that fails beside closures"
                raise ModelError.single(name, "prescribed", expected=expected, given="both")
        _check_prescribed(self.system, dict(prescribed))
        replace_arrays(
            self,
            world=worlds[0] if len(worlds) == 1 else worlds,
            actuators=actuators,
            constraints=constraints,
            prescribed=prescribed,
            free=tuple(self.free or ()),
            tree=tree,
            gravity=gravity,
            velocities=Velocities(tree, constraints, prescribed, dry.couplings),
            elements=elements,
            closures=closures,
            _declared=declared(
                tuple(self.free or ()), dry, worlds, actuators or (), (*elements, *closures), gravity
            ),
            stop_stiffness=self.joints.stop_stiffnesses(tree),
            _own_prescribed=dict(self.prescribed or {}),
            _massless=self.system._massless,
            _displaces=displaces(worlds, dry.bodies),
            _calls={},
            _kernels=MethodKernels(self),
        )
        self._check_names()

    @property
    def worlds(self) -> tuple[World, ...]:
        """The worlds, always as a tuple; `world` is the one, if there is just one."""
        return _as_tuple(self.world)

    def trim(
        self,
        q0: ArrayLike,
        *,
        free: Names,
        zero: Names,
        t: float = 0.0,
        p: ArrayLike | None = None,
    ) -> Trim:
        """An equilibrium near q0 (nq,): accelerations along `zero` vanish, at rest, at time t (s).

        free: what may change: DoFs ("rov.wy") and joints, along which the configuration may move, inputs ("thruster_1")
        and actuators by name; "q.elbow" and "u.elbow" where a joint and an input share a name. Inputs that are not free
        are zero. zero: DoFs and joints whose acceleration must vanish. Joints that are prescribed move as they do at t.

        Inputs stay within their limits, joint efforts included. With more free than zero, inputs are those of least
        effort, the sum of their squares; with fewer, or at limits, the accelerations left are the least in squares.
        With closures, q is on them: DoFs of their loops that may follow must be among the free ones. The result has
        `.q .u .x .solved .residual .at_limit`; numbers only, one state. Of several equilibria it is one near q0, stable
        or not.
        """
        return trim(self, q0, free, zero, t, p)

    def assemble(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        t: float = 0.0,
        p: ArrayLike | None = None,
    ) -> Assembled:
        """`.q` (..., nq) and `.v` (..., nv) on the plant's closures, next to q and v (at rest if None); numbers only.

        Newton's steps of least kinetic energy from q; a loop that does not close so is refused. t: time (s), which
        prescribed joints need.  p (..., n): run-time parameters.
        """
        q = np.asarray(checked_array(self.name, "q", q, (self.nq,)), dtype=float)
        v = np.zeros(self.nv) if v is None else checked_array(self.name, "v", v, (self.nv,))
        p = self.nominal_parameters if p is None else p
        p = np.asarray(checked_array(self.name, "p", p, self.nominal_parameters.shape), dtype=float)
        at = np.asarray(checked_array(self.name, "t", t, ()))
        if at.ndim:
            raise ModelError.single(self.name, "t", expected="one time (s)", given=f"shape {at.shape}")
        return assembled(self, float(at), q, np.asarray(v, dtype=float), p)

    def join(
        self,
        q: ArrayLike,
        v: ArrayLike,
        guest: Plant | System,
        q_guest: ArrayLike,
        v_guest: ArrayLike,
        *,
        frame: str,
        joint: Joint | None = None,
        prefix: str | None = None,
        x: ArrayLike | None = None,
        x_guest: ArrayLike | None = None,
        t: float = 0.0,
        p: ArrayLike | None = None,
        p_guest: ArrayLike | None = None,
    ) -> JoinedPlant:
        """A guest with a free vehicle, taken by a frame of this plant where it is; see `System.join`, but wet.

        The velocities jump so that momentum is conserved with added mass, along every direction that constraints and
        prescribed joints leave. Reaction wheels of both keep their momentum: nothing turns them in an instant. Other
        states of actuators (x (..., nx), x_guest; zero if not given) go on too.

        guest: a `Plant` in the same world, or a `System`, which joins without actuators. Its actuators are called
        "prefix_name" in the joined plant, all else "prefix/name". p (..., n), p_guest (..., m): run-time parameters;
        the joined plant's are the two together, and where the samples of a batch hold the guest at different places
        those too ("….xyz" and "….rpy" of its vehicle). t: time (s), which prescribed joints need.
        """
        state, state_guest = State(q, v, x, p), State(q_guest, v_guest, x_guest, p_guest)
        return join_plants(self, state, guest, state_guest, t, frame, joint, prefix)

    def _with_free(self, names: Sequence[str]) -> Plant:
        """The same plant with these numbers free."""
        made, parts = self.__reduce__()
        return made(*parts[:5], tuple(names), *parts[6:])

    def __reduce__(self) -> tuple[Any, ...]:
        return Plant, (
            self.system,
            self.worlds,
            self.actuators,
            self.constraints,
            dict(self._own_prescribed),  # type: ignore[attr-defined]
            self.free,
            self.joints,
            self.elements,
            self.closures,
        )

    def _check_as_built(self) -> None:
        """Refuse worlds and actuators of the user's whose data have changed so that the plant would be another one."""
        worlds, dry = self.worlds, self.system.tree
        now = {
            "gravity": (tuple(common_gravity(worlds)), tuple(self.gravity)),
            "added inertia": (_wet(dry, worlds, self.actuators or ()), self.tree),
            "prescribed joints": (_merged(dry, worlds, self._own_prescribed), self.prescribed),  # type: ignore[attr-defined]
        }
        for what, (new, old) in now.items():
            if new != old:
                expected = "what it was when the plant was built: build a new Plant"
                raise ModelError.single(self.name, what, expected=expected, given="data that changed it")

    def _check_types(self) -> None:
        rules = [("system", (self.system,), System), ("world", _as_tuple(self.world), World)]
        rules += [("joints", (self.joints,), JointEffects)]
        lists = {
            "actuators": (self.actuators, Actuator),
            "constraints": (self.constraints, VelocityConstraint | RollingDisc),
            "elements": (self.elements, Element),
            "closures": (self.closures, Closure | RollingDisc),
        }
        for what, (given, kind) in lists.items():
            if given is not None and not isinstance(given, Sequence):
                raise ModelError.single(
                    "Plant", what, expected=f"a list of {_named(kind)}", given=repr(given)
                )
            rules.append((what, tuple(given or ()), kind))
        for what, given, kind in rules:
            for x in given:
                if not isinstance(x, kind):
                    raise ModelError.single("Plant", what, expected=f"a {_named(kind)}", given=repr(x))
        if self.free is not None and not isinstance(self.free, list | tuple):
            raise ModelError.single("Plant", "free", expected="a list of names", given=repr(self.free))

    def _check_names(self) -> None:
        labels = [x.label for x in (*(self.actuators or ()), *self.elements, *self.closures)]
        twice = {label for label in labels if labels.count(label) > 1}
        if twice:
            expected = "different names of actuators, elements and closures (name=…)"
            raise ModelError.single("Plant", "names", expected=expected, given=f"{min(twice)!r} twice")
        taken = {*self.tree.names, *(body.joint_name for body in self.tree.bodies)}
        for tie in (*self.elements, *self.closures):
            if tie.label in taken:
                expected = "a name that no body or joint has"
                raise ModelError.single(tie.label, "name", expected=expected, given=repr(tie.label))
        kinds = [world.name for world in self.worlds]
        if len(set(kinds)) < len(kinds):
            raise ModelError.single(
                "Plant", "world", expected="each kind of world once", given=", ".join(kinds)
            )


delattr(Plant, "parameters")  # the keyword of version 0.1 is told, and leaves no attribute behind


def _content(plant: Plant) -> Any:
    """What a plant is, not its kernels."""
    return tuple(getattr(plant, field.name) for field in fields(plant))


looks_inside(Plant, _content)


def _named(kind: Any) -> str:
    return " or ".join(cls.__name__ for cls in get_args(kind)) or kind.__name__


def _as_tuple(world: Any) -> tuple[Any, ...]:
    return tuple(world) if isinstance(world, tuple | list) else (world,)


def _wet(dry: Tree, worlds: tuple[World, ...], actuators: tuple[Actuator, ...]) -> Tree:
    """The tree with added mass in its inertias, and with what actuators take out of them; the same tree if neither."""
    bodies = list(dry.bodies)
    for i, body in enumerate(dry.bodies):
        added = [added_inertia_of(world, body) for world in worlds]
        added += [actuator.added_inertia(dry, i) for actuator in actuators]
        if total := [A for A in added if A is not None]:
            I = body.inertia
            full = I.matrix + sum(total[1:], total[0])
            bodies[i] = replace(body, inertia=Inertia(I.mass, I.com, I.tensor, full=full))
    if all(new is old for new, old in zip(bodies, dry.bodies, strict=True)):
        return dry
    return replace(dry, bodies=tuple(bodies))


def _check_prescribed(system: System, prescribed: Mapping[str, Any]) -> None:
    """What is always prescribed must be, and for good where there is no inertia behind it."""
    for body in system.tree.bodies:
        if body.prescribed and body.name not in prescribed:
            expected = "a motion, by Plant(prescribed={joint: trajectory}) or a world, as the system demands"
            raise ModelError.single(body.name, "prescribed", expected=expected, given="none")
        if body.name in system._massless and isinstance(prescribed[body.name], UntilFailure):
            expected = "a motion that does not end: there is no inertia behind the joint"
            raise ModelError.single(body.name, "prescribed", expected=expected, given="UntilFailure")


def _merged(tree: Tree, worlds: tuple[World, ...], given: Any) -> tuple[tuple[str, Any], ...]:
    """Trajectories of the worlds and of the user, by body name."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError.single("Plant", "prescribed", expected="{joint: trajectory}", given=repr(given))
    found: dict[str, Any] = {}
    for source in (*(world.prescribed(tree) for world in worlds), given or {}):
        for joint, path in source.items():
            name = tree.link(joint).name
            if name in found:
                raise ModelError.single(
                    name, "prescribed", expected="one trajectory for a joint", given="two"
                )
            found[name] = as_trajectory(name, path)
    return tuple(found.items())
