"""Positions for the solver's tests, and an oracle that knows nothing of its tricks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from c4env.bitboard import CELLS, COLUMNS, has_four, is_legal, play
from c4env.compiled import compiled
from c4env.position import Position, PositionBatch
from c4env.randomness import draw_column

SETS = Path(os.environ.get("C4ENV_TEST_SETS", Path(__file__).parents[4] / "shared" / "data"))
"""Where the published test sets are: files Test_L1_R1 and so on, lines MOVES SCORE."""


@compiled
def _random_board(stones: int, stream: int) -> tuple[int, int, int]:
    own, occupied, ply = 0, 0, 0
    while ply < stones:
        column, stream = draw_column(occupied, stream)
        own, occupied = play(own, occupied, column)
        ply += 1
        if has_four(own ^ occupied):
            own, occupied, ply = 0, 0, 0
    return own, occupied, stream


def random_positions(plies: range, per_ply: int, seed: int) -> list[Position]:
    """Positions by random play that are not over, so many per ply."""
    found: list[Position] = []
    stream = seed
    for ply in plies:
        for _ in range(per_ply):
            own, occupied, stream = _random_board(ply, stream)
            found.append(Position(own, occupied))
    return found


def published(name: str, count: int) -> tuple[PositionBatch, np.ndarray]:
    """The first ``count`` positions of a published set and their scores; skips if it is not there."""
    path = SETS / name
    if not path.exists():
        pytest.skip(f"no published test sets at {SETS}; C4ENV_TEST_SETS says where they are")
    lines = [line.split() for line in path.read_text().splitlines()[:count]]
    batch = PositionBatch.of(Position.from_moves(moves) for moves, _ in lines)
    return batch, np.array([int(score) for _, score in lines])


@compiled
def exhaustive(own: int, occupied: int, stones: int) -> int:
    """The score by looking at every game there is."""
    if stones == CELLS:
        return 0
    best = -CELLS
    for column in range(COLUMNS):
        if is_legal(occupied, column):
            child_own, child_occupied = play(own, occupied, column)
            if has_four(child_own ^ child_occupied):
                return (CELLS + 1 - stones) // 2
            best = max(best, -exhaustive(child_own, child_occupied, stones + 1))
    return best
