"""Building systems by hand: the README's way, and every mistake."""

import numpy as np
import pytest

import unmoored as um

BOX = um.Inertia.box(mass=2.0, size=(0.1, 0.1, 0.4))


def servicer(arms=2):
    b = um.SystemBuilder("servicer")
    bus = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(mass=200.0, size=(1, 1, 1)))
    for k in range(arms):
        upper = b.link(
            f"upper{k}", parent=bus, joint=um.Revolute((0, 0, 1)), at=um.Pose(xyz=(0, 0.5, k)), inertia=BOX
        )
        b.link(
            f"lower{k}",
            parent=f"upper{k}",
            joint=um.Revolute(axis=(1, 0, 0)),
            at=um.Pose(xyz=(0, 0, 0.4)),
            inertia=BOX,
        )
        b.frame(f"tool{k}", parent=f"lower{k}", at=um.Pose(xyz=(0, 0, 0.4)))
        assert upper.name == f"upper{k}"
    return b.build()


def test_two_arms_on_one_bus():
    system = servicer()
    assert system.names == ("bus", "upper0", "lower0", "upper1", "lower1")
    assert (system.nq, system.nv) == (16, 10)
    assert system.frames == ("tool0", "tool1")
    assert system.mass == 208.0
    J = system.jacobian(system.random_configuration(0), "tool1")
    assert J.shape == (6, 10)
    assert np.array_equal(J[:, 6:8], np.zeros((6, 2)))
    assert np.allclose(system.pose(system.neutral(), "tool1")[:3, 3], (0, 0.5, 1.8))


def test_systems_are_frozen_values():
    assert servicer() == servicer()
    assert hash(servicer()) == hash(servicer())
    assert servicer(1) != servicer(2)
    assert "servicer" in repr(servicer())
    with pytest.raises(AttributeError):
        servicer().nq = 3  # type: ignore[misc]


def test_configurations_by_name():
    system = servicer()
    g = um.lie.se3.exp(np.array([1, 2, 3, 0.1, 0.2, 0.3]))
    q = system.pack({"bus": g, "lower1": 0.5})
    parts = system.unpack(q)
    assert np.array_equal(parts["bus"], g)
    assert parts["lower1"] == 0.5
    assert parts["upper0"] == 0.0
    assert np.array_equal(system.pack(parts), q)
    v = system.pack_velocity({"bus.wz": 2.0, "upper1": -1.0})
    assert v.tolist() == [0, 0, 0, 0, 0, 2, 0, 0, -1, 0]
    assert np.array_equal(system.pack_velocity(system.unpack_velocity(v)), v)
    batch = system.pack({"upper0": np.linspace(0, 1, 5)})
    assert batch.shape == (5, 16)
    pose = um.Pose(xyz=(1, 2, 3), rpy=(0.1, 0.2, 0.3))
    assert np.array_equal(system.pack({"bus": pose}), system.pack({"bus": pose.matrix}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"hand": 1.0}, "one of bus, upper0"),
        ({"bus": 1.0}, r"\(..., 4, 4\)"),
        ({"bus": 2 * np.eye(4)}, "a pose in SE"),
        ({"lower1": um.Pose()}, "lower1: value: expected numbers"),
        ({"upper0": (1, 2)}, r"shape|expected"),
    ],
)
def test_wrong_configurations_are_refused(values, words):
    if "upper0" in values:
        assert servicer().pack(values).shape == (2, 16)  # two samples, not two coordinates
        return
    with pytest.raises(um.ModelError, match=words):
        servicer().pack(values)


def test_what_is_no_number_names_its_joint():
    system = servicer(1)
    for pack in (system.pack, system.pack_velocity):
        with pytest.raises(um.ModelError, match="upper0: value: expected numbers, given 'straight'"):
            pack({"upper0": "straight"})


def test_velocity_given_twice_is_refused():
    with pytest.raises(um.ModelError, match="given twice"):
        servicer().pack_velocity({"bus": np.zeros(6), "bus.vx": 1.0})


def test_wrong_shapes_name_the_argument():
    system = servicer()
    with pytest.raises(
        um.ModelError, match=r"servicer: q: expected shape \(\.\.\., 16\), given shape \(3,\)"
    ):
        system.pose(np.zeros(3), "tool0")
    with pytest.raises(um.ModelError, match="dq"):
        system.retract(system.neutral(), 1.0)
    with pytest.raises(um.ModelError, match="one of tool0, tool1, bus"):
        system.pose(system.neutral(), "hand")
    with pytest.raises(um.ModelError, match="backend"):
        system.pose(system.neutral(), "bus", backend="fortran")


@pytest.mark.parametrize("backend", [None, "numpy"])
def test_batches_that_do_not_fit_together_are_named(backend):
    system = servicer(1)
    q, v = np.tile(system.neutral(), (3, 1)), np.zeros((2, system.nv))
    with pytest.raises(um.ModelError, match=r"batch: expected leading .* given q \(3, 14\), v \(2, 8\), tau"):
        system.forward_dynamics(q, v, v, backend=backend)
    with pytest.raises(um.ModelError, match=r"wrenches\['tool0'\] \(2, 6\)"):
        system.forward_dynamics(q, v[0], v[0], wrenches={"tool0": np.zeros((2, 6))}, backend=backend)


@pytest.mark.parametrize("convert", [lambda q: q.astype(str), lambda q: q + 0j, lambda q: None])
def test_what_is_no_real_number_is_refused(convert):
    system = servicer(1)
    with pytest.raises(um.ModelError, match=r"q: expected numbers of shape \(..., 14\)"):
        system.mass_matrix(convert(system.neutral()))


