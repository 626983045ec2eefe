"""`Position`: an immutable game position for people and APIs, and `PositionBatch`: many as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from c4env import bitboard
from c4env.bitboard import COLUMNS, ROWS, RULES, STRIDE, Rules

FIRST_SYMBOL = "O"
SECOND_SYMBOL = "X"
EMPTY_SYMBOL = "."
DIGITS = "1234567"


@dataclass(frozen=True, slots=True)
class Position:
    """A position: whose stones lie where, and who is to move (the stones tell).

    Players are 0 (moves first) and 1; columns are 0 to 6; in move strings, as people and the
    solver literature write them, columns are 1 to 7. Arrays have row 0 on top, as printed.

    Attributes:
        own: Stones of the side to move (layout: :mod:`c4env.bitboard`).
        occupied: All stones.
        rules: ``"first-four"`` or ``"most-fours"``.

    Make one with :meth:`from_moves`, :meth:`from_array` or :meth:`play`, which check what they are
    given; the constructor itself trusts its arguments.

    Example:
        >>> position = Position.from_moves("4455")
        >>> position.play(5).play(0).play(2).winner
        0
    """

    own: int = 0
    occupied: int = 0
    rules: Rules = "first-four"

    @classmethod
    def from_moves(cls, moves: str | Iterable[int], rules: Rules = "first-four") -> Position:
        """The position after ``moves``: a string of digits 1 to 7, or an iterable of columns 0 to 6.

        Raises:
            ValueError: A move that is no column, into a full one, or after the end; names the ply.
        """
        position = cls(rules=check_rules(rules))
        listed: list[str | int] = list(moves)
        for ply, move in enumerate(listed, start=1):
            if isinstance(move, str) and move not in DIGITS:
                raise ValueError(f"ply {ply}: {move!r} is not a column; columns are 1 to 7")
            column = DIGITS.index(move) if isinstance(move, str) else move
            try:
                position = position.play(column)
            except ValueError as error:
                raise ValueError(f"ply {ply}: {error}") from None
        return position

    @classmethod
    def from_array(cls, array: npt.ArrayLike, rules: Rules = "first-four") -> Position:
        """The position drawn in ``array``, shape (6, 7), row 0 on top: 0 empty, 1 first, 2 second player.

        Raises:
            ValueError: Wrong shape or values, a floating stone, impossible counts, or a board that
                could not have come about because the game was over earlier.
        """
        check_rules(rules)
        cells = np.asarray(array)
        if cells.shape != (ROWS, COLUMNS):
            raise ValueError(f"a board has shape (6, 7), not {cells.shape}")
        if not np.isin(cells, (0, 1, 2)).all():
            raise ValueError("cells are 0 (empty), 1 (first player) or 2 (second player)")
        first, second = _bits(cells == 1), _bits(cells == 2)
        occupied = first | second
        for column in range(COLUMNS):
            filled = (occupied >> (STRIDE * column)) & bitboard.COLUMN
            if filled & (filled + 1):
                raise ValueError(f"column {column + 1} has a stone above an empty cell")
        stones = (first.bit_count(), second.bit_count())
        if stones[0] - stones[1] not in (0, 1):
            raise ValueError(f"impossible count: {stones[0]} stones of the first player, {stones[1]} of the second")
        first_to_move = stones[0] == stones[1]
        own, other = (first, second) if first_to_move else (second, first)
        if rules == "first-four":
            _check_single_end(own, other, occupied)
        return cls(own, occupied, rules)

    @classmethod
    def from_key(cls, key: int, rules: Rules = "first-four") -> Position:
        """The position with this :attr:`key`."""
        own, occupied = bitboard.from_key(key)
        return cls(own, occupied, check_rules(rules))

    def play(self, column: int) -> Position:
        """The position after a stone in ``column`` (0 to 6).

        Raises:
            ValueError: The game is over, or the column is full or does not exist.
        """
        if self.is_over:
            raise ValueError("the game is over")
        if not 0 <= column < COLUMNS:
            raise ValueError(f"there is no column {column + 1}; columns are 1 to 7")
        if not bitboard.is_legal(self.occupied, column):
            raise ValueError(f"column {column + 1} is full")
        own, occupied = bitboard.play(self.own, self.occupied, column)
        return Position(own, occupied, self.rules)

    @property
    def ply(self) -> int:
        """Number of stones on the board."""
        return self.occupied.bit_count()

    @property
    def player(self) -> int:
        """The player to move: 0 the first, 1 the second. After the end, whoever would be next."""
        return self.ply & 1

    @property
    def legal(self) -> tuple[int, ...]:
        """Columns with room; empty once the game is over."""
        if self.is_over:
            return ()
        return tuple(column for column in range(COLUMNS) if bitboard.is_legal(self.occupied, column))

    @property
    def result(self) -> int:
        """-1, 0 or 1 for the side to move if the game is over, else ``bitboard.ONGOING``."""
        return bitboard.result(self.own, self.occupied, RULES[self.rules])

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played any more."""
        return self.result != bitboard.ONGOING

    @property
    def is_draw(self) -> bool:
        """Whether the game has ended in a draw."""
        return self.result == bitboard.DRAWN

    @property
    def winner(self) -> int | None:
        """0 if the first player has won, 1 if the second has, else None."""
        result = self.result
        if result == bitboard.WON:
            return self.player
        return 1 - self.player if result == bitboard.LOST else None

    @property
    def stones(self) -> tuple[int, int]:
        """Bit sets of the first and of the second player's stones."""
        other = self.own ^ self.occupied
        return (self.own, other) if self.player == 0 else (other, self.own)

    @property
    def fours(self) -> tuple[int, int]:
        """Filled four-cell windows of the first and of the second player: the most-fours score."""
        first, second = self.stones
        return bitboard.count_fours(first), bitboard.count_fours(second)

    @property
    def winning_cells(self) -> tuple[tuple[int, int], ...]:
        """Cells (row, column), row 0 on top, in a four of either player; empty if there is none."""
        first, second = self.stones
        return cells_of(bitboard.four_cells(first) | bitboard.four_cells(second))

    @property
    def key(self) -> int:
        """A number below 2**49 that no other position has."""
        return bitboard.key(self.own, self.occupied)

    def mirror(self) -> Position:
        """The position reflected left to right."""
        return Position(bitboard.mirror(self.own), bitboard.mirror(self.occupied), self.rules)

    def to_array(self) -> npt.NDArray[np.int8]:
        """The board, shape (6, 7), row 0 on top: 0 empty, 1 first player, 2 second player."""
        array = np.zeros((ROWS, COLUMNS), dtype=np.int8)
        for value, stones in enumerate(self.stones, start=1):
            for cell in cells_of(stones):
                array[cell] = value
        return array

    def __str__(self) -> str:
        symbols = np.array([EMPTY_SYMBOL, FIRST_SYMBOL, SECOND_SYMBOL])
        rows = [" ".join(symbols[row]) for row in self.to_array()]
        return "\n".join([*rows, " ".join(str(column + 1) for column in range(COLUMNS))])


