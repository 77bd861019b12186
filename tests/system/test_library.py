"""Every built-in system: complete, described, warned of where its source is wrong, and able to move."""

import re
import warnings
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from tests.system.library_systems import TRIANGLE_BROKEN, load

import unmoored as um
from unmoored.dynamics.mass_matrix import mass_matrix
from unmoored.model import WORLD

NAMES = sorted(um.systems())
PAGE = Path(__file__).parents[2] / "docs" / "systems.md"
# DoF and total mass (kg), counted by hand from the sources.
SIZES = {
    "bluerov2_bravo7": (6 + 6, 11.5 + 10.95),
    "bluerov2_heavy": (6, 13.5),
    "bluerov2_heavy_alpha5": (6 + 4, 13.5 + 1.272),
    "borinot": (6 + 2, 2.647 + 0.14853845 + 0.115),
    "envisat": (6, 7827.867),
    "ets_vii": (6 + 6, 2552 + 140.38),
    "ets_vii_wheels": (6 + 6 + 3, 2552 + 140.38 + 3),
    "f550_arm2": (6 + 2, 2.153 + 0.1852 + 0.001 + 0.0821 + 0.001 + 0.05723 + 0.002),
    "free_flyer_arm7": (6 + 7, 235.0),
    "gantry_crane": (2 + 3, 1.155 + 1.0),
    "hextilt_arm5": (6 + 5, 1.0194 + 0.27973 + 0.12284 + 0.11474 + 0.068772 + 0.05914 + 0.021791),
    "manisat": (3 + 4, 13.3 + 4 * 2.9),
    "mantis_quad_arm2": (6 + 2, 1.56 + 0.216 + 0.116),
    "papadopoulos_dubowsky": (3 + 2, 47.0),
    "phoenix_smart3s": (6 + 6, 5454.54 + 80 + 80 + 30 + 50 + 20 + 25),
    "remus100": (6, 1026 * 4 / 3 * np.pi * 0.8 * 0.095**2),
    "rexrov_oberon7": (6 + 6, 1862.87 + 55.0657),
    "rover_arm6": (3 + 6, 50 + 17.7),
    "rover_two_links": (3 + 2, 40 + 6 + 3.0),
    "schoenflies_arm": (4 + 3, 58.0),
    "spart_sc_3dof": (6 + 3, 130.0),
    "ssrms_station": (6 + 7, 4e5 + 2 * 243.66 + 4 * 105.98 + 314.88 + 279.2),
    "supply_vessel_arm6": (6 + 6, 6362208.5 + 19000),
    "tumbling_brick": (6, 3.6),
}


def test_the_list_of_systems_is_the_folder():
    folder = resources.files("unmoored.system") / "library"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.yaml" for name in NAMES]
    assert set(SIZES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_says_what_it_is_and_where_it_comes_from(name):
    tree = load(name).tree
    assert tree.name == name
    assert tree.description == um.systems()[name]
    assert 10 < len(tree.description) < 100
    assert tree.sources
    assert tree.assumptions
    assert all(text.strip() for text in (*tree.sources, *tree.assumptions))


@pytest.mark.parametrize("name", NAMES)
def test_degrees_of_freedom_and_mass(name):
    system = load(name)
    dofs, mass = SIZES[name]
    assert system.nv == dofs
    assert system.mass == pytest.approx(mass, rel=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_warns_exactly_of_the_inertias_known_to_be_impossible(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        um.load(name)
    assert all(issubclass(w.category, um.ModelWarning) for w in caught)
    assert [str(w.message).split(":")[0] for w in caught] == list(TRIANGLE_BROKEN.get(name, ()))


@pytest.mark.parametrize("name", NAMES)
def test_mass_matrix_is_positive_definite_and_well_scaled(name):
    system = load(name)
    for seed in range(5):
        q = system.random_configuration(seed)
        M = mass_matrix(system.tree, q)
        scale = 1 / np.sqrt(np.diag(M))
        assert np.abs(M - M.T).max() <= 1e-14 * np.abs(M).max()
        assert np.linalg.eigvalsh(scale[:, None] * M * scale)[0] > 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_every_arm_has_a_tool_and_every_body_with_mass_is_seen(name):
    tree = load(name).tree
    parents = {body.parent for body in tree.bodies}
    moved = [body.name for body in tree.bodies if body.parent != WORLD and body.joint.nv]
    tools = [frame.name for frame in tree.frames if frame.name.startswith("tool")]
    ends = [b for b in moved if b not in parents and not b.startswith("wheel")]
    if moved:
        assert tools == (["tool_left", "tool_right"] if name == "manisat" else ["tool"])
        assert len(tools) >= len(ends)
    for body in tree.bodies:
        assert body.visuals or not body.inertia.mass, f"{body.name} has no visual"


@pytest.mark.parametrize("name", NAMES)
def test_water_only_takes_energy_away(name):
    """vᵀ D₁ v ≥ 0 and added mass ⪰ 0 hold by construction; quadratic drag here is diagonal and ≥ 0."""
    for body in load(name).tree.bodies:
        if body.fluid is not None:
            D2 = body.fluid.quadratic_drag
            assert np.array_equal(D2, np.diag(np.diag(D2)))
            assert np.diag(D2).min() >= 0


def table_rows() -> dict[str, list[str]]:
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|$", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return {name: [cell.strip() for cell in rest.split("|")] for name, rest in rows}


def test_the_page_of_systems_is_complete_and_true():
    rows = table_rows()
    assert sorted(rows) == NAMES
    for name, (vehicle, dofs, mass, source, assumed) in rows.items():
        tree = load(name).tree
        assert vehicle == tree.bodies[0].joint.kind
        assert dofs == str(tree.nv)
        assert float(mass.replace(",", "")) == pytest.approx(tree.mass, rel=5e-4)
        assert len(source) > 5
        assert len(assumed) > 3
