"""Figures show the run's own numbers, with units, in colours that can be told apart."""

import re

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from tests.support.hostile_names import hostile_run
from tests.support.recorded_runs import reaching_servicer, record, tumbling_brick
from tests.support.thinning import one_in

import unmoored as um
from unmoored.model.units import dof_units
from unmoored.views import save_picture
from unmoored.views.plots import OKABE_ITO, plot
from unmoored.views.plots.motion_figures import unwound
from unmoored.views.plots.plotting import _figures
from unmoored.views.plots.run_channels import inputs

PALETTE = {colour.lower() for colour in OKABE_ITO}
#: figures of a law are in test_told_views.py
TOLD = ("targets", "errors", "allocation", "estimate")
SINGLE = [name for name in _figures() if name not in ("fan", *TOLD)]


@pytest.fixture(scope="module")
def run():
    return reaching_servicer(duration=1.0)


@pytest.fixture(scope="module")
def batch():
    return reaching_servicer(duration=0.4, samples=7)


def drawn(figure):
    return [axes for axes in figure.axes if axes.axison]


def columns(figure):
    """The ordinates of all lines with more than one point."""
    return [line.get_ydata() for axes in drawn(figure) for line in axes.lines if len(line.get_ydata()) > 1]


def shows(figure, values):
    return any(y.shape == values.shape and np.array_equal(y, values, equal_nan=True) for y in columns(figure))


@pytest.mark.parametrize("what", SINGLE)
def test_every_axis_has_a_unit_and_every_line_a_colour_of_the_palette(run, what):
    figure = plot(run, what)
    assert drawn(figure)
    for axes in drawn(figure):
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            assert re.search(r"\[.+\]$", label), (what, label)
        for line in axes.lines:
            assert to_hex(line.get_color()).lower() in PALETTE
        styles = [(line.get_color(), line.get_linestyle(), line.get_marker()) for line in axes.lines]
        assert len(set(styles)) == len(styles), "two lines look the same"


@pytest.mark.parametrize(
    ("what", "width"),
    one_in(3, [*((what, 3.4) for what in (*SINGLE, "fan")), ("overview", 6.4), ("phase", 6.4), ("fan", 6.4)]),
)
def test_text_stays_readable(run, batch, what, width, tmp_path):
    """In a column of a paper too: no text is smaller than 7 points, plots are not squeezed, a file is written."""
    figure = plot(
        batch if what == "fan" else run, what, tmp_path / "f.png", size=(width, 60.0 / width), dpi=40
    )
    sizes = [t.get_fontsize() for axes in drawn(figure) for t in (axes.xaxis.label, axes.yaxis.label)]
    sizes += [t.get_fontsize() for axes in drawn(figure) for t in axes.get_xticklabels()]
    assert min(sizes) >= 7.0
    assert min(axes.get_position().width for axes in drawn(figure)) * width > 1.0
    assert (tmp_path / "f.png").stat().st_size > 2000


def test_states_are_the_rows_of_the_run(run):
    figure = plot(run, "states")
    for k in range(7):
        assert shows(figure, run.q[:, 12 + k])
    for k in range(13):
        assert shows(figure, run.v[:, k])
    for k in range(3):
        assert shows(figure, run.q[:, 9 + k])  # the bus's place in the world


def test_joints_can_be_chosen(run):
    figure = plot(run, "states", joints=["elbow_pitch"])
    assert shows(figure, run.q[:, run.system.tree.link("elbow_pitch").q.start])
    assert not shows(figure, run.q[:, 12])


def test_energy_and_momentum_are_those_of_the_run():
    moving = tumbling_brick(duration=0.5)
    E, P = moving.energy(), moving.momentum()
    assert E.total[0] > 0
    energy = plot(moving, "energy")
    for values in (E.kinetic, E.total, E.total - E.total[0]):
        assert shows(energy, values)
    momentum = plot(moving, "momentum")
    for k in range(6):
        assert shows(momentum, P[:, k])
        assert shows(momentum, P[:, k] - P[0, k])


