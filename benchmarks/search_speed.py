"""How fast do the agents search, beside those a user would pick instead?

    python benchmarks/search_speed.py              # peers: pip install -c constraints.txt -e '.[bench]'
    python benchmarks/search_speed.py --quick

All contestants answer the same positions on one core, interleaved, in this process; each figure is the median over
rounds of process CPU time, with the range. Peers that are not installed are left out. Kaggle's negamax looks four
plies ahead and then scores each reply by its neighbours, so it is set beside alpha-beta at depth 4 and at depth 5. Its
package pins an older Gymnasium, so it goes into a folder of its own: `pip install --no-deps --target kaggle
kaggle-environments`, `pip install jsonschema requests`, and `PYTHONPATH=kaggle` before the command.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from statistics import median
from types import SimpleNamespace
from typing import Any

import numpy as np
from measuring import installed, one_core, parser, seconds_of, spreads, take_turns, write
from positions import random_positions

import c4agents
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent
from c4env.bitboard import FIRST_FOUR
from c4env.position import Position

Contestant = Callable[[Position], Any]


Figures = dict[str, dict[str, float]]


def race(contestants: dict[str, Contestant], positions: list[Position], rounds: int) -> Figures:
    """Seconds per move of each contestant, median and range over rounds in which they take turns."""

    def answering(move: Contestant) -> Callable[[], float]:
        move(positions[0])  # compile, and load what is loaded on first use
        return lambda: seconds_of(lambda: [move(position) for position in positions]) / len(positions)

    return spreads(take_turns(rounds, {name: answering(move) for name, move in contestants.items()}))


def scaled(figure: dict[str, float], factor: float) -> dict[str, float]:
    return {part: factor * value for part, value in figure.items()}


def per_second(figure: dict[str, float], count: int) -> dict[str, float]:
    """Seconds for ``count`` things as things per second."""
    return {"median": count / figure["median"], "low": count / figure["high"], "high": count / figure["low"]}


def many(move: Contestant, times: int) -> Contestant:
    """Ask ``times`` times, for contestants too quick for the clock."""

    def repeated(position: Position) -> None:
        for _ in range(times):
            move(position)

    return repeated


def alphabeta_against_minimax(rounds: int) -> list[dict[str, Any]]:
    rows = []
    position, repeats = Position.from_moves("4"), 100
    for evaluation in ("windows", "chains"):
        for depth in (5, 6, 7):
            plain = MinimaxAgent(eval=evaluation, depth=depth)
            pruned = AlphaBetaAgent(eval=evaluation, depth=depth)
            seconds = race({"plain": plain.search, "pruned": many(pruned.search, repeats)}, [position], rounds)
            seconds["pruned"] = scaled(seconds["pruned"], 1 / repeats)
            nodes = {"plain": plain.search(position).nodes, "pruned": pruned.search(position).nodes}
            times = {name: figure["median"] for name, figure in seconds.items()}
            rows.append(
                {
                    "what": f"depth {depth}, {evaluation}, after 4",
                    "minimax_nodes": nodes["plain"],
                    "alphabeta_nodes": nodes["pruned"],
                    "node_ratio": nodes["plain"] / nodes["pruned"],
                    "minimax_ms": scaled(seconds["plain"], 1e3),
                    "alphabeta_ms": scaled(seconds["pruned"], 1e3),
                    "time_ratio": times["plain"] / times["pruned"],
                    "minimax_nodes_per_second": nodes["plain"] / times["plain"],
                    "alphabeta_nodes_per_second": nodes["pruned"] / times["pruned"],
                }
            )
    return rows


def against_kaggle(rounds: int) -> dict[str, Any]:
    """Milliseconds a move."""
    connectx = importlib.import_module("kaggle_environments.envs.connectx.connectx")
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
    figures = {name: scaled(figure, 1e3 / (repeats if name in ours else 1)) for name, figure in seconds.items()}
    theirs = figures["kaggle negamax"]["median"]
    return {"ms": figures, "ratios": {name: theirs / figures[name]["median"] for name in ours}}


def against_openspiel(rounds: int) -> dict[str, Any]:
    """Playouts per second."""
    pyspiel = importlib.import_module("pyspiel")
    python_mcts = importlib.import_module("open_spiel.python.algorithms.mcts")
    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    state.apply_action(3)
    position = Position.from_moves("4")
    playouts = {"mcts": 5000, "OpenSpiel C++": 5000, "OpenSpiel Python": 200}
    evaluator = python_mcts.RandomRolloutEvaluator(1, np.random.RandomState(0))
    python_bot = python_mcts.MCTSBot(
        game, 2, playouts["OpenSpiel Python"], evaluator, solve=True, random_state=np.random.RandomState(0)
    )
    rollouts = pyspiel.RandomRolloutEvaluator(1, 0)
    native_bot = pyspiel.MCTSBot(game, rollouts, 2.0, playouts["OpenSpiel C++"], 100, True, 0, False)
    ours = c4agents.make(f"mcts:simulations={playouts['mcts']},exploration=2")
    assert ours.analyse(position).nodes == playouts["mcts"]
    moves: dict[str, Contestant] = {
        "mcts": ours.act,
        "OpenSpiel C++": lambda _: native_bot.step(state),
        "OpenSpiel Python": lambda _: python_bot.step(state),
    }
    seconds = race(moves, [position], rounds)
    rates = {name: per_second(figure, playouts[name]) for name, figure in seconds.items()}
    own = rates["mcts"]["median"]
    ratios = {name: own / figure["median"] for name, figure in rates.items() if name != "mcts"}
    return {"playouts_per_second": rates, "ratios": ratios}


def levels(rounds: int) -> dict[str, dict[str, float]]:
    """Milliseconds a move: the median and the worst of 62 positions."""
    positions = [Position(), Position.from_moves("4"), *random_positions(60, seed=2)]
    found = {}
    for name in ("easy", "medium", "hard"):
        agent = c4agents.make(name)
        agent.act(positions[0])

        def asking(position: Position, agent: Any = agent) -> Callable[[], float]:
            return lambda: seconds_of(lambda: agent.act(position))

        turns = {f"{name}, position {number}": asking(position) for number, position in enumerate(positions)}
        times = [1e3 * median(values) for values in take_turns(rounds, turns).values()]
        found[name] = {"median_ms": median(times), "worst_ms": max(times)}
    return found


def native(rounds: int) -> Figures:
    """Moves per second of ``choose`` on 4096 games, one thread."""
    positions = random_positions(256, seed=3) * 16
    own = np.array([position.own for position in positions], dtype=np.int64)
    occupied = np.array([position.occupied for position in positions], dtype=np.int64)
    waiting = np.ones(len(own), dtype=np.bool_)
    streams = np.arange(len(own), dtype=np.int64)
    columns = np.zeros(len(own), dtype=np.int8)

    def answering(agent: Any) -> Contestant:
        return lambda _: agent.choose(own, occupied, waiting, streams, columns, 0, len(own), FIRST_FOUR)

    searching = (*(f"alphabeta:depth={depth}" for depth in (1, 2, 4)), "mcts:simulations=50")
    agents = {spec: answering(c4agents.make(spec)) for spec in ("random", "rules", *searching)}
    return {name: per_second(figure, len(own)) for name, figure in race(agents, [Position()], rounds).items()}


def lines(found: Any, indent: str = "  ") -> list[str]:
    """Figures for people: medians, one to a line."""
    if isinstance(found, list):
        return [line for row in found for line in [f"{indent}{row['what']}", *lines(row, indent + "  ")]]
    shown = []
    for name, value in found.items():
        if isinstance(value, dict) and "median" in value:
            value = value["median"]
        if isinstance(value, dict):
            shown += [f"{indent}{name}", *lines(value, indent + "  ")]
        elif not isinstance(value, str):
            shown.append(f"{indent}{name:34} {value:,.3f}")
    return shown


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds = 3 if arguments.quick else 9
    one_core()
    found = installed("kaggle_environments", "pyspiel")
    parts: list[tuple[str, str, Callable[[int], Any], bool]] = [
        ("minimax", "plain minimax against alpha-beta", alphabeta_against_minimax, True),
        ("kaggle", "beside Kaggle connectx's negamax, per move", against_kaggle, found["kaggle_environments"]),
        ("mcts", "beside OpenSpiel's MCTS, exploration 2, after 4", against_openspiel, found["pyspiel"]),
        ("levels", "levels, per move over 62 positions", levels, True),
        ("native", "answers per second to 4096 games", native, True),
    ]
    report: dict[str, Any] = {}
    for key, title, measure, possible in parts:
        if possible:
            report[key] = measure(rounds)
            print("\n".join([title, *lines(report[key]), ""]), flush=True)
    write(arguments.json, report, ("kaggle-environments", "open_spiel"))


if __name__ == "__main__":
    main()
