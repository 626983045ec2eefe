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

from c4env import bitboard
from c4env.bitboard import COLUMNS, Rules, column_of, playable, threats
from c4env.compiled import compiled, inlined
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
        rules: int,
    ) -> None:
        """For each game in [start, stop) that is ``waiting``: write its column, advance its stream.

        ``rules`` is ``FIRST_FOUR`` or ``MOST_FOURS``. Must be a function of the position, the rules
        and the stream alone, hold no GIL while it computes, and be safe to call from several
        threads on disjoint ranges.
        """


@runtime_checkable
class Seedable(Protocol):
    """An opponent with randomness of its own; the environment seeds it at each reset."""

    def seed(self, seed: int) -> None:
        """Restart the opponent's randomness from ``seed``."""


@inlined
def random_move(occupied: int, stream: int) -> tuple[int, int]:
    """A random column with room, and the advanced stream."""
    return draw_column(occupied, stream)


@compiled
def rules_move(own: int, occupied: int, stream: int) -> tuple[int, int]:
    """Complete a four if possible, else stop the other side's, else any column; ties at random.

    Returns:
        The column and the advanced stream.
    """
    cells = playable(occupied)
    wins = threats(own, occupied) & cells
    if wins:
        cells = wins
    else:
        blocks = threats(own ^ occupied, occupied) & cells
        if blocks:
            cells = blocks
    cell, stream = draw_cell(cells, stream)
    return column_of(cell), stream


# Kinds of opponent as compiled steps know them.
RANDOM = 0
RULES = 1
EXTERNAL = 2
"""Asked from outside the compiled step."""
BUILT_IN = {"random": RANDOM, "rules": RULES}


@inlined
def built_in_move(kind: int, own: int, occupied: int, stream: int) -> tuple[int, int]:
    """The move of ``RANDOM`` or ``RULES``, and the advanced stream."""
    if kind == RULES:
        return rules_move(own, occupied, stream)
    return random_move(occupied, stream)


class FunctionOpponent:
    """A plain function ``Position -> column`` as an opponent."""

    def __init__(self, function: MoveFunction) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def act(self, position: Position) -> int:
        """Whatever the function answers."""
        return self.function(position)


OpponentLike = str | Opponent | MoveFunction
"""What users may pass: a spec string, an object with ``act``, or a function."""


def make_opponent(opponent: OpponentLike) -> int | Opponent:
    """The kind of a built-in opponent, or the opponent itself, from what a user passed.

    Raises:
        ValueError: An unknown name; lists those there are.
        TypeError: Not a spec, an opponent or a function.
    """
    if isinstance(opponent, str):
        if opponent in BUILT_IN:
            return BUILT_IN[opponent]
        name = opponent.partition(":")[0]
        found = {point.name: point for point in entry_points(group=GROUP)}
        if name not in found:
            names = sorted({*BUILT_IN, *found})
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"unknown opponent {name!r}{hint} There are: {', '.join(names)}")
        made: Opponent = found[name].load()(opponent)
        return made
    if isinstance(opponent, Opponent):
        return opponent
    if callable(opponent):
        return FunctionOpponent(opponent)
    raise TypeError(f"an opponent is a spec string, an object with act(position), or a function, not {opponent!r}")


def ask(
    opponent: Opponent,
    own: BoardArray,
    occupied: BoardArray,
    waiting: npt.NDArray[np.bool_],
    streams: BoardArray,
    columns: npt.NDArray[np.int8],
    rules: Rules,
) -> None:
    """Write the opponent's column for each ``waiting`` game, the fastest way it offers.

    Its answers are not checked here; a column outside 0..6 is written as -1.
    """
    if isinstance(opponent, NativeOpponent):
        opponent.choose(own, occupied, waiting, streams, columns, 0, len(own), bitboard.RULES[rules])
        return
    if isinstance(opponent, BatchOpponent):
        answers = opponent.act_batch(PositionBatch(own[waiting], occupied[waiting], rules))
    else:
        answers = np.array([opponent.act(p) for p in PositionBatch(own[waiting], occupied[waiting], rules)])
    columns[waiting] = np.where((answers >= 0) & (answers < COLUMNS), answers, -1)
