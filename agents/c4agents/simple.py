"""The agents that do not search: ``random`` and ``rules``."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4env.bitboard import COLUMNS, landing, playable, threats
from c4env.compiled import compiled
from c4env.opponents import random_move, rules_move
from c4env.position import Position, PositionBatch

IntArray = npt.NDArray[np.int64]


@compiled
def _choose(
    rules_bot: bool,
    own: IntArray,
    occupied: IntArray,
    waiting: npt.NDArray[np.bool_],
    streams: IntArray,
    columns: npt.NDArray[np.int8],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        if waiting[game]:
            if rules_bot:
                column, stream = rules_move(own[game], occupied[game], streams[game])
            else:
                column, stream = random_move(occupied[game], streams[game])
            columns[game] = column
            streams[game] = stream


class RandomAgent:
    """Plays a random column with room, each as likely as the others.

    Attributes:
        name: Its spec string.
    """

    deterministic = False
    mirror_consistent = False
    _rules_bot = False

    def __init__(self, *, name: str = "random", seed: int = 0) -> None:
        self.name = name
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart its random numbers from ``seed``."""
        self._stream = seed & (2**63 - 1)

    def act(self, position: Position) -> int:
        """A random one of :meth:`candidates`."""
        check_not_over(position)
        if self._rules_bot:
            column, self._stream = rules_move(position.own, position.occupied, self._stream)
        else:
            column, self._stream = random_move(position.occupied, self._stream)
        return column

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """A column for each position, shape [B]: the same draws as :meth:`act` one after another."""
        return np.array([self.act(position) for position in positions], dtype=np.int8)

    def choose(
        self,
        own: IntArray,
        occupied: IntArray,
        waiting: npt.NDArray[np.bool_],
        streams: IntArray,
        columns: npt.NDArray[np.int8],
        start: int,
        stop: int,
        rules: int,  # noqa: ARG002 - it plays the same under all rules
    ) -> None:
        """For each waiting game in [start, stop): write its column, advance its stream."""
        _choose(self._rules_bot, own, occupied, waiting, streams, columns, start, stop)

    def candidates(self, position: Position) -> tuple[int, ...]:
        """The columns it draws from."""
        return position.legal

    def analyse(self, position: Position) -> Analysis:
        """The chance of each column, and a draw."""
        started = time.perf_counter()
        column = self.act(position)
        candidates = self.candidates(position)
        chances = tuple(
            (1 / len(candidates) if column in candidates else 0.0) if landing(position.occupied, column) else None
            for column in range(COLUMNS)
        )
        return Analysis(self.name, column, chances, "probability", (column,), seconds=time.perf_counter() - started)


class RulesAgent(RandomAgent):
    """Wins at once if it can; else blocks the other side's immediate win; else a random column."""

    _rules_bot = True

    def __init__(self, *, name: str = "rules", seed: int = 0) -> None:
        super().__init__(name=name, seed=seed)

    def candidates(self, position: Position) -> tuple[int, ...]:
        """The winning columns if there are any, else the blocking ones, else all with room."""
        cells = playable(position.occupied)
        wins = threats(position.own, position.occupied) & cells
        blocks = threats(position.own ^ position.occupied, position.occupied) & cells
        chosen = wins or blocks or cells
        return tuple(column for column in position.legal if landing(position.occupied, column) & chosen)
