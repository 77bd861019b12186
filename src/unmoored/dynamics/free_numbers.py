"""Numbers of a tree that are run-time data: a study varies them without compiling anew.

A parameter is called "owner.field". The owner is a body, also for what its joint has, or a frame.

    of a body     mass (), inertia_scale () of mass and tensor, com (3), tensor (6) about the centre of mass as
                  xx, yy, zz, xy, xz, yz; xyz (3) and rpy (3) of its joint on the parent;
                  armature, damping, friction, stiffness, rest of its joint, one number for each DoF
    in water      fluid.added_mass, fluid.linear_drag, fluid.quadratic_drag (6, or 6×6 if the body's is not diagonal),
                  fluid.volume (), fluid.centre_of_buoyancy (3), fluid.fading (6), fluid.flow_scale ()
    of a frame    xyz (3), rpy (3)

Whether something is there is structure, not value: a number that is free is present even where it is zero. What a full
6×6 inertia has beyond a rigid body's stays as it is.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from math import prod
from typing import Any

import numpy as np

from ..lie import se3, so3
from ..lie.arrays import blocks, matrix
from ..lie.arrays import scale as scaled_by
from ..model import Body, Fluid, Frame, Inertia, Link, ModelError, ModelWarning, Pose, Tree
from ..model.value import LARGEST

_TENSOR = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
_DIAGONAL = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_OF_JOINTS = ("damping", "friction", "stiffness", "rest")
_OF_FLUIDS = (
    "added_mass", "linear_drag", "quadratic_drag", "volume", "centre_of_buoyancy", "fading", "flow_scale",
)  # fmt: skip
#: fields that change what the recursions compute with
OF_RECURSIONS = ("mass", "inertia_scale", "com", "tensor", "xyz", "rpy", "armature", "fluid.added_mass")
_NOT_NEGATIVE = ("≥ 0", lambda x, axes: np.all(x >= 0, axis=axes))
#: what values must keep, as (words, predicate of (..., *shape)); finite and of sane size they must be anyway
RULES: dict[str, tuple[str, Callable[[np.ndarray, tuple[int, ...]], Any]]] = {
    "mass": _NOT_NEGATIVE,
    "inertia_scale": ("> 0", lambda x, axes: x > 0),
    "tensor": ("principal moments of inertia ≥ 0", lambda x, axes: _is_tensor(x)),
    **dict.fromkeys(("armature", "friction", "rest_length"), _NOT_NEGATIVE),
    **dict.fromkeys(("damping", "stiffness"), ("≥ 0", lambda x, axes: _is_not_negative(x, axes))),
    "active": ("1 (on) or 0 (off)", lambda x, axes: (x == 0) | (x == 1)),
    **dict.fromkeys(("fluid.volume", "fluid.fading", "fluid.flow_scale"), _NOT_NEGATIVE),
    "fluid.added_mass": ("symmetric and positive semidefinite", lambda x, axes: _is_semidefinite(x, True)),
    "fluid.linear_drag": (
        "a positive semidefinite symmetric part",
        lambda x, axes: _is_semidefinite(x, False),
    ),
    "fluid.quadratic_drag": ("a diagonal ≥ 0", lambda x, axes: _has_positive_diagonal(x)),
    **dict.fromkeys(("density", "significant_height"), _NOT_NEGATIVE),
    "heading_rad": ("radians, from −2π to 2π", lambda x, axes: np.abs(x) <= 2 * np.pi),
    "peak_period": ("> 0", lambda x, axes: x > 0),
    "lag": ("> 0", lambda x, axes: x > 0),
    "limits": ("lowest ≤ highest", lambda x, axes: x[..., 0] <= x[..., 1]),
}
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Parameter:
    """One free number or array: its name, its place in the flat vector p, and the value that it was built with."""

    name: str
    field: str
    place: slice
    value: np.ndarray

    @property
    def nominal(self) -> np.ndarray:
        """The value as built, flat (n,)."""
        return self.value.reshape(-1)

    @property
    def owner(self) -> str:
        """What it belongs to, "" if it stands alone."""
        return self.name.removesuffix(self.field).removesuffix(".")

    def of(self, p: np.ndarray) -> np.ndarray:
        """Its value (..., *shape) in p (..., n), which may hold symbols."""
        flat = p[..., self.place]
        return flat.reshape((*flat.shape[:-1], *self.value.shape))[()]

    def flat(self, given: Any) -> np.ndarray:
        """A value given as (..., *shape), or with the shape flat, as (..., n), checked."""
        shape, size = self.value.shape, self.value.size
        try:
            array = np.array(given, dtype=float)
        except (TypeError, ValueError):
            raise ModelError.single(
                self.name, "value", expected=f"numbers {shape}", given=repr(given)
            ) from None
        if array.shape[array.ndim - len(shape) :] == shape:
            batch = array.shape[: array.ndim - len(shape)]
        elif array.shape[-1:] == (size,):
            batch = array.shape[:-1]
        else:
            expected = f"shape {shape} or (samples, {str(shape)[1:]}"
            raise ModelError.single(self.name, "value", expected=expected, given=f"shape {array.shape}")
        self._check(array.reshape((*batch, *shape)), len(batch))
        return array.reshape((*batch, size))

    def first_wrong(self, array: np.ndarray, batch: int) -> tuple[tuple[int, ...], str] | None:
        """(place, words) of the first of values (..., *shape), in `batch` leading dimensions, that breaks a rule."""
        axes = tuple(range(batch, array.ndim))
        rules: dict[str, Callable[[np.ndarray, tuple[int, ...]], Any]] = {
            "finite numbers": lambda x, axes: np.all(np.abs(x) <= LARGEST, axis=axes)
        }
        if self.field in RULES:
            rules[RULES[self.field][0]] = RULES[self.field][1]
        for words, holds in rules.items():
            good = np.asarray(holds(array, axes))
            if not np.all(good):
                return tuple(int(k) for k in np.argwhere(~good)[0]), words
        return None

    def _check(self, array: np.ndarray, batch: int) -> None:
        found = self.first_wrong(array, batch)
        if found is None:
            return
        bad, words = found
        which = f" (sample {bad[0]})" if bad else ""
        raise ModelError.single(self.name, f"value{which}", expected=words, given=str(array[bad].tolist()))


def _is_not_negative(x: np.ndarray, axes: tuple[int, ...]) -> Any:
    """Of numbers (..., n) all, of matrices (..., n, n) that they are symmetric and positive semidefinite."""
    return np.all(x >= 0, axis=axes) if len(axes) < 2 else _is_semidefinite(x, True)


def tree_numbers(tree: Tree) -> dict[str, tuple[str, np.ndarray]]:
    """Every number of a tree that can be free: {name: (field, value)}."""
    found: dict[str, tuple[str, np.ndarray]] = {}
    for body in tree.bodies:
        found |= {f"{body.name}.{field}": (field, x) for field, x in _of_body(body).items()}
    for frame in tree.frames:
        found |= {f"{frame.name}.{field}": (field, x) for field, x in _of_pose(frame.at.matrix).items()}
    return found


def declared(
    where: str, names: Iterable[str], known: Mapping[str, tuple[str, np.ndarray]]
) -> tuple[Parameter, ...]:
    """The parameters with these names (or that match these globs), one after the other in p."""
    found: list[Parameter] = []
    for name in _matched(where, names, known):
        if any(p.name == name for p in found):
            raise ModelError.single(where, "free", expected="different names", given=f"{name!r} twice")
        start = found[-1].place.stop if found else 0
        field, value = known[name]
        found.append(Parameter(name, field, slice(start, start + prod(value.shape)), value))
    scaled = {p.owner for p in found if p.field == "inertia_scale"}
    both = scaled & {p.owner for p in found if p.field in ("mass", "tensor")}
    if both:
        expected = "inertia_scale of a body, or its mass and tensor"
        raise ModelError.single(min(both), "free", expected=expected, given="both")
    return tuple(found)


def _matched(where: str, names: Iterable[str], known: Iterable[str]) -> list[str]:
    """The names; a glob such as "*.mass" stands for all that it matches, but for those that another name gives, and for
    the scale of an inertia whose numbers it matches too."""
    found: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise ModelError.single(where, "free", expected="names of numbers", given=repr(name))
        if any(mark in name for mark in "*?["):
            matches = [one for one in known if fnmatchcase(one, name)]
            if not matches:
                raise _unknown(where, name, known)
            scales = {
                f"{one.removesuffix('.mass')}.inertia_scale" for one in matches if one.endswith(".mass")
            }
            scales |= {
                f"{one.removesuffix('.tensor')}.inertia_scale" for one in matches if one.endswith(".tensor")
            }
            found += [one for one in matches if one not in found and one not in scales]
        elif name not in known:
            raise _unknown(where, name, known)
        else:
            found.append(name)
    return found


def _unknown(where: str, name: Any, known: Iterable[str]) -> ModelError:
    """There are hundreds of names: the nearest are told."""
    known = list(known)
    near = get_close_matches(str(name), known, n=5, cutoff=0.3) or known[:5]
    expected = f"one of {len(known)} names (available_parameters() lists them), such as {', '.join(near)}"
    return ModelError.single(where, "unknown free number", expected=expected, given=repr(name))


def with_parameters(tree: Tree, parameters: Sequence[Parameter], p: np.ndarray) -> Tree:
    """The tree with the values in p (..., n): symbols, or numbers with a batch of q and v.

    Fields are replaced and all that follows from them is derived again, unchecked. Parameters of others than bodies
    and frames are passed over.
    """
    values = _values_by_owner(tree, parameters, p)
    if values is None:
        return tree
    bodies = [_changed_body(body, values.get(body.name, {})) for body in tree.bodies]
    links = [_changed(tree.bodies[link.index], link, values.get(link.name, {})) for link in tree.links]
    changed = tree.with_links(links)
    changed.__dict__["bodies"] = tuple(bodies)
    changed.__dict__["frames"] = tuple(_changed_frame(f, values.get(f.name, {})) for f in tree.frames)
    return changed


def _values_by_owner(
    tree: Tree, parameters: Sequence[Parameter], p: np.ndarray
) -> dict[str, dict[str, np.ndarray]] | None:
    """{owner: {field: value}}, or None if no owner is a body or frame of the tree."""
    values: dict[str, dict[str, np.ndarray]] = {}
    for parameter in parameters:
        values.setdefault(parameter.owner, {})[parameter.field] = parameter.of(p)
    frames = {frame.name for frame in tree.frames}
    return values if values.keys() & {*tree.names, *frames} else None


def built_with(tree: Tree, parameters: Sequence[Parameter], p: np.ndarray) -> Tree:
    """The tree built with the values in p (n,), which are numbers: checked, and as good as any other tree."""
    values = _values_by_owner(tree, parameters, p)
    if values is None:
        return tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # the tree itself has said it
        bodies = tuple(_built_body(body, values.get(body.name, {})) for body in tree.bodies)
        placed = tuple(
            replace(f, at=Pose.from_matrix(_placed(f.at.matrix, values[f.name]))) if f.name in values else f
            for f in tree.frames
        )
        return replace(tree, bodies=bodies, frames=placed)


def _built_body(body: Body, values: Mapping[str, np.ndarray]) -> Body:
    if not values:
        return body
    changed = _changed_body(body, values)
    joint = {name: values[name] for name in (*_OF_JOINTS, "armature") if name in values}
    fluid = (
        {field.name: getattr(changed.fluid, field.name) for field in fields(Fluid)}
        if changed.fluid is not None
        else {}
    )
    I, scale = body.inertia, values.get("inertia_scale", np.ones(()))
    m, com = float(values.get("mass", scale * I.mass)), values.get("com", I.com)
    six = values.get("tensor")
    J = scale * I.tensor if six is None else np.array([[six[k] for k in row] for row in _TENSOR])
    full = None if I.is_rigid else _rigid(m, com, J) + _excess(body)
    return replace(
        body,
        inertia=Inertia(m, com, J, full=full),
        at=Pose.from_matrix(_placed(body.at.matrix, values)),
        joint=replace(body.joint, **joint) if joint else body.joint,
        fluid=Fluid(**fluid) if fluid else None,
    )


def replaced(x: Any, **fields: Any) -> Any:
    """A frozen object with other values of some fields, unchecked: they may be symbols or a batch."""
    changed = copy.copy(x)
    for name, value in fields.items():
        object.__setattr__(changed, name, value)
    return changed


def _of_body(body: Body) -> dict[str, np.ndarray]:
    I = body.inertia
    known = {
        "mass": np.asarray(I.mass),
        "inertia_scale": np.ones(()),
        "com": I.com,
        "tensor": np.array([I.tensor[i, j] for i, j in _DIAGONAL]),
        **_of_pose(body.at.matrix),
    }
    if body.joint.nv:
        known |= {field: getattr(body.joint, field) for field in ("armature", *_OF_JOINTS)}
    if body.fluid is not None:
        fluid = {f"fluid.{field}": np.asarray(getattr(body.fluid, field)) for field in _OF_FLUIDS}
        known |= {field: _six_if_diagonal(x) for field, x in fluid.items()}
    return known


def _of_pose(g: np.ndarray) -> dict[str, np.ndarray]:
    return {"xyz": se3.position(g), "rpy": so3.euler_zyx(se3.rotation(g))[::-1].copy()}


def _six_if_diagonal(x: np.ndarray) -> np.ndarray:
    is_diagonal = x.shape == (6, 6) and np.array_equal(x, np.diag(np.diag(x)))
    return np.diag(x).copy() if is_diagonal else x


def _placed(g: np.ndarray, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """The pose (4, 4) with another position or other angles."""
    rpy = values.get("rpy")
    R = se3.rotation(g) if rpy is None else so3.from_euler_zyx(rpy[..., ::-1])
    return se3.pose(R, values.get("xyz", se3.position(g)))


def _changed_frame(frame: Frame, values: Mapping[str, np.ndarray]) -> Frame:
    if not values:
        return frame
    return replaced(frame, at=replaced(frame.at, matrix=_placed(frame.at.matrix, values)))


def _changed_body(body: Body, values: Mapping[str, np.ndarray]) -> Body:
    """The body with other numbers of its fluid and joint: what worlds read of it."""
    fluid = {name.removeprefix("fluid."): x for name, x in values.items() if name.startswith("fluid.")}
    joint = {name: values[name] for name in (*_OF_JOINTS, "armature") if name in values}
    changes: dict[str, Any] = {"joint": replaced(body.joint, **joint)} if joint else {}
    if fluid:
        changes["fluid"] = _changed_fluid(body.fluid, fluid)  # type: ignore[arg-type]
    return replaced(body, **changes) if changes else body


def _changed_fluid(fluid: Fluid, values: Mapping[str, np.ndarray]) -> Fluid:
    """Six numbers stand for a diagonal, but rates of fading for themselves."""
    full = {
        name: x[..., None] * np.eye(6)
        if name != "fading" and np.shape(x)[-1:] == (6,) and np.shape(x)[-2:] != (6, 6)
        else x
        for name, x in values.items()
    }
    return replaced(fluid, **full)


def _changed(body: Body, link: Link, values: Mapping[str, np.ndarray]) -> Link:
    """The link with other numbers."""
    changes: dict[str, Any] = {}
    if "armature" in values:
        changes["armature"] = values["armature"]
    joint = {name: values[name] for name in (*_OF_JOINTS, "armature") if name in values}
    if joint:
        changes["joint"] = replaced(link.joint, **joint)
    if "xyz" in values or "rpy" in values:
        changes["placement"] = _placed(link.placement, values)
    if values.keys() & {"mass", "inertia_scale", "com", "tensor"}:
        scale = values.get("inertia_scale", 1.0)
        m = values.get("mass", scale * link.mass)
        com, tensor = values.get("com", link.com), values.get("tensor")
        J = (
            scaled_by(scale, body.inertia.tensor)
            if tensor is None
            else matrix([[tensor[..., k] for k in row] for row in _TENSOR])
        )
        changes |= {"mass": m, "com": com, "inertia": _rigid(m, com, J) + _excess(body)}
    return replace(link, **changes) if changes else link


def _rigid(m: Any, com: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Inertia (..., 6, 6) at the body's origin from the tensor J about the centre of mass."""
    c_hat = so3.hat(com)
    moment = scaled_by(m, c_hat)
    return blocks([[scaled_by(m, np.eye(3)), -moment], [moment, J - moment @ c_hat]])


