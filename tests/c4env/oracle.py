"""Connect Four the slow, obvious way: a grid, loops, no bits. What the compiled rules are held to."""

from __future__ import annotations

import numpy as np

ROWS, COLUMNS = 6, 7
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))

WINDOWS = [
    [(row + k * down, column + k * right) for k in range(4)]
    for row in range(ROWS)
    for column in range(COLUMNS)
    for down, right in DIRECTIONS
    if 0 <= row + 3 * down < ROWS and 0 <= column + 3 * right < COLUMNS
]


class Grid:
    """A game; row 0 is the top row, cells hold 0, 1 (first player) or 2."""

    def __init__(self, rules: str = "first-four") -> None:
        self.cells = [[0] * COLUMNS for _ in range(ROWS)]
        self.moves: list[int] = []
        self.rules = rules

    @property
    def mover(self) -> int:
        return 1 + len(self.moves) % 2

    def room(self, column: int) -> bool:
        return self.cells[0][column] == 0

    def play(self, column: int) -> None:
        row = max(row for row in range(ROWS) if self.cells[row][column] == 0)
        self.cells[row][column] = self.mover
        self.moves.append(column)

    def undo(self) -> None:
        column = self.moves.pop()
        row = min(row for row in range(ROWS) if self.cells[row][column] != 0)
        self.cells[row][column] = 0

    def fours(self, who: int) -> list[list[tuple[int, int]]]:
        return [window for window in WINDOWS if all(self.cells[r][c] == who for r, c in window)]

    def threats(self, who: int) -> set[tuple[int, int]]:
        """Empty cells in which ``who`` would complete a four."""
        found = set()
        for window in WINDOWS:
            free = [(r, c) for r, c in window if self.cells[r][c] == 0]
            if len(free) == 1 and sum(self.cells[r][c] == who for r, c in window) == 3:
                found.add(free[0])
        return found

    @property
    def full(self) -> bool:
        return len(self.moves) == ROWS * COLUMNS

    @property
    def winner(self) -> int | None:
        """0, 1, or None."""
        counts = [len(self.fours(1)), len(self.fours(2))]
        if self.rules == "first-four":
            return 0 if counts[0] else (1 if counts[1] else None)
        if not self.full or counts[0] == counts[1]:
            return None
        return 0 if counts[0] > counts[1] else 1

    @property
    def over(self) -> bool:
        return self.full or (self.rules == "first-four" and self.winner is not None)

    @property
    def legal(self) -> tuple[int, ...]:
        return () if self.over else tuple(column for column in range(COLUMNS) if self.room(column))

    def array(self) -> np.ndarray:
        return np.array(self.cells, dtype=np.int8)
