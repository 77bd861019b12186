"""Recordings: files, tracks with units and frames, a filter that smooths, resamples and differentiates on the group."""

import gzip
import warnings

import numpy as np
import pytest

import unmoored as um
from unmoored import identification, lie
from unmoored.identification import LocalPolynomial, joint_track, pose_track, read_bag, read_columns, record


def arm():
    b = um.SystemBuilder("float")
    hull = b.vehicle("hull", um.Free(), inertia=um.Inertia.box(10.0, (0.5, 0.4, 0.3)))
    b.link("arm", parent=hull, joint=um.Revolute((0, 0, 1)), inertia=um.Inertia.rod(1.0, 0.4, axis=(1, 0, 0)))
    return b.build()


def turning(t):
    """A pose that turns about changing axes and its exact body twist, from q = exp(x(t)), V = dexp(x) ẋ."""
    x = np.stack(
        [0.3 * np.sin(t), 0.2 * t, np.cos(t), 0.9 * np.sin(0.7 * t), 0.5 * t, 0.4 * np.cos(t)], axis=-1
    )
    x_dot = np.stack(
        [0.3 * np.cos(t), 0.2 + 0 * t, -np.sin(t), 0.63 * np.cos(0.7 * t), 0.5 + 0 * t, -0.4 * np.sin(t)],
        axis=-1,
    )
    return lie.se3.exp(x), np.einsum("...ij,...j->...i", lie.se3.dexp(x), x_dot)


def test_smoothing_on_the_group_gives_pose_velocity_and_acceleration():
    """Irregular samples, resampled at other times: errors fall with the window as the order says (4, 3, 2)."""
    rng = np.random.default_rng(1)
    t = np.sort(rng.uniform(0.0, 4.0, 1600))
    g, _ = turning(t)
    times = np.linspace(0.6, 3.4, 15)
    right, V = turning(times)
    h = 1e-5
    V_dot = (turning(times + h)[1] - turning(times - h)[1]) / (2 * h)
    system = arm()
    errors = []
    for window in (0.4, 0.2):
        tracks = {
            "hull": pose_track(t, g[:, :3, 3], rotation=g[:, :3, :3]),
            "arm": joint_track(t, np.degrees(np.sin(t)), unit="deg", sign=-1.0, offset=10.0),
        }
        found = record(system, tracks, period=0.2, filter=LocalPolynomial(window), start=0.6, end=3.4)
        pose = system.pose(found.q, "hull")
        np.testing.assert_allclose(
            np.swapaxes(pose[:, :3, :3], 1, 2) @ pose[:, :3, :3], np.eye(3)[None].repeat(15, 0), atol=1e-14
        )
        errors.append(
            [
                np.abs(pose - right).max(),
                np.abs(found.v[:, :6] - V).max(),
                np.abs(found.a[:, :6] - V_dot).max(),
            ]
        )
        np.testing.assert_allclose(found.q[:, 12], np.radians(10.0) - np.sin(times), atol=2e-4)
        np.testing.assert_allclose(found.v[:, 6], -np.cos(times), atol=2e-3)
        np.testing.assert_allclose(found.a[:, 6], np.sin(times), atol=5e-2)
        assert found.seen.all()
    errors = np.array(errors)
    assert np.all(errors[1] < [2e-6, 1e-3, 2e-2])
    assert np.all(errors[0] / errors[1] > [8.0, 5.0, 2.5])


def test_noise_goes_through_the_filter_as_it_says():
    rng = np.random.default_rng(2)
    t = np.arange(0.0, 60.0, 0.01)
    σ = 0.01
    tracks = {
        "hull": pose_track(t, np.zeros((len(t), 3)), rpy=np.zeros((len(t), 3)), noise=σ),
        "arm": joint_track(t, σ * rng.normal(size=len(t)), noise=σ),
    }
    found = record(arm(), tracks, period=0.5, filter=LocalPolynomial(0.3, 2))
    for what in ("q", "v", "a"):
        told = getattr(found, f"{what}_noise")[6]
        rows = found.q[:, 12] if what == "q" else getattr(found, what)[:, 6]
        assert told == pytest.approx(np.sqrt((rows**2).mean()), rel=0.25)


