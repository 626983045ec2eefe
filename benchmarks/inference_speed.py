"""Positions a second through the policy network: planes, network, the agent's whole answer, and search on top.

    python benchmarks/inference_speed.py              # needs pip install -e '.[train]'
    python benchmarks/inference_speed.py --threads 2

Beside them a plain two-layer network and a large matrix product, the most that the library gets out of a core. Medians
of rounds in which all take turns; of one thread its own CPU time, of more the wall clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from measuring import parser, rate, show, spreads, take_turns, write
from torch import nn

from c4agents.policy.agent import PolicyAgent, PolicySearchAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.planes import to_planes
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay

SIZE = 1024
SIMULATIONS = 100


def positions(count: int) -> PositionBatch:
    games = SelfPlay(count)
    rng = np.random.default_rng(0)
    for _ in range(14):
        games.step(rng.integers(7, size=count))
    return games.positions()


def operations(network: nn.Module, example: torch.Tensor) -> int:
    """Multiplications and additions of a network for one position."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        network(example)
    return counter.get_total_flops() // len(example)


def main() -> None:
    arguments_of = parser(__doc__)
    arguments_of.add_argument("--threads", type=int, default=1)
    arguments = arguments_of.parse_args()
    torch.set_num_threads(arguments.threads)
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    rounds, seconds, many = (3, 0.1, 2_000) if arguments.quick else (9, 0.4, 10_000)
    batch = positions(many)
    some = PositionBatch(batch.own[:64], batch.occupied[:64], batch.rules)
    small, default = PolicyNetwork(NetworkConfig(32, 16, 96, 1)).eval(), PolicyNetwork().eval()
    yardstick = nn.Sequential(
        nn.Flatten(), nn.Linear(84, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 7)
    )
    agent = PolicyAgent(Evaluator(default))
    searching = PolicySearchAgent(Evaluator(default), simulations=SIMULATIONS)
    planes = torch.from_numpy(to_planes(batch.own, batch.occupied)).float()
    matrix = torch.rand(SIZE, SIZE)
    works: dict[str, tuple[Callable[[], object], int]] = {
        "planes": (lambda: to_planes(batch.own, batch.occupied), many),
        "default network, batch 256": (lambda: default(planes[:256]), 256),
        "default network, batch 1024": (lambda: default(planes[:1024]), 1024),
        "small network, batch 256": (lambda: small(planes[:256]), 256),
        "yardstick: MLP 84-256-256 on two planes, batch 256": (lambda: yardstick(planes[:256, :2]), 256),
        "agent.act_batch": (lambda: agent.act_batch(batch), many),
        f"agent with search, simulations ({SIMULATIONS} a move)": (lambda: searching.act_batch(some), 64 * SIMULATIONS),
        "matrix product, 1024 x 1024": (lambda: matrix @ matrix, 1),
    }

    def turn(work: Callable[[], object], count: int) -> Callable[[], float]:
        def counted() -> int:
            work()
            return count

        return lambda: rate(counted, seconds, clock)

    with torch.inference_mode():
        for work, _ in works.values():
            work()
        figures = spreads(take_turns(rounds, {name: turn(*work) for name, work in works.items()}))
        each = {"default": operations(default, planes[:16]), "yardstick": operations(yardstick, planes[:16, :2])}
    gigaflops = {
        "default network": figures["default network, batch 1024"]["median"] * each["default"] / 1e9,
        "yardstick": figures["yardstick: MLP 84-256-256 on two planes, batch 256"]["median"] * each["yardstick"] / 1e9,
        "matrix product": figures.pop("matrix product, 1024 x 1024")["median"] * 2 * SIZE**3 / 1e9,
    }
    show("positions/s", figures)
    print("10^9 operations a second:", ", ".join(f"{name} {value:.0f}" for name, value in gigaflops.items()))
    sizes = {name: sum(w.numel() for w in one.parameters()) for name, one in (("default", default), ("small", small))}
    results = {
        "threads": arguments.threads,
        "parameters": sizes,
        "positions_per_second": figures,
        "gigaflops": gigaflops,
    }
    write(arguments.json, results, ("torch",))


if __name__ == "__main__":
    main()
