"""What is just allowed, and what is just refused: largest numbers, longest names, rotations and inertias."""

import dataclasses
import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored.model import WORLD, Body, Frame, Tree
from unmoored.model.files import format_yaml, parse_yaml
from unmoored.model.fluid import Fluid
from unmoored.model.inertia import Inertia, positive_semidefinite, unit_axis
from unmoored.model.names import check_label, name_fault, plain_name_fault
from unmoored.model.pose import Pose
from unmoored.model.value import frozen_array

LARGEST = 1e30
BEYOND = np.nextafter(LARGEST, np.inf)


def refused(make, match):
    with pytest.raises(um.ModelError, match=match):
        make()


def array(x, shape):
    return frozen_array(x, shape, where="a", what="b")


@pytest.mark.parametrize("kind", [list, tuple, np.array], ids=["list", "tuple", "array"])
def test_numbers_go_up_to_the_largest(kind):
    assert array(kind([LARGEST, -LARGEST]), (2,)).tolist() == [LARGEST, -LARGEST]
    for bad in (BEYOND, -BEYOND):
        refused(
            lambda bad=bad: array(kind([0.0, bad]), (2,)), r"a: b: expected 2 numbers of magnitude ≤ 1e\+30"
        )
    assert array(LARGEST, ()) == LARGEST
    refused(lambda: array(BEYOND, ()), r"a: b: expected one number of magnitude ≤ 1e\+30")
    refused(lambda: array([1, 2], (3,)), r"expected 3 numbers of magnitude ≤ 1e\+30, given shape \(2,\)")


def test_names_have_up_to_200_letters_and_labels_twice_as_many():
    assert name_fault("x" * 200) is plain_name_fault("x" * 200) is None
    for fault in (name_fault, plain_name_fault):
        assert fault("x" * 201) == "1 to 200 printable characters"
    check_label("event", "name", "x" * 400)
    refused(
        lambda: check_label("event", "name", "x" * 401), "event: name: expected 1 to 400 printable characters"
    )
    assert "reserved" in name_fault(WORLD)


def test_rotations_may_be_off_by_1e_9():
    for part in (0.9, 1.1):
        q = (1.0 + part * 1e-9, 0.0, 0.0, 0.0)
        R = np.diag([1.0, 1.0, 1.0 + 0.5 * part * 1e-9])
        if part < 1:
            assert np.array_equal(Pose(quaternion_wxyz=q).rotation, np.eye(3))
            assert np.array_equal(Pose(rotation=R).rotation, R)
        else:
            refused(lambda q=q: Pose(quaternion_wxyz=q), "quaternion_wxyz: expected norm 1 to 1e-9")
            refused(lambda R=R: Pose(rotation=R), "rotation: expected a rotation: RᵀR = 1 to 1e-9")
    for angle, exact in ((0.9e-15, True), (1.2e-15, False)):
        R = Pose(rpy=(0.0, 0.0, angle)).rotation
        assert (R[1, 0] == 0.0) == exact


def test_matrices_of_inertia_may_be_off_by_1e_9_of_their_largest_entry():
    def check(part, good):
        skew, low = 4.0 * np.eye(3), np.diag([4.0, 4.0, -part * 4e-9])
        skew[0, 1] = part * 4e-9
        if good:
            np.testing.assert_array_equal(positive_semidefinite(skew, "it"), (skew + skew.T) / 2)
            np.testing.assert_array_equal(positive_semidefinite(low, "it"), low)
        else:
            refused(lambda: positive_semidefinite(skew, "it"), "it: expected a symmetric matrix")
            refused(lambda: positive_semidefinite(low, "it"), "it: expected no negative eigenvalue")
        tiny = np.diag([0.0, 0.0, -part * 2e-16])  # 2 kg with a radius of gyration of 1e-8 m
        if good:
            assert Inertia(2.0, tensor=tiny).tensor[2, 2] == tiny[2, 2]
        else:
            refused(lambda: Inertia(2.0, tensor=tiny), "tensor: expected no negative eigenvalue")

    check(0.9, True)
    check(1.1, False)
    assert Inertia(0.0).mass == Inertia.box(0.0, (0, 0, 0)).mass == 0.0