@pytest.mark.parametrize("period", [0.005, 0.01, 0.04, 0.3])
def test_rows_that_share_noise_tell_no_more_than_their_samples(period):
    """The mean of all rows has the deviation that white noise of q_noise says, whether they are nearer than the window
    or the samples: rows that count as independent would make a fit too sure, by the root of how many share a sample."""
    b = um.SystemBuilder("rod")
    b.vehicle("rod", um.Revolute((0, 1, 0)), inertia=um.Inertia.box(mass=1.0, size=(1, 1, 1)))
    rod, rng, σ, spread = b.build(), np.random.default_rng(3), 0.01, []
    t = np.arange(0.0, 6.0, 0.01)
    for _ in range(60):
        tracks = {"rod": joint_track(t, σ * rng.normal(size=len(t)), noise=σ)}
        found = record(rod, tracks, period=period, filter=LocalPolynomial(0.3, 3)).part(0.5, 5.5)
        spread.append(found.q.mean() / (found.q_noise[0] / np.sqrt(len(found.t))))
    assert np.sqrt(np.mean(np.square(spread))) == pytest.approx(1.0, abs=0.3)  # three deviations of it


def test_frames_and_quaternions_are_said():
    """The instrument's world is turned and moved, its marker sits turned on the body; quaternions and rpy."""
    rng = np.random.default_rng(3)
    t = np.linspace(0.0, 1.0, 20)
    world, body = lie.se3.exp(rng.normal(size=6)), lie.se3.exp(rng.normal(size=6))
    ours, _ = turning(t)
    theirs = lie.se3.inverse(world) @ ours @ lie.se3.inverse(body)
    R, p = theirs[:, :3, :3], theirs[:, :3, 3]
    wxyz = lie.so3.quaternion_wxyz(R)
    kinds = [
        {"rotation": R},
        {"quaternion_wxyz": wxyz},
        {"quaternion_xyzw": wxyz[:, [1, 2, 3, 0]]},
        {"rpy": np.degrees(lie.so3.euler_zyx(R)[:, ::-1]), "angle_unit": "deg"},
    ]
    for kind in kinds:
        track = pose_track(t, 1e3 * p, unit="mm", world=world, body=body, **kind)
        g = arm().pose(np.column_stack([track.q, np.zeros(20)]), "hull")
        np.testing.assert_allclose(g, ours, atol=1e-12)


def test_gaps_are_told():
    t = np.concatenate([np.arange(0.0, 1.0, 0.01), np.arange(2.0, 3.0, 0.01)])
    tracks = {
        "hull": pose_track(t, np.zeros((200, 3)), rpy=np.zeros((200, 3))),
        "arm": joint_track(t, t),
    }
    found = record(arm(), tracks, period=0.1, filter=LocalPolynomial(0.2))
    inside = (found.t > 1.1) & (found.t < 1.89)
    assert not found.seen[inside].any()
    assert found.seen[(found.t < 1.05) | (found.t > 1.95)].all()
    np.testing.assert_allclose(found.q[:, 12], found.t, atol=1e-9)  # cubics through a straight line


