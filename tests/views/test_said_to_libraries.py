"""What views tell the libraries that they use: how files are written, threads, the server's own page."""

import base64
import io
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import viser
from matplotlib import rcParams
from PIL import Image
from tests.support.recorded_runs import tumbling_brick

import unmoored as um
from unmoored.views import PublicViewerWarning, extra, notebook, plot, report, view
from unmoored.views.render import export
from unmoored.views.render.camera import Camera
from unmoored.views.render.frame import Setting, backdrop
from unmoored.views.render.raster import fragments
from unmoored.views.render.stage import STAGES
from unmoored.views.render.surfaces import surfaces
from unmoored.views.report import campaign_page, embedded_playback, page, report_charts
from unmoored.views.shapes.mesh_files import mesh_shape
from unmoored.views.viewer import server as serving
from unmoored.views.viewer.steady_calls import SteadyCalls

PICTURE = np.zeros((8, 10, 3), dtype=np.uint8)


@pytest.mark.parametrize(
    "show", [notebook.html, lambda run: um.views.render(run, "a.png"), lambda run: report(run, "a")]
)
def test_the_first_package_that_is_missing_is_named(monkeypatch, show):
    monkeypatch.setattr(extra, "find_spec", lambda module: None)
    with pytest.raises(um.MissingExtraError, match="views need the package matplotlib") as told:
        show(tumbling_brick(duration=0.04))
    assert told.value.name == "matplotlib"
    monkeypatch.setattr(extra, "find_spec", lambda module: None if module == "PIL" else module)
    with pytest.raises(um.MissingExtraError, match="views need the package PIL"):
        show(tumbling_brick(duration=0.04))


def test_pages_are_read_as_utf_8_on_every_machine(monkeypatch):
    asked = []
    text = SimpleNamespace(read_text=lambda **how: asked.append(how) or "text")
    monkeypatch.setattr(page, "files", lambda package: SimpleNamespace(joinpath=lambda name: text))
    assert page.page_text("page.html") == "text"
    assert asked == [{"encoding": "utf-8"}]


def test_complaints_of_the_encoder_are_told_whatever_letters_they_have():
    stream = SimpleNamespace(write=lambda frame: None, close=lambda: None)
    encoder = SimpleNamespace(stdin=stream, communicate=lambda: (None, b" no \xff room \n"))
    assert export._fed(encoder, [b"frame"]) == "no \N{REPLACEMENT CHARACTER} room"
    assert encoder.stdin is None, "it is closed already"


def test_meshes_that_cannot_be_read_are_told_where_they_are_asked_for():
    with pytest.warns(um.ModelWarning) as warned:
        assert mesh_shape(um.Mesh("nowhere.stl"), (1.0, 1.0, 1.0, 1.0)) is None
    assert [found.filename for found in warned] == [__file__]


def test_a_page_has_at_most_so_many_triangles_and_so_many_bytes_of_poses(monkeypatch):
    asked = []
    monkeypatch.setattr(
        embedded_playback, "within_budget", lambda shapes, triangles: asked.append(triangles) or shapes
    )
    monkeypatch.setattr(
        embedded_playback,
        "frame_count",
        lambda duration, bodies, **rest: asked.append((duration, bodies, rest)) or 3,
    )
    run = tumbling_brick(duration=0.04)
    for budgets, triangles, size in (({}, 60_000, 4_000_000), ({"triangles": 7, "pose_bytes": 9}, 7, 9)):
        asked.clear()
        data = embedded_playback.playback(run, **budgets)
        assert len(np.frombuffer(base64.b64decode(data["times"]), np.float32)) == 3
        assert asked == [triangles, (0.04, 1, {"rate": 50.0, "budget": size, "record_bytes": 28})]


def test_figures_in_notebooks_have_110_dots_for_an_inch():
    figure = plot(tumbling_brick(duration=0.04), "energy", size=(3.0, 2.0))
    with Image.open(io.BytesIO(figure._repr_png_())) as picture:
        assert picture.size == (330, 220)


def test_pictures_are_written_small_and_films_run_for_ever(monkeypatch, tmp_path):
    written = []
    monkeypatch.setattr(Image.Image, "save", lambda image, path, **options: written.append((path, options)))
    path = tmp_path / "a"
    export._write_png(path, PICTURE)
    export._write_gif(path, [PICTURE] * 3, 20.0)
    export._write_webp(path, [PICTURE] * 3, 20.0)
    (_, png), (_, gif), (_, webp) = written
    assert png == {"optimize": True}
    assert (gif["duration"], gif["loop"], gif["optimize"], gif["save_all"]) == (50, 0, False, True)
    assert (webp["duration"], webp["loop"], webp["quality"], webp["method"], webp["save_all"]) == (
        50,
        0,
        70,
        4,
        True,
    )
    assert [len(options["append_images"]) for options in (gif, webp)] == [2, 2]