def test_impossible_inertias_are_warned_of_beyond_1e_9_of_their_largest_entry():
    def build(excess):
        b = um.SystemBuilder("one")
        b.vehicle("body", um.Free(), inertia=Inertia(1.0, tensor=(1.0, 1.0, 2.0 + excess)))
        return b.build()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(1.9e-9)
    with pytest.warns(um.ModelWarning, match="triangle inequality"):
        build(2.2e-9)


def test_axes_of_length_one_keep_their_bits():
    given = np.array([0.6, 0.8, 0.0]) * (1 + 2e-16)
    assert np.array_equal(unit_axis(given, where="a"), given)
    longer = unit_axis((0.6 * (1 + 1e-14), 0.8 * (1 + 1e-14), 0.0), where="a")
    assert abs(longer @ longer - 1.0) < 4e-16


def test_what_may_be_zero_or_equal():
    """Limits of one value, options of zero, colours from 0 to 1, drag that is not there, one fading for a full drag."""
    joint = um.Revolute((0, 0, 1), limits=(0.3, 0.3), damping=0.0, stiffness=0.0, armature=0.0, friction=0.0)
    assert joint.limits.tolist() == [[0.3], [0.3]]
    assert um.Sphere(1.0, rgba=(0.0, 1.0, 0.0, 1.0)).rgba == (0.0, 1.0, 0.0, 1.0)
    full = np.eye(6)
    full[0, 1] = full[1, 0] = 0.5
    assert Fluid(linear_drag=full, fading=2.0).fading.tolist() == [2.0] * 6
    assert Fluid(linear_drag=full, fading=[2.0] * 6).fading.tolist() == [2.0] * 6
    assert Fluid(linear_drag=np.ones(6), fading=range(6)).fading.tolist() == [0, 1, 2, 3, 4, 5]
    refused(lambda: Fluid(linear_drag=full, fading=range(6)), "fading: expected one rate for all")
    refused(lambda: Fluid(fading=[0, 0, 0, 0, 0, -1e-9]), "fading: expected ≥ 0")
    refused(lambda: Fluid(quadratic_drag=[0, 0, 0, 0, 0, -1e-9]), "quadratic_drag: expected a diagonal ≥ 0")
    assert not Fluid(quadratic_drag=0.0).quadratic_drag.any()


BODY = {"name": "b", "parent": "world", "joint": um.Free(), "inertia": Inertia(1.0)}
WRONG_TYPES = [
    (lambda x: Body(**BODY | {"joint": x}), "b: joint: expected a Joint"),
    (lambda x: Body(**BODY | {"inertia": x}), "b: inertia: expected an Inertia"),
    (lambda x: Body(**BODY, at=x), "b: at: expected a Pose"),
    (lambda x: Body(**BODY, prescribed=x), "b: prescribed: expected a bool"),
    (lambda x: Body(**BODY, fluid=x), "b: fluid: expected a Fluid"),
    (lambda x: Body(**BODY, visuals=(um.Sphere(1.0), x)), "b: visuals: expected a Visual"),
    (lambda x: Frame(name="f", parent="world", at=x), "f: at: expected a Pose"),
    (
        lambda x: Fluid(flow_parts=(um.SphereDrag(coefficient=1.0), x)),
        "Fluid: flow_parts: expected a FlowPart",
    ),
    (lambda x: Fluid(hull=x), "Fluid: hull: expected a Hull"),
    (lambda x: um.Hull("box", (1, 1, 1), at=x), "Hull: at: expected a Pose"),
    (lambda x: um.Lift(coefficient=1.0, slope=1.0, round=x), "Lift: round: expected a bool"),
    (lambda x: um.SystemBuilder.of(x), "SystemBuilder.of: system: expected a System"),
    (lambda x: um.fluid_from_visuals(x), "fluid_from_visuals: system: expected a System"),
    (lambda x: um.SystemBuilder("s").frame("f", parent=x), "f: parent: expected a str"),
    (
        lambda x: um.SystemBuilder("s").mount("tumbling_brick", "world", joint=x),
        "tumbling_brick: joint: expected a Joint",
    ),
    (
        lambda x: um.SystemBuilder("s").mount("tumbling_brick", "world", at=x),
        "tumbling_brick: at: expected a Pose",
    ),
    (
        lambda x: um.SystemBuilder("s").mount("tumbling_brick", "world", prescribed=x),
        "tumbling_brick: prescribed: expected a bool",
    ),
]


