"""A quadrotor whose arm swings: without hold and lag, and without feed-forward of the arm."""

from tests.control.test_thrust_vectoring import PLANT, flight, flown


def test_feed_forward_of_the_arm_keeps_the_vehicle_in_its_place():
    still = {"position": [0.0, 0.0, 0.0], "yaw": 0.0}
    assert flight(PLANT, flown(PLANT, **still)) < 3e-3
    assert flight(PLANT, flown(PLANT, feed_forward=False, **still)) > 0.04
