"""Gains of a station keeper by search: every sample of a vector environment tries its own.

The task is `unmoored/StationKeeping-v0`: a BlueROV2 in an unknown current, its arm at work. Each of 512 environments
runs a PID law with its own gains; the best eighth says where the next 512 are drawn (the cross-entropy method).
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from unmoored.bridges.gymnasium import TaskVectorEnv
from unmoored.bridges.tasks import station_keeping

COUNT, ROUNDS = 512, 7
task = station_keeping(duration=8.0)
environment = TaskVectorEnv(task, COUNT)
plant = task.plant
thrusts = np.linalg.pinv(plant.allocation_matrix(plant.system.neutral())[:6])  # from a wrench on the vehicle
sizes = environment.episodes.observation_sizes
edges = dict(zip(sizes, np.cumsum([0, *sizes.values()])[:-1], strict=True))


def part(observation, name):
    return observation[:, edges[name] : edges[name] + sizes[name]]


def law(observation, gains):
    """Thrusts (S, 8) of gains (S, 5): of place, its rate, its sum; of attitude and its rate; as logarithms."""
    k = np.exp(gains)
    R, v = part(observation, "attitude").reshape(-1, 3, 3), part(observation, "velocity")
    turned = 0.5 * np.stack(
        [R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], axis=1
    )
    force = (
        k[:, :1] * part(observation, "error") + k[:, 1:2] * v[:, :3] + k[:, 2:3] * part(observation, "sum")
    )
    moment = k[:, 3:4] * turned + k[:, 4:5] * v[:, 3:]
    return -np.concatenate([force, moment], axis=1) @ thrusts.T


def tried(gains, seed):
    """(mean reward (S,), distance (periods, S) from the place) of an episode."""
    observation, _ = environment.reset(seed=seed)
    reward, alive, distances = np.zeros(COUNT), np.ones(COUNT), []
    for _ in range(task.periods - 1):
        observation, earned, terminated, _, _ = environment.step(law(observation, gains))
        alive *= ~terminated
        reward += alive * earned
        distances.append(np.linalg.norm(part(observation, "error"), axis=1))
    return reward / task.periods, np.array(distances)


rng = np.random.default_rng(0)
mean, deviation, rewards = np.log([20.0, 20.0, 5.0, 3.0, 2.0]), np.full(5, 1.0), []
_, before = tried(np.tile(mean, (COUNT, 1)), seed=1)
for round_ in range(ROUNDS):
    gains = mean + deviation * rng.normal(size=(COUNT, 5))
    reward, _ = tried(gains, seed=1000 * (round_ + 1))
    best = gains[np.argsort(reward)[-COUNT // 8 :]]
    mean, deviation = best.mean(axis=0), best.std(axis=0) + 0.02
    rewards.append(reward.mean())
_, after = tried(np.tile(mean, (COUNT, 1)), seed=1)

print("gains:", ", ".join(f"{k:.3g}" for k in np.exp(mean)), "(N/m, N s/m, N/(m s), N m, N m s)")
last = {"before": before[-20:], "after": after[-20:]}
for name, distance in last.items():
    rms = 100 * np.sqrt((distance**2).mean(axis=0))
    print(
        f"{name}: median {np.median(rms):.1f} cm over the last second, 95 % below {np.quantile(rms, 0.95):.1f} cm"
    )
assert np.median(last["after"]) < 0.5 * np.median(last["before"])

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot(range(1, ROUNDS + 1), rewards, marker="o")
left.set(xlabel="round", ylabel="mean reward of a period", title="512 candidates a round")
time = task.control_step * np.arange(1, len(before) + 1)
for name, distance in (("before", before), ("after", after)):
    right.semilogy(time, np.median(distance, axis=1), label=f"{name}: median")
    right.fill_between(time, *np.quantile(distance, (0.05, 0.95), axis=1), alpha=0.2)
right.set(
    xlabel="t (s)", ylabel="distance from the place (m)", title="Unknown currents up to 0.5 m/s, 5 to 95 %"
)
right.legend()
for axes in (left, right):
    axes.grid(alpha=0.3)
Path("out").mkdir(exist_ok=True)
figure.savefig("out/19_search_in_a_vector_environment.png", dpi=120)
print("out/19_search_in_a_vector_environment.png")