def _excess(body: Body) -> np.ndarray:
    """What the inertia (6, 6) has beyond a rigid body's: exact zeros for a rigid body."""
    I = body.inertia
    return np.zeros((6, 6)) if I.is_rigid else I.matrix - _rigid(I.mass, I.com, I.tensor)


def _is_tensor(x: np.ndarray) -> Any:
    """Whether (..., 6) are moments of inertia: principal moments ≥ 0."""
    J = np.stack([np.stack([x[..., k] for k in row], axis=-1) for row in _TENSOR], axis=-2)
    λ = np.linalg.eigvalsh(J)
    return λ[..., 0] >= -_ROUNDING * np.abs(λ[..., -1])


def _is_semidefinite(x: np.ndarray, symmetric: bool) -> Any:
    """Whether matrices (..., 6, 6), or diagonals (..., 6), have a symmetric part without negative eigenvalues."""
    if x.shape[-2:] != (6, 6):
        return np.all(x >= 0, axis=-1)
    x_T = np.swapaxes(x, -1, -2)
    size = np.abs(x).max(axis=(-1, -2))
    even = np.all(np.abs(x - x_T) <= _ROUNDING * size[..., None, None], axis=(-1, -2)) if symmetric else True
    return even & (np.linalg.eigvalsh(0.5 * (x + x_T))[..., 0] >= -_ROUNDING * size)


def _has_positive_diagonal(x: np.ndarray) -> Any:
    diagonal = np.diagonal(x, axis1=-2, axis2=-1) if x.shape[-2:] == (6, 6) else x
    return np.all(diagonal >= 0, axis=-1)
