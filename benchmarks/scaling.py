"""What sharing work out costs: ``python benchmarks/scaling.py``.

Labels a set of positions by the solver, and plays games of a network with search against itself, in this process, by
two local processes, and by one and two workers of a local Ray cluster. Rounds are interleaved and figures are medians.
Every run has new positions, because a solver remembers what it has proved; the games of a round are the same
everywhere. Because wall time says little on a busy machine, the processor time of driver and workers is given as well:

- ``cpu/item``: processor time inside the job's function, per position or game. It should not depend on the workers.
- ``driver``: processor time of the driver as a share of that: cutting, pickling, sending, keeping order.
- ``busy``: time the workers spent inside the function as a share of all their time; the rest is waiting and unpacking.
- ``efficiency``: items per second and worker, over that in this process. With other work on the machine, or more
  workers than idle cores, it is below what an idle machine would give.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cloudpickle import dumps

from c4agents.arena.exact import solver
from c4agents.arena.match import play_match
from c4agents.jobs import Crew
from c4agents.jobs.worker import Outcome
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.weights import save_policy
from c4train.dataset import Dataset, boards_of, label, plies_of
from c4train.labels import SolverLabels
from c4train.reach import bots, reached_keys

Job = Callable[[Crew, int, int], int]
"""Does run number so-and-so, in round so-and-so, with a crew; returns how many items that were."""


def labelling(positions: int, runs: int) -> Job:
    keys = np.zeros(0, np.int64)
    rng = np.random.default_rng(1)
    while len(keys) < positions * runs:
        reached = reached_keys(bots(), 2048, rng)
        stones = plies_of(boards_of(reached)[1])
        keys = np.union1d(keys, reached[(stones >= 12) & (stones <= 38)])
    sets = rng.permutation(keys)[: positions * runs].reshape(runs, positions)
    labels = SolverLabels(solver())

    def job(crew: Crew, run: int, _turn: int) -> int:
        own, occupied = boards_of(sets[run])
        for _ in crew.map_range(label, positions, lambda part: (own[part], occupied[part]), shared=labels):
            pass
        return positions

    return job


def games(count: int, folder: Path) -> Job:
    path = folder / "policy.safetensors"
    save_policy(PolicyNetwork(NetworkConfig()), path, {})
    spec = f"policy:{path},search=100"

    def job(crew: Crew, _run: int, turn: int) -> int:
        played = play_match(spec, spec, count, seed=turn + 1, opening_plies=6, workers=crew)
        if played.interrupted:  # a match that is cut short returns what it has, which is no measurement
            raise KeyboardInterrupt
        return len(played.games)

    return job


def measure(name: str, job: Job, crews: dict[str, Crew], rounds: int) -> dict[str, Any]:
    found: dict[str, list[dict[str, float]]] = {place: [] for place in crews}
    run = 0
    for turn in range(-1, rounds):  # the first turn starts workers and compiles
        for place, crew in crews.items():
            crew.tallies.clear()
            driver, started = time.process_time(), time.perf_counter()
            items = job(crew, run, turn)
            wall, driver = time.perf_counter() - started, time.process_time() - driver
            run += 1
            busy, cpu = (sum(getattr(tally, field) for tally in crew.tallies.values()) for field in ("seconds", "cpu"))
            if crew.local:
                driver -= cpu
            if turn >= 0:
                figures = {"rate": items / wall, "cpu": cpu / items, "driver": driver / cpu}
                found[place].append(figures | {"busy": busy / (wall * crew.size)})
    table = {
        place: {field: statistics.median(figures[field] for figures in runs) for field in runs[0]}
        for place, runs in found.items()
    }
    alone = table["here"]["rate"]
    print(f"\n{name}, {items:,} a run, median of {rounds}")
    print(f"{'':14}{'items/s':>10}{'cpu/item':>12}{'driver':>9}{'busy':>8}{'efficiency':>12}")
    for place, row in table.items():
        row["efficiency"] = row["rate"] / crews[place].size / alone
        print(
            f"{place:14}{row['rate']:>10,.1f}{1e3 * row['cpu']:>9.3f} ms{row['driver']:>9.1%}{row['busy']:>8.1%}"
            f"{row['efficiency']:>12.1%}"
        )
    return table


def bytes_per_label() -> dict[str, float]:
    """What travels and what is kept, per position, in batches of 2000."""
    keys = reached_keys(bots(), 512, np.random.default_rng(2))
    keys = np.setdiff1d(keys[plies_of(boards_of(keys)[1]) >= 24], [])[:2000].astype(np.int64)
    labels = SolverLabels(solver()).scores(*boards_of(keys))
    with tempfile.TemporaryDirectory() as folder:
        data = Dataset(Path(folder))
        count = data.add(keys, SolverLabels(solver()))
        kept = sum(path.stat().st_size for path in Path(folder).glob("*.npz")) / count
    return {
        "to_worker": len(dumps(boards_of(keys))) / len(keys),
        "to_driver": len(dumps(Outcome("host:12345", 1.0, 1.0, labels))) / len(keys),
        "on_disk": kept,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("labels", "games"), help="one of the two jobs (default both)")
    parser.add_argument("--positions", type=int, default=6000, help="positions of a run (default 6000)")
    parser.add_argument("--games", type=int, default=48, help="games of a run (default 48)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, help="write the figures as JSON")
    args = parser.parse_args()
    jobs = [args.only] if args.only else ["labels", "games"]
    torch.set_num_threads(1)
    sizes = bytes_per_label()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; bytes per label: {sizes}")
    content: dict[str, Any] = {"machine": platform.processor(), "cores": os.cpu_count(), "bytes_per_label": sizes}
    content["load_before"] = os.getloadavg()[0]
    with (
        Crew(1) as here,
        Crew(2) as local,
        Crew(2, ray="local") as pair,
        Crew(1, ray="auto") as single,
        tempfile.TemporaryDirectory() as folder,
    ):
        crews = {"here": here, "2 processes": local, "Ray, 1 worker": single, "Ray, 2 workers": pair}
        if "labels" in jobs:
            job = labelling(args.positions, len(crews) * (args.rounds + 1))
            content["labels"] = measure("labels", job, crews, args.rounds)
        if "games" in jobs:
            content["games"] = measure("games", games(args.games, Path(folder)), crews, args.rounds)
    content["load_after"] = os.getloadavg()[0]
    print(f"\nload {content['load_after']:.1f} after")
    if args.output:
        args.output.write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
