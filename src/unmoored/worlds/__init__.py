"""What acts on a system: worlds, joints' own effects, actuators; and the `Plant` that joins them."""

from .actuators import (
    Actuator,
    Brake,
    Clutch,
    ElasticMotor,
    Fin,
    JointMotor,
    Propeller,
    ReactionControl,
    ReactionWheel,
    Rotor,
    Rudder,
    Stiction,
    ThrustCurve,
    Thruster,
    Wrench,
)
from .allocation import allocate
from .closures import Closure, RollingDisc
from .distances import Distance, HalfSpace, Points
from .earth import Earth, Ground
from .elements import Bushing, Contact, Element, Line, SpringDamper
from .energy_balance import Energy, Power
from .equilibria.trim import Trim
from .goal import Goal
from .joint_effects import JointEffects
from .law import Law, Seen
from .orbits.orbit import Orbit
from .orbits.space import Space
from .plants.plant import Plant
from .prescribed_motion import Motion, Trajectory, UntilFailure
from .scene import Scene
from .seas.compensation import CompensatedHeight, Hexapod, largest_compensated_height
from .seas.sea import Sea
from .seas.ship_response import ShipResponse, s175, supply_vessel
from .seas.spectra import Jonswap, PiersonMoskowitz, Spectrum, TabulatedSpectrum
from .seas.wave_motion import WaveMotion
from .water.current import Current, OscillatingCurrent, ShearedCurrent, UniformCurrent, VaryingCurrent
from .water.ocean import Ocean
from .world import World

__all__ = [
    "Actuator", "Brake", "Bushing", "Closure", "Clutch", "CompensatedHeight", "Contact", "Current", "Distance",
    "Earth", "ElasticMotor", "Element", "Energy", "Fin", "Goal", "Ground", "HalfSpace", "Hexapod", "JointEffects",
    "JointMotor", "Jonswap", "Law", "Line", "Motion", "Ocean", "Orbit", "OscillatingCurrent", "PiersonMoskowitz",
    "Plant", "Points", "Power", "Propeller", "ReactionControl", "ReactionWheel", "RollingDisc", "Rotor", "Rudder",
    "Scene", "Sea", "Seen", "ShearedCurrent", "ShipResponse", "Space", "Spectrum", "SpringDamper", "Stiction",
    "TabulatedSpectrum", "ThrustCurve",
    "Thruster", "Trajectory", "Trim", "UniformCurrent", "UntilFailure", "VaryingCurrent", "WaveMotion", "World",
    "Wrench", "allocate", "largest_compensated_height", "s175", "supply_vessel",
]  # fmt: skip
