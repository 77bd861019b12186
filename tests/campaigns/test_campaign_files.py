"""Campaign files and the command: the same campaign as from Python, gone on with, checked with lines."""

import json

import numpy as np
import pytest
from tests.campaigns.small_studies import pendulum
from typer.testing import CliRunner

import unmoored as um
from unmoored.cli.main import app

SCENARIO = """
unmoored_scenario: 1
name: swinging
system: pendulum.yaml
world: {type: Earth}
initial: {joints: {swing: 0.3}}
controllers:
  - {type: JointPD, targets: {swing: 0.1}, stiffness: 3, damping: 1}
integrator: {step: 0.01, control_step: 0.01}
duration: 0.3
events: [{channel: swing, rises_above: 0.45, name: too far}]
outputs: {channels: [swing, tip.z]}
"""
STUDY = """
unmoored_campaign: 1
name: swings
description: a pendulum of uncertain mass
scenario: swinging.yaml
settings: [duration=0.4]
samples: 20
seed: 2
design: latin_hypercube
vary:
  swing.mass: {type: TruncatedNormal, mean: 2, deviation: 0.3, low: 1, high: 3}
  initial.velocities.swing: {type: Uniform, low: -1, high: 2}
  controllers.0.stiffness: {type: Uniform, low: [1], high: [5]}
keep: {every: 0.1, failures: 2}
"""


@pytest.fixture
def folder(tmp_path):
    pendulum().save(tmp_path / "pendulum.yaml")
    (tmp_path / "swinging.yaml").write_text(SCENARIO)
    (tmp_path / "study.yaml").write_text(STUDY)
    return tmp_path


def test_a_file_says_what_python_says(folder):
    campaign = um.Campaign.load(folder / "study.yaml")
    scenario = um.load_scenario(folder / "swinging.yaml", settings=["duration=0.4"])
    same = um.Campaign(
        scenario,
        vary={
            "swing.mass": um.TruncatedNormal(2.0, 0.3, 1.0, 3.0),
            "initial.velocities.swing": um.Uniform(-1.0, 2.0),
            "controller.stiffness": um.Uniform([1.0], [5.0]),
        },
        samples=20,
        seed=2,
        design="latin_hypercube",
    )
    assert campaign.plan.channels == ("swing", "tip.z")
    assert (campaign.name, campaign.samples, campaign.description) == (
        "swings",
        20,
        "a pendulum of uncertain mass",
    )
    for mine, theirs in zip(campaign.values().values(), same.values().values(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(campaign.sample(7).q, same.sample(7).q)


def test_the_command_runs_goes_on_and_tells(folder, monkeypatch):
    monkeypatch.chdir(folder)
    ran = CliRunner().invoke(app, ["campaign", "study.yaml", "--out", "there", "--shard", "8", "--json"])
    assert ran.exit_code == 3, ran.output  # some were too far
    told = json.loads(ran.output)
    assert (told["samples"], told["complete"]) == (20, True)
    assert told["failed"] == told["ended"]["stopped: event too far"] > 0
    results = um.load_campaign("there")
    assert results.complete
    run = results.sample(results.failures()[0])
    assert run.status[0].where == "too far"
    assert results.campaign.name == "swings"
    first = results.folder.shard_path(1)
    kept = first.read_bytes()
    first.unlink()
    ran = CliRunner().invoke(app, ["campaign", "study.yaml", "--out", "there", "--report", "page.html"])
    assert ran.exit_code == 3
    assert "20 of 20 samples" in ran.output
    assert "…" not in ran.output
    for numbers in told["channels"].values():  # none is cut in a window of 80 columns
        assert all(
            f"{numbers[key]:.5g}" in ran.output for key in ("mean", "deviation", "5 %", "median", "95 %")
        )
        assert f"{numbers['highest']:.5g} (sample {numbers['highest_sample']})" in ran.output
    assert first.read_bytes() == kept
    page = (folder / "page.html").read_text()
    assert "too far" in page
    assert "swing.mass" in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org", "")
    ran = CliRunner().invoke(app, ["check", "study.yaml"])
    assert ran.exit_code == 0, ran.output


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("samples: 20", "samples: 0", "samples"),
        ("swing.mass:", "swing.moss:", "swing.moss"),
        ("type: Uniform, low: -1, high: 2", "type: Uniform, low: 3, high: 2", "high"),
        ("type: Uniform, low: -1, high: 2", "type: Unifrom, low: 3, high: 2", "Unifrom"),
        ("design: latin_hypercube", "design: grid", "design"),
        ("every: 0.1", "every: 0.013", "every"),
        ("failures: 2", "failures: 2, wobbles: 3", "wobbles"),
        ("scenario: swinging.yaml", "scenario: nowhere.yaml", "nowhere"),
        ("controllers.0.stiffness", "controllers.1.stiffness", "controllers.1"),
        ("name: swings", "name: ../swings", "name"),
        ("unmoored_campaign: 1", "unmoored_campaign: 2", "unmoored_campaign"),
        ("seed: 2", "success: [too near]", r"yaml:8: success.*too far, given 'too near'"),
        (
            "keep:",
            "  parameters.swing.mass: {type: Integers, low: 2, high: 3}\nkeep:",
            r"yaml:14: .*number once",
        ),
        (
            "TruncatedNormal, mean: 2, deviation: 0.3, low: 1, high: 3",
            "Normal, mean: 0, deviation: 1",
            r"yaml:11: .*≥ 0",
        ),
    ],
)
def test_mistakes_are_told_with_their_place(folder, old, new, words):
    assert old in STUDY
    (folder / "study.yaml").write_text(STUDY.replace(old, new))
    with pytest.raises(um.ModelError, match=words) as told:
        um.Campaign.load(folder / "study.yaml")
    assert ("study.yaml" in str(told.value)) != ("nowhere" in new)
