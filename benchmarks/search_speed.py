"""How fast do the agents search, beside those a user would pick instead?

    python benchmarks/search_speed.py              # peers: pip install -c constraints.txt -e '.[bench]'
    python benchmarks/search_speed.py --json results.json

All contestants answer the same positions on one core, interleaved, in this process; each figure is the median over
rounds of process CPU time. Peers that are not installed are left out. Kaggle's negamax looks four plies ahead and then
scores each reply by its neighbours, so it is set beside alpha-beta at depth 4 and at depth 5. Its package pins an older
Gymnasium, so it goes into a folder of its own: `pip install --no-deps --target kaggle kaggle-environments`, `pip
install jsonschema requests`, and `PYTHONPATH=kaggle` before the command.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import c4agents
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent
from c4env.bitboard import FIRST_FOUR
from c4env.position import Position

Contestant = Callable[[Position], Any]


def random_positions(count: int, seed: int) -> list[Position]:
    """Positions of random games, 2 to 24 plies in, not over."""
    rng = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position()
        for _ in range(rng.randint(2, 24)):
            if position.is_over:
                break
            position = position.play(rng.choice(position.legal))
        if not position.is_over:
            positions.append(position)
    return positions


def race(contestants: dict[str, Contestant], positions: list[Position], rounds: int) -> dict[str, float]:
    """Median seconds per move of each contestant, which take turns."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for move in contestants.values():
        move(positions[0])
    for _ in range(rounds):
        for name, move in contestants.items():
            started = time.process_time()
            for position in positions:
                move(position)
            times[name].append((time.process_time() - started) / len(positions))
    return {name: statistics.median(values) for name, values in times.items()}


def many(move: Contestant, times: int) -> Contestant:
    """Ask ``times`` times, for contestants too quick for the clock."""

    def repeated(position: Position) -> None:
        for _ in range(times):
            move(position)

    return repeated


def alphabeta_against_minimax(rounds: int) -> list[dict[str, Any]]:
    rows = []
    position = Position.from_moves("4")
    for evaluation in ("windows", "chains"):
        for depth in (5, 6, 7):
            plain = MinimaxAgent(eval=evaluation, depth=depth)
            pruned = AlphaBetaAgent(eval=evaluation, depth=depth)
            repeats = 100
            seconds = race({"plain": plain.search, "pruned": many(pruned.search, repeats)}, [position], rounds)
            seconds["pruned"] /= repeats
            nodes = {"plain": plain.search(position).nodes, "pruned": pruned.search(position).nodes}
            rows.append(
                {
                    "what": f"depth {depth}, {evaluation}, after 4",
                    "minimax_nodes": nodes["plain"],
                    "alphabeta_nodes": nodes["pruned"],
                    "node_ratio": nodes["plain"] / nodes["pruned"],
                    "minimax_ms": 1e3 * seconds["plain"],
                    "alphabeta_ms": 1e3 * seconds["pruned"],
                    "time_ratio": seconds["plain"] / seconds["pruned"],
                    "minimax_nodes_per_second": nodes["plain"] / seconds["plain"],
                    "alphabeta_nodes_per_second": nodes["pruned"] / seconds["pruned"],
                }
            )
    return rows


def against_kaggle(rounds: int) -> dict[str, float] | None:
    try:
        connectx = importlib.import_module("kaggle_environments.envs.connectx.connectx")
    except ImportError:
        return None
    configuration = SimpleNamespace(columns=7, rows=6, inarow=4)

    def kaggle(position: Position) -> int:
        board = position.to_array().ravel().tolist()
        return int(connectx.negamax_agent(SimpleNamespace(board=board, mark=position.player + 1), configuration))

    positions = [Position.from_moves("4"), *random_positions(9, seed=1)]
    repeats = 50
    ours = {
        f"alphabeta depth {depth}": many(c4agents.make(f"alphabeta:depth={depth}").act, repeats) for depth in (4, 5)
    }
    seconds = race({"kaggle negamax": kaggle, **ours}, positions, rounds)
    result = {"kaggle_negamax_ms": 1e3 * seconds["kaggle negamax"]}
    for depth in (4, 5):
        own = seconds[f"alphabeta depth {depth}"] / repeats
        result[f"alphabeta_depth_{depth}_ms"] = 1e3 * own
        result[f"ratio_depth_{depth}"] = seconds["kaggle negamax"] / own
    return result


