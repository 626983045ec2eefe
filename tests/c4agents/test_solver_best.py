"""The cheap way to a best move against the scores of all columns."""

from __future__ import annotations

import random

import numpy as np

from c4agents.solver.solver import Solver
from c4env.position import Position


def late_positions(count: int, least_ply: int) -> list[Position]:
    rng = random.Random(5)
    found: list[Position] = []
    while len(found) < count:
        position = Position()
        for _ in range(rng.randint(least_ply, 41)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal))
        if not position.is_over and position.ply >= least_ply:
            found.append(position)
    return found


def test_best_batch_is_the_first_of_the_best_columns() -> None:
    solver = Solver(table_bits=18, book=None)
    positions = late_positions(300, 18)
    own = np.array([position.own for position in positions])
    occupied = np.array([position.occupied for position in positions])
    answers = solver.best_batch(own, occupied).tolist()
    assert answers == [solver.best_columns(position)[0] for position in positions]
    mirrored = [position.mirror() for position in positions if position.mirror() != position]
    boards = np.array([[position.own, position.occupied] for position in mirrored])
    expected = [
        6 - answer for answer, position in zip(answers, positions, strict=True) if position.mirror() != position
    ]
    assert solver.best_batch(boards[:, 0], boards[:, 1]).tolist() == expected


def test_an_empty_batch_has_no_answers() -> None:
    assert len(Solver(table_bits=16, book=None).best_batch(np.zeros(0, np.int64), np.zeros(0, np.int64))) == 0
