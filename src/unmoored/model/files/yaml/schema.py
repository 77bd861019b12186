"""What a system file may say: the keys and types of format version 1, the same names as in Python."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model
from pydantic_core import PydanticCustomError

from ...field_types import PER_DOF, Number, Numbers, Six, Vector
from ...flow_parts import FLOW_PARTS, FlowPart
from ...joints import JOINTS, Joint
from ...made import TANKS
from ...visual import Box, Capsule, Cylinder, Mesh, Sphere, Visual

SHAPES: dict[str, type[Visual]] = {shape.__name__: shape for shape in (Box, Cylinder, Sphere, Capsule, Mesh)}

#: Forms of `inertia` other than mass, com and tensor: the constructors of `Inertia`.
INERTIA_FORMS = ("box", "cylinder", "sphere", "rod", "point")

#: Shapes that a `fluid` may be: the constructors of `Fluid`.
FLUID_FORMS = ("sphere", "cylinder", "capsule", "box", "spheroid")

#: What an entry of `mount` may be of.
GUEST_FORMS = ("system", "beam", "slosh")


def _version(x: Any) -> Any:
    if type(x) is not int:
        raise PydanticCustomError("version", "{words}", {"words": "1"})
    return x


#: of a file's format: the whole number 1, not `true` or 1.0
Version = Annotated[Literal[1], BeforeValidator(_version)]


Matrix = Annotated[Any, Numbers((3, 3))]
Tensor = Annotated[Any, Numbers((3,), (3, 3))]
Quaternion = Annotated[Any, Numbers((4,))]
Full = Annotated[Any, Numbers((6, 6))]
DiagonalOrFull = Annotated[Any, Numbers((), (6,), (6, 6))]
PerDof = Annotated[Any, Numbers((), (PER_DOF,))]
Limits = Annotated[Any, Numbers((2,), (2, PER_DOF))]
Colour = Annotated[Any, Numbers((4,))]
Text = Annotated[str, Field(max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
MeshPath = Annotated[str, Field(min_length=1, max_length=4096)]


class Entry(BaseModel):
    """Base of all entries: types are not converted, and keys that are not listed are refused."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def given(self) -> dict[str, Any]:
        """The keys that the file gives, with their values."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class PoseEntry(Entry):
    """Pose in the parent frame (m, rad): `xyz`, and at most one of `rpy`, `rotation`, `quaternion_wxyz`."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = None
    rotation: Matrix = None
    quaternion_wxyz: Quaternion = None


class BoxInertia(Entry):
    """Solid box: mass (kg), edges `size` (m), centre `com` (m)."""

    mass: Number
    size: Vector
    com: Vector = (0.0, 0.0, 0.0)


class CylinderInertia(Entry):
    """Solid cylinder along `axis`: mass (kg), radius and length (m), centre `com` (m)."""

    mass: Number
    radius: Number
    length: Number
    axis: Vector = (0.0, 0.0, 1.0)
    com: Vector = (0.0, 0.0, 0.0)


class SphereInertia(Entry):
    """Solid sphere: mass (kg), radius (m), centre `com` (m)."""

    mass: Number
    radius: Number
    com: Vector = (0.0, 0.0, 0.0)


class RodInertia(Entry):
    """Thin rod along `axis`: mass (kg), length (m), centre `com` (m)."""

    mass: Number
    length: Number
    axis: Vector = (0.0, 0.0, 1.0)
    com: Vector = (0.0, 0.0, 0.0)


class PointInertia(Entry):
    """Point mass (kg) at `com` (m)."""

    mass: Number
    com: Vector = (0.0, 0.0, 0.0)


