"""Positions worth labelling: those that games between players of all kinds lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

import c4agents
from c4agents.agent import Agent, Analysis
from c4agents.policy.planes import to_legal
from c4env.bitboard import BOARD, COLUMNS, canonical_key, from_key, has_four, is_legal, play
from c4env.compiled import compiled
from c4env.opponents import ask
from c4env.position import Position, PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import canonical_keys, outcomes_of, plies_of
from c4train.labels import SLOW_PLIES, Boards, Labeller

BOTS: Final = ("random", "rules", "alphabeta:depth=2,ties=random", "alphabeta:depth=5,ties=random")
STRONG: Final = ("alphabeta:eval=chains,depth=8,ties=random", "alphabeta:eval=powers,depth=8,ties=random")
RANDOM_SHARES: Final = (0.0, 0.05, 0.2, 0.5, 1.0)
"""How often a player of a game moves at random instead; drawn for each game."""


def bots(specs: Sequence[str] = BOTS) -> list[Agent]:
    """Players from hopeless to decent, or others."""
    return [c4agents.make(spec) for spec in specs]


class Preserving:
    """Perfect play that takes its time: any column that preserves the outcome, all equally often.

    With few stones on the board, where the solver would take long, it plays any column.

    Args:
        labeller: Who knows the outcomes.
        noise: Chance of any column instead.
    """

    deterministic = False
    mirror_consistent = False

    def __init__(self, labeller: Labeller, noise: float = 0.0) -> None:
        self.name = "preserving"
        self._labeller = labeller
        self._noise = noise
        self.seed(0)

    def seed(self, seed: int) -> None:
        """Restart its random numbers."""
        self._random = np.random.default_rng(seed)

    def act(self, position: Position) -> int:
        """The column it plays."""
        return int(self.act_batch(PositionBatch.of([position]))[0])

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.int64]:
        """The column for each position, shape [B]."""
        allowed = to_legal(positions.occupied)
        careful = self._random.random(len(positions)) >= self._noise
        careful &= ~np.isin(plies_of(positions.occupied), SLOW_PLIES)
        labels = self._labeller.scores(positions.own[careful], positions.occupied[careful])
        allowed[careful] = outcomes_of(labels)[0]
        columns: npt.NDArray[np.int64] = np.where(allowed, self._random.random(allowed.shape), -1.0).argmax(axis=1)
        return columns

    def analyse(self, position: Position) -> Analysis:
        """Its move, without more to say."""
        return Analysis(self.name, self.act(position), (None,) * 7)


def opening_keys(last_ply: int) -> Boards:
    """Canonical keys of all positions, not over, of at most ``last_ply`` stones, each once, sorted."""
    layer = np.array([Position().key], np.int64)
    found = [layer]
    for _ in range(last_ply):
        layer = np.unique(_answers(layer))
        found.append(layer)
    return np.unique(np.concatenate(found))


@compiled
def _answers(keys: Boards) -> Boards:
    """Canonical keys of the positions one ply later that are not over, repeats included."""
    result = np.empty(7 * len(keys), np.int64)
    count = 0
    for index in range(len(keys)):
        own, occupied = from_key(keys[index])
        for column in range(COLUMNS):
            if is_legal(occupied, column):
                mine, full = play(own, occupied, column)
                if full != BOARD and not has_four(mine ^ full):
                    result[count] = canonical_key(mine, full)
                    count += 1
    return result[:count]


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