def test_charts_are_the_same_whenever_they_are_made_and_large_ones_are_sharp(monkeypatch):
    figure, told = plot(tumbling_brick(duration=0.04), "energy"), []

    def saved(figure, **options):
        told.append(options | {key: rcParams[key] for key in ("svg.hashsalt", "path.simplify_threshold")})
        return b""

    monkeypatch.setattr(report_charts, "_saved", saved)
    report_charts._picture(figure)
    monkeypatch.setattr(report_charts, "_MOST_POINTS", 0)
    report_charts._picture(figure)
    svg, png = told
    assert (svg["format"], svg["metadata"]) == ("svg", {"Date": None})
    assert (svg["svg.hashsalt"], svg["path.simplify_threshold"]) == ("unmoored", 0.2)
    assert (png["format"], png["dpi"]) == ("png", 140)


def test_charts_of_campaigns_have_no_date(monkeypatch):
    told = []
    figure = SimpleNamespace(savefig=lambda file, **options: told.append(options))
    monkeypatch.setattr(campaign_page, "campaign_figure", lambda statistics, what: figure)
    campaign_page._chart(None, "fan", "words")
    assert told == [{"format": "svg", "metadata": {"Date": None}}]


def test_a_thread_that_calls_back_ends_with_the_program_and_is_waited_for():
    began, go = threading.Event(), threading.Event()
    ticks = []

    def tick(elapsed):
        ticks.append((elapsed, threading.current_thread()))
        began.set()
        assert go.wait(20.0)

    calls = SteadyCalls(tick, rate=100.0)
    assert not calls.running
    calls.start()
    assert began.wait(20.0)
    first = calls._thread
    calls.start()
    assert calls._thread is first, "it ticks already"
    assert (first.daemon, first.name, calls.running) == (True, "viewer", True)
    threading.Timer(0.05, go.set).start()
    calls.stop()
    assert not first.is_alive()
    assert not calls.running
    assert len(ticks) == 1
    assert 0.005 < ticks[0][0] < 5.0
    assert SteadyCalls(tick)._period == pytest.approx(1 / 30)


def test_a_tick_may_stop_its_own_thread():
    ended = threading.Event()

    def tick(_):
        calls.stop()
        ended.set()

    calls = SteadyCalls(tick, rate=1000.0)
    calls.start()
    assert ended.wait(20.0)
    calls._thread.join(20.0)
    assert not calls.running


def test_the_page_has_no_button_to_share_it_and_no_logo():
    themes, gone = [], []
    fake = SimpleNamespace(
        _websock_server=SimpleNamespace(unregister_handler=gone.append),
        gui=SimpleNamespace(configure_theme=lambda **options: themes.append(options)),
    )
    serving._no_sharing(fake)
    assert themes == [{"show_share_button": False, "show_logo": False}]
    assert [message.__name__ for message in gone] == ["ShareUrlRequest", "ShareUrlDisconnect"]


def test_the_viewers_page_is_called_as_the_system_and_says_nothing_itself(monkeypatch):
    told, made = [], viser.ViserServer
    monkeypatch.setattr(viser, "ViserServer", lambda **options: told.append(options) or made(**options))
    with view(um.load("tumbling_brick"), port=0, wait=False) as opened:
        (options,) = told
        assert options["label"] == "tumbling_brick"
        assert options["verbose"] is False
        assert (options["host"], options["port"]) == (
            "127.0.0.1",
            int(opened.url.rpartition(":")[2].strip("/")),
        )
    with (
        pytest.warns(PublicViewerWarning) as warned,
        view(um.load("tumbling_brick"), host="0.0.0.0", port=0, wait=False),
    ):
        pass
    assert [found.filename for found in warned] == [__file__]


def test_where_lines_of_sight_meet_nothing_no_word_is_said():
    """At the eye itself, along a floor, and across triangles that are none."""
    camera = Camera(np.zeros(3), 5.0, azimuth=0.0, elevation=0.0)
    assert camera.project(camera.eye[None], 8, 8)[0, 2] in (-np.inf, np.inf)
    setting = Setting(surfaces(()), STAGES["ground"], 9, 9, floor=-1.0)
    assert np.isfinite(backdrop(setting, camera).colours).all()
    nowhere = np.array([[np.nan, 1.0, 1.0], [3.0, 1.0, 1.0], [1.0, 3.0, 1.0]])
    assert len(fragments(nowhere, np.array([[0, 1, 2]]), 8, 8).pixel) == 0


def test_a_port_is_free_again_at_once_and_taken_while_it_is_bound():
    first = serving._bound("127.0.0.1", 0)
    port = first.getsockname()[1]
    first.close()
    again = serving._bound("127.0.0.1", port)
    assert again.getsockname() == ("127.0.0.1", port)
    with pytest.raises(ValueError, match=f"given 127.0.0.1:{port}: Address already in use"):
        serving._bound("127.0.0.1", port)
    again.close()
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:70000: "):
        serving._bound("127.0.0.1", 70000)
