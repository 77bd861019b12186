"""What the first page says that Pinocchio and MuJoCo lack, looked for in the packages that are installed."""

import pytest


def names_with(module, *parts):
    return [name for name in dir(module) if any(part in name.lower() for part in parts)]


def test_pinocchio():
    pinocchio = pytest.importorskip("pinocchio")
    assert not names_with(pinocchio, "fluid", "buoy", "addedmass", "drag")
    assert not names_with(pinocchio, "thruster", "actuator", "simulat", "rungekutta")
    assert not names_with(pinocchio, "hybrid", "lagrangepoincare", "generalizedjacobian", "freefloating")
    assert "integrate" in dir(pinocchio)  # of a configuration along a velocity: the time loop is the user's


def test_mujoco():
    mujoco = pytest.importorskip("mujoco")
    assert not names_with(mujoco, "coriolis", "generalizedjacobian")
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    assert model.geom_fluid.shape == (1, mujoco.mjNFLUID)  # coefficients of each geom's ellipsoid
    assert not names_with(model, "addedmass", "added_mass")
