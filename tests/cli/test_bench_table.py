"""The tables of `unmoored bench` fit a terminal of 100 columns with every name whole."""

import io
import json
import runpy
import sys
from pathlib import Path

import pytest
from rich.console import Console

import unmoored as um
from unmoored.cli.bench import compile_times, peers, suite

ROOT = Path(__file__).parents[2]

ROWS = [
    {
        "what": what,
        "system": system,
        "ours_us": 12345.678,
        "peer": peer,
        "peer_us": 98765.432,
        "ratio": ratio,
        "bar": bar,
        **({"limit": 123.4, "limited_by": "m"} if "batch" in what else {}),
    }
    for what, system, peer, ratio, bar in (
        ("forward dynamics derivatives, one call", "6+7+7 right", "pin.computeABADerivatives", 7.8, None),
        (
            "forward dynamics derivatives, batch, no out=",
            "6+7 right",
            "pin.computeABADerivatives",
            12.6,
            10.0,
        ),
        ("Coriolis matrix, batch", "6+7 right", "pin.computeCoriolisMatrix, one call", 21.4, 20.0),
        ("generalized_jacobian, one call, above the kernel", "free_flyer_arm7", "at most 0.7 µs", 0.64, 1.0),
        ("prescribed along 10,000 points, RKMK4 steps", "6+7 right", "along 10 points", 0.95, 1 / 1.2),
        (
            "solve_ik, 1,000 poses, 1e-6, 100.0 % solved",
            "7R with limits",
            "pytracik 0.0.3, 99.9 % solved",
            52.0,
            30.0,
        ),
        (
            "one trajectory, 100 Hz, speed limits",
            "BlueROV2 + Bravo 7",
            "real time, of one second",
            160.0,
            120.0,
        ),
        (
            "InEKF update, 15 states, batch, 2 iterations",
            "BlueROV2",
            "NumPy in batches, one iteration",
            30.0,
            None,
        ),
        (
            "RKMK4 steps under water, 4096",
            "BlueROV2 + Alpha 5",
            "mj_step RK4 with its fluid, C loop",
            29.1,
            10.0,
        ),
    )
]
ROWS.append(
    {"what": "generalized_jacobian, first call, with compiling", "system": "6+1000", "ours_us": 2703221.491,
     "peer": "5 s", "peer_us": 5e6, "ratio": 1.85, "bar": 1.0}
)  # fmt: skip
LIMITS = [
    {"what": "vjp of an RKMK4 step, against the step, batch", "system": "BlueROV2 + Alpha 5", "ours": 4.3, "bar": 5,
     "goal": 4, "unit": "×", "least": False},
    {"what": "product in a kernel, against np.matmul", "system": "26×26", "ours": 1.26, "bar": 1.5, "goal": 3,
     "unit": "×", "least": True},
]  # fmt: skip


def _lines(table) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=100, emoji=False).print(table)
    return out.getvalue().splitlines()


def test_the_table_fits_with_every_name_whole():
    lines = _lines(suite.table(ROWS))
    assert not any("…" in line for line in lines)
    systems = len({row["system"] for row in ROWS}) + 1  # one of them comes twice
    assert max(map(len, lines)) <= 100
    assert len(lines) == 1 + len(ROWS) + systems
    for row in ROWS:
        line = next(line for line in lines if line.strip().startswith(row["what"]))
        assert line.split()[-1] == str(suite.peers_of(ROWS).index(row["peer"]) + 1)
        assert any(line.strip() == row["system"] for line in lines)
    assert "123× m" in next(line for line in lines if "Coriolis" in line)
    assert "0.64×" in next(line for line in lines if "above the kernel" in line)
    assert lines[-1].split()[-5:] == ["2703221", "5000000", "1.85×", "1.00×", str(len(suite.peers_of(ROWS)))]


def test_a_pipe_gets_the_whole_table(monkeypatch):
    """What is not a terminal counts as 80 columns, and so does a small one: nothing may be cut there either."""
    monkeypatch.setenv("COLUMNS", "60")
    for console in (Console(file=io.StringIO()), Console(file=io.StringIO(), width=40)):
        out = suite.wide_enough(console)
        out.print(suite.table(ROWS))
        text = out.file.getvalue()
        assert "…" not in text
        assert all(row["what"] in text for row in ROWS)
    assert suite.wide_enough(Console(file=io.StringIO(), width=140)).width == 140


def test_the_table_of_limits_fits_with_every_name_whole():
    lines = _lines(compile_times.table(LIMITS))
    assert max(map(len, lines)) <= 100
    assert len(lines) == 1 + len(LIMITS)
    for row in LIMITS:
        assert any(row["what"] in line and row["system"] in line for line in lines)


def _teller():
    return runpy.run_path(str(ROOT / "benchmarks" / "last_run.py"))


def test_pages_tell_the_last_run():
    """The page of benchmarks and the first page have the figures of results.json, which this version made."""
    tell = _teller()
    result = json.loads((ROOT / "benchmarks" / "results.json").read_text("utf-8"))
    assert result["machine"]["unmoored"] == um.__version__, "run `unmoored bench -o benchmarks/results.json`"
    for text, written in (("RESULTS", "with_run"), ("INDEX", "with_speed")):
        page = tell[text].read_text("utf-8")
        assert tell[written](page, result) == page, "run benchmarks/last_run.py"


def test_a_run_that_misses_its_bars_is_told_so():
    machine = suite._machine()
    run = {"machine": machine, "rows": ROWS, "compile_times": LIMITS}
    text = _teller()["told"](run)
    assert f"on {machine['date']}: {machine['processor']} ({machine['cores']} cores)" in text
    missed = [row for row in ROWS if row["bar"] is not None and row["ratio"] < row["bar"]]
    assert len(missed) == 1
    bars = [row for row in ROWS if row["bar"] is not None]
    assert f"Of {len(bars)} rows with a bar 1 missed it" in text
    for row in ROWS:
        (line,) = [
            line for line in text.splitlines() if line.startswith(f"| {row['what']} | {row['system']} |")
        ]
        assert ("**" in line) == (row in missed)
    assert "| vjp of an RKMK4 step, against the step, batch | BlueROV2 + Alpha 5 | 4.3 × | ≤ 5 × |" in text
    assert "| product in a kernel, against np.matmul | 26×26 | **1.26 ×** | ≥ 1.5 × |" in text


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("raise SystemExit('no solver beside it')", "peer.py: .* ended with 1: no solver beside it"),
        ("", "peer.py: .* ended with 0: it printed nothing"),
    ],
)
def test_a_peer_that_fails_says_why(tmp_path, script, reason):
    (tmp_path / "peer.py").write_text(script)
    with pytest.raises(peers.PeerFailedError, match=reason):
        peers.measured_by(sys.executable, str(tmp_path / "peer.py"))


def test_an_interpreter_that_is_not_there_is_named(tmp_path):
    with pytest.raises(peers.PeerFailedError, match=r"peer.py: .*nowhere does not start: No such file"):
        peers.measured_by(str(tmp_path / "nowhere"), "peer.py")


def test_a_peer_is_told_its_arguments_and_variables(tmp_path):
    (tmp_path / "peer.py").write_text(
        "import os, sys; print('first'); print([len(sys.argv), int(os.environ['N'])])"
    )
    assert peers.measured_by(sys.executable, str(tmp_path / "peer.py"), "a", "b", N="7") == [3, 7]
