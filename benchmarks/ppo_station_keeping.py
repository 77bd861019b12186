"""PPO in one file learns to hold a BlueROV2 in unknown currents while its arm works; how long that takes.

    python benchmarks/ppo_station_keeping.py --device cuda --seed 0 --limit 240

Task: `unmoored.bridges.tasks.station_keeping`: currents up to 0.5 m/s from anywhere, mass and drag randomised,
thrusters with lag; actions are the 8 thrusts. Success of an episode: the vehicle's distance from its place over the
last 5 s is below 5 cm rms. Learning stops when 97 % of 1,024 validation episodes succeed; then 4,096 held-out ones,
never seen before, are counted. The clock runs from the start of the script to the end of learning, imports and
compiling included.

PPO (Schulman et al. 2017) with generalised advantages, and values of final observations where an episode is truncated.
The policy's learning rate follows its divergence; the values, in units of the returns' deviation, learn at a rate of
their own, and each network's slope is bounded by itself, so that a bad guess of one does not hold the other back. No
baseline controller is inside: the network gives thrusts.
"""

import argparse
import math
import time
from itertools import pairwise

BEGUN = time.perf_counter()

import torch  # noqa: E402
from torch import nn  # noqa: E402

from unmoored.bridges.tasks import station_keeping  # noqa: E402
from unmoored.bridges.torch_environment import TorchEnvironment  # noqa: E402

GAMMA, LAMBDA, CLIP, EPOCHS, BATCHES = 0.99, 0.95, 0.2, 4, 4
DIVERGENCE, RATE, LARGEST_SLOPE = 0.015, 1e-3, 1.0
RMS, LAST, ENOUGH = 0.05, 5.0, 0.97
WORTH = 0.09  # mean reward of a period below which validating is not worth its time


def clock() -> float:
    return time.perf_counter() - BEGUN


class Normalised(nn.Module):
    """Numbers (..., size) by their running mean and deviation, of the last `memory` watches more or less."""

    def __init__(self, size, memory):
        super().__init__()
        self.memory, self.watches = memory, 0
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("square", torch.ones(size))

    def watch(self, x):
        x = x.reshape(-1, x.shape[-1])
        self.watches = min(self.watches + 1, self.memory)
        self.square += ((x - self.mean).square().mean(0) - self.square) / self.watches
        shift = (x.mean(0) - self.mean) / self.watches
        self.mean += shift
        self.square -= shift.square()

    @property
    def deviation(self):
        return (self.square + 1e-6).sqrt()

    def forward(self, x):
        return ((x - self.mean) / self.deviation).clamp(-10.0, 10.0)

    def back(self, x):
        return self.mean + self.deviation * x


def network(sizes):
    parts = []
    for a, b in pairwise(sizes):
        layer = nn.Linear(a, b)
        nn.init.orthogonal_(layer.weight, math.sqrt(2.0))
        nn.init.zeros_(layer.bias)
        parts += [layer, nn.ELU()]
    return nn.Sequential(*parts[:-1])


class Agent(nn.Module):
    """A Gaussian policy over actions in parts of the limits, and the value of an observation."""

    def __init__(self, observations, actions, width):
        super().__init__()
        self.normalised, self.returns = Normalised(observations, 1000), Normalised(1, 20)
        self.policy = network([observations, width, width, actions])
        self.value_network = network([observations, width, width, 1])
        with torch.no_grad():
            self.policy[-1].weight *= 0.01
        self.log_deviation = nn.Parameter(torch.full((actions,), math.log(0.3)))

    def mean(self, x):
        return self.policy(self.normalised(x))

    def value(self, x):
        """In units of the returns' deviation, from their mean."""
        return self.value_network(self.normalised(x))

    def watch_returns(self, x):
        """Returns (..., 1) move the units of values, not the values themselves (van Hasselt et al. 2016)."""
        last, mean, deviation = self.value_network[-1], self.returns.mean.clone(), self.returns.deviation
        self.returns.watch(x)
        last.weight *= deviation / self.returns.deviation
        last.bias.copy_((mean - self.returns.mean + deviation * last.bias) / self.returns.deviation)

    def log_likelihood(self, mean, action):
        σ = self.log_deviation.exp()
        terms = -0.5 * ((action - mean) / σ).square() - self.log_deviation - 0.5 * math.log(2.0 * math.pi)
        return terms.sum(-1)


