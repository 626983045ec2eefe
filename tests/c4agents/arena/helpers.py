"""Agents and oracles for the arena's tests, simple enough to be right."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from c4agents.agent import Analysis
from c4agents.arena.exact import NO_SCORE
from c4env.position import Position, PositionBatch


class Scripted:
    """An agent made of a function; deterministic, and mirror consistent if told so."""

    def __init__(self, function: Callable[[Position], int], name: str = "scripted", mirror: bool = False) -> None:
        self.name = name
        self.deterministic = True
        self.mirror_consistent = mirror
        self.function = function

    def act(self, position: Position) -> int:
        return self.function(position)

    def act_batch(self, positions: PositionBatch) -> np.ndarray:
        return np.array([self.act(position) for position in positions])

    def analyse(self, position: Position) -> Analysis:
        return Analysis(self.name, self.act(position), (None,) * 7)

    def seed(self, seed: int) -> None:
        pass


def lowest(position: Position) -> int:
    return position.legal[0]


def central(position: Position) -> int:
    """The legal column nearest to the centre, of two the one that makes it mirror consistent."""
    side = 1 if position.key < position.mirror().key else -1
    return min(position.legal, key=lambda column: (abs(column - 3), (column - 3) * side))


def hashed(position: Position) -> int:
    """An arbitrary legal column that the position decides."""
    return random.Random(position.key).choice(position.legal)


class BruteForce:
    """Exact scores by looking at every game; only for positions with few empty cells."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def value(self, position: Position) -> int:
        """The score of a position that is not over."""
        if position.key not in self.known:
            self.known[position.key] = max(self.moves(position).values())
        return self.known[position.key]

    def moves(self, position: Position) -> dict[int, int]:
        scores = {}
        for column in position.legal:
            after = position.play(column)
            if after.winner is not None:
                scores[column] = (43 - position.ply) // 2
            else:
                scores[column] = 0 if after.is_draw else -self.value(after)
        return scores

    def scores(self, own: np.ndarray, occupied: np.ndarray) -> np.ndarray:
        table = np.full((len(own), 7), NO_SCORE, np.int8)
        for row, position in zip(table, PositionBatch(own, occupied), strict=True):
            for column, score in self.moves(position).items():
                row[column] = score
        return table

    def score_batch(self, own: np.ndarray, occupied: np.ndarray) -> np.ndarray:
        return np.array([self.value(position) for position in PositionBatch(own, occupied)], np.int8)

    def outcomes(self, own: np.ndarray, occupied: np.ndarray) -> np.ndarray:
        return np.sign(self.score_batch(own, occupied)).astype(np.int8)


def late_games(plies: int, count: int, seed: int) -> list[str]:
    """Random games of ``plies`` moves that are not over, nor will be after the next move."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        position, moves = Position(), ""
        while not position.is_over and len(moves) < plies:
            column = rng.choice(position.legal)
            position, moves = position.play(column), moves + str(column + 1)
        if not position.is_over and not any(position.play(column).is_over for column in position.legal):
            found.append(moves)
    return found
