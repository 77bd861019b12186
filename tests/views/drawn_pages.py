"""What reports and notebooks say of made-up results: tables, charts without pictures, data of the player."""

import base64
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
from tests.support.recorded_runs import told_servicer, tumbling_brick
from tests.views.approved_looks import described
from tests.views.drawn_figures import campaign_statistics

import unmoored as um
from unmoored.views.notebook import _run_table, plant_table, system_table
from unmoored.views.report import campaign_report
from unmoored.views.report.embedded_playback import playback
from unmoored.views.report.report_charts import _chart
from unmoored.views.report.tables import goals, scenario, summary, table

#: arrays of the player, and of what kind they are
_KINDS = {"normals": np.int8, "triangles": np.uint32}


def unpacked(value, key=""):
    """The player's data with its arrays as arrays."""
    if isinstance(value, dict):
        return {k: unpacked(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [unpacked(x) for x in value]
    packed = isinstance(value, str) and key in ("times", "poses", "points", "path", "vertices", *_KINDS)
    return np.frombuffer(base64.b64decode(value), _KINDS.get(key, np.float32)) if packed else value


def without_pictures(text):
    """HTML without what is in its data: addresses, styles and scripts."""
    text = re.sub(r"base64,[A-Za-z0-9+/=]+", "base64,", text)
    text = re.sub(r"<style>.*?</style>|<script.*?</script>", "", text, flags=re.DOTALL)
    return re.sub(r"(-?\d\.\d{3})\d+", r"\1", re.sub(re.escape(um.__version__), "", text))


def campaign():
    """Results of a campaign with many failures."""
    failed = [SimpleNamespace(sample=k, status=f"blew up at {k} s") for k in range(23)]
    said = {
        "file": {"description": "many <b>samples</b>"}, "vary": {"body_1.mass": "uniform 1 … 2"},
        "total": 1200, "seed": 3,
        "design": "random", "duration": 2.5, "step": 0.01, "steps": 250, "backend": "cpu", "dtype": "float64",
        "shard": 100, "keep": ["height"], "versions": {"numpy": "2"}, "machine": "here",
    }  # fmt: skip
    return SimpleNamespace(
        folder=SimpleNamespace(said=said), name="a_campaign", samples=1000, total=1200, channels=("height", "torque"),
        statistics=campaign_statistics, failures=lambda: failed,
        worst=lambda channel, count: [
            SimpleNamespace(value=len(channel) + k / 3, sample=7 * k) for k in range(count)
        ],
    )  # fmt: skip


def plant():
    """A plant with a bit of everything."""
    system = um.load("free_flyer_arm7")
    last = system.names[-1]
    return um.Plant(
        system, world=um.Earth(),
        actuators=[um.Wrench("bus", name="hand", limits=(-3.0, 4.0)), um.JointMotor("elbow_pitch")],
        elements=[um.SpringDamper("world", last, name="spring")], closures=[um.Closure("world", last, name="hook")],
        free=["bus.mass"],
    )  # fmt: skip


def pages(folder):
    """(name, words or data) of all."""
    told, brick = told_servicer(), tumbling_brick(duration=0.2)
    batch = tumbling_brick(duration=0.2, samples=3)
    blown = um.Status("blew_up", 0.1, "nan")
    batch = replace(batch, status=(batch.status[0], blown, blown))
    yield "playback", described(unpacked(playback(told)))
    yield (
        "playback that follows",
        described(unpacked(playback(tumbling_brick(), stage="water", trails=["brick"]))),
    )
    yield "coarse playback", described(unpacked(playback(told, triangles=500, pose_bytes=5_000)))
    yield "goals", goals(told)
    yield "summaries", [summary(told, None, 0), summary(batch.sample(2), batch, 2)]
    yield (
        "tables",
        [
            table({"a_b": np.arange(8.0), "long": "x y" * 60}, empty=""),
            scenario(brick.scenario or {"a": [1]}),
        ],
    )
    yield "notebook", [system_table(told.system), plant_table(plant())]
    yield "runs in notebooks", [_run_table(told), _run_table(batch)]
    yield "chart", [without_pictures(_chart(brick, what, f"<{what}>")) for what in ("energy", "phase")]
    text = campaign_report(campaign(), folder / "campaign.html").read_text(encoding="utf-8")
    yield "campaign", without_pictures(text)
