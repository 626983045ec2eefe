"""`Solver`: exact scores for people and programs."""

from __future__ import annotations

from pathlib import Path
from typing import Final, overload

import numpy as np
import numpy.typing as npt

from c4agents.solver.book import SHIPPED, Book, open_book
from c4agents.solver.engine import LEAST_BITS, MOST_BITS, Engine, Limits
from c4agents.solver.memory import Words
from c4agents.solver.score import UNSOLVED, win_score
from c4env.bitboard import BOARD, BOTTOM, COLUMNS, canonical_key, has_four, is_legal, key, play
from c4env.compiled import compiled, popcount
from c4env.position import Position

NO_SCORE: Final = -128
"""In an array of scores by column: the column is full."""

_CENTRE_FIRST: Final = (3, 2, 4, 1, 5, 0, 6)

Scores = npt.NDArray[np.int8]


class Solver:
    """Game-theoretic values of positions, by search, with an opening book where it helps.

    A score is seen from the side to move: 0 is a draw; +1 if it wins with its very last stone, +2
    with the last but one, and so on; negative if the opponent does. Rules are first-four.

    One solver may be used from several threads. It remembers what it has proved, so that related
    positions are quick, and never needs clearing.

    Args:
        table_bits: The table holds 2**table_bits positions, 8 bytes each; 24 is 128 MB.
        book: Path of an opening book, None for none; the shipped one if not given.
        threads: Threads per call. Many positions are shared out; on one, they search together.
        nodes: Most positions to search in one call.
        seconds: Most time for one call.

    Raises:
        ValueError: A setting is out of range.

    Every method that solves raises ValueError for positions that are over, impossible or under
    other rules, and :class:`SearchLimit` if a limit is reached before the answer is certain.

    Example:
        >>> Solver().score(Position.from_moves("4444"))
        -2
    """

    def __init__(
        self,
        table_bits: int = 24,
        book: Path | str | None = SHIPPED,
        *,
        threads: int = 1,
        nodes: int | None = None,
        seconds: float | None = None,
    ) -> None:
        if not LEAST_BITS <= table_bits <= MOST_BITS:
            raise ValueError(f"table_bits is from {LEAST_BITS} to {MOST_BITS}, not {table_bits}")
        if threads < 1:
            raise ValueError(f"threads is at least 1, not {threads}")
        if nodes is not None and nodes < 1:
            raise ValueError(f"nodes is at least 1, not {nodes}")
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds is more than 0, not {seconds}")
        self.threads = threads
        self.limits = Limits(nodes, seconds)
        self._engine = Engine(table_bits)
        self._book_path = None if book is None else Path(book)
        self._book: Book | None = None

    @property
    def book(self) -> Book | None:
        """The opening book, opened on first use; None if there is none that can be used."""
        if self._book is None and self._book_path is not None:
            self._book = open_book(self._book_path)
            if self._book is None:
                self._book_path = None
        return self._book

    @property
    def nodes(self) -> int:
        """Positions searched so far, over all calls."""
        return self._engine.nodes

    def clear(self) -> None:
        """Forget all that was proved. Only for measurements."""
        self._engine.clear()

    def score(self, position: Position) -> int:
        """The exact score of ``position``."""
        return int(self.score_batch(*_single(position))[0])

    def outcome(self, position: Position) -> int:
        """1 if the side to move wins, 0 for a draw, -1 if it loses; never dearer than :meth:`score`."""
        return int(self.outcomes(*_single(position))[0])

    def score_batch(self, own: Words, occupied: Words) -> Scores:
        """The exact score of each position, shape [B]; boards as in :mod:`c4env.bitboard`."""
        return self._solve(*_checked(own, occupied), outcome_only=False).astype(np.int8)

    def outcomes(self, own: Words, occupied: Words) -> Scores:
        """1, 0 or -1 for the side to move of each position, shape [B]."""
        return np.sign(self._solve(*_checked(own, occupied), outcome_only=True)).astype(np.int8)

    @overload
    def scores(self, position: Position) -> tuple[int | None, ...]: ...
    @overload
    def scores(self, position: Words, occupied: Words) -> Scores: ...
    def scores(self, position: Position | Words, occupied: Words | None = None) -> tuple[int | None, ...] | Scores:
        """The score of every column, still from the side to move.

        Args:
            position: One position; or the stones of the sides to move, shape [B].
            occupied: All stones, shape [B], if ``position`` is an array.

        Returns:
            For one position seven scores, None for a full column; for arrays shape [B, 7], with
            NO_SCORE for a full column.
        """
        if isinstance(position, Position):
            row = self.scores(*_single(position))[0]
            return tuple(None if score == NO_SCORE else int(score) for score in row)
        if occupied is None:
            raise ValueError("for arrays give both: the stones of the side to move, and all stones")
        own, occupied = _checked(position, occupied)
        scores = np.full((len(own), COLUMNS), NO_SCORE, dtype=np.int64)
        child_own = np.zeros((len(own), COLUMNS), dtype=np.int64)
        child_occupied = np.zeros((len(own), COLUMNS), dtype=np.int64)
        _expand(own, occupied, scores, child_own, child_occupied)
        open_children = scores == UNSOLVED
        solved = self._solve(child_own[open_children], child_occupied[open_children], outcome_only=False)
        scores[open_children] = -solved
        return scores.astype(np.int8)

    def best_columns(self, position: Position) -> tuple[int, ...]:
        """The columns with the highest score, the nearest to the centre first.

        Of two equally near, the order in a mirrored position is the mirrored order.
        """
        scores = self.scores(position)
        best = max(score for score in scores if score is not None)
        return tuple(column for column in tie_order(position) if scores[column] == best)

    def best_batch(self, own: Words, occupied: Words) -> Scores:
        """The first of :meth:`best_columns` of each position, shape [B]; much cheaper than all their scores.

        Once a position's score is known, a column is best if the other side can't do better after it than the
        score says: one question a column, asked in the order of preference until the answer is yes.
        """
        own, occupied = _checked(own, occupied)
        best = self._solve(own, occupied, outcome_only=False)
        scores = np.full((len(own), COLUMNS), NO_SCORE, dtype=np.int64)
        child_own = np.zeros((len(own), COLUMNS), dtype=np.int64)
        child_occupied = np.zeros((len(own), COLUMNS), dtype=np.int64)
        _expand(own, occupied, scores, child_own, child_occupied)
        orders = np.empty((len(own), COLUMNS), dtype=np.int64)
        _tie_orders(own, occupied, orders)
        columns = np.full(len(own), -1, dtype=np.int64)
        for rank in range(COLUMNS):
            undecided = np.flatnonzero(columns < 0)
            column = orders[undecided, rank]
            asked = scores[undecided, column] == UNSOLVED
            rows, at = undecided[asked], column[asked]
            bounds = -best[rows], -best[rows] + 1
            scores[rows, at] = -self._solve(child_own[rows, at], child_occupied[rows, at], False, bounds)
            columns[undecided] = np.where(scores[undecided, column] == best[undecided], column, -1)
        return columns.astype(np.int8)

    def line(self, position: Position) -> tuple[int, ...]:
        """Columns of a best line to the end: the fastest win, the longest defence, ties as :meth:`best_columns`."""
        columns: list[int] = []
        _single(position)
        while not position.is_over:
            columns.append(int(self.best_batch(*_single(position))[0]))
            position = position.play(columns[-1])
        return tuple(columns)

    def _solve(
        self, own: Words, occupied: Words, outcome_only: bool, bounds: tuple[Words, Words] | None = None
    ) -> Words:
        scores = np.full(len(own), UNSOLVED, dtype=np.int64)
        if len(own) and self._book_path is not None and self.book is not None:
            scores = self.book.look_up(own, occupied, UNSOLVED)
        self._engine.solve(own, occupied, scores, outcome_only, self.threads, self.limits, bounds)
        return scores


