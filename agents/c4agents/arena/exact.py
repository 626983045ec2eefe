"""Exact values for the arena, from the solver or from anything that answers the same questions."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

Boards = npt.NDArray[np.int64]

NO_SCORE: Final = -128
"""Written for a column that is full."""


class Oracle(Protocol):
    """Perfect knowledge of positions that are not over."""

    def outcomes(self, own: Boards, occupied: Boards) -> npt.NDArray[np.int8]:
        """1, 0 or -1 for the side to move with perfect play, shape [B]."""

    def score_batch(self, own: Boards, occupied: Boards) -> npt.NDArray[np.int8]:
        """The exact score for the side to move, shape [B]."""

    def scores(self, own: Boards, occupied: Boards) -> npt.NDArray[np.int8]:
        """The exact score of every column for the side to move, shape [B, 7]; ``NO_SCORE`` where it is full."""


def solver() -> Oracle:
    """The solver, with its opening book, as the oracle: the one that solver agents in this process share."""
    from c4agents.solver.agent import shared_solver

    return shared_solver()
