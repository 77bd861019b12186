"""Responses of ships in files: CSV, VERES, WAMIT (docs/worlds.md), and what is wrong with them, by line."""

import numpy as np
import pytest

import unmoored as um
from unmoored.simulation.scenario.scenario_reader import scenario_from_data

# from supply.re1 of github.com/cybergalactic/MSS@736a3d1 (MIT): two headings and frequencies of 19 and 36
VERES = """ MOTION TRANSFER FUNCTIONS  - VERES Version  4.02.3
 Run name:
 Ship name: Supply
 Loading condition description: Design waterline

 ShipX exported data
  0.10250000E+04  0.98100004E+01
  0.82800003E+02  0.19200001E+02  0.60000000E+01
  0.53859196E+01  0.73000002E+01
     1     2     2     6
  0.0000000E+00  0.0000000E+00  0.0000000E+00   5.385920       6.000000
      40.00
  0.3141593
  1 -0.58115041E-02 -0.74497873E+00
  2 -0.13521913E-01 -0.63009059E+00
  3  0.99195468E+00 -0.25646591E-02
  4 -0.10278288E-01 -0.16585909E-01
  5  0.41450298E-03  0.79617789E-02
  6 -0.45077899E-02 -0.47316469E-03
  0.6283185
  1 -0.27393255E-01 -0.61637396E+00
  2  0.20925922E-03 -0.39091828E+00
  3  0.85215759E+00 -0.22120083E-01
  4 -0.11726624E-01  0.33191614E-01
  5  0.77974629E-02  0.29143736E-01
  6 -0.12922887E-01  0.13771602E-02
      90.00
  0.3141593
  1 -0.74368509E-04  0.36709548E-06
  2 -0.15517138E-01 -0.99319798E+00
  3  0.10017694E+01 -0.54297176E-04
  4 -0.10777518E-01 -0.28417060E-01
  5  0.54197524E-04 -0.17063860E-06
  6 -0.40296532E-03 -0.80410280E-03
  0.6283185
  1 -0.16598413E-02  0.29573252E-03
  2 -0.55097938E-01 -0.76790100E+00
  3  0.10478173E+01 -0.16098235E-01
  4 -0.51533699E-01  0.16190007E-01
  5  0.12766646E-02 -0.22777668E-03
  6 -0.18044674E-02  0.18944488E-02
"""

# from tanker.4 of the same source: the longest wave at 90 and 180 degrees; a made-up second period beside it
WAMIT = "\n".join(
    f"  {period}  {heading}     {k}  0.0  0.0  {re}  {im}"
    for period in ("0.163880E+03", "0.500000E+02")
    for heading, rows in {
        "0.900000E+02": ("-3.659746E-03 -3.960155E-04", "-3.639728E-06 -9.980356E-01", "1.000002E+00 -1.221948E-08",
                         "-9.782962E-07 -1.506295E-04", "-1.746192E-08 -1.709756E-09", "8.767421E-09 -6.283754E-04"),
        "0.180000E+03": ("-1.113100E-01  9.874818E-01", "0.0 0.0", "9.999499E-01 -3.589551E-07",
                         "0.0 0.0", "-6.621062E-07 -1.499663E-04", "0.0 0.0"),
    }.items()
    for k, (re, im) in enumerate((row.split() for row in rows), 1)
)  # fmt: skip


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_veres_files_are_those_of_the_built_in_vessel(tmp_path):
    """Heading 40 of VERES is 140 here; axes are turned from aft, right, up."""
    ship, built = um.ShipResponse.read(written(tmp_path, "supply.re1", VERES)), um.supply_vessel()
    assert "5.38592 m aft" in ship.source
    for heading in (90.0, 140.0):
        ω = np.array([0.3142, 0.6283])
        read, expected = ship.at(np.radians(heading), ω), built.at(np.radians(heading), ω)
        assert np.abs(read - expected).max() < 1e-4


def test_wamit_files_turn_headings_to_the_left(tmp_path):
    """In long waves the ship moves as the water: at WAMIT's 90 degrees it goes to the left, 270 here."""
    ship = um.ShipResponse.read(written(tmp_path, "tanker.4", "PERIOD HEADING I MOD PHASE RE IM\n" + WAMIT))
    ω = np.array([2 * np.pi / 163.88])
    beam = ship.at(np.radians(270), ω)[0]
    assert beam[:3] == pytest.approx([0, -1j, 1], abs=5e-3)
    head = ship.at(np.pi, ω)[0]
    assert head[2] == pytest.approx(1.0, abs=1e-3)
    assert head[0].imag == pytest.approx(1.0, abs=0.02)
    assert head[4] == pytest.approx(-1j * ω[0] ** 2 / 9.81, abs=1e-6)


