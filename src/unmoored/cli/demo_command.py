"""`unmoored demo`: three scenarios, from their files to results, pictures and a report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from rich.console import Console

from ..dynamics.comparisons import euler_angles
from ..dynamics.comparisons.classic_runge_kutta import rk4_step
from ..kernels import compile as compile_kernel
from ..simulation import Run
from ..simulation.scenario import Scenario, channel_values, load_scenario
from ..simulation.scenario.summary import save_results
from ..views import plot, render, report
from ..views.extra import required
from .printing import escape

#: in space, under water, and through the attitude where Euler angles fail
SCENARIOS = ("free_floating_servicer", "station_keeping", "pitch_through_vertical")


def run_demonstration(out: Console, folder: Path) -> None:
    """Run three scenarios and write results, pictures and a report of the second one into `folder`."""
    required("matplotlib")  # before anything is run
    shown = None
    for name in SCENARIOS:
        scenario = load_scenario(name)
        out.print(f"\n[bold]{escape(name)}[/]  {escape(scenario.description)}")
        run = scenario.run()
        files = save_results(scenario, run, folder / name)
        files.append(render(run, folder / name / "picture.png"))
        plot(run, path=folder / name / "overview.png")
        files.append(folder / name / "overview.png")
        if name == "pitch_through_vertical":
            euler = euler_energy(scenario, len(run.t) - 1)
            files.append(save_comparison(run, euler, folder / name / "euler_angles.png"))
            finding = _of_pitching(run, euler)
        else:
            finding = _of_servicer(run) if name == "free_floating_servicer" else _of_station(run)
        out.print(f"  {escape(finding)}")
        for file in files:
            out.print(f"  [dim]wrote[/] {escape(str(file))}", highlight=False)
        shown = run if name == "station_keeping" else shown
    page = report(shown, folder / "report.html")
    out.print(f"\nreport: {page}", highlight=False)
    if (saved := folder / "station_keeping" / "run.zarr").exists():
        out.print(f"viewer: unmoored view {saved}", highlight=False)


def euler_energy(scenario: Scenario, steps: int) -> np.ndarray:
    """Kinetic energies (steps + 1,) of the scenario's system without forces, in Euler angles and the same steps."""
    tree, n = scenario.plant.tree, scenario.plant.nv
    rates = compile_kernel(
        lambda y: euler_angles.euler_rates(tree, y, np.zeros(n), np.zeros(3)), [(2 * n,)], name="euler_rates"
    )
    x = euler_angles.coordinates(tree, scenario.q0)
    states = [np.concatenate([x, euler_angles.coordinate_rates(x, scenario.v0)])]
    for _ in range(steps):
        states.append(rk4_step(rates, states[-1], scenario.step))
    x, x_dot = np.split(np.array(states), 2, axis=-1)
    q, v = euler_angles.configuration(tree, x), euler_angles.velocity(x, x_dot)
    return scenario.plant.system.energy(q, v).kinetic


def save_comparison(run: Run, euler: np.ndarray, path: Path) -> Path:
    """A picture of the energy over time, on the group and in Euler angles (T,)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    energy = run.energy().total
    for label, values in (("on the group", energy), ("Euler angles", euler)):
        axes.semilogy(run.t[1:], np.abs(values / energy[0] - 1)[1:] + 1e-17, label=label)
    axes.set(xlabel="t (s)", ylabel="error of the energy (relative)", title="Pitching through 90 degrees")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    return path


def _of_servicer(run: Run) -> str:
    angles = np.degrees([x[-1] for x in channel_values(run, ("bus.roll", "bus.pitch", "bus.yaw")).values()])
    momentum = np.abs(run.momentum()).max()
    turned = ", ".join(f"{angle:.1f}" for angle in angles)
    return f"the bus ends at roll, pitch, yaw = {turned} degrees; momentum stays below {momentum:.0e}"


def _of_station(run: Run) -> str:
    place = np.array([x[-1] for x in channel_values(run, ("rov.x", "rov.y", "rov.z")).values()])
    return f"it ends {1000 * np.linalg.norm(place):.2f} mm off its station in a current of 0.29 m/s"


def _of_pitching(run: Run, euler: np.ndarray) -> str:
    energy = run.energy().total
    lost = np.abs(euler / energy[0] - 1).max()
    own = np.abs(energy / energy[0] - 1).max()
    return f"error of the energy on the group {own:.0e}, in Euler angles with the same step {lost:.0e}"
