"""What the solver says of a position to learn from: exact scores, or only outcomes where scores would take long."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from c4agents.arena.exact import NO_SCORE, Oracle
from c4env.bitboard import BOARD, COLUMNS, has_four, is_legal, play
from c4env.compiled import compiled, popcount

Boards = npt.NDArray[np.int64]
Scores = npt.NDArray[np.int8]

OUTCOME_ONLY: Final = 64
"""A score of this, or of minus this, says who wins and not when; no exact score is so large."""
EXACT_FROM: Final = 18
"""Stones from which on scores are exact; the opening book makes them exact on the first plies, too."""
SLOW_PLIES: Final = (8, 9, 10, 11)
"""Stones with which even outcomes take the solver long: tens to hundreds of milliseconds a position."""
_BOOK_PLIES: Final = 7
_OPEN: Final = 100


class Labeller(Protocol):
    """Who labels positions."""

    def scores(self, own: Boards, occupied: Boards) -> Scores:
        """The score of each column, [B, 7], NO_SCORE where it is full."""


class SolverLabels:
    """Labels by the solver, exact late and early in the game, and outcomes between.

    Args:
        oracle: The solver.
        exact_from: Stones from which on labels are exact.
    """

    def __init__(self, oracle: Oracle, exact_from: int = EXACT_FROM) -> None:
        self._oracle = oracle
        self._exact_from = exact_from

    def scores(self, own: Boards, occupied: Boards) -> Scores:
        """The score of each column, [B, 7], or ``OUTCOME_ONLY`` with a sign; ``NO_SCORE`` where it is full."""
        result = np.full((len(own), COLUMNS), NO_SCORE, np.int8)
        child_own, child_occupied = np.zeros((2, len(own), COLUMNS), np.int64)
        dear = _children(own, occupied, self._exact_from, result, child_own, child_occupied)
        if not dear.all():
            result[~dear] = self._oracle.scores(own[~dear], occupied[~dear])
        asked = (result == _OPEN) & dear[:, None]
        if asked.any():
            result[asked] = -OUTCOME_ONLY * self._oracle.outcomes(child_own[asked], child_occupied[asked])
        return result


@compiled
def _children(
    own: Boards, occupied: Boards, exact_from: int, result: Scores, child_own: Boards, child_occupied: Boards
) -> npt.NDArray[np.bool_]:
    """The positions after each column, with what is certain of them at once; and where exact scores would be dear."""
    dear = np.zeros(len(own), np.bool_)
    for index in range(len(own)):
        plies = popcount(occupied[index])
        dear[index] = _BOOK_PLIES < plies < exact_from
        for column in range(COLUMNS):
            if is_legal(occupied[index], column):
                mine, full = play(own[index], occupied[index], column)
                child_own[index, column], child_occupied[index, column] = mine, full
                if has_four(mine ^ full):
                    result[index, column] = OUTCOME_ONLY
                else:
                    result[index, column] = 0 if full == BOARD else _OPEN
    return dear
