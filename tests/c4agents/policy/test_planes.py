"""Planes against their definitions on a grid."""

from __future__ import annotations

import random

import numpy as np

from c4agents.policy.planes import PLANES, to_legal, to_planes
from c4env.position import Position, PositionBatch
from tests.c4agents.oracle import CELLS, FOURS, Board, board_of, random_position


def naive_planes(position: Position) -> dict[str, set[tuple[int, int]]]:
    board = board_of(position)
    heights = [sum(c == column for _, c in board) for column in range(7)]
    playable = {(height, column) for column, height in enumerate(heights) if height < 6}
    own_fours, other_fours = windows_with(board, 1, 3), windows_with(board, -1, 3)
    return {
        "own stones": {cell for cell, side in board.items() if side == 1},
        "other stones": {cell for cell, side in board.items() if side == -1},
        "own fours": own_fours,
        "other fours": other_fours,
        "playable": playable,
        "own chances": windows_with(board, 1, 2),
        "other chances": windows_with(board, -1, 2),
        "first to move": set(CELLS) if len(board) % 2 == 0 else set(),
        "wins now": playable & own_fours,
        "blocks now": playable & other_fours,
        "gives a four": {(row, column) for row, column in playable if (row + 1, column) in other_fours},
        "spends a four": {(row, column) for row, column in playable if (row + 1, column) in own_fours},
    }


def windows_with(board: Board, side: int, count: int) -> set[tuple[int, int]]:
    """Empty cells of windows with at least ``count`` stones of ``side`` and none of the other."""
    found = set()
    for four in FOURS:
        sides = [board.get(cell, 0) for cell in four]
        if sides.count(side) >= count and -side not in sides:
            found |= {cell for cell in four if cell not in board}
    return found


def test_planes_are_what_they_are_called() -> None:
    rng = random.Random(1)
    positions = [random_position(rng) for _ in range(300)]
    batch = PositionBatch.of(positions)
    planes = to_planes(batch.own, batch.occupied)
    assert planes.shape == (300, len(PLANES), 6, 7)
    assert set(naive_planes(positions[0])) == set(PLANES)
    for position, drawn in zip(positions, planes, strict=True):
        for name, cells in naive_planes(position).items():
            expected = np.array([[(5 - row, column) in cells for column in range(7)] for row in range(6)])
            assert np.array_equal(drawn[PLANES.index(name)], expected), f"{name}\n{position}"


def test_legal_columns() -> None:
    rng = random.Random(2)
    positions = [random_position(rng, plies=41) for _ in range(300)]
    legal = to_legal(PositionBatch.of(positions).occupied)
    assert [tuple(np.flatnonzero(row)) for row in legal] == [position.legal for position in positions]
