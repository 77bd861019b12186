"""Tell the last run of `unmoored bench` on the pages: python benchmarks/last_run.py [benchmarks/results.json]

Writes the first part of RESULTS.md, and the rows of speed on the first page of docs/.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS, INDEX = HERE / "RESULTS.md", HERE.parent / "docs" / "index.md"
END = "## Earlier runs, other computers, and what was tried"
#: rows of the first page, of 6+7 right: what, against whom, and how the page calls both
PIN, MUJOCO = "Pinocchio {pin} ", "MuJoCo {mujoco} "
SPEED = (
    ("forward dynamics, batch", "pin.abaInParallel", "forward dynamics", PIN + "`abaInParallel`, 1 thread"),
    ("forward dynamics derivatives, batch", "pin", "its derivatives", PIN + "`computeABADerivatives`"),
    ("inverse dynamics, batch", "pin.rneaInParallel", "inverse dynamics", PIN + "`rneaInParallel`, 1 thread"),
    ("RKMK4 steps, 4096 trajectories", "mj_step", "one RK4 step", MUJOCO + "`mj_step` RK4 in a C loop"),
    ("forward dynamics, one call", "pin.aba", "one call from Python, forward dynamics", PIN + "`aba`"),
)
ABOUT = """# Measured speed

Time per evaluation (or per time step), and the ratio of the peer's time to ours: of five rounds, ours and the peer in
turn, the worst. On one core, on the same random states; times are the process's own on the processor (by the wall clock
for threads). Batches have 4,096 samples where nothing else is said and are written into `out=`. Results differ from run
to run by a tenth and more, so compare ratios. This part is written by `benchmarks/last_run.py` from
`benchmarks/results.json`, the last run of

```
pip install 'unmoored[bench]'
unmoored bench -o benchmarks/results.json
```

on {date}: {processor} ({cores} cores), {system}, Python {python}, unmoored {unmoored},
NumPy {numpy}, llvmlite {llvmlite}, Pinocchio {pin}, MuJoCo {mujoco}.
Of {bars} rows with a bar {missed} missed it in this run; they are bold.

| what | system | ours | peer | ratio | must reach | the peer is |
|---|---|---:|---:|---:|---:|---|"""
BETWEEN = """
Systems: a free bus with arms of 2, 7, 7 + 7 and 30 revolute joints; *right* has right-angle frames and principal
inertias, *random* neither. 6+7 right is `free_flyer_arm7`. Where Pinocchio has no batch call (hybrid, mass matrix,
Coriolis matrix, Jacobian, derivatives), the peer is one call from Python, which includes the cost of that call."""
FIRST_CALLS = """
What a first call costs with nothing in the cache, and ratios to our own code:

| what | system | here | must be |
|---|---|---:|---:|"""


def main(path: Path) -> None:
    """Write both pages anew."""
    result = json.loads(path.read_text(encoding="utf-8"))
    RESULTS.write_text(with_run(RESULTS.read_text(encoding="utf-8"), result), encoding="utf-8")
    INDEX.write_text(with_speed(INDEX.read_text(encoding="utf-8"), result), encoding="utf-8")


def with_run(text: str, result: dict[str, Any]) -> str:
    """The text of RESULTS.md with this run in front of what is older."""
    return told(result) + "\n" + text[text.index(END) :]


def with_speed(text: str, result: dict[str, Any]) -> str:
    """The first page with the rows of this run."""
    head, rows = text.split("## Speed\n")
    after = rows[rows.index("\n\nAll rows") :]
    return f"{head}## Speed\n\n{speed(result)}{after}"


def told(result: dict[str, Any]) -> str:
    """The whole run: where, what, how fast, against whom, and what first calls cost."""
    machine, rows = result["machine"], result["rows"]
    missed = [row for row in rows if row["bar"] is not None and row["ratio"] < row["bar"]]
    bars = sum(row["bar"] is not None for row in rows)
    lines = ABOUT.format(bars=bars, missed=len(missed), **machine).split("\n")
    for row in rows:
        ratio = f"{_short(row['ratio'])}×"
        bar = "" if row["bar"] is None else f"{_short(row['bar'])}×"
        lines.append(
            f"| {row['what']} | {row['system']} | {_time(row['ours_us'])} | {_time(row['peer_us'])} "
            f"| {f'**{ratio}**' if row in missed else ratio} | {bar} | {row['peer']} |"
        )
    lines += BETWEEN.split("\n")
    if result.get("left_out"):
        words = "; ".join(result["left_out"])
        lines += ["", f"Measured part by part; not in it: {words}. The sections below have earlier figures."]
    if result["compile_times"]:
        lines += FIRST_CALLS.split("\n")
    for row in result["compile_times"]:
        met = row["ours"] >= row["bar"] if row["least"] else row["ours"] <= row["bar"]
        ours = f"{row['ours']:.3g} {row['unit']}"
        sign = "≥" if row["least"] else "≤"
        here, bar = ours if met else f"**{ours}**", f"{sign} {row['bar']:g} {row['unit']}"
        lines.append(f"| {row['what']} | {row['system']} | {here} | {bar} |")
    return "\n".join(lines) + "\n"


def speed(result: dict[str, Any]) -> str:
    """The table of the first page."""
    lines = ["| one core, batch of 4,096, 6+7 DoF | here | peer, same run | ratio |", "|---|---|---|---|"]
    for what, peer, name, peer_name in SPEED:
        (row,) = [
            row
            for row in result["rows"]
            if (row["what"], row["system"]) == (what, "6+7 right") and row["peer"].startswith(peer)
        ]
        theirs = f"{_time(row['peer_us'])}, {peer_name.format(**result['machine'])}"
        lines.append(f"| {name} | {_time(row['ours_us'])} | {theirs} | {_short(row['ratio'])}× |")
    return "\n".join(lines)


def _time(us: float) -> str:
    return f"{us / 1e6:.2f} s" if us >= 1e5 else f"{us:.3g} µs"


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 2 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:.0f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "results.json")