def test_a_table_comes_back_from_csv(tmp_path):
    """Amplitudes and phases, periods, z down, phases that lag: each says the same as the plain file."""
    ship = um.supply_vessel()
    names = ("surge", "sway", "heave", "roll", "pitch", "yaw")
    sign = np.array([1, -1, -1, 1, -1, -1])
    lines = ["# axes: forward-right-down", "# phase: lag", "# source: a test"]
    lines += [",".join(["heading_deg", "period", *(f"{n}_amplitude,{n}_phase_deg" for n in names)])]
    for heading, table in zip(ship.headings_rad, ship.operators, strict=True):
        for ω, row in zip(ship.frequencies, table, strict=True):
            cells = [f"{np.degrees(heading)!r}", f"{2 * np.pi / ω!r}"]
            for x in np.conj(sign * row):
                cells += [f"{abs(x)!r}", f"{np.degrees(np.angle(x))!r}"]
            lines.append(",".join(cells).replace("np.float64(", "").replace(")", ""))
    read = um.ShipResponse.read(written(tmp_path, "ship.csv", "\n".join(lines)))
    assert read.source == "a test"
    assert um.ShipResponse.of_csv(read.to_csv()) == read
    assert um.Sea(response=ship.to_csv()).response == ship
    with pytest.raises(um.ModelError, match="not surge"):
        um.s175().to_csv()
    ω = np.linspace(0.3, 1.5, 7)
    for heading in (0.3, 2.0, 5.0):
        assert read.at(heading, ω) == pytest.approx(ship.at(heading, ω), abs=1e-12)


