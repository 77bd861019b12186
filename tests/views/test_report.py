"""The report is one file that says everything, and asks nothing of the network."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from tests.support.recorded_runs import reaching_servicer, tied_slide, tumbling_brick

import unmoored as um
from unmoored.views.plots import plot
from unmoored.views.report import report
from unmoored.views.report.embedded_playback import (
    clustered,
    frame_count,
    playback,
    total_triangles,
    within_budget,
)
from unmoored.views.report.report_charts import time_axes
from unmoored.views.report.tables import plain, scenario, table, words
from unmoored.views.shapes.primitives import sphere

LIMIT = 15_000_000


@pytest.fixture(scope="module")
def run():
    return reaching_servicer(duration=2.0)


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "out.html"
    assert report(run, path) == path
    return path.read_text(encoding="utf-8")


def numbers(text, kind=np.float32):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_it_holds_scenario_invariants_and_provenance(page, run):
    for text in (
        "free flyer arm7",
        "duration: 2.0",
        "on group error",
        "energy balance",
        run.system.tree.digest,
    ):
        assert text in page
    for title in (
        "Vehicle attitude",
        "Energy",
        "Momentum",
        "Inputs",
        "Tool path",
        "Phase portraits",
        "States",
    ):
        assert f"<figcaption>{title}</figcaption>" in page


def test_it_refers_to_nothing_outside(page):
    sources = re.findall(r"""(?:src|href|action)=["']([^"']*)""", page)
    assert sources
    assert all(source.startswith("data:") for source in sources)
    assert "default-src 'none'" in page
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(|@import|url\(", page)


def test_no_placeholder_is_left(page):
    assert not re.search(r"\$(title|style|summary|charts|script|playback|still)\b", page)


@pytest.mark.long
def test_words_of_the_run_cannot_become_markup(tmp_path):
    evil = "</script><script>alert(1)</script><b>&"
    tricked = replace(tumbling_brick(duration=0.2), scenario={"name": evil}, provenance={evil: evil})
    text = report(tricked, tmp_path / "out.html", title=evil).read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<b>&" not in text


def test_playback_holds_the_poses_of_the_run(run):
    data = playback(run)
    times = numbers(data["times"])
    bodies = len(run.system.names)
    poses = numbers(data["poses"]).reshape(len(times), bodies, 7)
    assert (times[0], times[-1]) == (0.0, 2.0)
    assert len(times) == 101
    k = 60
    q = run.q[round(float(times[k]) / 0.02)]
    for i, name in enumerate(run.system.names):
        g = run.system.pose(q, name)
        R = um.lie.so3.from_quaternion_wxyz(poses[k, i, 3:].astype(float))
        assert np.abs(poses[k, i, :3] - g[:3, 3]).max() < 1e-6
        assert np.abs(R - g[:3, :3]).max() < 1e-6
    (trail,) = data["trails"]
    assert np.abs(numbers(trail["points"]).reshape(-1, 3)[k] - run.system.pose(q, "tool")[:3, 3]).max() < 1e-6
    json.dumps(data)


def test_playback_holds_ties_with_their_ends_and_when_they_act():
    line, door = playback(tied_slide())["ties"]
    assert line["ends"] == [{"body": 0, "at": [0.0, 0.0, 0.5]}, {"body": -1, "at": [0.0, 0.0, 0.0]}]
    assert not line["closes"]
    assert door["closes"]
    on = np.frombuffer(base64.b64decode(door["acts"]), dtype=np.uint8)
    assert on[:-1].all()
    assert not on[-1]
    json.dumps([line, door])


@pytest.mark.long
def test_a_minute_of_a_large_system_stays_small(tmp_path):
    """60 s of a hundred bodies at 1 kHz, noisy lines and all, is below the limit."""
    b = um.SystemBuilder("chain")
    last = b.vehicle("bus", um.Free(), inertia=um.Inertia.box(20.0, (1, 1, 1)))
    for k in range(99):
        inertia = um.Inertia.box(1.0, (0.1, 0.1, 0.2))
        at = um.Pose(xyz=(0, 0, 0.2))
        last = b.link(f"l{k}", parent=last, joint=um.Revolute(axis=(1, 0, 0)), at=at, inertia=inertia)
    system = b.build()
    t = np.arange(60_001) * 1e-3
    rng = np.random.default_rng(0)
    q = np.tile(system.neutral(), (len(t), 1))
    q[:, 12:] = 0.1 * np.sin(t)[:, None] + 0.01 * rng.standard_normal((len(t), 99))
    size = len(json.dumps(playback(um.Run(system, t, q, np.zeros((len(t), system.nv))))))
    assert size < LIMIT / 2


@pytest.mark.long
def test_a_minute_of_noise_stays_below_the_limit(tmp_path):
    brick = tumbling_brick(duration=0.2)
    t = np.arange(12_001) * 5e-3
    rng = np.random.default_rng(0)
    v = rng.standard_normal((len(t), 6))
    noisy = replace(brick, t=t, q=np.tile(brick.q[0], (len(t), 1)), v=v, u=v, lengths=np.array([len(t)]))
    assert report(noisy, tmp_path / "out.html").stat().st_size < LIMIT


def test_frames_are_as_many_as_fit():
    assert frame_count(60.0, 8, rate=50.0, budget=10**9, record_bytes=28) == 3001
    assert frame_count(60.0, 1000, rate=50.0, budget=2_800_000, record_bytes=28) == 100
    assert frame_count(0.0, 1, rate=50.0, budget=10**9, record_bytes=28) == 2


def test_coarser_shapes_keep_their_place_and_size():
    ball = sphere(1.0, (1, 0, 0, 1))
    coarse = clustered(ball, 8)
    assert 0 < len(coarse.triangles) < len(ball.triangles) / 2
    assert np.abs(np.linalg.norm(coarse.vertices, axis=-1) - 1.0).max() < 0.15
    normals = np.cross(*(coarse.corners[:, k] - coarse.corners[:, 0] for k in (1, 2)))
    assert np.all((normals * coarse.corners.mean(axis=1)).sum(axis=-1) > 0)
    shapes = within_budget(((ball, ball), (ball,)), 600)
    assert 0 < total_triangles(shapes) <= 600
    assert within_budget(((ball,),), 10**6) == ((ball,),)


def test_cursors_lie_on_the_time_axes(run):
    figure = plot(run, "energy")
    figure.canvas.draw()
    boxes = time_axes(figure)
    assert len(boxes) == 2
    for (left, top, width, height, first, last), axes in zip(boxes, figure.axes, strict=True):
        corner = axes.transData.transform((1.0, axes.get_ylim()[1]))
        x, y = figure.transFigure.inverted().transform(corner)
        assert left + width * (1.0 - first) / (last - first) == pytest.approx(x, abs=2e-6)
        assert top == pytest.approx(1 - y, abs=2e-6)
        assert 0.1 < height < 0.5


def test_values_are_put_in_words():
    assert words(1.23456e-15) == "1.235e-15"
    assert words(np.array([1.0, 2.0])) == "1, 2"
    assert words(np.zeros((3, 4))) == "array (3, 4)"
    assert words({"a": (1, True)}) == "a: 1, yes"
    assert plain({"a": np.float64(1.0), "b": (np.zeros(2), um)}) == {"a": 1.0, "b": [[0.0, 0.0], str(um)]}
    assert "without a scenario" in scenario(None)
    assert "a: [1, 2]" in scenario({"a": (1, 2)})
    assert "a:\n  b: 1" in scenario({"a": {"b": 1}})
    assert "<details>" in table({"a": "x" * 500}, empty="")
    assert "nothing here" in table({}, empty="nothing here")


def test_a_batch_shows_its_fan_and_one_sample(tmp_path):
    batch = tumbling_brick(duration=0.2, samples=3)
    text = report(batch, tmp_path / "out.html", sample=2).read_text(encoding="utf-8")
    assert "Spread of 3 samples" in text
    assert "<dt>sample shown</dt><dd>2 of 3</dd>" in text
    with pytest.raises(um.ModelError, match="sample: expected 0…2"):
        report(batch, tmp_path / "out.html", sample=3)
