"""Questions to the solver, shared out among a crew."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from c4agents.arena.exact import Oracle
from c4agents.jobs import Crew
from c4train.labels import Boards

Answers = npt.NDArray[np.int8]


class CrewOracle:
    """An oracle that a crew answers for, each position by itself, so that answers do not depend on the crew.

    Args:
        oracle: Who knows; sent to each worker once.
        crew: Who works.
    """

    def __init__(self, oracle: Oracle, crew: Crew) -> None:
        self._oracle = oracle
        self._crew = crew

    def outcomes(self, own: Boards, occupied: Boards) -> Answers:
        """1, 0 or -1 for the side to move with perfect play, shape [B]."""
        return self._ask("outcomes", own, occupied)

    def score_batch(self, own: Boards, occupied: Boards) -> Answers:
        """The exact score for the side to move, shape [B]."""
        return self._ask("score_batch", own, occupied)

    def scores(self, own: Boards, occupied: Boards) -> Answers:
        """The exact score of every column for the side to move, shape [B, 7]; ``NO_SCORE`` where it is full."""
        return self._ask("scores", own, occupied)

    def _ask(self, question: str, own: Boards, occupied: Boards) -> Answers:
        if self._crew.local or len(own) < 2:
            return _answer(question, self._oracle, (own, occupied))
        parts = self._crew.map_range(
            partial(_answer, question), len(own), lambda part: (own[part], occupied[part]), shared=self._oracle
        )
        return np.concatenate([answers for _, answers in parts])


def _answer(question: str, oracle: Oracle, positions: tuple[Boards, Boards]) -> Answers:
    answers: Answers = getattr(oracle, question)(*positions)
    return answers
