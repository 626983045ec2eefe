"""Where a network gives the game away: a walk over what opponents can lead it into, some of each layer.

The walk is that of certification (:mod:`c4agents.arena.certification`), thinned: of each layer only so many positions
are kept, drawn at random, so that it takes seconds and still comes by every kind of position.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from c4agents.arena.exact import Oracle
from c4agents.arena.walk import OPEN, after_moves, expand
from c4agents.policy.evaluator import Evaluator
from c4env.position import Position
from c4train.dataset import boards_of
from c4train.labels import Boards

KEPT: Final = {8: 0.002, 9: 0.002, 10: 0.015, 11: 0.015, 12: 0.08, 13: 0.08, 14: 0.4, 15: 0.4}
"""Share of the usual number of positions that is kept with so many stones, where outcomes take the solver long. With
8 or 9 there are few, and after that most of what they lead to is kept: relatives take the solver less long."""


class Walked(NamedTuple):
    """What a walk came by.

    Attributes:
        keys: Canonical keys of positions with the network to move, [N].
        leaks: Where its move gives the outcome away, bool [N].
        sure: Chance it gives its move, [N].
    """

    keys: Boards
    leaks: np.ndarray[tuple[int], np.dtype[np.bool_]]
    sure: np.ndarray[tuple[int], np.dtype[np.float32]]


def walk(evaluator: Evaluator, oracle: Oracle, seat: int, per_layer: int, rng: np.random.Generator) -> Walked:
    """Follow the network's favourite moves against every answer, with up to ``per_layer`` positions of each ply.

    Args:
        evaluator: The network.
        oracle: Exact outcomes.
        seat: 0 if the network moves first, 1 if second.
        per_layer: Most positions of a layer; fewer where the solver takes long.
        rng: Draws them.
    """
    first = [Position()] if seat == 0 else [Position().play(column) for column in range(4)]
    keys = np.unique(np.array([min(position.key, position.mirror().key) for position in first], np.int64))
    ply, found = seat, []
    while len(keys):
        limit = max(1, int(per_layer * KEPT.get(ply, 1.0)))
        if len(keys) > limit:
            keys = np.sort(rng.choice(keys, limit, replace=False))
        evaluation = evaluator(*boards_of(keys))
        columns = evaluation.logits.argmax(axis=1).astype(np.int8)
        sure = evaluation.probabilities[np.arange(len(keys)), columns]
        leaks = _worth_after(keys, columns, oracle) < oracle.outcomes(*boards_of(keys))
        found.append((keys, leaks, sure))
        children, parents = np.empty(7 * len(keys), np.int64), np.empty(7 * len(keys), np.int32)
        count = expand(keys, columns, leaks, True, 0, children, parents, np.empty(len(keys), np.int8))
        keys = np.unique(children[:count])
        ply += 2
    return Walked(*(np.concatenate([layer[field] for layer in found]) for field in range(3)))


def _worth_after(
    keys: Boards, columns: np.ndarray[tuple[int], np.dtype[np.int8]], oracle: Oracle
) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    """The exact outcome for the side to move if it plays ``columns``, [N]."""
    own, occupied, values = after_moves(keys, columns)
    going = values == OPEN
    values[going] = -oracle.outcomes(own[going], occupied[going])
    return values
