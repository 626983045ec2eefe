"""What searches teach: of a position when its search is finished, and of a game when it is over."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from c4agents.policy.planes import to_legal
from c4agents.policy.puct import Forest
from c4env.bitboard import COLUMNS, LOST, ONGOING, WON

Boards = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

CALM: Final = 50
"""Visits that a root is credited with when its values are weighed against its probabilities."""


class Samples(NamedTuple):
    """Positions to learn from.

    Attributes:
        own: Stones of the side to move, [N].
        occupied: All stones, [N].
        policies: Chances the columns should have, [N, 7].
        outcomes: Chances of win, draw and loss for the side to move, [N, 3].
    """

    own: Boards
    occupied: Boards
    policies: Floats
    outcomes: Floats

    @classmethod
    def none(cls) -> Samples:
        """No positions."""
        boards = np.zeros(0, np.int64)
        return cls(boards, boards, np.zeros((0, COLUMNS), np.float32), np.zeros((0, 3), np.float32))

    @classmethod
    def joined(cls, parts: list[Samples]) -> Samples:
        """All positions of the parts, in order."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True))) if parts else cls.none()

    def last(self, count: int) -> Samples:
        """The last ``count`` of them."""
        return Samples(self.own[-count:], self.occupied[-count:], self.policies[-count:], self.outcomes[-count:])


class Lesson(NamedTuple):
    """What searches of T positions teach.

    Attributes:
        policies: Chances the columns should have, [T, 7].
        values: Value for the side to move, -1 to 1, [T].
    """

    policies: Floats
    values: Floats


def lesson(forest: Forest, priors: Floats, columns: Boards, sharpness: float) -> Lesson:
    """What finished searches teach about their roots.

    The network's probability of a column is multiplied by ``exp(sharpness * (50 + most visits) * value)``, the value
    being what came of the column, the proven one if there is one, and for untried columns the root's average. So a
    column gains by being better than the others, not by noise having led the search there. Where the root is won, all
    goes to the column to play; where it is lost, to the visits: the search returns to what is harder to refute.

    Args:
        forest: The searches.
        priors: The network's probabilities at the roots, without noise, [T, 7].
        columns: The columns to play, [T].
        sharpness: Weight of values.
    """
    visits, totals = forest.visits[:, 0].astype(np.float32), forest.totals[:, 0]
    children = forest.children[:, 0]
    below = np.take_along_axis(forest.verdicts, np.maximum(children, 0), axis=1).astype(np.float32)
    proven = (children > 0) & (below != ONGOING)
    known = proven | (visits > 0)
    values = np.where(proven, -below, totals / np.maximum(visits, 1))
    legal = to_legal(forest.occupied[:, 0])
    likely = np.maximum(priors, np.float32(1e-6)) * legal
    seen = likely * known
    average = (seen * values).sum(axis=1) / np.maximum(seen.sum(axis=1), 1e-6)
    tried = visits.sum(axis=1)
    untried = (forest.values[:, 0] + tried * average) / (1 + tried)
    values = np.where(known, values, untried[:, None])
    weight = sharpness * (CALM + visits.max(axis=1, keepdims=True))
    logits = np.where(legal, np.log(np.maximum(likely, 1e-6)) + weight * values, -np.inf)
    policies = np.exp(logits - logits.max(axis=1, keepdims=True))
    verdicts = forest.verdicts[:, 0]
    won, lost = np.flatnonzero(verdicts == WON), np.flatnonzero(verdicts == LOST)
    policies[won] = 0
    policies[won, columns[won]] = 1
    policies[lost] = visits[lost]
    policies /= policies.sum(axis=1, keepdims=True)
    expected = np.where(verdicts == ONGOING, (policies * values).sum(axis=1), verdicts)
    return Lesson(policies.astype(np.float32), expected.astype(np.float32))


class Searched(NamedTuple):
    """Deep searches in games that are not over yet, L of them, by ply and then by game.

    Attributes:
        game: Number of the game, [L].
        ply: Stones on the board, [L].
        own: Stones of the side to move, [L].
        occupied: All stones, [L].
        policies: Chances the columns should have, [L, 7].
        values: What the search found for the side to move, [L].
        verdicts: Result for the side to move where the search is certain, else ONGOING, [L].
    """

    game: Boards
    ply: Boards
    own: Boards
    occupied: Boards
    policies: Floats
    values: Floats
    verdicts: npt.NDArray[np.int8]

    @classmethod
    def none(cls) -> Searched:
        """No searches."""
        none, floats = np.zeros(0, np.int64), np.zeros(0, np.float32)
        return cls(none, none, none, none, np.zeros((0, COLUMNS), np.float32), floats, np.zeros(0, np.int8))

    def of(self, chosen: npt.NDArray[Any]) -> Searched:
        """Those at ``chosen``."""
        return Searched(*(array[chosen] for array in self))

    def joined(self, *others: Searched) -> Searched:
        """These and the others."""
        return Searched(*(np.concatenate(arrays) for arrays in zip(self, *others, strict=True)))

    def samples(self, rewards: Floats, search_share: float) -> Samples:
        """What they teach, once it is known how their games ended.

        Args:
            rewards: The result for the side to move, [L].
            search_share: Share of the search's value in the value to learn, where the search is not certain.
        """
        certain = self.verdicts != ONGOING
        results = np.eye(3, dtype=np.float32)[1 - np.where(certain, self.verdicts, rewards).astype(np.int64)]
        found = np.stack([1 + self.values, np.zeros_like(self.values), 1 - self.values], axis=1) / 2
        share = np.where(certain, 0, search_share).astype(np.float32)[:, None]
        outcomes = ((1 - share) * results + share * found).astype(np.float32)
        return Samples(self.own, self.occupied, self.policies, outcomes)