@dataclass(frozen=True, slots=True)
class PositionBatch:
    """Many positions under the same rules as two arrays, for agents that answer in bulk.

    Attributes:
        own: Stones of the side to move, shape [B], int64.
        occupied: All stones, shape [B], int64.
        rules: The rules of all of them.
    """

    own: npt.NDArray[np.int64]
    occupied: npt.NDArray[np.int64]
    rules: Rules = "first-four"

    @classmethod
    def of(cls, positions: Iterable[Position]) -> PositionBatch:
        """The batch of ``positions``, which must share their rules."""
        listed = list(positions)
        rules = {position.rules for position in listed}
        if len(rules) > 1:
            raise ValueError("positions of a batch must have the same rules")
        own = np.array([position.own for position in listed], dtype=np.int64)
        occupied = np.array([position.occupied for position in listed], dtype=np.int64)
        return cls(own, occupied, rules.pop() if rules else "first-four")

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, index: int) -> Position:
        return Position(int(self.own[index]), int(self.occupied[index]), self.rules)

    def __iter__(self) -> Iterator[Position]:
        return (self[index] for index in range(len(self)))


def cells_of(bits: int) -> tuple[tuple[int, int], ...]:
    """The cells of a bit set as (row, column), row 0 on top, in reading order."""
    return tuple(
        (row, column)
        for row in range(ROWS)
        for column in range(COLUMNS)
        if bits >> (STRIDE * column + ROWS - 1 - row) & 1
    )


def check_rules(rules: Any) -> Rules:
    """``rules`` if it is the name of a rule set, else ValueError with the names there are."""
    if rules not in RULES:
        raise ValueError(f"rules are {' or '.join(repr(name) for name in RULES)}, not {rules!r}")
    checked: Rules = rules
    return checked


def _bits(cells: npt.NDArray[np.bool_]) -> int:
    return sum(
        1 << (STRIDE * int(column) + ROWS - 1 - int(row)) for row, column in zip(*np.nonzero(cells), strict=True)
    )


def _check_single_end(own: int, other: int, occupied: int) -> None:
    """Raise unless at most one four-making last move, by the side that has just moved, explains the board."""
    if bitboard.has_four(own):
        raise ValueError("the game was over before the last stone: the side to move already has four in a row")
    if not bitboard.has_four(other):
        return
    tops = [
        top
        for column in range(COLUMNS)
        if (top := _top(occupied, column)) & other and not bitboard.has_four(other ^ top)
    ]
    if not tops:
        raise ValueError("the game was over twice: no last stone explains all fours in a row")


def _top(occupied: int, column: int) -> int:
    """The highest stone of ``column``, 0 if it is empty."""
    filled = occupied & (bitboard.COLUMN << (STRIDE * column))
    return filled & ~(filled >> 1) if filled else 0