def test_tables(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    text = "time, x\n0.0,1.5\n0.1,2.5\n"
    (tmp_path / "a.csv").write_text(text)
    with gzip.open(tmp_path / "a.csv.gz", "wt") as file:
        file.write(text)
    parquet.write_table(
        pyarrow.table({"time": [0.0, 0.1], "x": [1.5, 2.5], "who": ["a", "b"]}), tmp_path / "a.parquet"
    )
    for name in ("a.csv", "a.csv.gz", "a.parquet"):
        found = read_columns(tmp_path / name)
        assert set(found) == {"time", "x"}
        assert found["x"].tolist() == [1.5, 2.5]
    for name in ("a.csv", "a.parquet"):
        with pytest.raises(um.ModelError, match="column: expected one of time, x"):
            read_columns(tmp_path / name, ["y"])
    with pytest.raises(um.DataError, match="'who' holds no numbers"):
        read_columns(tmp_path / "a.parquet", ["who"])
    parquet.write_table(pyarrow.table({"x": [1.0, None]}), tmp_path / "gap.parquet")
    with pytest.raises(um.DataError, match="'x' has 1 empty"):
        read_columns(tmp_path / "gap.parquet")


def test_columns_of_text_need_not_be_read(tmp_path):
    """Logs have states and names beside their numbers, and spreadsheets begin with a mark of their encoding."""
    path = tmp_path / "log.csv"
    path.write_text("\ufefft,state,x\n\n0,armed,1\n1,idle,2\n", encoding="utf-8")
    found = read_columns(path, ["t", "x"])
    assert found["t"].tolist() == [0.0, 1.0]
    assert found["x"].tolist() == [1.0, 2.0]
    with pytest.raises(um.DataError, match="line 3, column 'state': 'armed'"):
        read_columns(path)
    with pytest.raises(um.ModelError, match="list of names"):
        read_columns(path, "t")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no rows"),
        ("t,x\n", "no rows"),
        ("t,x\n1,2,3\n", "line 2"),
        ("t,x\n1,2\n1,a\n", "line 3"),
        ("t,t\n1,2\n", "two columns"),
    ],
)
def test_damaged_tables_are_refused_by_line(tmp_path, text, told):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(um.DataError, match=told):
        read_columns(path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"t": [0.0, 0.0, 1.0]}, "increas"),
        ({"v": np.full((3, 7), np.nan)}, "finite"),
        ({"q": np.zeros((2, 13))}, "a row for each"),
        ({"q_noise": -1.0}, "≥ 0"),
        ({"seen": [True]}, "truth value"),
        ({"v": np.zeros((3, 7)).astype(str)}, "v: expected numbers"),
        ({"v": np.ma.masked_array(np.zeros((3, 7)), np.eye(3, 7))}, "v: expected numbers"),
    ],
)
def test_recordings_that_are_none(change, told):
    good = {"t": [0.0, 0.5, 1.0], "q": np.tile(arm().neutral(), (3, 1)), "v": np.zeros((3, 7))}
    um.Recording(**good)
    with pytest.raises(um.ModelError, match=told):
        um.Recording(**good | change)


def test_recordings_of_another_system_are_refused():
    good = um.Recording([0.0, 1.0], np.tile(arm().neutral(), (2, 1)), np.zeros((2, 7)))
    other = um.load("papadopoulos_dubowsky")
    with pytest.raises(um.ModelError, match="nq of"):
        um.identify(other, good, free=["*.mass"])
    twisted = um.Recording([0.0, 1.0], 1.1 * np.tile(arm().neutral(), (2, 1)), np.zeros((2, 7)))
    with pytest.raises(um.ModelError, match="rotation matrices"):
        um.identify(arm(), twisted, free=["arm.mass"])


def test_noise_of_tracks_is_in_radians_and_metres():
    """Whatever the unit of the readings, as q_noise is."""
    t, noise = np.linspace(0.0, 1.0, 51), []
    for unit, angle in (("mm", "deg"), ("m", "rad")):
        hull = pose_track(
            t, np.zeros((51, 3)), rpy=np.zeros((51, 3)), unit=unit, angle_unit=angle, noise=2e-3
        )
        tracks = {"hull": hull, "arm": joint_track(t, t, unit=angle, noise=2e-3)}
        noise.append(record(arm(), tracks, period=0.1, filter=LocalPolynomial(0.2)).q_noise)
    np.testing.assert_array_equal(*noise)
    assert np.all((noise[0] > 2e-4) & (noise[0] < 2e-3))


