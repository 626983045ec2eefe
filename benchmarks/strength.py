"""Is strength ordered: does deeper beat shallower, does every evaluation beat the simple bots?

    python benchmarks/strength.py                  # needs scipy: pip install -e '.[arena]'
    python benchmarks/strength.py --openings 500 --json results.json
    python benchmarks/strength.py --pair hard easy

Each pair of agents plays every opening twice, once from each seat; openings are different positions after four random
plies. Figures are wins / draws / losses of the first agent, its score (a draw is half a point) and Wilson's 95 %
interval for it.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

import c4agents
from c4agents.catalogue import EVALUATION_NAMES
from c4env.bitboard import ONGOING
from c4env.position import Position, PositionBatch, Rules, check_rules

PAIRS = [
    ("rules", "random"),
    *((f"alphabeta:eval={name},depth=4", "rules") for name in EVALUATION_NAMES),
    *((f"alphabeta:eval={name},depth=4", f"alphabeta:eval={name},depth=2") for name in EVALUATION_NAMES),
    *((f"alphabeta:eval={name},depth=8", f"alphabeta:eval={name},depth=4") for name in EVALUATION_NAMES),
    ("medium", "easy"),
    ("hard", "medium"),
    ("hard", "easy"),
    ("mcts:simulations=100", "rules"),
    ("mcts:simulations=1000", "mcts:simulations=100"),
    ("mcts:simulations=10000", "mcts:simulations=1000"),
]


def openings(count: int, plies: int, rules: Rules, seed: int) -> list[Position]:
    """Different positions after ``plies`` random plies, none of them over."""
    rng = random.Random(seed)
    found: dict[int, Position] = {}
    for _ in range(1000 * count):
        position = Position(rules=rules)
        for _ in range(plies):
            if not position.is_over:
                position = position.play(rng.choice(position.legal))
        if not position.is_over:
            found[position.key] = position
        if len(found) == count:
            return list(found.values())
    raise SystemExit(f"there are only {len(found)} openings of {plies} plies")


def play_all(specs: tuple[str, str], starts: list[Position], seed: int) -> tuple[int, int, int]:
    """Wins, draws and losses of the first agent over all openings from both seats, played side by side."""
    agents = [c4agents.make(spec) for spec in specs]
    for number, agent in enumerate(agents):
        agent.seed(seed + number)
    # In game i agent 0 plays the first player's stones if i is even.
    games = [position for position in starts for _ in range(2)]
    tally = {1: 0, 0: 0, -1: 0}
    going = list(range(len(games)))
    while going:
        for number, agent in enumerate(agents):
            turn = [i for i in going if games[i].player ^ (i & 1) == number]
            if not turn:
                continue
            columns = np.asarray(agent.act_batch(PositionBatch.of(games[i] for i in turn)))
            for i, column in zip(turn, columns.tolist(), strict=True):
                games[i] = games[i].play(column)
                if games[i].result != ONGOING:
                    going.remove(i)
                    winner = games[i].winner
                    tally[0 if winner is None else 1 if winner ^ (i & 1) == 0 else -1] += 1
    return tally[1], tally[0], tally[-1]


def measure(specs: tuple[str, str], starts: list[Position], seed: int) -> dict[str, Any]:
    started = time.perf_counter()
    wins, draws, losses = play_all(specs, starts, seed)
    games = wins + draws + losses
    points = wins + draws / 2
    interval = binomtest(round(points), games).proportion_ci(method="wilson")
    return {
        "agents": specs,
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": points / games,
        "interval": (float(interval.low), float(interval.high)),
        "seconds": time.perf_counter() - started,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--openings", type=int, default=200, help="openings, each played from both seats (default 200)")
    parser.add_argument("--plies", type=int, default=4, help="random plies of an opening (default 4)")
    parser.add_argument("--rules", default="first-four", help="first-four (default) or most-fours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--pair", nargs=2, action="append", metavar="SPEC", help="these agents instead; may be repeated"
    )
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    starts = openings(args.openings, args.plies, check_rules(args.rules), args.seed)
    results = []
    print(f"{2 * len(starts)} games a pair, {args.rules}; draws count half; 95 % intervals (Wilson)\n")
    for first, second in args.pair or PAIRS:
        row = measure((first, second), starts, args.seed)
        results.append(row)
        low, high = row["interval"]
        print(
            f"{first:31} {second:31} {row['wins']:4} / {row['draws']:3} / {row['losses']:4}   "
            f"{row['score']:6.1%}  [{low:6.1%}, {high:6.1%}]  {'ahead' if low > 0.5 else 'not shown'}",
            flush=True,
        )
    if args.json:
        args.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
