"""A log of somebody else's arm: moved by Pinocchio, with friction and noise, and read as the page says."""

from functools import cache

import numpy as np
import pytest

import unmoored as um
from unmoored import identification

pin = pytest.importorskip("pinocchio")

JOINTS = ("shoulder", "elbow", "wrist")
DAMPING, FRICTION, MASSES = np.array([3.0, 1.5, 0.4]), np.array([4.0, 2.0, 0.6]), np.array([6.2, 2.1, 0.9])
LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{name}_joint" type="revolute"><parent link="{parent}"/><child link="{name}"/>
<origin xyz="{at}"/><axis xyz="{axis}"/><limit lower="-9" upper="9" effort="1000" velocity="100"/></joint>"""


def urdf(masses):
    parts = ['<robot name="bench"><link name="base"/>']
    axes, at = ("0 1 0", "0 1 0", "1 0 0"), ("0 0 0.3", "0.4 0 0", "0.3 0 0")
    com, moments = ("0.2 0 0", "0.15 0 0.01", "0.05 0.03 0"), (0.08, 0.02, 0.004)
    for k, name in enumerate(JOINTS):
        parent = JOINTS[k - 1] if k else "base"
        parts.append(LINK.format(name=name, com=com[k], mass=masses[k], i=moments[k]))
        parts.append(JOINT.format(name=name, parent=parent, at=at[k], axis=axes[k]))
    return "".join([*parts, '<link name="flange"/><joint name="flange_joint" type="fixed"><parent link="wrist"/>',
                    '<child link="flange"/></joint></robot>'])  # fmt: skip


@cache
def log(seed, duration=10.0, period=0.002):
    """(t (N,), angles, torques (N, 3)) as a controller of 500 Hz logs them, with noise of 0.1 mrad and 0.1 N m."""
    model, rng = pin.buildModelFromXML(urdf(MASSES)), np.random.default_rng(seed)
    data, rest = model.createData(), np.array([0.3, 0.6, 0.0])
    A, W, P = rng.uniform(0.2, 0.6, (3, 2)), rng.uniform(0.5, 3.0, (3, 2)), rng.uniform(0, 6, (3, 2))

    def wanted(t):
        return rest + min(1.0, t) * (A * (np.sin(W * t + P) - np.sin(P))).sum(axis=1)

    def acceleration(q, v, u):
        return pin.aba(model, data, q, v, u - DAMPING * v - FRICTION * np.tanh(v / 0.01))

    q, v, rows, h = rest.copy(), np.zeros(3), [], period / 8
    for t in period * np.arange(round(duration / period)):
        rate = (wanted(t + 1e-4) - wanted(t)) / 1e-4
        weight = pin.rnea(model, data, q, np.zeros(3), np.zeros(3))
        u = np.array([400, 200, 60]) * (wanted(t) - q) + np.array([40, 20, 4]) * (rate - v) + weight
        rows.append((t, q, u))
        for _ in range(8):
            k1 = acceleration(q, v, u)
            k2 = acceleration(q + 0.5 * h * v, v + 0.5 * h * k1, u)
            q, v = q + h * (v + 0.5 * h * k1), v + h * k2
    t, q, u = (np.array(x) for x in zip(*rows, strict=True))
    return t, q + 1e-4 * rng.normal(size=q.shape), u + 0.1 * rng.normal(size=u.shape)


def recorded(system, seed, **options):
    t, q, u = log(seed)
    tracks = {name: identification.joint_track(t, q[:, k], noise=1e-4) for k, name in enumerate(JOINTS)}
    filter = um.LocalPolynomial(window=0.05, order=3)  # as long as a row: rows share no noise
    return identification.record(
        system, tracks, period=0.05, filter=filter, inputs=(t, u), between="held", name=f"log {seed}", **options
    ).part(0.1)  # fmt: skip


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    file = tmp_path_factory.mktemp("arm") / "arm.urdf"
    file.write_text(urdf([5.0, 3.0, 0.5]))
    return um.load(file)


FREE = [f"{name}.{what}" for what in ("damping", "friction", "mass") for name in JOINTS]


def guessed():
    return np.array([0, 0, 0, 0, 0, 0, 5.0, 3.0, 0.5])


def test_tracks_may_have_the_joints_names_of_the_urdf_file(system):
    """As a bag of JointState has them; both names of one joint are refused, and so is one that nothing has."""
    t, q, _ = log(1)
    of_file = {f"{name}_joint": identification.joint_track(t, q[:, k]) for k, name in enumerate(JOINTS)}
    given = {"period": 0.05, "filter": um.LocalPolynomial(window=0.05, order=3), "end": 1.0}
    found = identification.record(system, of_file, **given)
    ours = {name: of_file[f"{name}_joint"] for name in JOINTS}
    np.testing.assert_array_equal(found.q, identification.record(system, ours, **given).q)
    with pytest.raises(um.ModelError, match="two of elbow"):
        identification.record(system, of_file | {"elbow": ours["elbow"]}, **given)
    with pytest.raises(um.ModelError, match="'knee_joint'"):
        identification.record(system, of_file | {"knee_joint": ours["elbow"]}, **given)


def test_a_folder_of_packages_without_names_is_refused(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(urdf(MASSES))
    with pytest.raises(um.ModelError, match="packages: expected"):
        um.load(file, packages=str(tmp_path))


@pytest.mark.long
def test_friction_and_masses_of_a_strangers_arm(system):
    logs = [recorded(system, seed, input_noise=0.1) for seed in (1, 2)]
    found = um.identify(um.Plant(system, um.Earth()), logs, free=FREE, by="accelerations")
    assert found.converged
    truth = np.concatenate([DAMPING, FRICTION, MASSES])
    # friction that turns round within a row is not in the noise: a few per cent, some standard errors
    np.testing.assert_allclose(found.values, truth, rtol=0.05)
    wrong = np.abs(guessed() - truth) / truth
    assert np.abs(found.values / truth - 1.0).mean() < 0.05 * wrong.mean()


@pytest.mark.filterwarnings("ignore:identify. not converged")
@pytest.mark.long
def test_noise_of_inputs_that_is_not_told_is_warned_of(system):
    with pytest.warns(um.ModelWarning, match="times the noise that was told"):
        um.identify(
            um.Plant(system, um.Earth()), [recorded(system, 1).part(0.0, 3.0)], free=FREE, by="accelerations",
            iterations=3,
        )  # fmt: skip


def test_bodies_without_mass_are_named_at_once(system):
    with pytest.raises(um.ModelError, match="merge_fixed") as told:
        um.identify(um.Plant(system, um.Earth()), [recorded(system, 1)], free=["*.mass"], by="accelerations")
    assert {problem.where for problem in told.value.problems} == {"base.mass", "flange.mass"}