@torch.no_grad()
def collected(agent, environment, observation, length, scale):
    """(the next observation, {name: tensors (length, envs, …)} of what happened)."""
    rows = {name: [] for name in ("x", "a", "mean", "reward", "final", "terminated", "last")}
    deviation = agent.log_deviation.exp()
    for _ in range(length):
        mean = agent.mean(observation)
        action = mean + deviation * torch.randn_like(mean)
        new = environment.step(scale * action)
        given = (observation, action, mean, new.reward, new.final_observation, new.terminated)
        for name, x in zip(rows, (*given, new.terminated | new.truncated), strict=True):
            rows[name].append(x)
        observation = new.observation
    kept = {name: torch.stack(x) for name, x in rows.items()}
    kept["log"] = agent.log_likelihood(kept["mean"], kept["a"])
    value, after = (agent.returns.back(agent.value(x))[..., 0] for x in (kept["x"], kept.pop("final")))
    slope = kept["reward"] + GAMMA * after * ~kept["terminated"] - value
    advantages, running = torch.zeros_like(slope), torch.zeros_like(slope[0])
    for k in reversed(range(length)):
        running = slope[k] + GAMMA * LAMBDA * running * ~kept["last"][k]
        advantages[k] = running
    agent.watch_returns((advantages + value)[..., None])
    kept["target"], kept["advantage"] = agent.returns((advantages + value)[..., None]), advantages
    return observation, kept


def loss_of(agent, x, action, mean, log, target, advantage, deviation):
    """(loss, divergence of the new policy from the old one)."""
    new_mean = agent.mean(x)
    ratio = (agent.log_likelihood(new_mean, action) - log).exp()
    gain = torch.minimum(ratio * advantage, ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * advantage).mean()
    miss = (agent.value(x) - target).square().mean()
    with torch.no_grad():
        σ, new = deviation, agent.log_deviation.exp()
        terms = (new / σ).log() + (σ.square() + (mean - new_mean).square()) / (2.0 * new.square()) - 0.5
        divergence = terms.sum(-1).mean()
    return miss - gain, divergence


class Learner:
    """Steps of the optimiser on batches; on the GPU recorded once and replayed if `graphs`, since they are small."""

    def __init__(self, agent, graphs):
        self.agent, self.graphs, self.graph = agent, graphs, None
        device = agent.log_deviation.device
        groups = [[*agent.policy.parameters(), agent.log_deviation], [*agent.value_network.parameters()]]
        rates = [torch.tensor(RATE, device=device) if graphs else RATE for _ in groups]
        parts = [{"params": group, "lr": rate} for group, rate in zip(groups, rates, strict=True)]
        self.optimiser = torch.optim.Adam(parts, fused=device.type == "cuda", capturable=graphs)

    @property
    def rate(self):
        """Of the policy."""
        return float(self.optimiser.param_groups[0]["lr"])

    @rate.setter
    def rate(self, value):
        group = self.optimiser.param_groups[0]
        if self.graphs:
            group["lr"].fill_(value)
        else:
            group["lr"] = value

    def improve(self, kept):
        """Some epochs over what was collected."""
        flat = [kept[name].flatten(0, 1) for name in ("x", "a", "mean", "log", "target", "advantage")]
        deviation = self.agent.log_deviation.detach().exp()
        for _ in range(EPOCHS):
            divergences = []
            for rows in torch.randperm(len(flat[0]), device=flat[0].device).chunk(BATCHES):
                divergences.append(self.step([part[rows] for part in flat] + [deviation]))
            divergence = float(torch.stack(divergences).mean())
            if divergence > 2.0 * DIVERGENCE:
                self.rate = max(self.rate / 1.5, 1e-5)
            elif divergence < 0.5 * DIVERGENCE:
                self.rate = min(self.rate * 1.5, 3e-3)

    def step(self, batch):
        """One step on a batch; the divergence of the new policy from the old one."""
        if not self.graphs:
            return self._step(batch)
        if self.graph is None:
            self._record(batch)
        for target, x in zip(self.batch, batch, strict=True):
            target.copy_(x)
        self.graph.replay()
        return self.divergence.clone()

    def _step(self, batch):
        x, a, mean, log, target, advantage, deviation = batch
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        loss, divergence = loss_of(self.agent, x, a, mean, log, target, advantage, deviation)
        self.optimiser.zero_grad()
        loss.backward()
        for group in self.optimiser.param_groups:
            nn.utils.clip_grad_norm_(group["params"], LARGEST_SLOPE)
        self.optimiser.step()
        return divergence

    def _record(self, batch):
        """The step as a graph of the GPU, after some on another stream, as torch asks for."""
        self.batch = [x.clone() for x in batch]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._step(self.batch)
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.divergence = self._step(self.batch)


