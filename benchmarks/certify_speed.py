"""Speed of the certifying walk, without and with the time the agent takes.

    python benchmarks/certify_speed.py
    python benchmarks/certify_speed.py --quick

The walk is compared, in the same run, with the same walk written plainly over ``Position`` and a dict. The agent
of that comparison costs next to nothing (lowest column with room), so what is measured is the walk. CPU time; rounds
take turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import one_core, parser, seconds_of, show, spreads, take_turns, write

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


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds, plain_plies, plies = (3, 14, 16) if arguments.quick else (5, 16, 20)
    one_core()
    agents = {spec: c4agents.make(spec) for spec in ("alphabeta:depth=2", "alphabeta:depth=4")}
    walks: dict[str, Callable[[], int]] = {
        f"plain walk to ply {plain_plies}": lambda: plain_walk(plain_plies),
        f"certify to ply {plain_plies}": lambda: certify(Lowest(), plies=plain_plies)[0].positions,
        f"certify to ply {plies}": lambda: certify(Lowest(), plies=plies)[0].positions,
        **{
            f"certify {spec} to ply {plies}, the agent included": lambda agent=agent: (
                certify(agent, plies=plies)[0].positions
            )
            for spec, agent in agents.items()
        },
    }
    counts = {name: walk() for name, walk in walks.items()}  # compiles as well
    plain, same = list(counts)[:2]
    assert counts[plain] == counts[same], "the two walks differ"

    def turn(name: str) -> Callable[[], float]:
        return lambda: counts[name] / seconds_of(walks[name])

    figures = spreads(take_turns(rounds, {name: turn(name) for name in walks}))
    ratio = figures[same]["median"] / figures[plain]["median"]
    show("positions/s", figures)
    print(f"certify / plain walk: {ratio:.1f}x")
    write(arguments.json, {"positions": counts, "positions_per_second": figures, "ratio": ratio})


if __name__ == "__main__":
    main()