class InertiaEntry(Entry):
    """Mass (kg), centre of mass (m), tensor about it (kg m², body axes; 3 or 3×3), optionally a full 6×6 at
    the body origin in the order (v, ω); or one of the solids."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [key]} for key in ("mass", *INERTIA_FORMS)]}
    )

    mass: Number = None
    com: Vector = (0.0, 0.0, 0.0)
    tensor: Tensor = (0.0, 0.0, 0.0)
    full: Full = None
    box: BoxInertia = None  # type: ignore[assignment]
    cylinder: CylinderInertia = None  # type: ignore[assignment]
    sphere: SphereInertia = None  # type: ignore[assignment]
    rod: RodInertia = None  # type: ignore[assignment]
    point: PointInertia = None  # type: ignore[assignment]


_FIELD_TYPES: dict[str, Any] = {
    **dict.fromkeys(("axis", "normal", "size", "scale"), Vector),
    **dict.fromkeys(("pitch", "radius", "length"), Number),
    **dict.fromkeys(
        ("coefficient", "across", "along", "slope", "drag", "induced", "stall_rad", "sharpness"), Number
    ),
    "taper": Literal["none", "ellipse"],
    "strips": int,
    "round": bool,
    **dict.fromkeys(("damping", "friction", "stiffness", "rest", "armature", "effort", "velocity"), PerDof),
    "limits": Limits,
    "dimensions": Literal[1, 2, 3],
    "rgba": Colour,
    "path": MeshPath,
    "at": PoseEntry,
}


def _entry_of(cls: type[Joint] | type[Visual] | type[FlowPart]) -> type[Entry]:
    """The entry with a `type` and the fields of a dataclass of the model."""
    fields: dict[str, Any] = {"type": (Literal[cls.__name__], ...)}  # type: ignore[valid-type]
    for field in dataclasses.fields(cls):
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        fields[field.name] = (_FIELD_TYPES[field.name], ... if required else None)
    base = next(base for base in (Joint, Visual, FlowPart) if issubclass(cls, base))
    name = cls.__name__ + base.__name__
    return create_model(name, __base__=Entry, __doc__=(cls.__doc__ or "").split("\n\n")[0], **fields)


_JOINT_ENTRIES = tuple(map(_entry_of, JOINTS.values()))
_VISUAL_ENTRIES = tuple(map(_entry_of, SHAPES.values()))
_FLOW_ENTRIES = tuple(map(_entry_of, FLOW_PARTS.values()))
JointEntry = Annotated[Union[_JOINT_ENTRIES], Field(discriminator="type")]  # type: ignore[valid-type]  # noqa: UP007
VisualEntry = Annotated[Union[_VISUAL_ENTRIES], Field(discriminator="type")]  # type: ignore[valid-type]  # noqa: UP007
FlowPartEntry = Annotated[Union[_FLOW_ENTRIES], Field(discriminator="type")]  # type: ignore[valid-type]  # noqa: UP007


class SphereFluid(Entry):
    """Sphere in water: radius (m), density of the water (kg/m³), `centre` (m), coefficient of `drag`."""

    radius: Number
    density: Number
    centre: Vector = (0.0, 0.0, 0.0)
    drag: Number = None


class CylinderFluid(Entry):
    """Cylinder along `axis`: radius and length (m), density of the water (kg/m³), `centre` (m), coefficients
    of drag across
    and on its ends."""

    radius: Number
    length: Number
    axis: Vector = (0.0, 0.0, 1.0)
    density: Number = None
    centre: Vector = (0.0, 0.0, 0.0)
    drag: Number = None
    end_drag: Number = None


class BoxFluid(Entry):
    """Box: edges `size` (m) along the axes of `at`, density of the water (kg/m³), coefficient of `drag`."""

    size: Vector
    density: Number = None
    at: PoseEntry = PoseEntry()
    drag: Number = None


class SpheroidFluid(Entry):
    """Spheroid or ellipsoid: `semi_axes` (m) along the axes of `at`, density of the water (kg/m³),
    coefficients of drag.
    """

    semi_axes: Vector
    density: Number = None
    at: PoseEntry = PoseEntry()
    drag: Number = None
    end_drag: Number = None


class HullEntry(Entry):
    """The shape of the displaced volume, for a body at the surface; `at` turns it."""

    form: Literal["ellipsoid", "cylinder", "capsule", "box"]
    size: Vector
    at: PoseEntry = PoseEntry()


class FluidEntry(Entry):
    """Fluid properties in body axes at the body origin, order (v, ω); matrices by diagonal or in full. One of
    the shapes
    gives all of them; keys beside it replace what it gives."""

    added_mass: DiagonalOrFull = 0.0
    linear_drag: DiagonalOrFull = 0.0
    quadratic_drag: DiagonalOrFull = 0.0
    volume: Number = 0.0
    centre_of_buoyancy: Vector = (0.0, 0.0, 0.0)
    fading: Six = 0.0
    flow_parts: list[FlowPartEntry] = []  # type: ignore[valid-type]
    flow_scale: Number = 1.0
    hull: HullEntry = None  # type: ignore[assignment]
    density: Number = None  # type: ignore[assignment]
    sphere: SphereFluid = None  # type: ignore[assignment]
    cylinder: CylinderFluid = None  # type: ignore[assignment]
    capsule: CylinderFluid = None  # type: ignore[assignment]
    box: BoxFluid = None  # type: ignore[assignment]
    spheroid: SpheroidFluid = None  # type: ignore[assignment]


class BodyEntry(Entry):
    """A body, and the joint at `at` on `parent` that moves it."""

    name: Name
    parent: Name
    joint: JointEntry  # type: ignore[valid-type]
    inertia: InertiaEntry
    at: PoseEntry = PoseEntry()
    visuals: list[VisualEntry] = []  # type: ignore[valid-type]
    fluid: FluidEntry = None  # type: ignore[assignment]
    joint_name: Name = None  # type: ignore[assignment]
    prescribed: bool = False


class FrameEntry(Entry):
    """A named frame fixed at `at` on the body (or the world) `parent`."""

    name: Name
    parent: Name
    at: PoseEntry = PoseEntry()


class CouplingEntry(Entry):
    """A joint that follows another: multiplier · (the leader's coordinate) + offset (rad, m). Both by body names."""

    joint: Name
    leader: Name
    multiplier: Number = 1.0
    offset: Number = 0.0


class BeamEntry(Entry):
    """A flexible beam along z: `um.flexible_beam` with these arguments (m, kg, N m²)."""

    length: Number
    mass: Number
    bending: PerDof
    elements: int = 16
    axes: Literal["both", "x", "y"] = "both"
    torsion: Number = None
    polar_inertia: Number = None
    damping: Number = 0.0
    radius: Number = None
    name: Name = "beam"


class TankEntry(Entry):
    """A tank by its type: `CylinderTank` or `SphereTank` (radius), `BoxTank` (length, width, along)."""

    type: Literal[tuple(TANKS)]  # type: ignore[valid-type]
    radius: Number = None
    length: Number = None
    width: Number = None
    along: Literal["xy", "x", "y"] = "xy"


class SloshEntry(Entry):
    """A liquid in a tank, z up from its lowest point: `um.slosh` with these arguments (m, kg/m³)."""

    tank: TankEntry
    depth: Number
    density: Number
    modes: int = 1
    model: Literal["pendulum", "spring"] = "pendulum"
    gravity: Number = None
    damping: Number = 0.0
    inertia: Vector = (0.0, 0.0, 0.0)
    name: Name = "slosh"


class MountEntry(Entry):
    """A system on a body or frame: a file or a built-in system by name (`system`), a flexible `beam`, or a liquid that
    sloshes (`slosh`). `joint` at `at` takes the place of its own joint to its world (Fixed if not given); `prefix`
    stands before all its names ("name/" of the system if not given)."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [key]} for key in GUEST_FORMS]})

    system: MeshPath = None  # type: ignore[assignment]
    beam: BeamEntry = None  # type: ignore[assignment]
    slosh: SloshEntry = None  # type: ignore[assignment]
    parent: Name
    at: PoseEntry = PoseEntry()
    joint: JointEntry = None  # type: ignore[valid-type]
    prefix: Annotated[str, Field(max_length=200)] = None  # type: ignore[assignment]
    mimic: Literal["coupled", "free", "locked"] = "coupled"
    merge_fixed: bool = False
    prescribed: bool = False


class PartEntry(Entry):
    """The record of a system that was mounted: whence bodies and frames of this file came."""

    prefix: Annotated[str, Field(max_length=200)]
    system: Name
    body: Name
    source: Annotated[str, Field(max_length=4096)] = ""
    digest: Annotated[str, Field(max_length=200)] = ""
    description: Text = ""
    sources: list[Text] = []
    assumptions: list[Text] = []


class SystemFile(Entry):
    """A vehicle–manipulator system: bodies with the joints that move them, and named frames. SI units."""

    unmoored: Version
    name: Name
    bodies: Annotated[list[BodyEntry], Field(min_length=1)]
    frames: list[FrameEntry] = []
    description: Text = ""
    sources: list[Text] = []
    assumptions: list[Text] = []
    couplings: list[CouplingEntry] = []
    mount: list[MountEntry] = []
    parts: list[PartEntry] = []


class ComposedFile(SystemFile):
    """A system file that mounts others: it need not have bodies of its own."""

    bodies: list[BodyEntry] = []
    mount: Annotated[list[MountEntry], Field(min_length=1)]  # type: ignore[misc]


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a system file, for editors that check while one types."""
    schema = _without_noise(SystemFile.model_json_schema())
    schema["required"] = [key for key in schema["required"] if key != "bodies"]
    schema["anyOf"] = [{"required": ["bodies"]}, {"required": ["mount"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "unmoored system file, version 1",
        **schema,
    }


def _without_noise(schema: Any) -> Any:
    """The schema without what only pydantic and OpenAPI use, which differs between their versions."""
    if isinstance(schema, list):
        return [_without_noise(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: _without_noise(v) for k, v in schema.items() if k not in ("title", "default", "discriminator")}
