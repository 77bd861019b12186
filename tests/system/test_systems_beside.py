"""`System.beside`: two systems in one world move as alone, an arm on a vehicle as if built there."""

import numpy as np
import pytest

import unmoored as um

BOX = um.Inertia.box(2.0, (0.3, 0.2, 0.1))
ROD = um.Inertia(mass=1.0, com=(0.2, 0.05, 0), tensor=np.diag([0.01, 0.02, 0.02]))
AT = um.Pose(xyz=(0.1, -0.2, 0.3), rpy=(0.3, -0.4, 0.5))
PLACE = um.Pose(xyz=(0.05, 0.02, 0.1), rpy=(0.1, 0.2, -0.3))


def arm():
    b = um.SystemBuilder("arm")
    upper = b.link("upper", parent="world", joint=um.Revolute((0, 0, 1)), at=PLACE, inertia=ROD)
    lower = b.link(
        "lower", parent=upper, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.4, 0, 0)), inertia=ROD
    )
    b.frame("hand", parent=lower, at=um.Pose(xyz=(0.3, 0, 0)))
    b.frame("bolt", parent="world", at=um.Pose(xyz=(0.2, 0, 0)))
    return b.build()


def bus():
    b = um.SystemBuilder("bus")
    b.frame("port", parent=b.vehicle("bus", um.Free(), inertia=BOX), at=AT)
    return b.build()


def test_an_arm_on_a_vehicle_is_as_if_built_there():
    mounted = bus().beside(arm(), prefix="left", on="port", at=PLACE)
    b = um.SystemBuilder("whole")
    hull = b.vehicle("bus", um.Free(), inertia=BOX)
    upper = b.link("upper", parent=hull, joint=um.Revolute((0, 0, 1)), at=AT @ PLACE @ PLACE, inertia=ROD)
    lower = b.link(
        "lower", parent=upper, joint=um.Revolute((0, 1, 0)), at=um.Pose(xyz=(0.4, 0, 0)), inertia=ROD
    )
    b.frame("hand", parent=lower, at=um.Pose(xyz=(0.3, 0, 0)))
    b.frame("bolt", parent=hull, at=AT @ PLACE @ um.Pose(xyz=(0.2, 0, 0)))
    built = b.build()
    q = built.random_configuration(np.random.default_rng(1))
    assert mounted.names == ("bus", "left/upper", "left/lower")
    for frame in ("hand", "bolt"):
        np.testing.assert_allclose(mounted.pose(q, f"left/{frame}"), built.pose(q, frame), atol=1e-14)
    np.testing.assert_allclose(mounted.mass_matrix(q), built.mass_matrix(q), atol=1e-14)


def test_on_the_world_both_move_as_alone():
    rng = np.random.default_rng(2)
    both = bus().beside(arm(), at=AT)
    q = both.random_configuration(rng)
    v, τ = rng.normal(size=8), rng.normal(size=8)
    a = both.forward_dynamics(q, v, τ, gravity=(0.3, -1.0, -9.0))
    own = bus().forward_dynamics(q[:12], v[:6], τ[:6], gravity=(0.3, -1.0, -9.0))
    np.testing.assert_allclose(a[:6], own, atol=1e-12)
    turned = AT.matrix[:3, :3].T @ np.array([0.3, -1.0, -9.0])  # the arm sees a turned world
    np.testing.assert_allclose(
        a[6:], arm().forward_dynamics(q[12:], v[6:], τ[6:], gravity=turned), atol=1e-12
    )


def test_joints_that_follow_others_and_prefixes_within_prefixes_are_kept():
    twice = bus().beside(bus().beside(arm(), prefix="a", on="bus"), prefix="b", on="port")
    assert twice.names == ("bus", "b/bus", "b/a/upper", "b/a/lower")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on": "nowhere"}, "unknown frame or body: expected one of port, bus"),
        ({"prefix": ""}, "printable characters"),
        ({"at": (1, 2, 3)}, "a Pose, or None"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(um.ModelError) as told:
        bus().beside(arm(), **options)
    assert words in str(told.value)


def test_equal_names_are_refused():
    one = bus().beside(arm(), prefix="left")
    with pytest.raises(um.ModelError):
        one.beside(arm(), prefix="left")
    with pytest.raises(um.ModelError, match="a System"):
        bus().beside("arm")
