"""Positions a second through the policy network: planes, network, and the agent's whole answer.

``python benchmarks/inference_speed.py [--threads 1] [--json]``; medians of rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn

from c4agents.policy.agent import PolicyAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.planes import PLANES, to_planes
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay

ROUNDS = 9
SECONDS = 0.15


def positions(count: int) -> PositionBatch:
    games = SelfPlay(count)
    rng = np.random.default_rng(0)
    for _ in range(14):
        games.step(rng.integers(7, size=count))
    return games.positions()


def rate(work: Callable[[], object], count: int, clock: Callable[[], float]) -> float:
    done, started = 0, clock()
    while (passed := clock() - started) < SECONDS:
        work()
        done += count
    return done / passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    # Of one thread its own time, which other programs take no part in.
    clock = time.process_time if args.threads == 1 else time.perf_counter
    batch = positions(10_000)
    small, default = PolicyNetwork(NetworkConfig(32, 16, 96, 1)).eval(), PolicyNetwork().eval()
    yardstick = nn.Sequential(
        nn.Flatten(), nn.Linear(84, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 7)
    )
    agent = PolicyAgent(Evaluator(default))
    planes = torch.from_numpy(to_planes(batch.own, batch.occupied)).float()
    cases: dict[str, tuple[Callable[[], object], int]] = {
        "planes, batch 10000": (lambda: to_planes(batch.own, batch.occupied), 10_000),
        "default network, batch 256": (lambda: default(planes[:256]), 256),
        "default network, batch 1024": (lambda: default(planes[:1024]), 1024),
        "small network, batch 256": (lambda: small(planes[:256]), 256),
        "MLP 84-256-256 on two planes, batch 256 (yardstick)": (lambda: yardstick(planes[:256, :2]), 256),
        "agent.act_batch, 10000 positions": (lambda: agent.act_batch(batch), 10_000),
    }
    rates: dict[str, list[float]] = {name: [] for name in cases}
    with torch.inference_mode():
        for _ in range(ROUNDS):
            for name, (work, count) in cases.items():
                rates[name].append(rate(work, count, clock))
    medians = {name: statistics.median(measured) for name, measured in rates.items()}
    if args.json:
        print(json.dumps(medians, indent=2))
        return 0
    sizes = ", ".join(
        f"{name} {sum(weight.numel() for weight in network.parameters()):,}"
        for name, network in (("default", default), ("small", small))
    )
    print(f"{args.threads} thread(s), {len(PLANES)} planes; parameters: {sizes}")
    for name, median in medians.items():
        print(f"{name:52} {median:12,.0f} positions/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