def test_missing_and_unknown_tracks_are_named():
    t = np.linspace(0, 1, 20)
    with pytest.raises(um.ModelError, match="none of hull"):
        record(arm(), {"arm": joint_track(t, t)}, period=0.1, filter=LocalPolynomial(0.2))
    with pytest.raises(um.ModelError, match="unit"):
        joint_track(t, t, unit="furlong")
    with pytest.raises(um.ModelError, match="one of"):
        pose_track(t, np.zeros((20, 3)))
    turned = np.tile(np.eye(3), (20, 1, 1))
    for bad in (2.0 * np.eye(3), np.diag([1.0, 1.0, -1.0]), np.full((3, 3), np.nan)):
        with pytest.raises(um.ModelError, match="pose_track: rotation: expected rotation matrices"):
            pose_track(t, np.zeros((20, 3)), rotation=np.concatenate([turned[:19], bad[None]]))
    for name in ("world", "body"):
        for bad in (np.full((4, 4), np.nan), np.eye(3), 2.0 * np.eye(4), "here"):
            with pytest.raises(um.ModelError, match=f"pose_track: {name}: expected"):
                pose_track(t, np.zeros((20, 3)), rpy=np.zeros((20, 3)), **{name: bad})
    rounded = turned + 1e-4 * np.random.default_rng(0).uniform(-1, 1, turned.shape)
    assert len(pose_track(t, np.zeros((20, 3)), rotation=rounded).t) == 20
    with pytest.raises(um.ModelError, match="go back"):
        joint_track(t[::-1], t)


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
def test_bags(tmp_path, storage):
    """Messages written by rosbags itself come back, in order of their stamps, with frames and names."""
    rosbag2 = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    header, time = types["std_msgs/msg/Header"], types["builtin_interfaces/msg/Time"]
    vector, quaternion, point = (types[f"geometry_msgs/msg/{k}"] for k in ("Vector3", "Quaternion", "Point"))
    plugin = getattr(rosbag2.StoragePlugin, storage.upper())
    t = np.arange(6) * 0.1
    with rosbag2.Writer(tmp_path / "bag", version=9, storage_plugin=plugin) as bag:
        joints = bag.add_connection("/joints", "sensor_msgs/msg/JointState", typestore=store)
        odometry = bag.add_connection("/odom", "nav_msgs/msg/Odometry", typestore=store)
        imu = bag.add_connection("/imu", "sensor_msgs/msg/Imu", typestore=store)
        bag.add_connection("/silent", "sensor_msgs/msg/Imu", typestore=store)
        wrench = bag.add_connection("/ft", "geometry_msgs/msg/WrenchStamped", typestore=store)

        def write(connection, kind, k, *fields, frame="world"):
            head = header(time(7, int(1e8 * k)), frame)
            message = types[kind](head, *fields)
            bag.write(connection, int(1e8 * k), store.serialize_cdr(message, kind))

        nine, many = np.zeros(9), np.zeros(36)
        for k in range(6):
            order = ["a", "b"] if k % 2 else ["b", "a"]
            values = [t[k], 10.0 + t[k]] if k % 2 else [10.0 + t[k], t[k]]
            write(
                joints, "sensor_msgs/msg/JointState", k, order, np.array(values), np.array([]), np.array([])
            )
            pose = types["geometry_msgs/msg/Pose"](
                point(t[k], 2.0, 3.0), quaternion(0.0, 0.0, np.sin(t[k] / 2), np.cos(t[k] / 2))
            )
            twist = types["geometry_msgs/msg/Twist"](vector(1.0, 2.0, 3.0), vector(4.0, 5.0, t[k]))
            write(
                odometry,
                "nav_msgs/msg/Odometry",
                k,
                "hull",
                types["geometry_msgs/msg/PoseWithCovariance"](pose, many),
                types["geometry_msgs/msg/TwistWithCovariance"](twist, many),
            )
            write(
                imu,
                "sensor_msgs/msg/Imu",
                k,
                quaternion(0.0, 0.0, 0.0, 1.0),
                nine,
                vector(0.1, 0.2, t[k]),
                nine,
                vector(0.0, 0.0, 9.81),
                nine,
                frame="imu",
            )
            write(
                wrench,
                "geometry_msgs/msg/WrenchStamped",
                k,
                types["geometry_msgs/msg/Wrench"](vector(1.0, 0.0, 0.0), vector(0.0, t[k], 0.0)),
                frame="wrist",
            )
    found = read_bag(tmp_path / "bag")
    assert set(found) == {"/joints", "/odom", "/imu", "/ft"}
    assert found["/joints"].joints == ("b", "a")
    np.testing.assert_allclose(found["/joints"].t, 7.0 + t, atol=1e-9)
    tracks = found["/joints"].joint_tracks({"arm": "a"})
    np.testing.assert_allclose(tracks["arm"].q[:, 0], t)
    odom = found["/odom"]
    assert (odom.frame, odom.child_frame) == ("world", "hull")
    np.testing.assert_allclose(odom.arrays["twist"][:, 5], t)
    tracks["hull"] = odom.pose_track()
    recorded = record(arm(), tracks, period=0.1, filter=LocalPolynomial(0.3, 2))
    np.testing.assert_allclose(recorded.v[:, 5], 1.0, atol=1e-3)
    assert found["/imu"].frame == "imu"
    np.testing.assert_allclose(found["/imu"].arrays["gyro"][:, 2], t)
    np.testing.assert_allclose(found["/ft"].arrays["wrench"][:, 4], t)
    np.testing.assert_allclose(read_bag(tmp_path / "bag", ["/ft"], stamps="bag")["/ft"].t, t, atol=1e-9)
    with pytest.raises(um.ModelError, match="topic"):
        read_bag(tmp_path / "bag", ["/none"])
    with pytest.raises(um.ModelError, match="/silent: expected a topic with messages"):
        read_bag(tmp_path / "bag", ["/silent"])
    with pytest.raises(um.ModelError, match="a list of names"):
        read_bag(tmp_path / "bag", "/ft")
    (stored,) = (path for path in (tmp_path / "bag").iterdir() if path.suffix in (".db3", ".mcap"))
    stored.write_bytes(stored.read_bytes()[: stored.stat().st_size // 2])
    with pytest.raises(um.DataError, match="readable"):
        read_bag(tmp_path / "bag")


def test_without_the_extra_it_is_named(monkeypatch, tmp_path):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr("unmoored.error_roots.import_module", missing)
    with pytest.raises(um.MissingExtraError, match=r"unmoored\[recordings\]"):
        identification.read_bag(tmp_path)


@pytest.mark.parametrize(("window", "rounded"), [(0.8, True), (0.1, False)])
def test_what_a_filter_rounds_off_is_told_of(window, rounded):
    """A cart of 3 kg that is pushed at 2 and at 9 rad/s: a cubic over 0.8 s leaves little of the quicker one."""
    t, σ, (slow, quick) = 0.01 * np.arange(1001), 1e-4, (2.0, 9.0)
    b = um.SystemBuilder("cart")
    b.vehicle("cart", um.Prismatic((1, 0, 0)), inertia=um.Inertia.box(mass=2.0, size=(1, 1, 1)))
    x = -(4.0 * np.sin(slow * t) / slow**2 + 4.0 * np.sin(quick * t) / quick**2) / 3.0
    x += σ * np.random.default_rng(0).normal(size=len(t))
    u = 4.0 * np.sin(slow * t) + 4.0 * np.sin(quick * t)
    seen = record(
        b.build(), {"cart": joint_track(t, x, noise=σ)}, period=0.01, filter=LocalPolynomial(window, 3),
        inputs=(t, u[:, None]), between="linear",
    ).part(1.0, 9.0)  # fmt: skip
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = um.identify(um.Plant(b.build()), seen, free=["cart.mass"], by="accelerations")
    assert any("filter's window is too long" in str(one.message) for one in told) == rounded
    assert (abs(found.values[0] - 3.0) > 0.03) == rounded
