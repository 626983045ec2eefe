"""A random stream as one integer, so that every game carries its own through compiled code.

SplitMix64 (Steele, Lea, Flood 2014): the state advances by a constant and is hashed. A stream is
an ``int64`` of state; functions return the advanced stream beside the draw.
"""

from __future__ import annotations

import numpy as np

from c4env.bitboard import BOTTOM, COLUMNS, ROWS, STRIDE
from c4env.compiled import compiled, popcount

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S33 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(33)


@compiled
def draw(stream: int, bound: int) -> tuple[int, int]:
    """A whole number in [0, bound) and the advanced stream; ``bound`` is at most 2**31."""
    state = np.uint64(stream) + _GOLDEN
    mixed = (state ^ (state >> _S30)) * _MIX_1
    mixed = (mixed ^ (mixed >> _S27)) * _MIX_2
    mixed ^= mixed >> _S31
    return (np.int64(mixed >> _S33) * bound) >> 31, np.int64(state)  # type: ignore[return-value]


@compiled
def draw_cell(cells: int, stream: int) -> tuple[int, int]:
    """One of the set bits of ``cells`` (not 0), each as likely as the others, and the advanced stream."""
    skip, stream = draw(stream, popcount(cells))
    return set_bit(cells, skip), stream


@compiled
def set_bit(cells: int, skip: int) -> int:
    """The lowest set bit of ``cells`` after ``skip`` others."""
    for _ in range(skip):
        cells &= cells - 1
    return cells & -cells


# Moves bit 7 * c of a word to bit 42 + c, for all seven columns at once, without carries.
_GATHER = sum(1 << (STRIDE * (COLUMNS - 1) - ROWS * column) for column in range(COLUMNS))
_ALL = (1 << COLUMNS) - 1
_COLUMN = np.array(
    [([c for c in range(COLUMNS) if columns >> c & 1] + [0] * COLUMNS)[:COLUMNS] for columns in range(_ALL + 1)],
    np.int8,
)
"""Column number ``skip`` of a set of columns: [set, skip]."""


@compiled
def draw_column(occupied: int, stream: int) -> tuple[int, int]:
    """A random column with room, and the advanced stream.

    A table instead of a loop over the columns, whose end no processor can foresee.
    """
    full = (occupied >> (ROWS - 1)) & BOTTOM
    room = ((full * _GATHER) >> (STRIDE * (COLUMNS - 1))) & _ALL ^ _ALL
    skip, stream = draw(stream, popcount(room))
    return int(_COLUMN[room, skip]), stream
