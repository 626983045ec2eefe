"""What the network sees: bitboards turned into planes of zeros and ones, in one compiled pass."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from c4env.bitboard import BOARD, CELLS, COLUMNS, ROWS, playable, threats
from c4env.compiled import compiled, inlined, popcount
from c4env.games import write_plane

PLANES: Final = (
    "own stones",
    "other stones",
    "own fours",
    "other fours",
    "playable",
    "own chances",
    "other chances",
    "first to move",
    "wins now",
    "blocks now",
    "gives a four",
    "spends a four",
)
"""The planes in order. *Fours* are the empty cells in which one more stone completes a four, now or later;
*chances* those in which it would leave a window one stone short of it; *first to move* is ones everywhere if the
side to move began the game, which tells whose the odd rows are. The last four are playable cells: in which the side
to move completes a four, or keeps the other side from it; and above which the other side, or it itself, has a four."""


@inlined
def _chances(stones: int, occupied: int, step: int) -> int:
    """Cells of the windows in direction ``step`` that hold at least two of ``stones`` and none of the others'."""
    free = stones | (BOARD & ~occupied)
    a, b, c, d = stones, stones >> step, stones >> (2 * step), stones >> (3 * step)
    open_ones = free & (free >> step)
    open_ones &= open_ones >> (2 * step)
    starts = open_ones & (((a | b) & (c | d)) | (a & b) | (c & d))
    pairs = starts | (starts << step)
    return pairs | (pairs << (2 * step))


@compiled
def chances(stones: int, occupied: int) -> int:
    """Empty cells of windows that hold at least two of ``stones`` and none of the other side's."""
    cells = (
        _chances(stones, occupied, 1)
        | _chances(stones, occupied, 6)
        | _chances(stones, occupied, 7)
        | _chances(stones, occupied, 8)
    )
    return cells & (BOARD & ~occupied)


@compiled
def _write(own: npt.NDArray[np.int64], occupied: npt.NDArray[np.int64], planes: npt.NDArray[np.int8]) -> None:
    for index in range(len(own)):
        mine, filled = own[index], occupied[index]
        other = mine ^ filled
        own_fours, other_fours, open_cells = threats(mine, filled), threats(other, filled), playable(filled)
        base = index * len(PLANES) * CELLS
        write_plane(mine, planes, base)
        write_plane(other, planes, base + CELLS)
        write_plane(own_fours, planes, base + 2 * CELLS)
        write_plane(other_fours, planes, base + 3 * CELLS)
        write_plane(open_cells, planes, base + 4 * CELLS)
        write_plane(chances(mine, filled), planes, base + 5 * CELLS)
        write_plane(chances(other, filled), planes, base + 6 * CELLS)
        write_plane(0 if popcount(filled) & 1 else BOARD, planes, base + 7 * CELLS)
        write_plane(open_cells & own_fours, planes, base + 8 * CELLS)
        write_plane(open_cells & other_fours, planes, base + 9 * CELLS)
        write_plane(open_cells & (other_fours >> 1), planes, base + 10 * CELLS)
        write_plane(open_cells & (own_fours >> 1), planes, base + 11 * CELLS)


def to_planes(own: npt.NDArray[np.int64], occupied: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """The planes of positions: int8 [B, 12, 6, 7] of 0 and 1, row 0 on top, own stones the side to move's.

    Args:
        own: Stones of the side to move, [B].
        occupied: All stones, [B].
    """
    planes = np.empty((len(own), len(PLANES), ROWS, COLUMNS), np.int8)
    _write(np.ascontiguousarray(own, np.int64), np.ascontiguousarray(occupied, np.int64), planes.reshape(-1))
    return planes


@compiled
def _write_legal(occupied: npt.NDArray[np.int64], legal: npt.NDArray[np.bool_]) -> None:
    for index in range(len(occupied)):
        for column in range(COLUMNS):
            legal[index, column] = (occupied[index] >> (ROWS + 1) * column + ROWS - 1) & 1 == 0


def to_legal(occupied: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which columns have room: bool [B, 7]."""
    legal = np.empty((len(occupied), COLUMNS), np.bool_)
    _write_legal(np.ascontiguousarray(occupied, np.int64), legal)
    return legal
