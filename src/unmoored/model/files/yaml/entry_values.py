"""Entries of a system file → values of the model."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from ...body import Body
from ...errors import ModelError
from ...flow_parts import FLOW_PARTS, FlowPart
from ...fluid import Fluid
from ...hull import Hull
from ...inertia import Inertia
from ...joints import JOINTS, Fixed, Joint
from ...made import TANKS, Tank, beam_tree, slosh_tree
from ...pose import Pose
from ...tree import Tree
from .guest_files import GuestFiles
from .schema import (
    FLUID_FORMS,
    GUEST_FORMS,
    INERTIA_FORMS,
    Entry,
    FluidEntry,
    InertiaEntry,
    MountEntry,
    PoseEntry,
    TankEntry,
)


def options_of(entry: Entry) -> dict[str, Any]:
    """The keys that an entry gives, but `type`."""
    return {key: value for key, value in entry.given().items() if key != "type"}


def pose_of(entry: PoseEntry) -> Pose:
    """A pose."""
    return Pose(**entry.given())


def joint_of(entry: Any) -> Joint:
    """A joint, by its type; Fixed if there is no entry."""
    return JOINTS[entry.type](**options_of(entry)) if entry else Fixed()


def guest_of(entry: MountEntry, files: GuestFiles) -> tuple[Tree, str]:
    """What is mounted, and whence it is: from a file, built in, or made by a formula."""
    given = entry.given()
    forms = [form for form in GUEST_FORMS if form in given]
    if len(forms) != 1:
        expected = f"just one of {', '.join(GUEST_FORMS)}"
        rule = "form" if forms else "missing key"
        raise ModelError.single("mount", rule, expected=expected, given=", ".join(forms) or "none")
    if forms[0] == "system":
        return files.tree(entry.system, entry.mimic, entry.merge_fixed), entry.system
    for key in ("mimic", "merge_fixed"):
        if key in given:
            raise ModelError.single(
                "mount", key, expected="only with a file or built-in system", given=forms[0]
            )
    if forms[0] == "beam":
        return beam_tree(**entry.beam.given()), "flexible_beam"
    options: dict[str, Any] = entry.slosh.given()
    options["tank"] = _tank(options["tank"])
    return slosh_tree(**options), "slosh"


def _tank(entry: TankEntry) -> Tank:
    kind, given = TANKS[entry.type], options_of(entry)
    known = [field.name for field in fields(kind)]
    for key in given:
        if key not in known:
            raise ModelError.single(entry.type, "tank", expected=f"keys among {', '.join(known)}", given=key)
    for key in kind.sizes:
        if key not in given:
            raise ModelError.single(entry.type, key, expected="a number (m)", given="none")
    return kind(**given)


def inertia_of(entry: InertiaEntry) -> Inertia:
    """An inertia, from its numbers or from one of the solids."""
    given = entry.given()
    forms = [form for form in INERTIA_FORMS if form in given]
    if len(forms) == len(given) == 1:
        return getattr(Inertia, forms[0])(**given[forms[0]].given())
    if forms or "mass" not in given:
        expected = f"mass (with com, tensor, full), or just one of {', '.join(INERTIA_FORMS)}"
        raise ModelError.single(
            "inertia", "form", expected=expected, given=", ".join(sorted(given)) or "nothing"
        )
    return Inertia(**given)


def fluid_of(entry: FluidEntry | None) -> Fluid | None:
    """A fluid, from its numbers or from one of the shapes with some numbers replaced."""
    if entry is None:
        return None
    given = entry.given()
    forms = [form for form in FLUID_FORMS if form in given]
    if len(forms) > 1:
        expected = f"at most one of {', '.join(FLUID_FORMS)}"
        raise ModelError.single("fluid", "form", expected=expected, given=", ".join(forms))
    shaped = getattr(Fluid, forms[0])(**_placed(given.pop(forms[0]))) if forms else Fluid()
    if "flow_parts" in given:
        given["flow_parts"] = tuple(map(_flow_part, given["flow_parts"]))
    if "hull" in given:
        given["hull"] = Hull(**_placed(given["hull"]))
    return replace(shaped, **given)


def stand_in(name: str, parent: str) -> Body | None:
    """A body that only has its place in the tree."""
    try:
        return Body(name=name, parent=parent, joint=Fixed(), inertia=Inertia.zero())
    except ModelError:
        return None


def _flow_part(entry: Any) -> FlowPart:
    return FLOW_PARTS[entry.type](**_placed(entry))


def _placed(entry: Entry) -> dict[str, Any]:
    """The keys that an entry gives, with its pose made."""
    options = options_of(entry)
    return options | {"at": pose_of(options["at"])} if "at" in options else options