@pytest.mark.whole
@pytest.mark.parametrize(("make", "words"), WRONG_TYPES, ids=[words for _, words in WRONG_TYPES])
def test_values_of_other_types_are_refused_by_name(make, words):
    refused(lambda: make(3), f"^{words}, given int: 3$")


def test_limits_without_degrees_of_freedom_are_none_in_a_file():
    tree = Tree(name="t", bodies=(Body(**BODY | {"joint": um.Fixed(limits=((), ()))}),))
    assert "joint: {type: Fixed}\n" in format_yaml(tree)


VALUES = [
    Pose((1, 2, 3), rpy=(0.1, 0.2, 0.3)), Pose.from_matrix(np.eye(4)), Pose().inverse(),
    Inertia(2.0, (1, 0, 0), (1, 1, 1)), Inertia(1.0, full=np.eye(6)), Inertia.rod(1.0, 2.0, axis=(1, 2, 3)),
    um.Revolute((1, 2, 3), limits=(0, 1)),
    um.Planar((0, 0, 2), damping=(1, 2, 3)), um.Fluid.box((1, 2, 3)), um.Fluid(linear_drag=np.ones(6), fading=1.0),
    um.Hull("box", (1, 2, 3)), um.BoxDrag(size=(1, 2, 3), coefficient=1.0), um.Translation(2, (0, 3, 4)),
]  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_no_array_of_a_value_can_be_written(value):
    kept = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    kept |= {name: getattr(value, name) for name in ("matrix", "xyz", "rotation") if hasattr(value, name)}
    arrays = {name: x for name, x in kept.items() if isinstance(x, np.ndarray) and x.size}
    assert arrays
    for name, x in arrays.items():
        assert x.dtype == float, name
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 0.0


def test_what_is_made_by_formulas_says_what_it_assumes():
    beam = um.flexible_beam(2.0, 3.0, 7.0).tree
    assert beam.description == "flexible beam of 16 elements, 2 m"
    (said,) = beam.assumptions
    assert (
        said == "slender: no shear, no rotary inertia of the section; hinges in the middles of the elements"
    )
    liquid = um.slosh(um.CylinderTank(0.5), 0.4, 1000.0).tree
    assert liquid.description == "314.159 kg of liquid in a CylinderTank, 0.4 m deep, pendulum"
    assert liquid.assumptions == ("small waves, no swirl, Bond number far above 1",)


@pytest.mark.parametrize(("key", "most"), [("description", 10_000), ("name", 200)])
def test_texts_of_files_are_as_long_as_is_said(key, most):
    body = "{name: a, parent: world, joint: {type: Free}, inertia: {mass: 1}}"
    for length in (most, most + 1):
        head = {"name": "n", "description": "d"} | {key: "x" * length}
        text = "".join(f"{k}: {v}\n" for k, v in head.items()) + f"bodies:\n  - {body}\n"
        if length == most:
            assert len(getattr(parse_yaml("unmoored: 1\n" + text), key)) == most
        else:
            refused(lambda text=text: parse_yaml("unmoored: 1\n" + text), f": {key}: value: .*{most}")