def test_forces_are_those_of_the_run(run):
    forces = plot(run, "forces")
    for k in range(13):
        assert shows(forces, run.u[:, k])


def test_plots_of_units_stand_in_one_column(run):
    grids = [axes.get_subplotspec().get_gridspec() for axes in plot(run, "forces").axes]
    assert {(grid.nrows, grid.ncols) for grid in grids} == {(len(inputs(run)), 1)}


def test_a_vehicle_that_cannot_turn_says_so_in_the_place_of_its_rates():
    b = um.SystemBuilder("gantry")
    b.vehicle("bridge", um.Translation(2), inertia=um.Inertia.sphere(2.0, 0.1))
    system = b.build()
    run = um.simulate(system, system.neutral(), [0.1, 0.2], duration=0.02, step=0.01)
    attitude, rates = plot(run, "base_attitude").axes
    assert len(attitude.lines) == 3
    assert ([text.get_text() for text in rates.texts], list(rates.lines)) == (["bridge cannot turn"], [])


def test_attitude_gives_back_the_rotation(run):
    """Yaw, pitch and roll in degrees are those of the stored rotation matrix."""
    figure = plot(run, "base_attitude")
    yaw, pitch, roll = np.radians([line.get_ydata() for line in figure.axes[0].lines])
    R = um.lie.so3.from_euler_zyx(np.stack([yaw, pitch, roll], axis=-1))
    assert np.abs(R - run.q[:, :9].reshape(-1, 3, 3)).max() < 1e-14
    assert "°" in figure.axes[0].get_ylabel()


def test_path_is_that_of_the_tool(run):
    p = np.stack([run.system.pose(q, "tool")[:3, 3] for q in run.q])
    figure = plot(run, "path", frame="tool")
    for axes, (i, k) in zip(figure.axes, ((0, 1), (0, 2), (1, 2)), strict=False):
        line = axes.lines[0]
        assert np.abs(line.get_xdata() - p[:, i]).max() < 1e-14
        assert np.abs(line.get_ydata() - p[:, k]).max() < 1e-14


def test_phase_portraits_pair_coordinate_and_velocity(run):
    figure = plot(run, "phase")
    assert len(drawn(figure)) == 7
    for k, axes in enumerate(drawn(figure)):
        assert np.array_equal(axes.lines[0].get_xdata(), run.q[:, 12 + k])
        assert np.array_equal(axes.lines[0].get_ydata(), run.v[:, 6 + k])


def test_phase_of_a_vehicle_alone_shows_its_rates():
    brick = tumbling_brick(duration=0.5)
    axes = drawn(plot(brick, "phase"))
    assert len(axes) == 3
    assert np.array_equal(axes[0].lines[0].get_xdata(), brick.v[:, 3])
    assert np.array_equal(axes[0].lines[0].get_ydata(), brick.v[:, 4])


def test_fan_draws_percentiles_over_samples(batch):
    figure = plot(batch, "fan", joints=["elbow_pitch"], percentiles=(10, 50, 90))
    (axes,) = [a for a in figure.axes if a.get_ylabel().startswith("elbow_pitch")]
    q = batch.q[..., batch.system.tree.link("elbow_pitch").q.start]
    assert np.array_equal(axes.lines[0].get_ydata(), np.percentile(q, 50, axis=0))
    outline = axes.collections[0].get_paths()[0].vertices[:, 1]
    low, high = np.percentile(q, [10, 90], axis=0)
    assert np.isclose(outline.min(), low.min(), rtol=0, atol=1e-14)
    assert np.isclose(outline.max(), high.max(), rtol=0, atol=1e-14)


def test_fan_leaves_out_samples_that_have_ended(batch):
    q = np.array(batch.q)
    q[0, 10:] = np.nan
    ended = um.Run(batch.system, batch.t, q, batch.v, lengths=np.array([10, *[len(batch.t)] * 6]))
    figure = plot(ended, "fan", joints=["elbow_pitch"])
    (axes,) = [a for a in figure.axes if a.get_ylabel().startswith("elbow_pitch")]
    rest = q[1:, 10:, batch.system.tree.link("elbow_pitch").q.start]
    assert np.array_equal(axes.lines[0].get_ydata()[10:], np.percentile(rest, 50, axis=0))


