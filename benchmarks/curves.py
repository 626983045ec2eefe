"""How speed grows and falls: environments over batch, solver and certification over ply, training over batch.

    python benchmarks/curves.py                       # training needs pip install -e '.[train]'
    python benchmarks/curves.py --quick --only solver

Each curve is measured in a process of its own, whose peak memory is given beside what it had after its imports. CPU
time on one core; two threads by the wall clock, which needs a machine with nothing else to do.

- env: plies per second of the vector environment and of self-play over the number of games, random legal moves.
- solver: milliseconds for the exact score over the ply, random positions, no book, cold table.
- certify: positions per second over the ply, of the walk alone (an agent that costs nothing).
- training: positions per second over the batch, one update of the default network by imitation of the solver.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import ROOT, console, installed, parser, rate, spread, spreads, take_turns, write
from positions import random_positions

Curve = dict[str, Any]


def env(quick: bool) -> Curve:
    from env_speed import selfplay, vector

    sizes = [4**power for power in range(0, 9, 4 if quick else 1)]
    rounds, seconds = (2, 0.1) if quick else (5, 0.4)
    makers = {"vector env": vector, "self-play": selfplay}
    lines: dict[str, dict[int, dict[str, float]]] = {}
    for threads in (1, 2):
        made = {(name, size): make(size, threads) for size in sizes for name, make in makers.items()}
        for one in made.values():
            one.chunk()
        turns = {f"{name} {size}": lambda one=one: one.plies_per_second(seconds) for (name, size), one in made.items()}
        found = spreads(take_turns(rounds, turns))
        for name in makers:
            lines[f"{name}, {threads} thread{'s'[: threads - 1]}"] = {size: found[f"{name} {size}"] for size in sizes}
    return {"over": "games", "unit": "plies/s", "lines": lines}


def solver(quick: bool) -> Curve:
    from c4agents.solver import Solver

    one = Solver(book=None)
    times: dict[str, dict[int, float]] = {"median": {}, "90th percentile": {}}
    for ply in (12, 24, 36) if quick else range(8, 41, 2):
        taken = []
        for position in random_positions(5 if quick else 40, ply, ply, ply):
            one.clear()
            started = time.process_time()
            one.score(position)
            taken.append(1e3 * (time.process_time() - started))
        times["median"][ply], times["90th percentile"][ply] = np.percentile(taken, [50, 90]).tolist()
    return {"over": "ply", "unit": "ms", "lines": times}


def certify(quick: bool) -> Curve:
    from certify_speed import Lowest

    from c4agents.arena import certification

    last = 16 if quick else 32

    def layers() -> dict[int, float]:
        """Positions per second of each layer of one walk."""
        sizes: dict[int, int] = {}
        begun: dict[int, float] = {}

        def note(at: certification.WalkProgress) -> None:
            begun.setdefault(at.ply, time.process_time())
            sizes[at.ply] = at.total

        certification.certify(Lowest(), plies=last, progress=note)
        # The last layer is left out: the conclusion is drawn in its time.
        return {ply: sizes[ply] / (end - begun[ply]) for ply, end in zip(begun, list(begun.values())[1:], strict=False)}

    layers()
    rounds = [layers() for _ in range(2 if quick else 5)]
    walk = {ply: spread([found[ply] for found in rounds]) for ply in rounds[0]}
    return {"over": "ply", "unit": "positions/s", "lines": {"walk": walk}}


def training(quick: bool) -> Curve:
    import torch

    from c4agents.policy.network import PolicyNetwork
    from c4agents.policy.planes import to_legal, to_planes
    from c4env.position import PositionBatch
    from c4train.distill import DistillConfig, loss_of

    torch.set_num_threads(1)
    torch.manual_seed(0)
    config = DistillConfig()
    network = PolicyNetwork()
    optimizer = torch.optim.AdamW(network.parameters(), config.learning_rate, weight_decay=config.weight_decay)
    sizes = (64, 1024) if quick else tuple(2**power for power in range(4, 14))
    some = PositionBatch.of(random_positions(1024, 0))
    own, occupied = (np.resize(boards, max(sizes)) for boards in (some.own, some.occupied))

    def update(size: int) -> int:
        planes = torch.from_numpy(to_planes(own[:size], occupied[:size])).float()
        legal = torch.from_numpy(to_legal(occupied[:size]))
        logits, outcome = network(planes)
        total, _ = loss_of(logits, outcome, legal, legal, legal, torch.zeros(size, dtype=torch.int64), config)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        return size

    def turn(size: int) -> Callable[[], float]:
        update(size)
        return lambda: rate(lambda: update(size), 0.1 if quick else 1.0)

    found = spreads(take_turns(2 if quick else 5, {str(size): turn(size) for size in sizes}))
    return {"over": "batch", "unit": "positions/s", "lines": {"update": {size: found[str(size)] for size in sizes}}}


CURVES: dict[str, Callable[[bool], Curve]] = {"env": env, "solver": solver, "certify": certify, "training": training}


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(name: str, quick: bool) -> Curve:
    """A curve from a process of its own, with its memory."""
    command = [sys.executable, __file__, "--inside", name, *(["--quick"] if quick else [])]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    found: Curve = json.loads(output.splitlines()[-1])
    return found


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES), help="which curves (default all)")
    asked.add_argument("--inside", choices=CURVES, help="measure one here and print it as JSON")
    arguments = asked.parse_args()
    if arguments.inside:
        before = peak_megabytes()
        found = CURVES[arguments.inside](arguments.quick)
        print(json.dumps({**found, "megabytes_before": before, "megabytes_peak": peak_megabytes()}))
        return
    possible = installed("torch")["torch"]
    results = {}
    for name in arguments.only:
        if name == "training" and not possible:
            continue
        curve = results[name] = measured(name, arguments.quick)
        console.print(f"[bold]{name}[/bold]: {curve['unit']} over {curve['over']}, {curve['megabytes_peak']:,.0f} MB")
        for line, points in curve["lines"].items():
            values = {at: value["median"] if isinstance(value, dict) else value for at, value in points.items()}
            console.print(f"  {line}: " + ", ".join(f"{at} {value:,.4g}" for at, value in values.items()))
    write(arguments.json, {"curves": results}, ("torch",))


if __name__ == "__main__":
    main()
