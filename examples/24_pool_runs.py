"""A vehicle with an arm in a pool: trim, buoyancy, added mass and drag from measured runs, and runs that were not used.

    python examples/24_pool_runs.py [FOLDER [HELD_OUT_FOLDER]] [--splits 20] [--seed 0] [--as-recorded]

FOLDER holds runs of a BlueROV2 with a Reach Alpha arm as NAME_mocap.csv.gz and NAME_joint_states.csv.gz (motion capture
of the vehicle, and the arm's axes; H. Kolano, github.com/hkolano/UVMS-SysID-with-EAs). The vehicle floats unpowered,
the arm moves it. Twelve runs drawn by seed are held out, or all of a second folder are; with --splits so many draws,
from --seed on, are fitted from scratch each, and the figures of all of them printed. Without a folder the example makes
runs of its own, from a vehicle whose ballast is not where the model has it.

What is free beside the vehicle in water: the zero of the arm's base yaw, which the files' users guessed, where the
arm's two long links weigh and how much water they displace, and how the tether pulls. In 25 of 28 runs the stern sinks
while the vehicle floats up, half a degree in the median, whatever the arm does: a moment of 0.06 N m that grows with
height, and no force that the rise would show. It is modelled as springs along the axes of the pool, held two metres
behind the vehicle, zero before the fit; a slant in the cameras' calibration would look the same, and the runs cannot
tell which it is. Roll and pitch start in the model's own equilibrium; nothing is fitted to a run that is held out.

The arm's axes are taken to have been logged 0.2 s late: the vehicle answers the arm earlier than this model does, in
roll and pitch alike, and runs that a fit has not seen are predicted better so (docs/identification.md). The files do
not say why. The unfitted model is given the same.

Differences between model and pool last for seconds, so rows are no independent readings: their noise is told ten times
as large as it is. Some runs were pushed by hand, which no model follows: large differences count linearly.

Motion capture jumps by 0.01 to 0.05 rad between two frames in most runs, all six readings at once, and stays there for
frames or seconds: it has lost a marker, or found one; with the same markers it comes back to the same offset. These
steps are taken out before anything else, by the readings alone (`identification.without_jumps`), of runs used and held
out alike and for both models; --as-recorded leaves them in the runs held out.

Measured ranges have swinging in them that no model follows, so that of least squares would be short by three per cent:
last, the centre of buoyancy goes to where the ranges of the runs used are right, in the median.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import unmoored as um
from unmoored import identification

DENSITY, GRAVITY = 997.0, 9.81
#: N in water, at m from the vehicle's origin: weights, and foam that lifts
BALLAST = [(3.24, (-0.2, 0.165, -0.075)), (1.62, (-0.0975, 0.1275, -0.1325)), (1.62, (-0.0975, -0.1275, -0.1325)),
           (0.69, (-0.1887, 0.0439, -0.0595)), (1.01, (-0.1542, 0.0439, -0.0795))]  # fmt: skip
FOAM = [(8.46, (0.0, 0.11, 0.027)), (8.86, (0.0, -0.11, 0.027))]
#: our joint: column in the files, and what is added to it (rad)
AXES = {"base_yaw": ("axis_e_pos", -3.07), "shoulder_pitch": ("axis_d_pos", 0.0), "elbow_pitch": ("axis_c_pos", 0.0),
        "wrist_roll": ("axis_b_pos", -2.879)}  # fmt: skip
HELD_OUT, SEED, PERIOD = 12, 0, 0.1
#: s: how late the arm's axes were logged; of the filter, which is short against the vehicle's own 2.8 s
LATE, WINDOW = 0.2, 1.2
#: rad, m, of roll, pitch, yaw and place: a jump, noise between jumps, offsets, how one differs when it comes back; and
#: what the vehicle accelerates by (rad/s², m/s², from the readings)
JUMPS = {name: np.repeat((angle, metres), 3) for name, angle, metres in
         (("jump", 4.5e-3, 2.25e-3), ("noise", 4e-4, 2e-4), ("offset", 0.025, 0.01), ("same", 1.7e-3, 5e-4),
          ("acceleration", 0.02, 5e-3))}  # fmt: skip
#: m: where the tether is held, seen from the vehicle; the middle of the pool's runs; a line so long keeps its direction
TETHER_END, MIDDLE, FAR = (-2.0, 0.0, 0.0), (1.5, -0.2, 0.6), 100.0
TETHERS = {"tether": (0, 0, 1), "tether_x": (1, 0, 0), "tether_y": (0, 1, 0)}
#: rad, m of single readings; how many times that the differences are told to be; and the readings' own outliers
TILT, HEAVE, CORRELATED, OUTLIER = 5e-3, 0.1, 10.0, 1.5
#: rad: what differs between runs in which nothing moves, one standard deviation
REPEATED = 8e-3
SETTLED = ("rov.wx", "rov.wy")
HEIGHT = "rov.fluid.centre_of_buoyancy[2]"
FREE = {  # and how far each may be from the model, one standard deviation; little about yaw, which is not compared
    "rov.fluid.centre_of_buoyancy": 0.01,
    "rov.fluid.volume": 5e-4,
    "rov.fluid.added_mass": np.array((3.0, 5.0, 5.0, 0.3, 0.3, 0.05)),
    "rov.fluid.linear_drag": np.array((2.0, 3.0, 3.0, 0.5, 0.5, 0.03)),
    "rov.fluid.quadratic_drag": np.array((9.0, 10.0, 18.0, 3.0, 3.0, 0.5)),
    "base_yaw.rpy": np.array((1e-4, 1e-4, 0.05)),
    **{f"{link}.com": 0.005 for link in ("shoulder_pitch", "wrist_roll")},
    **{f"{link}_hull.fluid.volume": 1e-5 for link in ("shoulder_pitch", "wrist_roll")},
    **{f"{name}.stiffness": 0.05 for name in TETHERS},
}


def vehicle(buoyancy=(0.0074, 0.0, 0.02), kilograms=13.082):
    """The vehicle of the runs, which is not the heavy one, with its ballast and foam."""
    tree = um.load("bluerov2_heavy_alpha5").tree
    fluid = um.Fluid(
        added_mass=(5.5, 12.7, 14.57, 0.12, 0.12, 0.12), linear_drag=(4.03, 6.22, 5.18, 0.07, 0.07, 0.07),
        quadratic_drag=(18.18, 21.66, 36.99, 1.55, 1.55, 1.55), volume=kilograms / DENSITY,
        centre_of_buoyancy=buoyancy,
    )  # fmt: skip
    inertia = um.Inertia(13.17, (0, 0, 0), (0.16, 0.16, 0.16))
    bodies = [replace(b, inertia=inertia, fluid=fluid) if b.name == "rov" else b for b in tree.bodies]
    for k, (weight, at) in enumerate(BALLAST):
        mass = um.Inertia.point(weight / GRAVITY)
        bodies.append(
            um.Body(name=f"ballast_{k}", parent="rov", joint=um.Fixed(), inertia=mass, at=um.Pose(xyz=at))
        )
    for k, (lift, at) in enumerate(FOAM):
        water = um.Fluid(volume=lift / GRAVITY / DENSITY)
        bodies.append(um.Body(name=f"foam_{k}", parent="rov", joint=um.Fixed(), inertia=um.Inertia.zero(), fluid=water,
                              at=um.Pose(xyz=at)))  # fmt: skip
    ends = {name: tuple(np.add(MIDDLE, FAR * np.array(axis))) for name, axis in TETHERS.items()}
    frames = (
        *tree.frames,
        um.Frame(name="tether_end", parent="rov", at=um.Pose(xyz=TETHER_END)),
        *(um.Frame(name=f"end_of_{name}", parent="world", at=um.Pose(xyz=end)) for name, end in ends.items()),
    )
    return um.System(replace(tree, name="pool_rov", bodies=tuple(bodies), frames=frames))


def plant_of(system):
    """The vehicle in the pool; its tether has no stiffness before a fit."""
    held = {"stiffness": 0.0, "rest_length": FAR}
    tethers = [um.SpringDamper(f"end_of_{name}", "tether_end", name=name, **held) for name in TETHERS]
    return um.Plant(system, um.Ocean(density=DENSITY, gravity=(0, 0, -GRAVITY)), elements=tethers)


def read(folder, name, system, steady=True):
    """One run at 10 Hz, without its jumps: smoothed, resampled and differentiated by cubics over 1.2 s."""
    mocap = identification.read_columns(folder / f"{name}_mocap.csv.gz")
    axes = identification.read_columns(folder / f"{name}_joint_states.csv.gz")
    position = np.stack([mocap[f"{k}_pose"] for k in "xyz"], axis=1)
    angles = np.unwrap(np.stack([mocap[k] for k in ("roll", "pitch", "yaw")], axis=1), axis=0)
    pose, seconds = np.concatenate([angles, position], axis=1), mocap["time_secs"]
    if steady:
        pose = identification.without_jumps(seconds, pose, **JUMPS).values
    tracks = {"rov": identification.pose_track(seconds, pose[:, 3:], rpy=pose[:, :3])}
    for joint, (column, offset) in AXES.items():
        tracks[joint] = identification.joint_track(axes["time_secs"] - LATE, axes[column], offset=offset)
    filter = um.LocalPolynomial(window=WINDOW, order=3)
    found = identification.record(system, tracks, period=PERIOD, filter=filter, name=name)
    return replace(found, q_noise=1e-3, v_noise=1e-3)


def read_all(folder, system, steady=True):
    names = sorted({path.name.removesuffix("_mocap.csv.gz") for path in folder.glob("*_mocap.csv.gz")})
    return [read(folder, name, system, steady) for name in names]


def made_up(system, count=6):
    """Runs of a vehicle whose centre of buoyancy is elsewhere, with noise on what motion capture sees."""
    rng, found = np.random.default_rng(SEED), []
    true = plant_of(vehicle(buoyancy=(0.0054, 0.0011, 0.0245), kilograms=12.97))
    for k in range(count):
        goals = rng.uniform((-1.0, 0.1, 0.1, -1.5), (1.0, 3.0, 1.8, 1.5), (2, 4))
        paths = {
            joint: um.Quintic((0.0, 2.0, 8.0, 10.0), goals[[0, 0, 1, 1], j]) for j, joint in enumerate(AXES)
        }
        moving = um.Plant(true.system, true.world, prescribed=paths)
        q0 = moving.trim(system.neutral(), free=[f"q.{name}" for name in SETTLED], zero=list(SETTLED)).q
        run = um.simulate(moving, q0, duration=10.0, step=0.02, record_every=5)
        q = system.retract(run.q, np.pad(2e-3 * rng.normal(size=(len(run.t), 6)), ((0, 0), (0, 4))))
        a = np.gradient(run.v, run.t, axis=0)
        found.append(um.Recording(run.t, q, run.v, a=a, q_noise=1e-3, v_noise=1e-3, name=f"made up {k}"))
    return found


def figures(plant, recordings, residuals):
    """1 − correlation, range ratio and trim error (rad) of roll and pitch, (runs, 2) each, and the predicted angles."""
    found, predicted = [], []
    for recording, left in zip(recordings, residuals, strict=True):
        seen = identification.tilt(plant, "rov", recording.q)[recording.seen]
        model = seen - left.values[:, :2]
        predicted.append(model)
        correlation = [np.corrcoef(seen[:, k], model[:, k])[0, 1] for k in range(2)]
        found.append(
            (
                1 - np.array(correlation),
                np.ptp(model, axis=0) / np.ptp(seen, axis=0),
                (model - seen).mean(axis=0),
            )
        )
    return *(np.array(x) for x in zip(*found, strict=True)), predicted


def fitted(plant, used):
    """The plant's numbers from runs, five rows a second."""
    outputs = [
        identification.Tilt(body="rov", noise=CORRELATED * TILT, bias=REPEATED),
        identification.FramePosition(frame="rov", axes="z", noise=CORRELATED * HEAVE),
    ]
    return um.identify(
        plant, [run.every(2) for run in used], free=list(FREE), prior=FREE, driven=list(AXES), settled=SETTLED,
        robust=OUTLIER / CORRELATED, outputs=outputs, tolerance=1e-3,
    )  # fmt: skip


