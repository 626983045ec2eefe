"""The agent ``mcts``: Monte Carlo tree search with random playouts."""

from __future__ import annotations

import math
import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4agents.uct import MAX_NODES, IntArray, Pool, best_column, choose_range, new_pool, simulate, stream_of
from c4env.bitboard import COLUMNS, RULES, key, mirror
from c4env.position import Position, PositionBatch

_CHUNK: Final = 512
"""Playouts between two looks at the clock, under a time limit."""


class MctsAgent:
    """UCT with random playouts.

    With a number of simulations the seed and the position alone decide its move, and a mirrored
    position gets the mirrored move; with a time limit the machine has a say.

    Attributes:
        name: Its spec string.
        simulations: Playouts per move, if there is no time limit.
        seconds: Time limit per move, or None.
        exploration: Weight of rarely tried moves.
    """

    def __init__(
        self,
        *,
        name: str = "mcts",
        simulations: int = 1000,
        seconds: float | None = None,
        exploration: float = 1.0,
        seed: int = 0,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"simulations is a whole number of at least 1, not {simulations}")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds is a time above 0, not {seconds}")
        if not 0 <= exploration < math.inf:
            raise ValueError(f"exploration is a number of at least 0, not {exploration}")
        self.name = name
        self.simulations = simulations
        self.seconds = seconds
        self.exploration = float(exploration)
        self.deterministic = self.mirror_consistent = seconds is None
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart its random numbers from ``seed``."""
        self._seed = seed & (2**63 - 1)

    def act(self, position: Position) -> int:
        """The most visited column."""
        pool, _, mirrored = self._search(position)
        column = best_column(0, pool)
        return COLUMNS - 1 - column if mirrored else column

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The most visited column of each position, shape [B]."""
        return np.array([self.act(position) for position in positions], dtype=np.int8)

    def analyse(self, position: Position) -> Analysis:
        """Mean result and visits of every column; the line is the most visited."""
        started = time.perf_counter()
        pool, done, mirrored = self._search(position)
        line = []
        node, after = 0, position
        while not after.is_over and (column := best_column(node, pool)) >= 0:
            node = int(pool.children[node, column])
            line.append(COLUMNS - 1 - column if mirrored else column)
            after = after.play(line[-1])
        scores: list[float | None] = []
        visits = []
        for column in range(COLUMNS):
            child = int(pool.children[0, COLUMNS - 1 - column if mirrored else column])
            certain = int(pool.proven[child]) if child else 0
            visits.append(int(pool.visits[child]) if child else 0)
            mean = float(pool.total[child]) / visits[-1] if visits[-1] else None
            scores.append(float(certain) if certain else mean)
        return Analysis(
            agent=self.name,
            column=line[0],
            scores=tuple(scores),
            line=tuple(line),
            nodes=done,
            seconds=time.perf_counter() - started,
            visits=tuple(visits),
        )

    def _search(self, position: Position) -> tuple[Pool, int, bool]:
        """The tree of the position's canonical side, the playouts made, and whether it was mirrored."""
        check_not_over(position)
        direct = key(position.own, position.occupied)
        mirrored = mirror(direct) < direct
        if mirrored:
            position = position.mirror()
        stream = stream_of(min(direct, mirror(direct)), self._seed)
        rules = RULES[position.rules]
        own, occupied = position.own, position.occupied
        if self.seconds is None:
            pool = new_pool(min(self.simulations + 1, MAX_NODES))
            done, _ = simulate(own, occupied, rules, self.simulations, self.exploration, stream, pool)
            return pool, done, mirrored
        pool = new_pool(MAX_NODES)
        deadline = time.perf_counter() + self.seconds
        total, done = 0, _CHUNK
        while done == _CHUNK and (total == 0 or time.perf_counter() < deadline):
            done, stream = simulate(own, occupied, rules, _CHUNK, self.exploration, stream, pool)
            total += done
        return pool, total, mirrored


class NativeMctsAgent(MctsAgent):
    """UCT with a number of simulations: answers any number of games in compiled code."""

    def choose(
        self,
        own: IntArray,
        occupied: IntArray,
        waiting: npt.NDArray[np.bool_],
        streams: IntArray,
        columns: npt.NDArray[np.int8],
        start: int,
        stop: int,
        rules: int,
    ) -> None:
        """For each waiting game in [start, stop): write its column, advance its stream."""
        choose_range(own, occupied, waiting, streams, columns, start, stop, rules, self.simulations, self.exploration)


def make_mcts(*, seconds: float | None = None, **options: Any) -> MctsAgent:
    """A UCT agent; without a time limit one that answers many games in compiled code."""
    if seconds is None:
        return NativeMctsAgent(**options)
    return MctsAgent(seconds=seconds, **options)
