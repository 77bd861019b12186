"""An implicit step that is not solved is reported, sample by sample, with what to do; a solved one is not."""

import json

import numpy as np
import pytest
from tests.simulation.arms import small_arm, states
from tests.support.thinning import one_in
from typer.testing import CliRunner

import unmoored as um
from unmoored.cli.main import app
from unmoored.integrators import IMPLICIT
from unmoored.integrators.iteration import SOLVED
from unmoored.simulation import status
from unmoored.simulation.checkpoint import Checkpoint

SYSTEM = small_arm()
Q, V = states(SYSTEM, 3, seed=4)
EVERY = pytest.mark.parametrize("method", IMPLICIT)


class Drag(um.Law):
    """Linear drag on the first link: stiff if the coefficient is large."""

    coefficient: float

    def __call__(self, t, q, v):
        return -self.coefficient * np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]) * v


def stiff(coefficient, method, q=Q[0], v=V[0], **options):
    given = {"duration": 0.2, "step": 0.02, "controller": Drag(coefficient), "method": method}
    return um.simulate(SYSTEM, q, v, **(given | options))


@EVERY
def test_a_stiff_case_with_a_large_step_is_reported(method):
    run = stiff(60.0, method)
    (found,) = run.status
    assert found.kind == "not_converged"
    assert (found.time, found.where) == (0.0, "joint arm1")
    assert "smaller step" in found.reason
    assert "iterations=20" in found.reason
    assert "0.02 s" in found.reason
    assert str(found).startswith("did not converge at t=0 s in joint arm1: ")
    assert not run.completed
    assert np.array_equal(run.v[-1], V[0])  # the last good state


@EVERY
def test_a_normal_case_is_not(method):
    assert stiff(0.5, method).completed
    assert stiff(60.0, method, step=0.0005).completed  # what is advised


@EVERY
def test_more_iterations_cure_what_nearly_converges(method):
    few, more = stiff(20.0, method), stiff(20.0, method, iterations=60)
    assert few.status[0].kind == "not_converged"
    assert more.completed
    assert more.provenance["iterations"] == 60


@EVERY
def test_beyond_all_numbers_it_is_still_the_iteration(method):
    run = stiff(1e30, method)
    assert run.status[0].kind == "not_converged"
    assert " diverges; take a smaller step" in run.status[0].reason

    def no_number(t, q, v):
        return np.sqrt(-1.0 - t + 0.0 * v)

    bad = um.simulate(SYSTEM, Q[0], V[0], duration=0.1, step=0.01, controller=no_number, method=method)
    assert bad.status[0].kind == "blew_up"


@EVERY
def test_what_is_called_solved_satisfies_the_equation(method):
    """With few iterations a step is either reported, or as near to the solution as the bound says."""

    def one_step(iterations, **options):
        given = {"duration": 0.01, "step": 0.01, "method": method, "iterations": iterations}
        return um.simulate(SYSTEM, Q[0], V[0], **(given | options))

    exact = one_step(40, backend="numpy")
    assert exact.completed
    assert one_step(6).completed == one_step(6, backend="numpy").completed
    reported = []
    for iterations in range(2, 12):
        run = one_step(iterations, backend="numpy")  # every number of iterations would be a kernel of its own
        reported.append(not run.completed)
        if run.completed:
            bound = SOLVED["float64"][0] * np.abs(np.concatenate([V[0], run.v[-1]])).sum()
            assert np.abs(run.v[-1] - exact.v[-1]).max() <= bound
    assert reported[0]
    assert not reported[-1]
    assert reported == sorted(reported, reverse=True)


@EVERY
def test_one_sample_of_a_batch(method):
    run = stiff(np.array([0.5, 60.0, 0.5]), method, Q, V)
    assert [found.kind for found in run.status] == ["completed", "not_converged", "completed"]
    assert run.status[1].where == "joint arm1"
    alone = stiff(0.5, method, Q[2], V[2])
    assert np.array_equal(run.sample(2).v, alone.v)
    assert np.all(np.isnan(run.v[1, 1:]))


@pytest.mark.parametrize("place", ["kernel", "python"])
def test_a_states_of_an_actuator_can_be_what_is_off(place):
    motors = [um.JointMotor("arm1", lag=1e-4), um.JointMotor("arm2")]
    plant = um.Plant(SYSTEM, actuators=motors)
    law = lambda t, q, v: np.array([1.0, 0.0]) + 0.0 * v[:2]  # noqa: E731
    run = um.simulate(
        plant, Q[0], V[0], duration=0.1, step=0.01, controller=law, method="lie_midpoint", controller_in=place
    )
    assert run.status[0].kind == "not_converged"
    assert run.status[0].where.startswith("state ")


@pytest.mark.parametrize("method", one_in(2, IMPLICIT, first=1))
@pytest.mark.long
def test_single_precision_is_not_alarmed(method):
    run = stiff(np.array([60.0, 0.5, 0.5]), method, Q, V, duration=1.0, dtype="float32")
    assert [found.kind for found in run.status] == ["not_converged", "completed", "completed"]


