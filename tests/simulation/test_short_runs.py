"""What a second run of the same kind does not do again, and what it looks at every time."""

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states

import unmoored as um
from unmoored.simulation import kept_steps, on_group, run_kernels
from unmoored.simulation.on_group import defect, is_rotation

SYSTEM = small_arm()
Q, V = states(SYSTEM, 2, seed=7)
GO = {"duration": 0.04, "step": 0.01}


def test_a_second_run_of_a_plant_is_known_by_its_identity(monkeypatch):
    plant = um.Plant(SYSTEM)
    first = um.simulate(plant, Q[0], V[0], **GO)
    looked = []
    monkeypatch.setattr(run_kernels, "_made", lambda *given: looked.append(given))
    second = um.simulate(plant, Q[0], V[0], **GO)
    assert not looked
    assert np.array_equal(first.q, second.q)
    assert not np.shares_memory(first.q, second.q)
    assert not np.shares_memory(first.end["q"], second.end["q"])


def test_another_plant_method_or_format_is_another_kind():
    plant = um.Plant(SYSTEM)
    runs = [
        um.simulate(plant, Q[0], V[0], **GO),
        um.simulate(um.Plant(SYSTEM, um.Earth()), Q[0], V[0], **GO),
        um.simulate(plant, Q[0], V[0], method="euler", **GO),
        um.simulate(plant, Q[0], V[0], dtype="float32", **GO),
    ]
    assert len({run.q.tobytes() for run in runs}) == 4
    assert [run.q.dtype.name for run in runs] == ["float64"] * 3 + ["float32"]
    for _ in range(10):
        um.simulate(um.Plant(SYSTEM), Q[0], V[0], **GO)
    assert len(kept_steps._kept) == 8


def test_plants_with_code_of_the_users_are_looked_at_every_time():
    rate = {"value": 0.1}
    motion = lambda t: rate["value"] * t  # noqa: E731
    plant = um.Plant(SYSTEM, prescribed={"arm1": motion})
    ends = []
    for value in (0.1, 0.5):
        rate["value"] = value
        q = plant.configuration(0.0, Q[0])
        ends.append(um.simulate(plant, q, **GO).q[-1, 12])
    assert ends == pytest.approx([0.1 * 0.04, 0.5 * 0.04], abs=1e-12)


def test_a_run_of_one_sample_is_that_of_a_batch_of_one():
    law = um.JointPD(um.Plant(SYSTEM), {"arm1": 0.3}, stiffness=5.0, damping=1.0)
    for options in ({}, {"controller": law}, {"controller": law, "control_step": 0.02}):
        one, many = (um.simulate(SYSTEM, q, v, **GO, **options) for q, v in ((Q[0], V[0]), (Q[:1], V[:1])))
        other = many.sample(0)
        for name in ("t", "q", "v", "u", "x", "lengths", "parameters"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        assert one.status == other.status
        assert one.end.keys() == other.end.keys()
        np.testing.assert_array_equal(one.end["q"], other.end["q"])
        assert {**one.provenance, "time": 0} == {**other.provenance, "time": 0}


@pytest.mark.parametrize("samples", [(), (3,), (2000,)], ids=["one", "few", "many"])
def test_what_is_a_rotation(samples):
    R = np.broadcast_to(Q[0, :9], (*samples, 9)).copy()
    last = R if not samples else R[-1]
    assert is_rotation(R, 1e-9)
    given = last.copy()
    last *= 1.0 + 4e-10  # R'R is off by 8e-10
    assert is_rotation(R, 1e-9)
    last *= 1.0 + 2e-10
    assert not is_rotation(R, 1e-9)
    last[:] = -given  # a reflection: R'R = 1
    assert not is_rotation(R, 1e-9)
    for k in range(9):
        last[:] = given
        last[k] += 1e-8
        assert not is_rotation(R, 1e-9)


def test_the_defect_of_a_matrix():
    """Of any, of some with columns of length one, whose angles count, of large ones, of which the determinant does."""
    R = np.random.default_rng(0).normal(size=(600, 3, 3))
    R[200:400] /= np.linalg.norm(R[200:400], axis=-2, keepdims=True)
    R[400:] *= 4.0
    parts = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).reshape(600, 9)
    expected = np.maximum(parts.max(axis=-1), -np.linalg.det(R))
    found = [defect(*one.ravel().tolist()) for one in R]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_array_equal(defect(*R.reshape(-1, 9).T), found)
    assert set(parts.argmax(axis=-1)) == {0, 1, 2, 4, 5, 8}  # each of its entries counts somewhere
    assert np.sum(expected == -np.linalg.det(R)) > 20
    assert defect(*np.eye(3).ravel().tolist()) == 0.0
    assert defect(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0) == 0.0


def test_a_thousand_poses_are_looked_at_by_a_kernel(monkeypatch):
    """It is the quicker way from there on, and says the same."""
    asked, real = [], on_group._compiled
    monkeypatch.setattr(on_group, "_compiled", lambda backend: asked.append(backend) or real(backend))
    R = np.tile(Q[0, :9], (1024, 1))
    for many, times in ((R[:1023], 0), (R, 1), (R.reshape(2, 512, 9), 2)):
        assert is_rotation(many, 1e-9)
        assert len(asked) == times
    assert set(asked) == {"cpu"}


def test_poses_of_any_joint_must_be_in_its_group():
    b = um.SystemBuilder("craft")
    b.vehicle("barge", um.Planar(), inertia=um.Inertia.box(20.0, (2, 1, 0.5)))
    b.link("eye", parent="barge", joint=um.Spherical(), inertia=um.Inertia.sphere(1.0, 0.1))
    plant = um.Plant(b.build())
    rng = np.random.default_rng(3)
    q = np.stack([plant.system.random_configuration(rng) for _ in range(3)])
    on_group.check_on_group(plant, q, 1e-9)
    on_group.check_on_group(plant, q[0], 1e-9)
    for name in ("barge", "eye"):
        off, numbers = q.copy(), plant.system.tree.link(name).q
        off[1, numbers.start + 1] += 1e-6
        told = f"^{name}: q: expected a pose in .*, given \\[\\[\\["
        with pytest.raises(um.ModelError, match=told):
            on_group.check_on_group(plant, off, 1e-9, "q")
        with pytest.raises(um.ModelError, match=f"^{name}: q0: expected a pose in .*, given "):
            on_group.check_on_group(plant, off[1], 1e-9)
        on_group.check_on_group(plant, off, 1e-5)