@torch.no_grad()
def successes(agent, environment, scale):
    """(part of episodes below the bound, median rms distance over the last seconds), one episode of each sample."""
    task, observation = environment.task, environment.reset()
    last = round(LAST / task.control_step)
    total = torch.zeros(environment.num_envs, device=environment.device, dtype=environment.dtype)
    lost = torch.zeros(environment.num_envs, device=environment.device, dtype=torch.bool)
    for k in range(task.periods):
        new = environment.step(scale * agent.mean(observation))
        observation = new.observation
        lost |= new.terminated
        if k >= task.periods - last:
            total += new.final_observation[:, :3].square().sum(-1)
    rms = (total / last).sqrt()
    rms[lost] = math.inf
    return float((rms < RMS).float().mean()), float(rms.median())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--envs", type=int, default=8192)
    parser.add_argument("--length", type=int, default=24)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--every", type=int, default=20, help="iterations between validations")
    parser.add_argument(
        "--graphs", action="store_true", help="replay the optimiser's steps as a graph of the GPU"
    )
    parser.add_argument("--limit", type=float, default=240.0, help="seconds")
    parser.add_argument("--held-out", type=int, default=4096)
    given = parser.parse_args()
    imported = clock()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    if given.device == "cpu":
        torch.set_num_threads(1)  # small layers: threads cost more than they give
    task, far = station_keeping(), 1 << 32
    environment = TorchEnvironment(task, given.envs, device=given.device, seed=far * (given.seed + 1))
    check = TorchEnvironment(task, min(1024, given.held_out), device=given.device, seed=far * 1000)
    scale = environment.action_high
    agent = Agent(environment.episodes.observation_size, len(task.actions), given.width).to(given.device)
    learner = Learner(agent, given.graphs and given.device != "cpu")
    observation = environment.reset(spread=True)
    agent.normalised.watch(observation)
    print(f"{environment}: ready after {clock():.1f} s, {imported:.1f} s of them imports", flush=True)
    iteration, found = 0, 0.0
    while clock() < given.limit:
        observation, kept = collected(agent, environment, observation, given.length, scale)
        learner.improve(kept)
        agent.normalised.watch(
            kept["x"]
        )  # after the policy's steps, which compare likelihoods of the same inputs
        iteration += 1
        if iteration % given.every == 0:
            reward, σ = float(kept["reward"].mean()), float(agent.log_deviation.detach().exp().mean())
            found, middle = successes(agent, check, scale) if reward > WORTH else (0.0, math.nan)
            print(
                f"{clock():6.1f} s, {iteration} iterations, {iteration * given.envs * given.length:.3g} steps: "
                f"reward {reward:.4f}, deviation {σ:.3f}, rate {learner.rate:.1e}; "
                f"validation {100 * found:.1f} %, median {100 * middle:.1f} cm",
                flush=True,
            )
            if found >= ENOUGH:
                break
    seconds = clock()
    held_out = TorchEnvironment(task, given.held_out, device=given.device, seed=far * 2000)
    rate, middle = successes(agent, held_out, scale)
    print(
        f"seed {given.seed}: {100 * rate:.2f} % of {given.held_out} held-out episodes below {100 * RMS:g} cm rms over "
        f"the last {LAST:g} s (median {100 * middle:.1f} cm), after {seconds:.1f} s and {iteration} iterations"
    )


if __name__ == "__main__":
    main()