def against_openspiel(rounds: int) -> dict[str, float] | None:
    try:
        pyspiel = importlib.import_module("pyspiel")
        python_mcts = importlib.import_module("open_spiel.python.algorithms.mcts")
    except ImportError:
        return None
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    state.apply_action(3)
    position = Position.from_moves("4")
    slow, fast = 200, 5000
    evaluator = python_mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    python_bot = python_mcts.MCTSBot(game, 2, slow, evaluator, solve=True, random_state=np.random.RandomState(0))
    native_bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 0), 2.0, fast, 100, True, 0, False)
    ours = c4agents.make(f"mcts:simulations={fast},exploration=2")
    assert ours.analyse(position).nodes == fast
    seconds = race(
        {"python": lambda _: python_bot.step(state), "c++": lambda _: native_bot.step(state), "ours": ours.act},
        [position],
        rounds,
    )
    rates = {"python": slow / seconds["python"], "c++": fast / seconds["c++"], "ours": fast / seconds["ours"]}
    return {
        "openspiel_mcts_playouts_per_second": rates["python"],
        "openspiel_native_mcts_playouts_per_second": rates["c++"],
        "mcts_playouts_per_second": rates["ours"],
        "ratio": rates["ours"] / rates["python"],
        "ratio_native": rates["ours"] / rates["c++"],
    }


def levels(rounds: int) -> dict[str, dict[str, float]]:
    positions = [Position(), Position.from_moves("4"), *random_positions(60, seed=2)]
    found = {}
    for name in ("easy", "medium", "hard"):
        agent = c4agents.make(name)
        times = [race({name: agent.act}, [position], rounds)[name] * 1e3 for position in positions]
        found[name] = {"median_ms": statistics.median(times), "worst_ms": max(times)}
    return found


def native(rounds: int) -> dict[str, float]:
    """Moves per second of ``choose`` on 4096 games, one thread."""
    positions = random_positions(256, seed=3) * 16
    own = np.array([position.own for position in positions], dtype=np.int64)
    occupied = np.array([position.occupied for position in positions], dtype=np.int64)
    waiting = np.ones(len(own), dtype=np.bool_)
    streams = np.arange(len(own), dtype=np.int64)
    columns = np.zeros(len(own), dtype=np.int8)
    found = {}
    for spec in (
        "random",
        "rules",
        "alphabeta:depth=1",
        "alphabeta:depth=2",
        "alphabeta:depth=4",
        "mcts:simulations=50",
    ):
        agent: Any = c4agents.make(spec)

        def answer(_: Position, agent: Any = agent) -> None:
            agent.choose(own, occupied, waiting, streams, columns, 0, len(own), FIRST_FOUR)

        found[spec] = len(own) / race({spec: answer}, [Position()], rounds)[spec]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="repetitions that the median is taken of (default 7)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, one core\n")

    report: dict[str, Any] = {"minimax": alphabeta_against_minimax(args.rounds)}
    print("plain minimax against alpha-beta")
    for row in report["minimax"]:
        print(
            f"  {row['what']:28} nodes {row['minimax_nodes']:>9,} / {row['alphabeta_nodes']:>6,} = "
            f"{row['node_ratio']:6.1f}x   ms {row['minimax_ms']:8.3f} / {row['alphabeta_ms']:6.3f} = "
            f"{row['time_ratio']:6.1f}x   M nodes/s {row['minimax_nodes_per_second'] / 1e6:5.1f}, "
            f"{row['alphabeta_nodes_per_second'] / 1e6:5.1f}"
        )
    for title, key, measure in (
        ("Kaggle connectx negamax (4 plies and a reply), per move", "kaggle", against_kaggle),
        ("OpenSpiel MCTS, one random playout per simulation, exploration 2, after 4", "openspiel", against_openspiel),
        ("levels, per move over 62 positions", "levels", levels),
        ("answers per second to 4096 games, one thread", "native", native),
    ):
        report[key] = measure(args.rounds)
        print(f"\n{title}")
        if report[key] is None:
            print("  not installed")
            continue
        for name, figure in report[key].items():
            shown = (
                ", ".join(f"{k} {v:,.3f}" for k, v in figure.items()) if isinstance(figure, dict) else f"{figure:,.3f}"
            )
            print(f"  {name:45} {shown}")
    if args.json:
        args.json.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