@pytest.mark.parametrize("argument", ["v", "tau", "gravity"])
def test_what_would_only_change_the_bias_is_refused_without_it(argument):
    system = servicer(1)
    value = {argument: np.zeros(3 if argument == "gravity" else system.nv)}
    with pytest.raises(um.ModelError, match=f"{argument}: expected only with bias=True"):
        system.generalized_jacobian(system.neutral(), "tool0", passive=["bus"], **value)
    with pytest.raises(um.ModelError, match=f"{argument}: expected only with bias=True"):
        system.disturbance_jacobian(system.neutral(), passive=["bus"], **value)


def test_without_gravity_the_potential_is_plain_zero():
    system = servicer(1)
    energy = system.energy(system.random_configuration(0), np.ones(system.nv))
    assert energy.potential == 0.0
    assert not np.signbit(energy.potential)


def test_builder_refuses_at_once():
    b = um.SystemBuilder("s")
    bus = b.vehicle("bus", um.Free(), inertia=BOX)
    with pytest.raises(um.ModelError, match="arm: unknown parent: expected one of world, bus, given 'buss'"):
        b.link("arm", parent="buss", joint=um.Revolute((0, 0, 1)), inertia=BOX)
    with pytest.raises(um.ModelError, match="name used twice"):
        b.link("bus", parent=bus, joint=um.Revolute((0, 0, 1)), inertia=BOX)
    with pytest.raises(um.ModelError, match="a handle of the builder"):
        um.SystemBuilder("other").link("arm", parent=bus, joint=um.Revolute((0, 0, 1)), inertia=BOX)
    with pytest.raises(um.ModelError, match="at least one body"):
        um.SystemBuilder("empty").build()


def test_a_joint_without_inertia_behind_it_is_named():
    b = um.SystemBuilder("s")
    b.vehicle("bus", um.Free(), inertia=BOX)
    b.link("ghost", parent="bus", joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.zero())
    with pytest.raises(um.ModelError, match="ghost: no inertia behind the joint"):
        b.build()


def test_massless_bodies_that_carry_others_and_armature_are_fine():
    b = um.SystemBuilder("s")
    b.vehicle("rail", um.Prismatic((1, 0, 0)), inertia=um.Inertia.zero())
    b.link("cart", parent="rail", joint=um.Prismatic((0, 1, 0)), inertia=um.Inertia.point(1.0))
    b.link("rotor", parent="cart", joint=um.Revolute((0, 0, 1), armature=0.1), inertia=um.Inertia.zero())
    assert b.build().nv == 3
    b.link("point", parent="cart", joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.point(1.0, (0, 0, 1)))
    with pytest.raises(um.ModelError, match="point: no inertia"):
        b.build()


def test_several_vehicles_must_be_told_apart():
    b = um.SystemBuilder("pair")
    b.vehicle("a", um.Free(), inertia=BOX)
    b.vehicle("b", um.Planar(), inertia=BOX)
    system = b.build()
    assert system.vehicles == ("a", "b")
    with pytest.raises(um.ModelError, match="one of a, b"):
        system.base_jacobian(system.neutral(), "b")
    assert system.base_jacobian(system.neutral(), "b", vehicle="a").shape == (6, 9)


def test_systems_and_sets_of_nothing():
    """No DoF at all, everything passive, nothing passive: shapes with zeros, not errors."""
    b = um.SystemBuilder("post")
    b.vehicle("post", um.Fixed(), inertia=BOX)
    b.frame("top", parent="post", at=um.Pose(xyz=(0, 0, 1)))
    post = b.build()
    q = post.neutral()
    assert np.array_equal(post.pose(q, "top")[:3, 3], (0, 0, 1))
    assert post.mass_matrix(q).shape == (0, 0)
    assert post.jacobian(q, "top").shape == (6, 0)
    assert post.forward_dynamics(q, np.zeros(0), np.zeros(0)).shape == (0,)
    system = servicer()
    q = system.neutral()
    assert system.disturbance_jacobian(q, passive=system.names).shape == (10, 0)
    assert system.disturbance_jacobian(q, passive=[]).shape == (0, 10)
    assert system.generalized_jacobian(q, "tool0", passive=[]).shape == (6, 10)


def test_who_follows_does_as_its_leader_unless_told_otherwise():
    b = um.SystemBuilder("hand")
    palm = b.vehicle("palm", um.Free(), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    for name in ("left", "right", "third"):
        b.link(name, parent=palm, joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.box(1.0, (1, 1, 1)))
    assert b.mimic("right", "left") == um.Mimic("right", "left", 1.0, 0.0)
    assert b.mimic("third", "left", -2.0, 0.3) == um.Mimic("third", "left", -2.0, 0.3)
    assert b.build().couplings == (um.Mimic("right", "left"), um.Mimic("third", "left", -2.0, 0.3))


def test_batches_of_sets_of_nothing():
    """Every result has the batch, and the zeros, that the method in NumPy gives it; a plant without states, too."""
    system, rng = servicer(), np.random.default_rng(1)
    q = np.stack([system.random_configuration(rng) for _ in range(3)])
    v, tau = rng.normal(size=(2, 3, system.nv))
    assert system.disturbance_jacobian(q, passive=system.names).shape == (3, 10, 0)
    assert system.disturbance_jacobian(q, passive=[]).shape == (3, 0, 10)
    with pytest.raises(um.ModelError, match=r"q\[0\]: expected a number, given nan"):
        system.disturbance_jacobian(np.nan * q[0], passive=[])
    plant = um.Plant(system)
    for args in ((q[0], v[0], tau[0]), (q, v, tau)):
        for _ in range(2):  # by the checked way, and by the short one
            ours = plant.step(0.0, *args, 0.01)
            theirs = plant.step(0.0, *args, 0.01, backend="numpy")
            assert ours.x.shape == (*args[0].shape[:-1], 0)
            for x, y in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(x, y, atol=1e-12)
