"""A filter that believes its sensors to be others than those of the run is told of; numbers of noise may differ."""

import warnings
from dataclasses import replace

import pytest

import unmoored as um
from unmoored.sensing.sensor_suite import suite_of
from unmoored.simulation.controller import as_controller

PERIOD = 0.01


def body():
    builder = um.SystemBuilder("body")
    builder.vehicle("rov", um.Free(), inertia=um.Inertia.box(mass=10.0, size=(1, 1, 1)))
    builder.frame("nose", parent="rov", at=um.Pose(xyz=(0.5, 0, 0)))
    return um.Plant(builder.build())


PLANT = body()
IMU = um.Imu("imu", "rov", grade="ADIS16488", sampling="average")
DVL = um.Dvl("dvl", "rov", grade="WHN600", rate=5.0)
HOLD = um.StationKeeping(PLANT, "rov", um.Pose(), stiffness=10.0, damping=10.0)
LAW = um.Estimated(um.InvariantFilter(PLANT, IMU, (DVL,), pose=um.Pose()), HOLD)


def told(*sensors, law=LAW):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        as_controller(law, "python", PLANT, PERIOD, suite_of(sensors, PLANT, PERIOD))
    return [str(warning.message) for warning in caught]


def test_what_misleads_a_filter_is_told_of():
    """Late readings were taken for new ones, means for instants, in silence."""
    assert told(IMU, replace(DVL, delay=0.1)) == [
        "sensor dvl: delay: the filter believes 0 s, in the run it is 0.1 s"
    ]
    assert told(replace(IMU, sampling="instant"), DVL) == [
        "sensor imu: sampling: the filter believes 'average', in the run it is 'instant'"
    ]
    assert told(replace(IMU, rate=50.0), DVL) == [
        "sensor imu: period: the filter believes 0.01 s, in the run it is 0.02 s"
    ]
    assert told(IMU, replace(DVL, lock="water")) == [
        "sensor dvl: lock: the filter believes 'bottom', in the run it is 'water'"
    ]
    assert told(IMU, replace(DVL, frame="nose")) == [
        "sensor dvl: frame: the filter believes 'rov', in the run it is 'nose'"
    ]
    assert len(told(IMU, replace(DVL, delay=0.1), law=LAW + HOLD)) == 1
    with pytest.raises(
        um.ModelError, match="sensor dvl: kind: expected a Dvl, as the filter believes, given Depth"
    ):
        told(IMU, um.DepthGauge("dvl", "rov"))


def test_what_a_filter_need_not_know_is_not():
    assert not told(IMU, DVL)
    assert not told(replace(IMU, rate=100.0), um.Dvl("dvl", "rov", noise=0.5, rate=5.0, dropout=0.2))
    assert not told(IMU, DVL, um.DepthGauge("depth", "rov"))
    assert not told(IMU, replace(DVL, delay=0.1), law=HOLD)
