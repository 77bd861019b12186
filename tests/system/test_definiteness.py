"""A joint with no inertia behind it is refused; trees that surely have some are not computed."""

from dataclasses import replace

import numpy as np
import pytest
from tests.support.random_trees import random_tree
from tests.support.thinning import one_in

import unmoored as um
from unmoored.model import Inertia, ModelError
from unmoored.system import definiteness

TURNING = ("Revolute", "Spherical", "Fixed")
ALL = (*TURNING, "Free", "Prismatic", "Helical", "Universal", "Planar", "Cylindrical")


def refused(tree, monkeypatch, quickly):
    """Names of the joints with no inertia behind them; quickly: where that is clear, without computing."""
    with monkeypatch.context() as patch:
        if not quickly:
            patch.setattr(definiteness, "_surely_definite", lambda tree: False)
        try:
            definiteness.check_definite(tree)
        except ModelError as error:
            return [problem.where for problem in error.problems]
    return []


@pytest.mark.whole
@pytest.mark.parametrize("seed", one_in(5, range(12)))
@pytest.mark.parametrize("kinds", [TURNING, ALL], ids=["turning", "all"])
def test_what_is_surely_definite_is_definite(monkeypatch, kinds, seed):
    """With all bodies, without the inertia of some, and with hardly any: the same joints are refused both ways."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, ("Free", *rng.choice(kinds, 7)), branching=bool(seed % 2))
    clear = definiteness._surely_definite(tree)
    if kinds == TURNING:
        assert clear
    for scale in (1.0, 0.0, 1e-15, 1e-6):
        without = set(rng.choice(tree.names, 3))
        bodies = tuple(
            replace(b, inertia=scaled(b.inertia, scale)) if b.name in without else b for b in tree.bodies
        )
        other = replace(tree, bodies=bodies)
        assert refused(other, monkeypatch, True) == refused(other, monkeypatch, False)
        if definiteness._surely_definite(other):
            system = um.System(other)
            q = np.stack([system.random_configuration(rng) for _ in range(4)])
            assert np.linalg.eigvalsh(system.mass_matrix(q)).min() > 0.0


def scaled(inertia, scale):
    full = None if inertia.full is None else scale * inertia.full
    return Inertia(scale * inertia.mass, inertia.com, scale * inertia.tensor, full)


def test_a_body_without_inertia_at_the_end_is_refused():
    builder = um.SystemBuilder("light")
    builder.vehicle("bus", um.Free(), inertia=Inertia.box(10.0, (1, 1, 1)))
    builder.link("empty", parent="bus", joint=um.Revolute((0, 0, 1)), inertia=Inertia.zero())
    with pytest.raises(um.ModelError, match="empty: no inertia behind the joint"):
        builder.build()


@pytest.mark.parametrize(
    "joint", [um.Planar(), um.Free(), um.Schoenflies((0, 0, 1)), um.PlanarHelical((0, 0, 1), 0.2)]
)
def test_a_point_of_mass_that_may_turn_about_itself_is_refused(joint):
    """Each DoF feels inertia alone: all of them together do not. With a second point none is at rest."""

    def build(*places):
        builder = um.SystemBuilder("points")
        puck = builder.vehicle("puck", joint, inertia=Inertia.point(2.0, places[0]))
        for k, place in enumerate(places[1:]):
            inertia = Inertia.point(1.0, place)
            builder.link(f"point{k}", parent=puck, joint=um.Fixed(), inertia=inertia)
        return builder.build()

    helical = isinstance(joint, um.PlanarHelical)  # it lifts what it turns
    if helical:
        assert build((0.3, 0.4, 0.1)).nv == 3
    else:
        with pytest.raises(um.ModelError, match="puck: no inertia behind the joint"):
            build((0.3, 0.4, 0.1))
    assert build((0.3, 0.4, 0.1), (-0.3, 0.2, 0.5), (0.1, -0.7, 0.2)).nv == joint.nv


@pytest.mark.whole
@pytest.mark.parametrize(
    ("held", "free", "feels"),
    [
        (um.Prismatic((1, 0, 0)), um.Planar(), False),
        (um.Prismatic((0.6, 0.8, 0)), um.Planar(), False),
        (um.Prismatic((0, 0, 1)), um.Planar(), True),
        (um.Revolute((0, 0, 1)), um.Planar(), False),
        (um.Revolute((1, 0, 0)), um.Planar(), True),
        (um.Revolute((0, 0.6, 0.8)), um.Spherical(), False),
        (um.Prismatic((1, 0, 0)), um.Spherical(), True),
        (um.Helical((0, 0, 1), 0.3), um.Cylindrical((0, 0, 1)), False),
        (um.Helical((0, 0, 1), 0.3), um.Revolute((0, 0, 1)), True),
        (um.Helical((0, 0.6, 0.8), 0.3), um.Schoenflies((0, 0.6, 0.8)), False),
    ],
)
def test_what_a_joint_carries_is_felt_unless_it_can_stay_where_it_is(held, free, feels):
    """A massless body, and on it one of any shape whose own joint may or may not undo the motion of the first."""
    builder = um.SystemBuilder("two")
    first = builder.vehicle("first", held, inertia=Inertia.zero())
    body = Inertia(3.0, (0.3, -0.2, 0.1), np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.0]]))
    builder.link("second", parent=first, joint=free, inertia=body)
    if feels:
        assert builder.build().nv == held.nv + free.nv
    else:
        with pytest.raises(um.ModelError, match="first: no inertia behind the joint") as caught:
            builder.build()
        assert [problem.where for problem in caught.value.problems] == ["first"]


def sliders(share):
    """A slider of that share of the mass of another one that it carries along the same axis."""
    builder = um.SystemBuilder("sliders")
    outer = builder.vehicle("outer", um.Prismatic((1, 0, 0)), inertia=Inertia.point(3.0 * share))
    builder.link("inner", parent=outer, joint=um.Prismatic((1, 0, 0)), inertia=Inertia.point(3.0))
    return builder


def test_what_a_joint_feels_is_judged_beside_what_it_would_feel_of_all_that_it_carries():
    """The inner slider rests by itself: the outer one feels its own mass, of the 3 kg more that it could feel."""
    assert sliders(1.02 * definiteness._SMALLEST).build().nv == 2
    with pytest.raises(um.ModelError, match="outer: no inertia behind the joint"):
        sliders(0.98 * definiteness._SMALLEST).build()


def test_what_counts_as_sure_has_the_bound_that_is_written_there():
    """n² Σ |I| ((1 + d)² + 1) with all as far as the farthest: 3 m on from 5 m; n² = 1 + pitch²; ten times it."""
    ball, pitch = Inertia.sphere(4.0, 0.2), 0.7
    most = (1.0 + pitch**2) * 3 * (3 * 4.0 + 3 * ball.tensor[0, 0]) * ((1.0 + 5.0 + 3.0) ** 2 + 1.0)
    least = definiteness._CLEARLY * definiteness._SMALLEST * most

    def tree(own):
        builder = um.SystemBuilder("chain")
        screw = builder.vehicle(
            "screw", um.Helical((0, 0, 1), pitch), inertia=Inertia(1e-30, (0, 0, 0), own * np.eye(3))
        )
        arm = builder.link("arm", parent=screw, joint=um.Fixed(), at=um.Pose((3.0, 4.0, 0.0)), inertia=ball)
        builder.link("hand", parent=arm, joint=um.Fixed(), at=um.Pose((0, 0, 3.0)), inertia=ball)
        builder.link("near", parent=screw, joint=um.Fixed(), at=um.Pose((0, 1.0, 0)), inertia=ball)
        return builder.build().tree

    assert definiteness._surely_definite(tree(1.001 * least))
    assert not definiteness._surely_definite(tree(0.999 * least))


def test_of_joints_with_several_dofs_the_least_inertia_is_sure_and_the_largest_armature_counts():
    def tree(tensor, armature=(0.0, 0.0, 0.0)):
        builder = um.SystemBuilder("ball")
        joint = um.Spherical(armature=armature)
        builder.vehicle("ball", joint, inertia=Inertia(0.1, (0, 0, 0), np.diag(tensor)))
        return builder.build().tree

    limit = definiteness._CLEARLY * definiteness._SMALLEST * 2 * (0.3 + 4.0)  # n = 1, d = 0
    assert definiteness._surely_definite(tree((2.0, 2.0, 1.01 * limit)))
    assert not definiteness._surely_definite(tree((2.0, 2.0, 0.99 * limit)))
    for mass, size in ((1.0, 1e-14), (1e-14, 1.0)):  # two DoFs, whichever comes first
        builder = um.SystemBuilder("nut")
        nut = Inertia(mass, (0, 0, 0), size * np.eye(3))
        builder.vehicle("nut", um.Cylindrical((0, 0, 1)), inertia=nut)
        assert not definiteness._surely_definite(builder.build().tree)
    assert definiteness._surely_definite(tree((1.0, 1.0, 1.0), (0.0, 0.9e11, 0.0)))
    assert not definiteness._surely_definite(tree((1.0, 1.0, 1.0), (0.0, 1.1e11, 0.0)))


def test_a_long_chain_is_judged_without_computing(monkeypatch):
    monkeypatch.setattr(definiteness, "crossings", lambda *_: pytest.fail("computed"))
    builder = um.SystemBuilder("long")
    parent = builder.vehicle("bus", um.Free(), inertia=Inertia.box(10.0, (1, 1, 1))).name
    for k in range(300):
        at, inertia = um.Pose((0.3, 0, 0)), Inertia.box(1.0, (0.3, 0.1, 0.1))
        builder.link(f"link{k}", parent=parent, joint=um.Revolute(np.eye(3)[k % 3]), at=at, inertia=inertia)
        parent = f"link{k}"
    assert builder.build().nv == 306
