"""The rules of Connect Four, written once, as compiled pure functions on integers.

A board is two ``int64`` bit sets: ``own``, the stones of the side to move, and ``occupied``, all
stones. Bit ``7 * column + row``, row 0 at the bottom; the seventh bit of each column is a sentinel
that stays 0, so that no line wraps from one column into the next::

    row        5 12 19 26 33 40 47   top row
    ...        4 11 18 25 32 39 46      . . . . . . .     bits 6, 13, .. 48 above each
               3 10 17 24 31 38 45      . . . . . . .     column are the sentinels
               2  9 16 23 30 37 44      . . . . . . .
               1  8 15 22 29 36 43      . . . . . . .
               0  7 14 21 28 35 42      . . . . . . .
      column   0  1  2  3  4  5  6

Everything else (environments, search, solver, training, pages) calls these. Every function takes
plain Python integers as well, and returns them; columns are 0 to 6.
"""

from __future__ import annotations

from typing import Final, Literal

from c4env.compiled import compiled, lowest_bit_index, popcount

ROWS: Final = 6
COLUMNS: Final = 7
CELLS: Final = ROWS * COLUMNS
STRIDE: Final = ROWS + 1

BOTTOM: Final = sum(1 << (STRIDE * column) for column in range(COLUMNS))
"""The lowest cell of every column."""
BOARD: Final = BOTTOM * ((1 << ROWS) - 1)
"""All 42 cells."""
COLUMN: Final = (1 << ROWS) - 1
"""The six cells of column 0."""

Rules = Literal["first-four", "most-fours"]
FIRST_FOUR: Final = 0
"""The first four in a row ends the game."""
MOST_FOURS: Final = 1
"""The game goes on until the board is full; each filled four-cell window is a point."""
RULES: Final[dict[Rules, int]] = {"first-four": FIRST_FOUR, "most-fours": MOST_FOURS}

# Results of a position, from the side to move; the first three are also its reward.
LOST: Final = -1
DRAWN: Final = 0
WON: Final = 1
ONGOING: Final = 2


@compiled
def playable(occupied: int) -> int:
    """The cells a stone can fall into now, at most one per column."""
    return (occupied + BOTTOM) & BOARD


@compiled
def landing(occupied: int, column: int) -> int:
    """The cell a stone dropped into ``column`` falls into; 0 if the column is full."""
    return playable(occupied) & (COLUMN << (STRIDE * column))


@compiled
def is_legal(occupied: int, column: int) -> bool:
    """Whether ``column`` is 0..6 and has room. Does not ask whether the game is over."""
    return 0 <= column < COLUMNS and landing(occupied, column) != 0


@compiled
def play(own: int, occupied: int, column: int) -> tuple[int, int]:
    """Drop a stone into ``column``, which must be legal; the result is seen by the other side.

    Returns:
        ``(own, occupied)`` with ``own`` the stones of the side that now is to move.
    """
    return own ^ occupied, occupied | landing(occupied, column)


@compiled
def has_four(stones: int) -> bool:
    """Whether ``stones`` hold four in a row, upright, level or on either diagonal."""
    pair = stones & (stones >> 1)
    if pair & (pair >> 2):
        return True
    pair = stones & (stones >> 7)
    if pair & (pair >> 14):
        return True
    pair = stones & (stones >> 6)
    if pair & (pair >> 12):
        return True
    pair = stones & (stones >> 8)
    return (pair & (pair >> 16)) != 0


@compiled
def four_starts(stones: int, step: int) -> int:
    """The lowest cell of each filled four-cell window in direction ``step`` (1, 6, 7 or 8)."""
    pair = stones & (stones >> step)
    return pair & (pair >> (2 * step))


@compiled
def four_cells(stones: int) -> int:
    """All cells of ``stones`` that are part of a four in a row."""
    cells = 0
    for step in (1, 6, 7, 8):
        starts = four_starts(stones, step)
        pairs = starts | (starts << step)
        cells |= pairs | (pairs << (2 * step))
    return cells


@compiled
def count_fours(stones: int) -> int:
    """Number of the 69 four-cell windows that ``stones`` fill: the score under most-fours."""
    return (
        popcount(four_starts(stones, 1))
        + popcount(four_starts(stones, 6))
        + popcount(four_starts(stones, 7))
        + popcount(four_starts(stones, 8))
    )


@compiled
def threats(stones: int, occupied: int) -> int:
    """Empty cells, playable now or later, in which one more of ``stones`` makes a four.

    Assumes that no stone floats: an upright four can only be completed at its top.
    """
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (6, 7, 8):
        pair = (stones << step) & (stones << (2 * step))
        cells |= pair & (stones << (3 * step))
        cells |= pair & (stones >> step)
        pair = (stones >> step) & (stones >> (2 * step))
        cells |= pair & (stones << step)
        cells |= pair & (stones >> (3 * step))
    return cells & (BOARD & ~occupied)


@compiled
def result(own: int, occupied: int, rules: int) -> int:
    """``LOST``, ``DRAWN`` or ``WON`` for the side to move, or ``ONGOING``.

    Assumes that the game was not over before the last stone, so under first-four only the side
    that has just moved can have a four.
    """
    other = own ^ occupied
    if rules == FIRST_FOUR:
        if has_four(other):
            return LOST
        return DRAWN if occupied == BOARD else ONGOING
    if occupied != BOARD:
        return ONGOING
    difference = count_fours(own) - count_fours(other)
    return WON if difference > 0 else (LOST if difference < 0 else DRAWN)


@compiled
def mirror(board: int) -> int:
    """The bit set reflected left to right (column ``c`` becomes ``6 - c``)."""
    mirrored = 0
    for column in range(COLUMNS):
        mirrored |= ((board >> (STRIDE * column)) & 0x7F) << (STRIDE * (COLUMNS - 1 - column))
    return mirrored


@compiled
def key(own: int, occupied: int) -> int:
    """A number below 2**49 that is different for every position.

    Per column: the side to move's stones, below a one that marks the first free cell (in a full
    column, the sentinel).
    """
    return own | (occupied + BOTTOM)


@compiled
def from_key(key: int) -> tuple[int, int]:
    """``(own, occupied)`` of a :func:`key`."""
    filled = key
    for _ in range(ROWS):
        filled |= (filled >> 1) & BOARD
    occupied = (filled >> 1) & BOARD
    return key & occupied & ~(occupied + BOTTOM), occupied


@compiled
def canonical_key(own: int, occupied: int) -> int:
    """The smaller of the keys of a position and of its mirror image."""
    direct = key(own, occupied)
    mirrored = mirror(direct)
    return direct if direct < mirrored else mirrored


@compiled
def ply(occupied: int) -> int:
    """Number of stones played; the first player is to move when it is even."""
    return popcount(occupied)


@compiled
def column_of(cell: int) -> int:
    """Column of a single-bit cell."""
    return lowest_bit_index(cell) // STRIDE
