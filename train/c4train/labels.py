"""What positions are labelled with: the exact score of every column, from the solver or whoever knows."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

Boards = npt.NDArray[np.int64]
Scores = npt.NDArray[np.int8]


class Labeller(Protocol):
    """Who labels positions; any :class:`~c4agents.arena.exact.Oracle` can."""

    def scores(self, own: Boards, occupied: Boards) -> Scores:
        """The score of each column for the side to move, [B, 7], NO_SCORE where it is full."""
