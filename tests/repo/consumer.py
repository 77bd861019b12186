"""A program as a user writes it, checked by pyright in strict mode (tests/repo/test_types.py)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import unmoored as um

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Wind(um.World):
    """A force along x on the first body."""

    force: float = 1.0

    def wrenches(self, scene: um.Scene) -> dict[str, dict[int, Array]]:
        """One wrench of a kind."""
        return {"drag": {0: np.array([self.force, 0, 0, 0, 0, 0]) + 0.0 * scene.twists[0]}}


class Height(um.Sensor):
    """Height of its frame."""

    @property
    def shape(self) -> tuple[int, ...]:
        """One number."""
        return (1,)

    def reading(
        self, now: um.sensing.Instant, bias: Array, normals: Array, kept: Array, period: float
    ) -> um.Reading:
        """Without noise."""
        return um.Reading(now.pose(self.frame)[..., 2, 3:], kept)


class Slow(um.Cost):
    """Speeds cost."""

    weight: float = 1.0

    def __call__(self, now: um.planning.Now) -> Array:
        """Of all DoFs."""
        return self.weight * now.v


class Remembering(um.Law):
    """Adds up the errors of the velocities."""

    gain: float
    memory = {"sum": 7}

    def __call__(self, seen: um.Seen, memory: dict[str, Array]) -> tuple[Array, dict[str, Array]]:
        """Inputs, and the sum after them."""
        return -self.gain * memory["sum"], {"sum": memory["sum"] + seen.period * seen.v}


def servicer() -> um.System:
    """A bus with one joint and a tool."""
    builder = um.SystemBuilder("servicer")
    bus = builder.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=200.0, size=(1, 1, 1)))
    arm = builder.link(
        "arm",
        parent=bus,
        joint=um.Revolute(axis=(0, 0, 1)),
        at=um.Pose(xyz=(0, 0, 0.5)),
        inertia=um.Inertia(mass=5.0, com=(0, 0, 0.2), tensor=(0.1, 0.1, 0.01)),
    )
    builder.frame("tool", parent=arm, at=um.Pose(xyz=(0, 0, 0.4)))
    return builder.build()


def dynamics(system: um.System) -> Array:
    """Numbers of a state."""
    rng = np.random.default_rng(0)
    q = system.random_configuration(rng)
    v = np.zeros(system.nv)
    tau = system.inverse_dynamics(q, v, np.ones(system.nv), gravity=(0, 0, -9.81))
    a = system.forward_dynamics(q, v, tau, gravity=(0, 0, -9.81))
    moved = system.retract(q, 0.01 * a)
    names: tuple[str, ...] = system.names
    assert len(names) == 2
    return system.jacobian(moved, "tool") @ system.local(q, moved)


def simulated(system: um.System) -> um.Run:
    """A run in water with a law."""
    ocean = um.Ocean(current=(0.3, 0, 0), density=1000.0)
    motors = [um.JointMotor("arm", limits=(-1.0, 1.0)), um.Wrench("bus")]
    plant = um.Plant(system, world=ocean, actuators=motors, joints=um.JointEffects(stops=False))
    hold = um.StationKeeping(plant, "bus", np.eye(4), 10.0, 5.0)
    move = um.JointPD(plant, {"arm": um.Sine(0.3, 4.0)}, 5.0, 1.0)
    law = um.Allocated(plant, hold + move)
    event = um.ChannelEvent("bus.z", falls_below=-1.0)
    return um.simulate(
        plant, system.neutral(), duration=1.0, step=0.01, controller=law, control_step=0.02, events=[event]
    )


def own_parts(system: um.System) -> um.Run:
    """A run with a world, a sensor and a law of one's own."""
    plant = um.Plant(system, (um.Earth(), Wind(2.0)))
    return um.simulate(
        plant,
        system.neutral(),
        duration=0.1,
        step=0.01,
        controller=Remembering(0.5),
        control_step=0.02,
        sensors=[Height("height", "tool")],
    )


def results(run: um.Run) -> dict[str, float]:
    """What came of it."""
    last: Array = run.q[-1]
    try:
        run.system.mass_matrix(last[:3])
    except um.ModelError as error:
        print(error.problems[0].rule)
    values = um.channel_values(run, ("bus.z", "arm"))
    return {name: float(x[-1]) for name, x in values.items()}


def from_files() -> list[str]:
    """Built-in systems and scenarios."""
    scenario = um.load_scenario("gantry_crane", settings=("duration=1",))
    run = scenario.run()
    return [run.system.name, *um.systems(), *um.scenarios()]
