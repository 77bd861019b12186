"""Joints that follow others: checked, saved, read, let free or locked; and the nearest inertia of a real body."""

import numpy as np
import pytest

import unmoored as um
from unmoored.model import Body, Free, Inertia, Mimic, ModelError, Prismatic, Revolute, Tree
from unmoored.model.files import format_urdf, format_yaml, parse_urdf, parse_yaml
from unmoored.model.inertia import nearest_tensor


def finger(name, parent="hand", joint=None, **options):
    joint = joint or Prismatic((0, 1, 0), limits=(0.0, 0.04))
    return Body(name=name, parent=parent, joint=joint, inertia=Inertia.sphere(0.1, 0.02), **options)


HAND = Body(name="hand", parent="world", joint=um.Fixed(), inertia=Inertia.sphere(1.0, 0.1))
LEFT, RIGHT = finger("left", joint_name="left_joint"), finger("right", joint_name="right_joint")
TIP = finger("tip", "right", Revolute((0, 0, 1)))
COUPLINGS = (Mimic("right", "left", -2.0, 0.01), Mimic("tip", "right", 3.0, 0.5))


def hand(*couplings):
    return Tree(name="hand", bodies=(HAND, LEFT, RIGHT, TIP), couplings=couplings)


@pytest.mark.parametrize(
    ("couplings", "words"),
    [
        ([Mimic("right", "nobody")], "right: mimic leader: expected the name of a body"),
        ([Mimic("hand", "left")], "one degree of freedom"),
        ([Mimic("right", "left"), Mimic("right", "tip")], "right: mimic: expected one leader"),
        (
            [Mimic("right", "right")],
            "right: mimic: expected joints that do not follow themselves, given right follows",
        ),
        ([Mimic("right", "tip"), Mimic("tip", "right")], "tip: mimic: .*given tip follows itself"),
    ],
)
def test_couplings_that_make_no_sense_are_refused(couplings, words):
    with pytest.raises(ModelError, match=words):
        hand(*couplings)


@pytest.mark.parametrize("value", [np.inf, float("nan"), "1", True, None])
def test_multipliers_and_offsets_are_numbers(value):
    with pytest.raises(ModelError, match="finite number"):
        Mimic("a", "b", multiplier=value)


def test_couplings_are_saved_and_read_back():
    tree = hand(*COUPLINGS)
    assert parse_yaml(format_yaml(tree)) == tree
    again = parse_urdf(format_urdf(tree))
    assert again.couplings == COUPLINGS
    assert um.System(tree).couplings == COUPLINGS
    assert tree.digest != hand().digest


def test_a_wrong_leader_in_a_file_is_told_with_its_line():
    text = format_yaml(hand(*COUPLINGS)).replace("leader: left", "leader: nobody")
    with pytest.raises(ModelError, match="mimic leader") as error:
        parse_yaml(text)
    line = next(i for i, row in enumerate(text.splitlines(), 1) if "nobody" in row)
    assert error.value.problems[0].location == f"<text>:{line}"
    urdf = format_urdf(hand(*COUPLINGS)).replace('mimic joint="left_joint"', 'mimic joint="nobody"')
    with pytest.raises(ModelError, match="the name of a joint"):
        parse_urdf(urdf)


def test_loading_couples_aloud_frees_or_locks(tmp_path):
    path = tmp_path / "hand.urdf"
    path.write_text(format_urdf(hand(*COUPLINGS)), encoding="utf-8")
    with pytest.warns(um.ModelWarning, match="joints that follow others"):
        assert um.load(path).couplings == COUPLINGS
    assert um.load(path, mimic="coupled").nv == 3
    free = um.load(path, mimic="free")
    assert (free.nv, free.couplings) == (3, ())
    locked = um.load(path, mimic="locked")
    assert (locked.nv, locked.couplings) == (1, ())
    # with the leader at zero the followers stand at their offsets: 0.01 m, and 3·0.01 + 0.5 rad
    g = locked.pose(locked.neutral(), "tip")
    np.testing.assert_allclose(g[:3, 3], (0, 0.01, 0), atol=1e-15)
    np.testing.assert_allclose(np.arctan2(g[1, 0], g[0, 0]), 0.53, atol=1e-15)
    coupled = um.load(path, mimic="coupled")
    q = coupled.pack({"left": 0.0, "right": 0.01, "tip": 0.53})
    np.testing.assert_allclose(coupled.pose(q, "tip"), g, atol=1e-15)
    assert um.load(path, mimic="locked", merge_fixed=True).names == ("hand", "left")
    with pytest.raises(ModelError, match="one of coupled, free, locked"):
        um.load(path, mimic="bound")


def test_a_plant_does_not_ignore_couplings():
    plant = um.Plant(um.System(hand(*COUPLINGS)))
    assert plant.speed_names == ("left",)
    q = plant.configuration(0.0, np.array([0.02, 9.0, 9.0]))
    np.testing.assert_allclose(q, [0.02, -0.03, 0.41], atol=1e-15)


def test_couplings_go_with_their_parts():
    free = Tree(
        name="hand",
        bodies=(Body(**(vars_of(HAND) | {"joint": Free()})), LEFT, RIGHT),
        couplings=COUPLINGS[:1],
    )
    system = um.System(free)
    q, v = system.neutral(), np.zeros(system.nv)
    joined = system.join(q, v, system, q, v, frame="right", prefix="guest")
    assert [c.joint for c in joined.system.couplings] == ["right", "guest/right"]
    assert joined.system.couplings[1].leader == "guest/left"
    parts = joined.system.release(joined.q, joined.v, "guest/hand", prefix="guest")
    assert parts.system.couplings == parts.released.couplings == COUPLINGS[:1]
    with pytest.raises(ModelError, match="right follows left"):
        system.release(q, v, "right")


def vars_of(body):
    return {
        name: getattr(body, name) for name in ("name", "parent", "joint", "inertia", "at", "visuals", "fluid")
    }


def test_the_nearest_inertia_is_real_and_nearest():
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    for moments in (
        [-0.1, 1.0, 1.2],
        [0.1, 0.2, 5.0],
        [-1.0, -2.0, -3.0],
        [0.0, 0.0, 1.0],
        [-1e-6, 0.5, 0.5],
        [1.8, 0.2, -1.5],
    ):
        given = axes @ np.diag(moments) @ axes.T
        found = nearest_tensor(given)
        a, b, c = np.linalg.eigvalsh(found)
        assert a >= -1e-15
        assert c <= a + b + 1e-14
        # no point of a dense sample of real tensors with any axes is nearer
        best = np.linalg.norm(found - given)
        for _ in range(3000):
            s = rng.exponential(size=3) * rng.choice([0.0, 0.3, 1.0, 3.0], size=3)
            turned = np.linalg.qr(rng.normal(size=(3, 3)))[0] if rng.uniform() < 0.5 else axes
            real = turned @ np.diag(s.sum() - s) @ turned.T
            assert np.linalg.norm(real - given) >= best - 1e-12
    real = np.diag([1.0, 1.0, 1.5])
    assert nearest_tensor(real) is real