PLAIN = "heading_deg,frequency,heave_re,heave_im\n180,0.5,1,0\n180,1.0,0.5,0.1\n"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", PLAIN, r"a\.csv: surge: .*heading 180°, 0.5 rad/s"),
        ("a.csv", PLAIN.replace("0.5,1,0", "0.5,one,0"), r"a\.csv:2: row: cell: expected a finite number, given 'one'"),
        ("a.csv", PLAIN.replace("0.5,1,0", "0.5,1"), r"a\.csv:2: row: cells: expected 4, given 3"),
        ("a.csv", PLAIN.replace("0.5,1,0", "-0.5,1,0"), r"a\.csv:2: row: frequency .*> 0"),
        ("a.csv", PLAIN + "180,1.0,2,2\n", r"a\.csv:4: heave: heading 180°, 1 rad/s: expected one value"),
        ("a.csv", PLAIN + "90,1.0,2,2\n", r"a\.csv: heave: .*none at heading 90°, 0.5"),
        ("a.csv", PLAIN.replace("heave_im", "heave_i"), r"a\.csv:1: heave: columns: expected heave_re and heave_im"),
        ("a.csv", PLAIN.replace("frequency", "omega"), r"a\.csv:1: columns: names: .*period"),
        ("a.csv", "# axes: up\n" + PLAIN, r"a\.csv: file: # axes:.*forward-left-up"),
        ("a.csv", "# phase: lag\n# phase: lead\n" + PLAIN, r"a\.csv:2: file: # phase:.*a second one"),
        ("a.csv", "", r"a\.csv.*column names"),
        ("a.re1", VERES.replace("  3  0.85215759", "  5  0.85215759"), r"a\.re1:23: .*motion: expected 3, given 5"),
        ("a.re1", "\n".join(VERES.splitlines()[:30]), r"a\.re1:30: .*the end of the file"),
        ("a.re1", VERES.replace("  0.6283185\n", "  much\n"), r"a\.re1:20: .*'much'"),
        ("a.4", WAMIT.replace("     2 ", "     8 ", 1), r"a\.4:2: .*1 … 6"),
        ("a.txt", PLAIN, r"a\.txt.*\.csv, \.re1, \.4"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(tmp_path, name, text, says):
    path = written(tmp_path, name, text)
    zero = () if "surge" in says else ("surge", "sway", "roll", "pitch", "yaw") if name == "a.csv" else ()
    with pytest.raises(um.ModelError, match=says):
        um.ShipResponse.read(path, zero=zero)


def test_motions_that_a_file_lacks_are_zero_only_when_told(tmp_path):
    path = written(tmp_path, "a.csv", PLAIN)
    ship = um.ShipResponse.read(path, zero=("surge", "sway", "roll", "pitch", "yaw"))
    assert ship.at(np.pi, np.array([0.75]))[0].tolist() == [0, 0, 0.75 + 0.05j, 0, 0, 0]
    with pytest.raises(um.ModelError, match="some of surge"):
        um.ShipResponse.read(path, zero=("up",))


def test_a_scenario_names_a_response_by_its_file_beside_it(tmp_path):
    text = um.load_scenario("ship_arm_in_waves").data
    assert text["world"]["type"] == "Sea"
    written(tmp_path, "mine.re1", VERES)
    scenario = tmp_path / "s.yaml"
    scenario.write_text(
        "unmoored_scenario: 1\nname: s\nsystem: supply_vessel_arm6\nduration: 1\n"
        "integrator: {method: rkmk4, step: 0.1}\nworld: {type: Sea, response: mine.re1, heading_rad: 2.0, "
        "spreading: 200, significant_height: 1.5, peak_period: 9}\n",
        encoding="utf-8",
    )
    with pytest.warns(um.ModelWarning, match=r"above its last frequency, 0\.6283 rad/s"):
        loaded = um.load_scenario(scenario)
    (sea,) = loaded.plant.worlds
    # the table travels with the scenario's data: a saved run needs no file beside it
    with pytest.warns(um.ModelWarning, match="above its last"):
        kept = scenario_from_data(loaded.data, "kept")
    assert kept.plant.worlds[0] == sea
    assert sea.response.source.startswith("Supply, VERES")
    assert (sea.spreading, sea.significant_height, sea.peak_period) == (200.0, 1.5, 9.0)
    scenario.write_text(
        scenario.read_text()
        .replace("mine.re1", "s175")
        .replace("heading_rad: 2.0, spreading: 200", "seed: 1")
    )
    assert um.load_scenario(scenario).plant.worlds[0].response == um.s175()
    scenario.write_text(scenario.read_text().replace("s175", "none.csv"))
    with pytest.raises(um.ModelError, match=r"s\.yaml:6.*no such file.*none\.csv"):
        um.load_scenario(scenario)


def around(*headings, column="heading_deg", unit=1.0):
    """A file with heave 1 + 0.1i at each of {heading: value} and two frequencies."""
    rows = [f"{h * unit!r},{f},{value},0.1" for h, value in headings for f in (0.5, 1.0)]
    return "\n".join([f"{column},frequency,heave_re,heave_im", *rows]) + "\n"


@pytest.mark.parametrize(("column", "unit"), [("heading_deg", 1.0), ("heading_rad", np.pi / 180)])
def test_a_heading_may_be_there_again_a_turn_on_if_it_says_the_same(tmp_path, column, unit):
    still = ("surge", "sway", "roll", "pitch", "yaw")
    plain = [(0.0, 1.0), (60.0, 0.9), (120.0, 0.8), (180.0, 0.7)]
    expected = um.ShipResponse.read(
        written(tmp_path, "a.csv", around(*plain, column=column, unit=unit)), zero=still
    )
    for more in ((360.0, 1.0), (-180.0, 0.7), (420.0, 0.9)):
        text = around(*plain, more, column=column, unit=unit)
        found = um.ShipResponse.read(written(tmp_path, "b.csv", text), zero=still)
        assert found.at(2.0, [0.7, 0.8]) == pytest.approx(expected.at(2.0, [0.7, 0.8]), rel=1e-14)
        assert len(found.headings_rad) == 4
    for more, name in (((360.0, 1.01), "0° and 360°"), ((-180.0, 0.6), "-180° and 180°")):
        text = around(*plain, more, column=column, unit=unit)
        with pytest.raises(um.ModelError, match=f"expected the same heave at {name}, which are one heading"):
            um.ShipResponse.read(written(tmp_path, "c.csv", text), zero=still)
    with pytest.raises(um.ModelError, match="a second one"):
        um.ShipResponse.read(
            written(tmp_path, "d.csv", around(*plain, plain[1], column=column, unit=unit)), zero=still
        )


def test_tables_of_arrays_are_once_around_too_and_own_rows_are_better_than_images():
    operators = np.zeros((3, 2, 6), dtype=complex)
    operators[:, :, 1] = [[0.3], [0.5], [-0.5]]  # −60° is the image of 60°
    ship = um.ShipResponse(np.radians([0, 60, -60]), [0.5, 1.0], operators)
    assert ship.at(np.radians(300.0), [0.5])[0, 1] == pytest.approx(-0.5)
    operators[2, :, 1] = -0.7  # a ship that is not quite symmetric
    ship = um.ShipResponse(np.radians([0, 60, -60]), [0.5, 1.0], operators)
    assert ship.at(np.radians([300.0, 60.0]), [0.5, 0.5])[:, 1] == pytest.approx([-0.7, 0.5])
    with pytest.raises(um.ModelError, match="the same sway at 60° and -300°"):
        um.ShipResponse(np.radians([0, 60, -300]), [0.5, 1.0], operators)
