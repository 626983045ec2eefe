"""Draws from a stream: which column, and how often."""

from __future__ import annotations

import numpy as np

from c4env.bitboard import COLUMN, COLUMNS, STRIDE
from c4env.randomness import draw, draw_column


def test_a_drawn_column_is_the_one_that_the_draw_names_among_those_with_room() -> None:
    for full in range(2**COLUMNS - 1):
        occupied = sum(COLUMN << (STRIDE * column) for column in range(COLUMNS) if full >> column & 1)
        room = [column for column in range(COLUMNS) if not full >> column & 1]
        for stream in range(20):
            skip, following = draw(stream, len(room))
            assert draw_column(occupied, stream) == (room[skip], following)


def test_every_column_with_room_is_as_likely() -> None:
    occupied = COLUMN << (STRIDE * 2)
    counts, stream = np.zeros(COLUMNS), 1
    for _ in range(6000):
        column, stream = draw_column(occupied, stream)
        counts[column] += 1
    assert counts[2] == 0
    assert abs(np.delete(counts, 2) - 1000).max() < 150
