"""The agents that search to a depth: ``minimax``, ``alphabeta`` and the levels made from it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4agents.catalogue import LEVELS
from c4agents.evaluations import WON_FROM, OutsideEvaluation, in_points, number_of
from c4agents.search.alphabeta import DEEPENING, DEPTH, NODES, ORDERING, TABLE, THREATS, VALUE, IntArray, tie_order
from c4agents.search.minimax import minimax
from c4agents.search.root import best_cells, choose_range, score_columns
from c4agents.search.workspace import workspace
from c4env.bitboard import CELLS, COLUMNS, RULES, column_of, landing
from c4env.position import Position, PositionBatch
from c4env.randomness import draw_cell

_NO_SCORE = -(2**62)

Evaluation = str | OutsideEvaluation
"""The name of an evaluation, or one from outside."""


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What one search for a move found.

    Attributes:
        column: The column it would play.
        value: The value for the side to move, in points of the evaluation (won: see
            :data:`c4agents.evaluations.WIN`).
        nodes: Positions visited, the root included.
        seconds: Wall-clock time taken.
        depth: Plies searched to; less than asked only under a time limit, or once the end is certain.
    """

    column: int
    value: float
    nodes: int
    seconds: float
    depth: int


class _SearchAgent:
    """What both searches share: settings, ties, and the shape of an analysis."""

    def __init__(self, name: str, eval: Evaluation, depth: int, ties: str, seed: int) -> None:  # noqa: A002 - the option's name
        number_of(eval)
        if not 1 <= depth <= CELLS:
            raise ValueError(f"depth is a whole number from 1 to {CELLS}, not {depth}")
        if ties not in ("centre", "random"):
            raise ValueError(f"ties is centre or random, not {ties!r}")
        self.name = name
        self._evaluation = eval
        self.depth = depth
        self.random_ties = ties == "random"
        self.deterministic = not self.random_ties
        # An evaluation from outside may tell left from right.
        self.mirror_consistent = self.deterministic and isinstance(eval, str)
        self.seed(seed)

    @property
    def evaluation(self) -> int:
        """The number of its evaluation, in this process."""
        return number_of(self._evaluation)

    def seed(self, seed: int) -> None:
        """Restart the drawing among equal columns; without ``ties=random`` it changes nothing."""
        self._stream = seed & (2**63 - 1)

    def act(self, position: Position) -> int:
        """The best column; among equals the first from the centre, or one at random."""
        return self.search(position).column

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The best column of each position, shape [B]."""
        return np.array([self.act(position) for position in positions], dtype=np.int8)

    def analyse(self, position: Position) -> Analysis:
        """The exact value of every column at the agent's depth, and the line both sides would choose."""
        started = time.perf_counter()
        scores, nodes, depth = self._scores(position)
        column = self._pick(position, scores)
        line, more = self._line(position, column, depth)
        return Analysis(
            agent=self.name,
            column=column,
            scores=tuple(None if score == _NO_SCORE else in_points(int(score), self.evaluation) for score in scores),
            line=line,
            nodes=nodes + more,
            seconds=time.perf_counter() - started,
            depth=depth,
        )

    def search(self, position: Position) -> SearchReport:
        """Search for a move and report nodes and time."""
        raise NotImplementedError

    def _scores(self, position: Position) -> tuple[IntArray, int, int]:
        """The value of each column (``_NO_SCORE`` if full), the nodes visited, and the depth reached."""
        raise NotImplementedError

    def _best(self, position: Position, depth: int, searching: int) -> tuple[int, int]:
        """The first best column and the nodes it took."""
        raise NotImplementedError

    def _pick(self, position: Position, scores: IntArray) -> int:
        """The best-scored column, ties as the agent breaks them."""
        best = scores.max()
        if self.random_ties:
            cells = sum(landing(position.occupied, int(column)) for column in np.flatnonzero(scores == best))
            return self._draw(cells)
        order = tie_order(position.own, position.occupied)
        return next(column for column in unpack_columns(order) if scores[column] == best)

    def _draw(self, cells: int) -> int:
        cell, self._stream = draw_cell(cells, self._stream)
        return column_of(cell)

    def _line(self, position: Position, column: int, depth: int) -> tuple[tuple[int, ...], int]:
        """The continuation to the same horizon that starts with ``column``, and the nodes it took."""
        line = [column]
        position = position.play(column)
        nodes = 0
        while len(line) < depth and not position.is_over:
            column, visited = self._best(position, depth - len(line), -1 if len(line) & 1 else 1)
            nodes += visited
            line.append(column)
            position = position.play(column)
        return tuple(line), nodes