@EVERY
def test_systems_at_rest_are_not_alarmed(method):
    """Forces that balance: nothing but rounding is left to converge."""
    earth = um.Plant(SYSTEM, world=um.Earth())

    def hold(t, q, v):
        return SYSTEM.gravity_forces(q, (0, 0, -9.81))

    run = um.simulate(earth, Q, duration=1.0, step=0.01, method=method, controller=hold, record_every=100)
    assert run.completed
    assert np.abs(run.v).max() < 1e-11


@pytest.mark.parametrize("method", one_in(2, IMPLICIT))
def test_checkpoints_and_files_keep_it(tmp_path, monkeypatch, method):
    gains = Drag(np.array([0.5, 60.0, 0.5]))
    monkeypatch.setattr("unmoored.simulation.fixed_steps._CHUNK_SECONDS", 0.0)
    real, kept = Checkpoint.keep, []

    def keep(self, course):
        real(self, course)
        kept.append(course.done)
        if len(kept) == 2:
            raise KeyboardInterrupt

    options = {"duration": 2.0, "step": 0.02, "controller": gains, "method": method, "iterations": 12}
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "keep", keep)
        with pytest.raises(KeyboardInterrupt):
            um.simulate(SYSTEM, Q, V, checkpoint=tmp_path / "kept", checkpoint_every=0.0, **options)
    resumed, whole = (
        um.resume(tmp_path / "kept", SYSTEM, controller=gains),
        um.simulate(SYSTEM, Q, V, **options),
    )
    assert resumed.status == whole.status
    assert resumed.status[1].kind == "not_converged"
    assert "12 iterations" in resumed.status[1].reason
    assert np.array_equal(resumed.v, whole.v, equal_nan=True)
    resumed.save(tmp_path / "run.nc")
    assert um.load_run(tmp_path / "run.nc").status == whole.status
    assert um.Status.from_record(json.loads(json.dumps(whole.status[1].record))) == whole.status[1]


def test_options():
    for wrong, words in ((1, "from 2"), (True, "from 2"), (2.5, "from 2"), (10**6, "to 1000")):
        with pytest.raises(um.ModelError, match=words):
            um.simulate(SYSTEM, Q[0], iterations=wrong, method="variational")
    with pytest.raises(um.ModelError, match="rkmk4 does not iterate; lie_midpoint, variational do"):
        um.simulate(SYSTEM, Q[0], iterations=5)
    with pytest.raises(um.ModelError, match="variational takes fixed steps"):
        um.simulate(SYSTEM, Q[0], tolerance=1e-9, method="variational")


def test_words():
    assert um.Status.of(status.NOT_SOLVED).kind == "not_converged"
    found = um.Status("not_converged", 0.5, "joint arm1", "because")
    assert found.title == "did not converge in joint arm1 (take a smaller step or more iterations)"
    assert str(found) == "did not converge at t=0.5 s in joint arm1: because"


SCENARIO = """
unmoored_scenario: 1
name: slow_lag
system: spart_sc_3dof
duration: 0.1
integrator: {method: lie_midpoint, step: 0.01, iterations: ITERATIONS}
actuators: [{type: JointMotor, joint: elbow_pitch, lag: LAG}]
controllers: [{type: Inputs, values: {elbow_pitch_motor: 1.0}}]
sweeps: {initial.velocities.shoulder_pitch: {type: Values, values: [0.0, 0.1]}}
"""


def test_the_command_line_and_the_report_say_it(tmp_path):
    page = tmp_path / "page.html"

    def written(name, lag, iterations=10):
        file = tmp_path / f"{name}.yaml"
        file.write_text(SCENARIO.replace("LAG", str(lag)).replace("ITERATIONS", str(iterations)))
        return file

    def ran(file, *report):
        return CliRunner().invoke(app, ["run", str(file), "-o", str(tmp_path / "results"), *report])

    found = ran(written("stiff", 1e-4), "--report", str(page))
    words = " ".join(found.output.split())
    assert found.exit_code == 3
    assert "did not converge in state elbow_pitch_motor" in words
    assert "(take a smaller step or more iterations) (2 of 2 samples)" in words
    assert "2 did not converge" in page.read_text()
    for file in (written("soft", 0.05), written("many", 0.006, 200)):
        assert um.load_scenario(file).run().completed
    wrong = ran(written("wrong", 0.05, 5000))
    assert wrong.exit_code == 1
    assert "integrator.iterations" in str(wrong.exception)


@pytest.mark.parametrize("method", ["lie_midpoint", "variational"])
def test_the_joint_is_named_behind_one_that_follows(method):
    """w has no entry for a follower, so that the stiff joint's place in w is that of the follower in v."""
    builder = um.SystemBuilder("geared")
    rod = um.Inertia.rod(mass=1.0, length=1.0, axis=(1, 0, 0), com=(0.5, 0, 0))
    for name, stiffness in (("leader", 1.0), ("follower", 1.0), ("stiff", 1e5)):
        builder.vehicle(name, um.Revolute(axis=(0, 1, 0), stiffness=stiffness), inertia=rod)
    builder.mimic("follower", "leader", 0.5)
    plant = um.Plant(builder.build(), um.Space())
    q = np.array([0.2, 0.1, 0.3])
    run = um.simulate(plant, q, duration=0.2, step=0.1, method=method)
    assert run.status[0].kind == "not_converged"
    assert run.status[0].where == "joint stiff"
