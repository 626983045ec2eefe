"""Speed of the certifying walk, without and with the time the agent takes: ``python benchmarks/certify_speed.py``.

The walk is compared, in the same run, with the same walk written plainly over ``Position`` and a dict. The agent
of that comparison costs next to nothing (lowest column with room), so what is measured is the walk.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import c4agents
from c4agents.agent import Analysis
from c4agents.arena.certification import certify
from c4env.position import Position, PositionBatch


class Lowest:
    """Plays the lowest column with room, many at once."""

    name = "lowest"
    deterministic = True
    mirror_consistent = False

    def act(self, position: Position) -> int:
        return position.legal[0]

    def act_batch(self, positions: PositionBatch) -> np.ndarray[Any, Any]:
        full = (positions.occupied[:, None] >> (7 * np.arange(7) + 5)) & 1
        return np.argmin(full, axis=1)

    def analyse(self, position: Position) -> Analysis:
        return Analysis(self.name, self.act(position), (None,) * 7)

    def seed(self, seed: int) -> None:
        pass


def plain_walk(plies: int) -> int:
    layer, total = {0: Position()}, 0
    for _ in range(0, plies + 1, 2):
        total += len(layer)
        following = {}
        for position in layer.values():
            after = position.play(position.legal[0])
            if not after.is_over:
                for answer in after.legal:
                    end = after.play(answer)
                    if not end.is_over:
                        following[end.key] = end
        layer = following
    return total


def timed(function: Callable[[], int], repeats: int) -> tuple[int, float]:
    """What it returns, and the median seconds."""
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        count = function()
        seconds.append(time.perf_counter() - started)
    return count, statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=20, help="depth of the long walks (default 20)")
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    certify(Lowest(), plies=4)
    small = 16
    count, slow = timed(lambda: plain_walk(small), args.repeats)
    same, fast = timed(lambda: certify(Lowest(), plies=small)[0].positions, args.repeats)
    assert same == count
    print(f"to ply {small}, {count:,} positions: plain {count / slow:,.0f}/s, certify {count / fast:,.0f}/s")
    count, seconds = timed(lambda: certify(Lowest(), plies=args.plies)[0].positions, args.repeats)
    print(f"to ply {args.plies}, {count:,} positions: certify {count / seconds:,.0f}/s")
    for spec in ("alphabeta:depth=2", "alphabeta:depth=4"):
        agent = c4agents.make(spec)
        agent.act(Position())
        count, seconds = timed(lambda agent=agent: certify(agent, plies=args.plies)[0].positions, args.repeats)
        print(f"{spec} to ply {args.plies}, {count:,} positions: {count / seconds:,.0f}/s, the agent included")


if __name__ == "__main__":
    main()