def test_a_batch_shows_one_sample_or_all(batch):
    assert "7 samples" in plot(batch)._suptitle.get_text()
    figure = plot(batch, "states", sample=3)
    assert "sample 3 of 7" in figure._suptitle.get_text()
    assert shows(figure, batch.v[3, :, 0])


def test_the_first_sample_is_shown_if_none_is_asked_for(batch):
    for options, k in (({}, 0), ({"sample": 0}, 0), ({"sample": 6}, 6)):
        figure = plot(batch, "states", **options)
        assert figure._suptitle.get_text() == f"free_flyer_arm7, sample {k} of 7"
        assert shows(figure, batch.v[k, :, 0])
    for sample in (-1, 7):
        with pytest.raises(um.ModelError, match=f"plot: sample: expected 0…6, given {sample}"):
            plot(batch, "states", sample=sample)


def test_units_follow_the_joints():
    crane = um.load("gantry_crane")
    assert dof_units(crane.tree) == ("m", "m", "rad", "rad", "rad")
    run = record(crane, crane.neutral(), np.ones(5), duration=0.1)
    assert [(panel.unit, panel.names) for panel in inputs(run)] == [
        ("N", ("cart.vx", "cart.vy")),
        ("N m", ("payload.wx", "payload.wy", "payload.wz")),
    ]


def test_inputs_have_the_units_of_their_actuators(run):
    system = run.system
    motors = [um.JointMotor("elbow_pitch"), um.JointMotor("wrist_roll", gear=50.0), um.Thruster("bus")]
    plant = um.Plant(system, actuators=motors)
    driven = um.Run(
        system, run.t, run.q, run.v, np.ones((len(run.t), 3)), plant=plant, input_names=plant.input_names,
        lengths=run.lengths,
    )  # fmt: skip
    assert [panel.unit for panel in inputs(driven)] == ["N m", "command", "N"]


def test_no_line_crosses_the_plot_where_an_angle_wraps():
    angles = np.array([[170.0], [178.0], [-179.0], [-170.0]])
    assert np.array_equal(unwound(angles), [[170.0], [178.0], [np.nan], [-170.0]], equal_nan=True)


def test_global_settings_of_matplotlib_stay_as_they_are(run):
    before = dict(matplotlib.rcParams)
    plot(run)
    assert dict(matplotlib.rcParams) == before


def test_notebooks_show_the_figure(run):
    assert plot(run, "energy")._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("speed",), {}, "unknown figure: expected one of overview, states"),
        (("energy",), {"frame": "tool"}, "unknown option: expected one of size"),
        (("path",), {"frame": "hand"}, "unknown frame or body: expected one of tool"),
        (("states",), {"joints": ["knee"]}, "unknown joint"),
        (("states",), {"vehicle": "ship"}, "unknown vehicle: expected one of bus"),
        (("fan",), {}, "expected a batch of runs"),
        (("states",), {"sample": 2}, "the run is one trajectory"),
    ],
)
def test_mistakes_are_named(run, arguments, options, words):
    with pytest.raises(um.ModelError, match=words):
        plot(run, *arguments, **options)


@pytest.mark.parametrize("levels", [(5, 95), (50, 40, 60), (-1, 50, 99), ()])
def test_percentiles_are_checked(batch, levels):
    with pytest.raises(um.ModelError, match="odd number of rising levels"):
        plot(batch, "fan", percentiles=levels)


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")  # such names are long
@pytest.mark.parametrize("what", one_in(3, [*SINGLE, "picture"], first=2))
def test_names_are_drawn_letter_by_letter(what, tmp_path):
    run = hostile_run()
    if what == "picture":
        save_picture(run.system, run.q[0], tmp_path / "a.png", title=r"$\frac{1}$")
    else:
        plot(run, what, tmp_path / "a.png", title=r"$\frac{1}$")
    assert (tmp_path / "a.png").stat().st_size > 1000
