"""Criteria of scenario files and of Python: numbers, thresholds, sources; sabotages; exit codes."""

import io
import json

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import unmoored as um
from unmoored.cli.main import app
from unmoored.cli.run_command import run_scenario
from unmoored.simulation.scenario import parse_scenario
from unmoored.views.report.tables import summary

TEXT = """unmoored_scenario: 1
name: brake
system: SYSTEM
actuators: [{type: JointMotor, joint: cart, name: motor, limits: [-5, 5]}]
controllers: [{type: JointPD, targets: {cart: 0}, stiffness: 8, damping: 8}]
initial: {joints: {cart: 1}}
integrator: {step: 0.01, control_step: 0.02}
duration: 8
passes:
  - {name: it stops, channel: cart, target: 0, start: 6, below: 0.01, unit: m, source: "the buffer's travel"}
  - {name: it comes near, channel: cart, metric: lowest, above: -0.1, source: "where the track ends"}
sabotage:
  sign: {controllers.0.damping: -1}
  weak: {actuators.0.limits: [-0.01, 0.01]}
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("brake")
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(2.0, (1, 1, 1)))
    b.build().save(folder / "cart.yaml")
    path = folder / "brake.yaml"
    path.write_text(TEXT.replace("SYSTEM", "cart.yaml"), encoding="utf-8")
    return path


def test_a_job_is_judged_by_its_file_also_from_disk(file, tmp_path):
    run = um.load_scenario(file).run()
    stops, near = run.judge()
    assert stops
    assert near
    assert stops.number == np.abs(run.q[run.t >= 6 - 1e-9, 0]).max()
    assert str(stops) == f"PASS it stops: {stops.number:.4g} m, must be < 0.01 m"
    run.save(tmp_path / "run.zarr.zip")
    again = um.load_run(tmp_path / "run.zarr.zip").judge()
    assert [v.number for v in again] == [stops.number, near.number]


@pytest.mark.parametrize("sabotage", ["sign", "weak"])
def test_a_stated_sabotage_makes_it_fail(file, sabotage):
    scenario = um.load_scenario(file, sabotage=sabotage)
    assert scenario.name == f"brake-{sabotage}"
    verdict = scenario.run().judge()[0]
    assert not verdict
    assert str(verdict).startswith("FAIL it stops: ")


def test_reports_and_notebooks_tell_the_verdict(file):
    run = um.load_scenario(file).run()
    assert "PASS it stops: " in summary(run, None, 0)
    assert "PASS it comes near: " in summary(run, None, 0)


def test_settings_come_on_top_of_a_sabotage(file):
    mended = um.load_scenario(file, sabotage="weak", settings=["actuators.0.limits=[-5, 5]"])
    assert mended.run().judge()[0]


def test_every_sample_must_pass(file):
    batch = um.load_scenario(
        file, settings=["sweeps={initial.velocities.cart: {type: Values, values: [0, -6]}}"]
    )
    _, near = batch.run().judge()
    assert near.passed.tolist() == [True, False]
    assert not near
    assert near.worst == near.number.min()
    assert "(1 of 2 samples)" in str(near)


def test_a_sample_that_did_not_come_to_the_end_fails(file):
    stopped = um.load_scenario(file, settings=["events=[{channel: cart, falls_below: 0.1}]"]).run()
    criterion = um.Criterion("it was there", "cart", "none", below=2.0)
    assert stopped.status[0].kind == "event"
    assert not stopped.judge([criterion])[0]
    late = stopped.judge()[0]
    assert np.isnan(late.number)  # it never came to the window
    assert str(late).startswith("FAIL it stops: nan")


def test_no_number_is_no_pass(file):
    run = um.load_scenario(file, settings=["initial={}"]).run()  # begins at its target: nothing to overshoot
    verdict = run.judge([um.Criterion("x", "cart", "s", metric="overshoot", target=0.0, below=1.0)])[0]
    assert np.isnan(verdict.number)
    assert not verdict


def told_by_the_command(file, folder, **options):
    """(exit code, what is printed) of `unmoored run`."""
    out = Console(record=True, width=200, file=io.StringIO())
    code = run_scenario(out, str(file), folder, **options)
    return code, out.export_text()


def test_the_command_prints_the_verdict_and_its_code_tells(file, tmp_path, capsys):
    code, text = told_by_the_command(file, tmp_path / "good")
    assert code == 0
    for words in ("PASS it stops: ", "source: the buffer's travel", "settled after s", "duty"):
        assert words in text
    code, _ = told_by_the_command(file, tmp_path / "bad", sabotage="weak", as_json=True)
    assert code == 4
    told = json.loads(capsys.readouterr().out)
    assert [v["passed"] for v in told["verdicts"]] == [False, True]
    assert told["verdicts"][0]["threshold"] == 0.01
    assert told["metrics"]["actuators"]["motor"]["saturated"] > 0.9
    assert json.loads((tmp_path / "bad/summary.json").read_text())["verdicts"] == told["verdicts"]


def test_of_a_batch_the_command_shows_the_worst(file, tmp_path):
    sweep = "sweeps={initial.velocities.cart: {type: Values, values: [0, -6]}}"
    code, text = told_by_the_command(file, tmp_path, settings=(sweep,))
    assert code == 4
    for words in ("(1 of 2 samples)", "largest of all samples"):
        assert words in text


def test_the_option_of_the_command(file, tmp_path):
    result = CliRunner().invoke(app, ["run", str(file), "--sabotage", "weak", "-o", str(tmp_path)])
    assert result.exit_code == 4
    assert "FAIL it stops: " in result.output


def test_a_sabotage_that_is_not_stated_is_refused(file):
    with pytest.raises(um.ModelError, match="unknown sabotage: expected one of sign, weak"):
        um.load_scenario(file, sabotage="rust")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("channel: cart, target", "channel: wagon, target"), "unknown channel"),
        (("below: 0.01", "below: 0.01, above: 2"), "one of below, above"),
        (("metric: lowest", "metric: best"), "unknown metric: expected one of rms, peak"),
        (('source: "where the track ends"', 'source: ""'), "source"),
        (
            ("target: 0, start", "target: {xyz: [0, 0, 0]}, start"),
            "a number, or a reference of one coordinate",
        ),
        (("weak: {", "we/ak: {"), "no / or"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_at_its_line(file, change, words):
    text = TEXT.replace("SYSTEM", "cart.yaml")
    assert change[0] in text
    with pytest.raises(um.ModelError) as told:
        parse_scenario(text.replace(*change), "brake.yaml", folder=file.parent)
    assert words in str(told.value)
    assert "brake.yaml:" in str(told.value)


def test_a_criterion_in_python_is_refused_as_in_a_file():
    with pytest.raises(um.ModelError, match="one of below, above"):
        um.Criterion("x", "cart", "s")
    run = um.simulate(
        um.Plant(um.load("tumbling_brick")), um.load("tumbling_brick").neutral(), duration=0.1, step=0.05
    )
    with pytest.raises(um.ModelError, match="expected um"):
        run.judge(["cart"])
    assert run.judge() == ()