def with_right_ranges(found, plant, used):
    """The numbers found, the centre of buoyancy where the ranges of the runs used are right in the median."""
    values, at = found.values.copy(), found.names.index(HEIGHT)

    def excess(height):
        values[at] = height
        return np.median(figures(plant, used, found.predictor(used, values))[1]) - 1

    heights = [values[at], values[at] - 1e-3]
    off = [excess(height) for height in heights]
    while abs(off[-1]) > 1e-3 and len(off) < 8:
        heights.append(heights[-1] - off[-1] * (heights[-1] - heights[-2]) / (off[-1] - off[-2]))
        off.append(excess(heights[-1]))
    if abs(off[-1]) > 5e-3:
        raise RuntimeError(f"ranges of the runs used are wrong by {off[-1]:.3f} after {len(off)} heights")
    return values


def split(runs, seed):
    """(used, held out), drawn by seed."""
    order = np.random.default_rng(seed).permutation(len(runs))
    count = HELD_OUT if len(runs) > 2 * HELD_OUT else len(runs) // 3
    return [runs[k] for k in order[count:]], [runs[k] for k in order[:count]]


def medians(before, after):
    """1 − correlation against the unfitted model's, range against measured, trim error (rad), over runs and angles."""
    return (
        np.median(after[0]) / np.median(before[0]),
        np.median(after[1]),
        np.median(np.abs(after[2])),
    )


