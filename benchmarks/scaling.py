"""What sharing work out costs, and what the arithmetic of a large cluster rests on.

    python benchmarks/scaling.py                   # needs the extras train and cluster
    python benchmarks/scaling.py --quick

Labels positions by the solver, and plays the games of ``c4 train alphazero``, in this process, by two local processes,
and by one and two workers of a local Ray cluster. Everybody has one turn in each round; figures are medians. Every run
has new positions, because a solver remembers what it has proved, and every turn of play a new version of the network.

- ``overhead``: processor time of driver and workers outside the job's function as a share of all they took. It does not
  depend on what else runs on the machine. Ray's own processes take a part of a core however much is done; that is
  ``ray``, in cores.
- ``cpu/item``: processor time inside the function, for a position or ply.
- ``busy``: the workers' time inside the function as a share of all their time; the rest they wait or unpack.
- ``efficiency``: items per processor second of driver and workers, over that in this process.
- ``cores``: processor seconds per second that they got, at most one for each worker and a little for the driver.
- ``clock``: items per second and worker over that in this process. It says little where other programs run, so that
  ``cores`` is less than the workers.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from cloudpickle import dumps
from measuring import console, parser, seconds_of, write
from rich.table import Table

from c4agents.arena.exact import solver
from c4agents.jobs import Crew
from c4agents.jobs.worker import Outcome
from c4train.alphazero import AlphaZero, AlphaZeroConfig
from c4train.dataset import Dataset, boards_of, label, plies_of
from c4train.labels import Boards
from c4train.reach import bots, reached_keys
from c4train.searched_games import SearchedGames, play_turn

Job = Callable[[Crew, int], int]
"""Does run number so-and-so with a crew; returns how many items that were."""
GAMES = 512
"""Self-play games for each of two workers: the default of ``c4 train alphazero`` for one."""
PLIES = (10, 12, 14, 16, 18, 20, 24, 28, 32, 36)


def positions(count: int, seed: int, fewest: int = 12, most: int = 38) -> Boards:
    """Keys of positions of games between bots, drawn at random."""
    keys, rng = np.zeros(0, np.int64), np.random.default_rng(seed)
    while len(keys) < count:
        reached = reached_keys(bots(), 2048, rng)
        stones = plies_of(boards_of(reached)[1])
        keys = np.union1d(keys, reached[(stones >= fewest) & (stones <= most)])
    return rng.permutation(keys)[:count]


def labelling(count: int, runs: int) -> Job:
    sets = positions(count * runs, 1).reshape(runs, count)
    labels = solver()

    def job(crew: Crew, run: int) -> int:
        own, occupied = boards_of(sets[run])
        for _ in crew.map_range(label, count, lambda part: (own[part], occupied[part]), shared=labels):
            pass
        return count

    return job


def self_play(plies: int) -> Job:
    config = AlphaZeroConfig(games=2 * GAMES, plies=plies)
    trainer = AlphaZero(config)
    games: dict[Crew, SearchedGames] = {}

    def job(crew: Crew, _run: int) -> int:
        with torch.no_grad():
            next(trainer.network.parameters()).mul_(1.0001)  # a new version
        games.setdefault(crew, SearchedGames(config, 1)).play(trainer.network.eval(), crew)
        return config.games * plies

    return job


def processor_times() -> dict[int, tuple[str, float]]:
    """Kind and processor seconds of this process and all that came of it: ``driver``, ``worker`` or ``ray``."""
    found: dict[int, tuple[int, str, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        worker = b"loky" in words or words.startswith(b"ray::")
        found[int(folder.name)] = int(fields[1]), "worker" if worker else "ray", ticks
    family = {os.getpid()}
    while more := {pid for pid, (parent, _, _) in found.items() if parent in family} - family:
        family |= more
    times = {pid: (found[pid][1], found[pid][2]) for pid in family if pid in found}
    return times | {os.getpid(): ("driver", time.process_time())}


def one_turn(job: Job, crew: Crew, run: int) -> dict[str, float]:
    """The figures of one run."""
    crew.tallies.clear()
    before, started = processor_times(), time.perf_counter()
    items = job(crew, run)
    wall, after = time.perf_counter() - started, processor_times()
    mine = {os.getpid(), *(int(name.rpartition(":")[2]) for name in crew.tallies)}
    spent = {pid: seconds - before.get(pid, ("", 0.0))[1] for pid, (_, seconds) in after.items()}
    busy, cpu = (sum(getattr(tally, field) for tally in crew.tallies.values()) for field in ("seconds", "cpu"))
    all_spent = sum(spent[pid] for pid in mine)
    return {
        "items_per_second": items / wall,
        "cpu_per_item": cpu / items,
        "overhead": 1 - cpu / all_spent,
        "items_per_cpu_second": items / all_spent,
        "cores": all_spent / wall,
        "ray": sum(seconds for pid, seconds in spent.items() if after[pid][0] == "ray") / wall,
        "busy": busy / (wall * crew.size),
    }


def compare(name: str, job: Job, crews: dict[str, Crew], rounds: int) -> dict[str, dict[str, float]]:
    """The figures of each crew, medians over rounds, once all its workers have started, compiled and read the book."""
    found: dict[str, list[dict[str, float]]] = {place: [] for place in crews}
    for crew in crews.values():
        crew.tallies.clear()
        while len(crew.tallies) < crew.size:
            job(crew, 0)
    for turn in range(rounds):
        for number, (place, crew) in enumerate(crews.items(), start=1):
            found[place].append(one_turn(job, crew, turn * len(crews) + number))
    table = {
        place: {field: statistics.median(figures[field] for figures in runs) for field in runs[0]}
        for place, runs in found.items()
    }
    here, shares_shown = table["here"], ("overhead", "busy", "efficiency", "clock")
    shown = Table(name, "items/s", "cpu/item", *shares_shown, "cores", "ray")
    for place, row in table.items():
        row["efficiency"] = row["items_per_cpu_second"] / here["items_per_cpu_second"]
        row["clock"] = row["items_per_second"] / crews[place].size / here["items_per_second"]
        cpu = f"{1e3 * row['cpu_per_item']:.3f} ms"
        shares = (f"{row[field]:.1%}" for field in shares_shown)
        shown.add_row(
            place, f"{row['items_per_second']:,.0f}", cpu, *shares, f"{row['cores']:.2f}", f"{row['ray']:.2f}"
        )
    console.print(shown)
    return table


def driver_per_batch(crew: Crew, batches: int) -> float:
    """Processor seconds of the driver for a batch with nothing to do."""
    list(crew.map(lambda _, batch: batch, range(20), shared=None))
    return seconds_of(lambda: list(crew.map(lambda _, batch: batch, range(batches), shared=None))) / batches


def labels_by_ply(count: int) -> dict[str, float]:
    """Labels per second of one core, by stones on the board."""
    labels, found = solver(), {}
    for ply in PLIES:
        boards = boards_of(positions(count, 3, ply, ply)[: count if ply > 12 else count // 4])
        found[str(ply)] = len(boards[0]) / seconds_of(lambda boards=boards: labels.scores(*boards))
    return found


def bytes_travelling() -> dict[str, float]:
    """What travels and what is kept: for a label in batches of 2000, for a ply in turns of 8, and for a network."""
    keys = positions(2000, 2, 24, 38)
    labels = solver().scores(*boards_of(keys))
    config = AlphaZeroConfig(games=64)
    network = AlphaZero(config).network.eval()
    games = SearchedGames(config, 1)
    for _ in range(4):
        games.play(network, Crew())
    after = play_turn((config, 1, network), games.games)
    plies = config.games * config.plies
    with tempfile.TemporaryDirectory() as folder:
        count = Dataset(Path(folder)).add(keys, solver())
        kept = sum(path.stat().st_size for path in Path(folder).glob("*.npz")) / count
    return {
        "label_to_worker": len(dumps(boards_of(keys))) / len(keys),
        "label_to_driver": len(dumps(Outcome("host:12345", 1.0, 1.0, labels))) / len(keys),
        "label_on_disk": kept,
        "ply_to_worker": len(dumps(games.games)) / plies,
        "ply_to_driver": len(dumps(Outcome("host:12345", 1.0, 1.0, after))) / plies,
        "network": len(dumps((config, 1, network))),
    }


def learning() -> float:
    """Processor seconds of learning for each ply that is played, with the settings of ``c4 train alphazero``."""
    config = AlphaZeroConfig(games=64)
    trainer = AlphaZero(config)
    for _ in range(6):
        trainer.keep(trainer.games.play(trainer.network.eval(), Crew()))
    step = statistics.median(seconds_of(trainer._learn) for _ in range(12))
    return step / config.batch * config.reuse * config.deep_share


def found_by_playing() -> float:
    """New positions of 8 to 38 stones that the games for a dataset find in a processor second, without labels."""
    rng, players = np.random.default_rng(4), bots()
    started = time.process_time()
    stones = plies_of(boards_of(reached_keys(players, 2048, rng))[1])
    return int(((stones >= 8) & (stones <= 38)).sum()) / (time.process_time() - started)


def plies_per_game() -> float:
    """Plies of a self-play game of a network that has learned nothing yet."""
    config = AlphaZeroConfig(games=64, opening=0, deep_share=1.0, simulations=20)
    games, network = SearchedGames(config, 1), AlphaZero(config).network.eval()
    stones = np.concatenate([games.play(network, Crew()).occupied for _ in range(12)])
    return len(stones) / int((stones == 0).sum())


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    torch.set_num_threads(1)
    count, plies, rounds = (600, 4, 1) if arguments.quick else (3000, 8, arguments.rounds)
    results: dict[str, Any] = {"bytes": bytes_travelling(), "learning_per_ply": learning()}
    results |= {"positions_found_per_second": found_by_playing(), "plies_per_game": plies_per_game()}
    results["labels_per_second_by_ply"] = labels_by_ply(40 if arguments.quick else 200)
    console.print(results)
    with Crew() as here, Crew(2) as local, Crew(2, ray="local") as pair, Crew(1, ray="auto") as single:
        crews = {"here": here, "2 processes": local, "Ray, 1 worker": single, "Ray, 2 workers": pair}
        results["labels"] = compare("labels", labelling(count, len(crews) * rounds + 1), crews, rounds)
        results["plies"] = compare("plies", self_play(plies), crews, rounds)
        batches = 100 if arguments.quick else 1000
        results["driver_per_batch"] = {
            place: driver_per_batch(crews[place], batches) for place in ("2 processes", "Ray, 2 workers")
        }
        console.print(results["driver_per_batch"])
    write(arguments.json, results, ("torch", "joblib", "ray"))


if __name__ == "__main__":
    main()
