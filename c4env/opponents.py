"""Opponents: what an environment asks to answer the learner, by object or by name.

Built in are ``random`` and ``rules``; others come by name from installed packages through the
entry-point group ``c4env.opponents``, so this package imports none of them. An entry point names
a function ``factory(spec: str) -> opponent`` that is given the whole spec string, for example
``"alphabeta:eval=windows,depth=5"``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from c4env.bitboard import column_of, landing, playable, threats
from c4env.compiled import compiled
from c4env.position import Position, PositionBatch
from c4env.randomness import draw_cell, draw_column

GROUP = "c4env.opponents"

BoardArray = npt.NDArray[np.int64]
MoveFunction = Callable[[Position], int]


@runtime_checkable
class Opponent(Protocol):
    """Anything that plays. May also have what the protocols below name, which makes it faster."""

    def act(self, position: Position) -> int:
        """The column (0 to 6) to play in ``position``."""


@runtime_checkable
class BatchOpponent(Protocol):
    """An opponent that answers many positions in one call."""

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """A column for each position, shape [B]."""


@runtime_checkable
class NativeOpponent(Protocol):
    """An opponent whose moves are made by compiled code, one random stream per game."""

    def choose(
        self,
        own: BoardArray,
        occupied: BoardArray,
        waiting: npt.NDArray[np.bool_],
        streams: BoardArray,
        columns: npt.NDArray[np.int8],
        start: int,
        stop: int,
    ) -> None:
        """For each game in [start, stop) that is ``waiting``: write its column, advance its stream.

        Must be a function of the position and the stream alone, hold no GIL while it computes,
        and be safe to call from several threads on disjoint ranges.
        """


@runtime_checkable
class Seedable(Protocol):
    """An opponent with randomness of its own; the environment seeds it at each reset."""

    def seed(self, seed: int) -> None:
        """Restart the opponent's randomness from ``seed``."""