def tie_order(position: Position) -> tuple[int, ...]:
    """All columns, the nearest to the centre first; of a mirrored position, the mirrored columns.

    A position that is its own mirror image prefers the left.
    """
    if key(position.own, position.occupied) == canonical_key(position.own, position.occupied):
        return _CENTRE_FIRST
    return tuple(COLUMNS - 1 - column for column in _CENTRE_FIRST)


@compiled
def _tie_orders(own: Words, occupied: Words, orders: Words) -> None:
    """:func:`tie_order` of many positions."""
    for index in range(len(own)):
        direct = key(own[index], occupied[index]) == canonical_key(own[index], occupied[index])
        for rank in range(COLUMNS):
            column = _CENTRE_FIRST[rank]
            orders[index, rank] = column if direct else COLUMNS - 1 - column


def _single(position: Position) -> tuple[Words, Words]:
    if position.rules != "first-four":
        raise ValueError(f"the solver plays first-four, not {position.rules}")
    if position.is_over:
        raise ValueError("the game is over; there is nothing to solve")
    return np.array([position.own], dtype=np.int64), np.array([position.occupied], dtype=np.int64)


@compiled
def _first_bad(own: Words, occupied: Words) -> int:
    """Index of the first position that is impossible or over; -1 if there is none."""
    for index in range(len(own)):
        mine, full = own[index], occupied[index]
        other = mine ^ full
        stacked = ((full + BOTTOM) & full & BOARD) == 0
        if full & ~BOARD or mine & ~full or not stacked or full == BOARD:
            return index
        if has_four(mine) or has_four(other) or not 0 <= popcount(other) - popcount(mine) <= 1:
            return index
    return -1


@compiled
def _expand(own: Words, occupied: Words, scores: Words, child_own: Words, child_occupied: Words) -> None:
    """Children of each position; moves that end the game are scored at once, the others UNSOLVED."""
    for index in range(len(own)):
        for column in range(COLUMNS):
            if is_legal(occupied[index], column):
                mine, full = play(own[index], occupied[index], column)
                child_own[index, column], child_occupied[index, column] = mine, full
                if has_four(mine ^ full):
                    scores[index, column] = win_score(popcount(occupied[index]))
                else:
                    scores[index, column] = 0 if full == BOARD else UNSOLVED


def _checked(own: npt.ArrayLike, occupied: npt.ArrayLike) -> tuple[Words, Words]:
    """The boards as int64 arrays.

    Raises:
        ValueError: Not two integer arrays of one length, or a position that is impossible or over.
    """
    boards = np.asarray(own), np.asarray(occupied)
    if boards[0].ndim != 1 or boards[0].shape != boards[1].shape:
        raise ValueError(
            f"own and occupied are arrays of one length, not of shapes {boards[0].shape}, {boards[1].shape}"
        )
    if len(boards[0]) and not all(np.issubdtype(board.dtype, np.integer) for board in boards):
        raise ValueError("own and occupied are arrays of whole numbers")
    mine, full = (np.ascontiguousarray(board, dtype=np.int64) for board in boards)
    bad = _first_bad(mine, full)
    if bad >= 0:
        raise ValueError(f"position {bad} of the batch is over or impossible (own {mine[bad]}, occupied {full[bad]})")
    return mine, full
