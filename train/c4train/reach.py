"""Positions worth labelling: those that games between players of all kinds lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

import c4agents
from c4agents.agent import Agent, Analysis
from c4agents.catalogue import EVALUATION_NAMES
from c4agents.policy.planes import to_legal
from c4env.bitboard import BOARD, COLUMNS, canonical_key, from_key, has_four, is_legal, play, playable, threats
from c4env.compiled import compiled
from c4env.opponents import ask
from c4env.position import Position, PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import boards_of, canonical_keys, outcomes_of, plies_of
from c4train.labels import Boards, Labeller

BOTS: Final = ("random", "rules", "alphabeta:depth=2,ties=random", "alphabeta:depth=5,ties=random")
STRONG: Final = tuple(f"alphabeta:eval={name},depth=8" for name in EVALUATION_NAMES)
SLOW_PLIES: Final = (8, 9, 10, 11)
"""Stones with which the solver takes long: tens to hundreds of milliseconds a position."""
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


def families(roots: Boards, last_ply: int, width: int, rng: np.random.Generator) -> Boards:
    """Canonical keys of roots, each followed by some positions that it leads to, ply by ply.

    The solver remembers what it has proved: relatives one after the other take it less than half the time that as
    many strangers do. Descendants that the side to move wins at once are left out: nothing is to be learned from them.

    Args:
        roots: Keys of positions with equally many stones, [N].
        last_ply: Stones of the last descendants.
        width: Most descendants of a root with so many stones, drawn from all answers to those with one stone less.
        rng: Draws them.
    """
    found = []
    for root in roots:
        layer = np.array([root], np.int64)
        for _ in range(int(plies_of(boards_of(layer)[1])[0]), last_ply + 1):
            found.append(layer)
            answers = np.unique(_answers(layer))
            layer = rng.permutation(answers[~_won_at_once(answers)])[:width]
    return np.concatenate([np.zeros(0, np.int64), *found])


@compiled
def _won_at_once(keys: Boards) -> npt.NDArray[np.bool_]:
    """Where the side to move has a four to complete, [B]."""
    won = np.empty(len(keys), np.bool_)
    for index in range(len(keys)):
        own, occupied = from_key(keys[index])
        won[index] = threats(own, occupied) & playable(occupied) != 0
    return won


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
    learner: bool = False,
) -> Boards:
    """Canonical keys of all positions, not over, that ``games`` games pass through, each once, sorted.

    Both seats of each game get a player each at random; each game begins with up to ``opening`` random plies, and
    goes on with a share of random moves that is drawn for it. With ``learner`` the first player has one of the seats of
    each game, another the other, and only positions with the first to move count.
    """
    seats = rng.integers(len(players), size=(2, games))
    if learner:
        seats[np.arange(games) % 2, np.arange(games)] = 0
        seats[1 - np.arange(games) % 2, np.arange(games)] = rng.integers(1, len(players), size=games)
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
        ply = plies_of(positions.occupied)
        mover = seats[ply % 2, np.arange(games)]
        counted = going & ((mover == 0) | (not learner))
        found.append(canonical_keys(positions.own[counted], positions.occupied[counted]))
        columns = np.where(to_legal(positions.occupied), rng.random((games, 7)), -1.0).argmax(axis=1)
        by_player = going & (ply >= random_plies) & (rng.random(games) >= random_share)
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