class MinimaxAgent(_SearchAgent):
    """Plain minimax to a fixed depth.

    Attributes:
        name: Its spec string.
        evaluation: Number of its evaluation.
        depth: Plies it looks ahead.
    """

    def __init__(
        self,
        *,
        name: str = "minimax",
        eval: Evaluation = "powers",  # noqa: A002 - the option's name
        depth: int = 4,
        ties: str = "centre",
        seed: int = 0,
    ) -> None:
        super().__init__(name, eval, depth, ties, seed)

    def search(self, position: Position) -> SearchReport:
        """Search every line to the depth; the report's nodes count all of them."""
        started = time.perf_counter()
        scores, nodes, depth = self._scores(position)
        column = self._pick(position, scores)
        value = in_points(int(scores.max()), self.evaluation)
        return SearchReport(column, value, nodes, time.perf_counter() - started, depth)

    def _scores(self, position: Position) -> tuple[IntArray, int, int]:
        return self._scores_at(position, self.depth, 1)

    def _scores_at(self, position: Position, depth: int, searching: int) -> tuple[IntArray, int, int]:
        scores = np.full(COLUMNS, _NO_SCORE, dtype=np.int64)
        nodes = 1
        rules = RULES[position.rules]
        check_not_over(position)
        for column in position.legal:
            after = position.play(column)
            value, visited = minimax(after.own, after.occupied, rules, self.evaluation, depth - 1, -searching)
            scores[column] = -value
            nodes += visited
        return scores, nodes, depth

    def _best(self, position: Position, depth: int, searching: int) -> tuple[int, int]:
        scores, nodes, _ = self._scores_at(position, depth, searching)
        order = unpack_columns(tie_order(position.own, position.occupied))
        return next(column for column in order if scores[column] == scores.max()), nodes