words = argparse.ArgumentParser()
words.add_argument("folders", nargs="*", type=Path)
words.add_argument("--splits", type=int, default=1)
words.add_argument("--seed", type=int, default=SEED)
words.add_argument("--as-recorded", action="store_true", help="runs held out keep their jumps")
given = words.parse_args()
system = vehicle()
plant = plant_of(system)
runs = read_all(given.folders[0], system) if given.folders else made_up(system)
others = read_all(given.folders[1], system) if len(given.folders) > 1 else []

table = []
for seed in range(given.seed, given.seed + given.splits):
    used, held = split(runs, seed) if len(given.folders) < 2 else (runs, others)
    if given.as_recorded and given.folders:
        held = [read(given.folders[-1], run.name, system, steady=False) for run in held]
    found = fitted(plant, used)
    values = with_right_ranges(found, plant, used)
    before = figures(plant, held, found.predict(held, fitted=False))
    after = figures(plant, held, found.predictor(held, values))
    table.append(medians(before, after))
    if given.splits > 1:
        one, span, trim = table[-1]
        print(
            f"seed {seed:3}: 1 − correlation × {one:.3f}, range {span:.3f}, trim {trim:.4f} rad", flush=True
        )
if given.splits > 1:
    of_one, span, trim = np.array(table).T
    far = span[np.abs(span - 1).argmax()]
    print(f"\n{given.splits} splits, {len(held)} runs held out in each:            median    worst")
    print(f"1 − correlation against the unfitted model's   {np.median(of_one):9.3f}{of_one.max():9.3f}")
    print(f"range against measured                         {np.median(span):9.3f}{far:9.3f}")
    print(f"trim error (rad)                               {np.median(trim):9.4f}{trim.max():9.4f}")
