"""Thrusters that turn: to the nearest thrust of a polygon, the shorter way, and hardly for nearly nothing."""

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.control.test_sharing_out import Push

import unmoored as um
from unmoored.control.allocation.azimuths import polygon, turned_angle
from unmoored.worlds import Seen


def buoy(**bow):
    """A body on the plane with a thruster across it, and one that turns, both at its centre."""
    b = um.SystemBuilder("buoy")
    b.vehicle("buoy", um.Planar(), inertia=um.Inertia.box(mass=100.0, size=(2, 2, 1)))
    across = um.Thruster("buoy", direction=(0, 1, 0), name="across", limits=bow.get("limits", (-4.0, 4.0)))
    turning = um.Thruster("buoy", azimuth=(0, 0, 1), name="turning", limits=(0.0, 10.0))
    return um.Plant(b.build(), actuators=[across, turning])


STUCK = buoy(limits=(0.0, 0.0))


def first_inputs(plant, forces, turn_rate=1e3, regularization=1e-6, **options):
    """Those of the first control period, which is long enough for all turns but where `turn_rate` says else."""
    options |= {"turn_rate": turn_rate, "regularization": regularization}
    law = um.Allocated(plant, Push(np.asarray(forces)), **options)
    q, v = plant.system.neutral(), np.zeros(3)
    return law(Seen(0.0, q, v, period=1.0), {"allocation.angles": np.zeros(1)})[0]


def nearest(forces, weights):
    """The nearest thrust (along, across) in a polygon with sixteen corners, one side of which looks along x."""
    normals = np.exp(1j * np.arange(16) * np.pi / 8)
    sides = np.column_stack([normals.real, normals.imag])
    room = {"type": "ineq", "fun": lambda f: 10.0 * np.cos(np.pi / 16) - sides @ f, "jac": lambda f: -sides}
    distance = lambda f: ((weights * (f - forces)) ** 2).sum()  # noqa: E731
    return minimize(distance, [1.0, 0.0], constraints=room, options={"ftol": 1e-15}).x


@pytest.mark.parametrize(
    ("options", "weights"),
    [({}, (1, 1)), ({"weights": [1.0, 2.0, 1.0]}, (1, 2)), ({"priority": [["buoy.vx"]]}, (10, 1))],
)
def test_what_is_too_much_is_given_by_the_nearest_thrust_of_the_polygon(options, weights):
    """Weighted as the DoFs are; of two levels the first counts ten times as much. Held back by a thousandth of it."""
    for forces in ((10.2, 3.0), (9.9, 7.0)):
        found = first_inputs(STUCK, (*forces, 0.0), **options)
        along, across = nearest(np.array(forces), np.array(weights))
        assert found[2] == pytest.approx(np.arctan2(across, along + 0.01), abs=1e-6)


@pytest.mark.parametrize("price", [1.0, 3.0])
def test_the_work_is_shared_with_others_by_the_price_of_each(price):
    """Of 3 N across the thruster that turns takes p/(1 + p), where the other one costs p times as much."""
    found = first_inputs(buoy(), (5.0, 3.0, 0.0), regularization=1e-3, input_weights=[price, 1.0])
    share = price / (1.0 + price)
    assert found[2] == pytest.approx(np.arctan2(3.0 * share, 5.01), abs=2e-5)
    across = found[0] + found[1] * np.sin(found[2])
    np.testing.assert_allclose([found[1] * np.cos(found[2]), across], [5.0, 3.0], atol=1e-4)


def test_it_turns_no_faster_than_it_may():
    assert first_inputs(STUCK, (0.0, 5.0, 0.0), turn_rate=0.2)[2] == pytest.approx(0.2, rel=1e-12)
    assert first_inputs(STUCK, (0.0, -5.0, 0.0), turn_rate=0.3)[2] == pytest.approx(-0.3, rel=1e-12)


def test_the_polygon_has_its_corners_on_the_circle():
    corner, middle = (np.array([np.cos(x), np.sin(x)]) for x in (np.pi / 16, np.pi / 8))
    for direction, reach in ((corner, np.cos(np.pi / 16)), (middle, 1.0)):
        assert np.abs(polygon() @ direction).max() == pytest.approx(reach, rel=1e-14)


@pytest.mark.parametrize("size", [0.0, 0.005, 0.02, 3.0])
@pytest.mark.parametrize("turn", [0.4, -1.2, 2.9, -3.0])
@pytest.mark.whole
def test_it_points_along_the_thrust_and_along_a_thousandth_of_the_largest_where_it_is(size, turn):
    f, held = size * np.exp(1j * (0.7 + turn)), 0.005 * np.exp(0.7j)
    found = turned_angle(f.real, f.imag, np.array(0.7), 0.0, 5.0, 4.0)
    assert abs(found - 0.7) <= np.pi
    assert abs(np.exp(1j * found) - (f + held) / abs(f + held)) < 1e-12


def test_pushing_back_comes_before_turning_by_more_than_a_quarter():
    for turn, way in ((1.7, 1.7 - np.pi), (-1.7, np.pi - 1.7), (1.4, 1.4), (-1.4, -1.4)):
        f = 2.0 * np.exp(1j * turn)
        near, far = (turned_angle(f.real, f.imag, 0.0, low, 1e-9, 4.0) for low in (-2.001, -1.999))
        assert near == pytest.approx(way, abs=1e-9)  # it can give as much backwards
        assert far == pytest.approx(turn, abs=1e-9)
    assert turned_angle(-2.0, 0.0, 0.0, -2.0, 1.0, 4.0) == pytest.approx(0.0, abs=1e-15)  # just as much
    assert turned_angle(-1e-3, 1.0, 0.0, -5.0, 1.0, 4.0) == np.pi / 2  # just a quarter
