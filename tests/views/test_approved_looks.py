"""Everything that is drawn looks as it did when it was last looked at; `approved_looks` tells how to change that.

Figures: allocation_figures, balance_figures, campaign_figures, canvas, estimate_figures, fans, goal_figures,
motion_figures, overview, palette, panels, planning_figures, plotting, residual_figures, run_channels.
Pictures: camera, filming, frame, interpolation, lettering, raster, stage, surfaces, tied_frames, told_places; the
shape of bodies, primitives.
Scenes: run_view, system_view, actor, environment, environment_nodes, joint_sliders, live_panel, opening_view,
scene_nodes, shown_instant, time_charts, time_controls, timeline, told_curves, trails, and the overlays axes,
centre_of_mass, ellipsoids, forces, menu, overlay, ties, told, touching.
Pages: campaign_page, embedded_playback, report_charts, tables, notebook.
"""

import numpy as np
import pytest
from PIL import Image
from tests.views.approved_looks import APPROVED, differences, differing, figure_looks, kept, style
from tests.views.drawn_figures import figures
from tests.views.drawn_pages import pages
from tests.views.drawn_pictures import pictures
from tests.views.drawn_scenes import SCENES, scene_looks

#: pixels at edges that machines may round to the other side
EDGES = 12


def test_figures():
    approved = kept("figures")
    for name, figure in figures():
        assert not differences(approved.pop(name), figure_looks(figure)), name
    assert not approved
    assert not differences(kept("style"), style())


def test_pictures():
    for name, picture in pictures():
        with Image.open(APPROVED / f"{name}.png") as image:
            assert differing(np.asarray(image.convert("RGB")), picture) <= EDGES, name


@pytest.mark.parametrize("name", SCENES)
def test_scenes(name):
    assert not differences(kept("scenes")[name], scene_looks(name))


def test_pages(tmp_path):
    approved = kept("pages")
    for name, page in pages(tmp_path):
        assert not differences(approved.pop(name), page), name
    assert not approved


def test_what_differs_is_told():
    first = {"a": [1.0, {"b": "x"}], "c": None, "d": True}
    assert not differences(first, {"a": [1.0 + 1e-9, {"b": "x"}], "c": None, "d": True})
    assert differences(first, first | {"a": [1.001, {"b": "y"}]}) == [
        "/a/0: kept 1.0, found 1.001",
        "/a/1/b: kept 'x', found 'y'",
    ]
    assert len(differences(first, {"a": [1.0], "c": 2, "d": 1})) == 2