print(found)
at = found.names.index(HEIGHT)
lower = (found.values[at] - values[at]) / found.standard_errors[at]
print(f"for the ranges of the runs used: {HEIGHT} {values[at]:.6f}, lower by {lower:.2f} standard errors")
print(f"\n{len(used)} runs used, {len(held)} held out; medians over roll and pitch of those held out:")
print(f"{'':24}{'as built':>10}{'fitted':>10}")
for what, k in (("1 − correlation", 0), ("range against measured", 1)):
    print(f"{what:24}{np.median(before[k]):10.4f}{np.median(after[k]):10.4f}")
print(f"{'trim error (rad)':24}{np.median(np.abs(before[2])):10.4f}{np.median(np.abs(after[2])):10.4f}")
for k, recording in enumerate(held):
    print(
        f"{recording.name:18}",
        "  ".join(f"{1 - after[0][k, i]:7.4f} {after[1][k, i]:6.3f} {after[2][k, i]:7.3f}" for i in range(2)),
    )

shown = held[: min(6, len(held))]
figure, axes = plt.subplots(len(shown), 2, figsize=(9, 1.7 * len(shown)), squeeze=False, sharex=False)
for row, (recording, old, new) in enumerate(zip(shown, before[3], after[3], strict=False)):
    seen = identification.tilt(plant, "rov", recording.q)
    for k, name in enumerate(("roll", "pitch")):
        at = recording.t[recording.seen]
        axes[row, k].plot(recording.t, np.degrees(seen[:, k]), "k", lw=1, label="measured")
        axes[row, k].plot(at, np.degrees(old[:, k]), color="0.6", lw=1, label="as built")
        axes[row, k].plot(at, np.degrees(new[:, k]), "C1", lw=1.2, label="fitted")
        axes[row, k].set_ylabel(f"{name} [deg]")
axes[0, 0].legend(fontsize=7)
axes[-1, 0].set_xlabel("t [s]")
figure.tight_layout()
Path("out").mkdir(exist_ok=True)
figure.savefig("out/24_pool_runs.png", dpi=150)
print("wrote out/24_pool_runs.png")