class AlphaBetaAgent(_SearchAgent):
    """Alpha-beta to a fixed depth or for a fixed time: the values of minimax from fewer nodes.

    Attributes:
        name: Its spec string.
        evaluation: Number of its evaluation.
        depth: Plies it looks ahead, at most.
        seconds: Time limit per move, or None. With one, the move depends on the machine.
        switches: Sum of the switches of :mod:`c4agents.search.alphabeta` that are on.
    """

    def __init__(
        self,
        *,
        name: str = "alphabeta",
        eval: Evaluation = "powers",  # noqa: A002 - the option's name
        depth: int = 4,
        seconds: float | None = None,
        ordering: bool = True,
        table: bool = True,
        threats: bool = True,
        deepening: bool = False,
        ties: str = "centre",
        seed: int = 0,
    ) -> None:
        super().__init__(name, eval, depth, ties, seed)
        if seconds is not None and not 0 < seconds <= threading.TIMEOUT_MAX:
            raise ValueError(f"seconds is a time above 0, not {seconds}")
        self.seconds = seconds
        self.switches = (
            (ORDERING if ordering else 0)
            | (TABLE if table else 0)
            | (THREATS if threats else 0)
            | (DEEPENING if deepening or seconds is not None else 0)
        )
        if seconds is not None:
            self.deterministic = self.mirror_consistent = False

    def search(self, position: Position) -> SearchReport:
        """Search for a move; the report's nodes count all depths searched."""
        check_not_over(position)
        started = time.perf_counter()
        work = workspace
        with work.time_limit(self.seconds):
            cells = self._cells(position, self.depth, 1, self.random_ties)
        column = self._draw(cells) if self.random_ties else column_of(cells)
        nodes, depth = int(work.report[NODES]), int(work.report[DEPTH])
        value = in_points(int(work.report[VALUE]), self.evaluation)
        return SearchReport(column, value, nodes, time.perf_counter() - started, depth)

    def _cells(self, position: Position, depth: int, searching: int, all_ties: bool) -> int:
        work = workspace
        return best_cells(
            position.own,
            position.occupied,
            RULES[position.rules],
            self.evaluation,
            depth,
            searching,
            self.switches,
            int(all_ties),
            work.new_tag(),
            work.frames,
            work.table,
            work.report,
            work.stop,
        )

    def _best(self, position: Position, depth: int, searching: int) -> tuple[int, int]:
        column = column_of(self._cells(position, depth, searching, False))
        return column, int(workspace.report[NODES])

    def _scores(self, position: Position) -> tuple[IntArray, int, int]:
        check_not_over(position)
        work = workspace
        work.report[NODES] = 0
        tag = work.new_tag()
        reach = min(self.depth, CELLS - position.ply)
        found = np.full(COLUMNS, _NO_SCORE, dtype=np.int64)
        completed = 0
        with work.time_limit(self.seconds):
            for depth in range(1 if self.switches & DEEPENING else reach, reach + 1):
                scores = np.full(COLUMNS, _NO_SCORE, dtype=np.int64)
                score_columns(
                    position.own,
                    position.occupied,
                    RULES[position.rules],
                    self.evaluation,
                    depth,
                    1,
                    self.switches,
                    tag,
                    work.frames,
                    work.table,
                    work.report,
                    work.stop,
                    scores,
                )
                if work.stop[0] and depth > 1:
                    break
                found, completed = scores, depth
                if (np.abs(scores[scores != _NO_SCORE]) >= WON_FROM).all():
                    break
        return found, int(work.report[NODES]), completed


class NativeAlphaBetaAgent(AlphaBetaAgent):
    """Alpha-beta without a time limit: answers any number of games in compiled code."""

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
        """For each waiting game in [start, stop): write its column; draws among equals from its stream."""
        choose_range(
            own,
            occupied,
            waiting,
            streams,
            columns,
            start,
            stop,
            rules,
            self.evaluation,
            self.depth,
            int(self.random_ties),
        )

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The best column of each position, shape [B]."""
        if self.random_ties:
            return super().act_batch(positions)
        columns = np.zeros(len(positions), dtype=np.int8)
        waiting = np.ones(len(positions), dtype=np.bool_)
        streams = np.zeros(len(positions), dtype=np.int64)
        rules = RULES[positions.rules]
        self.choose(positions.own, positions.occupied, waiting, streams, columns, 0, len(positions), rules)
        return columns


def make_alphabeta(*, seconds: float | None = None, **options: Any) -> AlphaBetaAgent:
    """An alpha-beta agent; without a time limit one that answers many games in compiled code."""
    if seconds is None:
        return NativeAlphaBetaAgent(**options)
    return AlphaBetaAgent(seconds=seconds, **options)


def make_level(*, name: str, **options: Any) -> NativeAlphaBetaAgent:
    """The agent of a difficulty level, ``easy``, ``medium`` or ``hard``."""
    return NativeAlphaBetaAgent(name=name, depth=LEVELS[name.partition(":")[0].strip()], **options)


def unpack_columns(packed: int) -> tuple[int, ...]:
    """The columns of a packed list of :mod:`c4agents.search.alphabeta`, in order."""
    columns = []
    while packed:
        columns.append((packed & 15) - 1)
        packed >>= 4
    return tuple(columns)
