"""Positions worth labelling: those that games between players of all kinds lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

import c4agents
from c4agents.agent import Agent
from c4agents.policy.planes import to_legal
from c4env.opponents import ask
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import Boards, canonical_keys, plies_of

BOTS: Final = ("random", "rules", "alphabeta:depth=2,ties=random", "alphabeta:depth=5,ties=random")
RANDOM_SHARES: Final = (0.0, 0.05, 0.2, 0.5, 1.0)
"""How often a player of a game moves at random instead; drawn for each game."""


def bots() -> list[Agent]:
    """Players from hopeless to decent."""
    return [c4agents.make(spec) for spec in BOTS]


def reached_keys(
    players: Sequence[Agent],
    games: int,
    rng: np.random.Generator,
    *,
    shares: Sequence[float] = RANDOM_SHARES,
    opening: int = 8,
) -> Boards:
    """Canonical keys of all positions, not over, that ``games`` games pass through, each once, sorted.

    Both seats of each game get a player each at random; each game begins with up to ``opening`` random plies, and
    goes on with a share of random moves that is drawn for it.
    """
    seats = rng.integers(len(players), size=(2, games))
    random_plies = rng.integers(opening + 1, size=games)
    random_share = rng.choice(np.asarray(shares), games)
    streams = rng.integers(2**63, size=games)
    for player in players:
        player.seed(int(rng.integers(2**31)))
    batch = SelfPlay(games)
    going = np.ones(games, np.bool_)
    found = []
    while going.any():
        positions = batch.positions()
        found.append(canonical_keys(positions.own[going], positions.occupied[going]))
        ply = plies_of(positions.occupied)
        columns = np.where(to_legal(positions.occupied), rng.random((games, 7)), -1.0).argmax(axis=1)
        by_player = going & (ply >= random_plies) & (rng.random(games) >= random_share)
        mover = seats[ply % 2, np.arange(games)]
        for index, player in enumerate(players):
            _ask(player, positions, by_player & (mover == index), streams, columns)
        going &= ~batch.step(columns).done
    return np.unique(np.concatenate(found))


def _ask(
    player: Agent,
    positions: PositionBatch,
    where: npt.NDArray[np.bool_],
    streams: Boards,
    columns: npt.NDArray[np.int64],
) -> None:
    if where.any():
        answers = np.zeros(len(positions), np.int8)
        ask(player, positions.own, positions.occupied, where, streams, answers, positions.rules)
        columns[where] = answers[where]
