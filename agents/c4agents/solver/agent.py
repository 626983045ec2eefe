"""The ``solver`` agent: perfect play, or perfect play with slips."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4agents.solver.solver import NO_SCORE, Solver, tie_order
from c4env.position import Position, PositionBatch


class _Shared(Solver):
    """Sent to another process, it is the one that is shared there: tables stay where they are."""

    def __reduce__(self) -> tuple[Callable[[], Solver], tuple[()]]:
        return shared_solver, ()


@cache
def shared_solver() -> Solver:
    """One solver with the shipped book for the whole process, so that agents share what is proved."""
    return _Shared()


class SolverAgent:
    """Plays a best move: the fastest win, else a draw, else the longest defence.

    Attributes:
        name: Its spec string.
        deterministic: Without random ties and noise, the position alone decides.
        mirror_consistent: Likewise; a position that is its own mirror image gets the left of two equal columns.
    """

    def __init__(
        self,
        *,
        name: str = "solver",
        ties: str = "centre",
        noise: float = 0.0,
        seed: int = 0,
        solver: Solver | None = None,
    ) -> None:
        """Make the agent.

        Args:
            name: What to call it.
            ties: Among best columns, ``"centre"`` plays the nearest to the centre, ``"random"`` any.
            noise: Chance of a random legal move instead.
            seed: Start of its random numbers.
            solver: Whom to ask; one shared by the process if not given.
        """
        if ties not in ("centre", "random"):
            raise ValueError(f"ties is centre or random, not {ties!r}")
        if not 0 <= noise <= 1:
            raise ValueError(f"noise is from 0 to 1, not {noise}")
        self.name = name
        self.solver = shared_solver() if solver is None else solver
        self._random_ties = ties == "random"
        self._noise = noise
        self._lock = threading.Lock()
        self.deterministic = self.mirror_consistent = not self._random_ties and noise == 0
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart its randomness."""
        self._generator = np.random.default_rng(seed)

    def act(self, position: Position) -> int:
        """A best column, or with the chance of ``noise`` any."""
        check_not_over(position)
        return int(self.act_batch(PositionBatch.of([position]))[0])

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The column for each position, shape [B]."""
        _check_rules(positions.rules)
        slips = self._draws(len(positions)) < self._noise
        columns = np.full(len(positions), -1, dtype=np.int8)
        for index in np.flatnonzero(slips):
            columns[index] = self._any_of(positions[int(index)].legal)
        asked = np.flatnonzero(~slips)
        if not self._random_ties:
            columns[asked] = self.solver.best_batch(positions.own[asked], positions.occupied[asked])
            return columns
        scores = self.solver.scores(positions.own[asked], positions.occupied[asked])
        for index, row in zip(asked, scores, strict=True):
            columns[index] = self._choose(positions[int(index)], [None if s == NO_SCORE else int(s) for s in row])
        return columns

    def analyse(self, position: Position) -> Analysis:
        """The exact score of every column and a best line."""
        check_not_over(position)
        _check_rules(position.rules)
        started, before = time.perf_counter(), self.solver.nodes
        scores = self.solver.scores(position)
        column = self._choose(position, scores)
        after = position.play(column)
        line = (column,) if after.is_over else (column, *self.solver.line(after))
        return Analysis(
            self.name,
            column,
            scores,
            kind="score",
            line=line,
            nodes=self.solver.nodes - before,
            seconds=time.perf_counter() - started,
        )

    def _choose(self, position: Position, scores: Any) -> int:
        best = max(score for score in scores if score is not None)
        columns = [column for column in tie_order(position) if scores[column] == best]
        return self._any_of(columns) if self._random_ties else columns[0]

    def _draws(self, count: int) -> npt.NDArray[np.float64]:
        with self._lock:
            return self._generator.random(count) if self._noise > 0 else np.ones(count)

    def _any_of(self, columns: Any) -> int:
        with self._lock:
            return int(columns[self._generator.integers(len(columns))])


def _check_rules(rules: str) -> None:
    if rules != "first-four":
        raise ValueError(f"the solver plays first-four, not {rules}; alphabeta plays both")
