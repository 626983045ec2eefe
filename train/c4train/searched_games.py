"""Games that a searching network plays against itself, and what can be learned from them.

Many games run at once, so that the network is asked in batches. Most moves get a quick search, only to carry the game
on; a share of them gets a deep one with noise at the root, and only those are learned from. Where the search is
certain of the result, that is the value to learn, whatever became of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.planes import to_legal
from c4agents.policy.puct import Forest, best_columns, new_forest
from c4agents.policy.search import grow
from c4env.bitboard import CELLS, COLUMNS, FIRST_FOUR, LOST, ONGOING, WON
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import plies_of
from c4train.run import random_state, set_random_state
from c4train.session import CommonConfig

Floats = npt.NDArray[np.float32]

CALM: Final = 50
"""Visits that a root is credited with when its values are weighed against its probabilities."""


@dataclass(frozen=True)
class SearchedGamesConfig(CommonConfig):
    """How the games are played and searched."""

    games: int = 512
    """Games played at once."""
    plies: int = 8
    """Plies of each between two rounds of learning."""
    simulations: int = 100
    """Positions searched for a move that is learned from."""
    quick_simulations: int = 20
    """Positions searched for any other."""
    deep_share: float = 0.25
    """Share of the moves that are learned from."""
    exploration: float = 1.5
    """Weight of the network's probabilities in the search."""
    noise: float = 0.25
    """Share of random noise in the root's probabilities of deep searches."""
    noise_shape: float = 1.0
    """How even the noise is: Dirichlet's parameter."""
    opening: int = 6
    """A game begins with up to so many random plies, which are not learned from."""
    random_plies: int = 12
    """Plies in which moves are drawn by their visits; later the best is played."""
    sharpness: float = 0.1
    """How much a move's value in the search counts against its probability in what is learned."""
    search_share: float = 0.5
    """Share of the search's value in the value that is learned; the rest is the game's result."""


class Samples(NamedTuple):
    """Positions to learn from.

    Attributes:
        own: Stones of the side to move, [N].
        occupied: All stones, [N].
        policies: Chances the columns should have, [N, 7].
        outcomes: Chances of win, draw and loss for the side to move, [N, 3].
    """

    own: npt.NDArray[np.int64]
    occupied: npt.NDArray[np.int64]
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


def lesson(forest: Forest, priors: Floats, columns: npt.NDArray[np.int64], sharpness: float) -> Lesson:
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


class SearchedGames:
    """Games in progress, and what their searches found so far.

    Args:
        config: How they are played.
        seed: Decides all randomness.
    """

    def __init__(self, config: SearchedGamesConfig, seed: int) -> None:
        self.config = config
        self._rng = np.random.default_rng(seed)
        self._games = SelfPlay(config.games)
        self._openings = self._rng.integers(config.opening + 1, size=config.games)
        # What each running game will be learned from, by ply, once its result is known.
        shape = (config.games, CELLS)
        self._own, self._occupied = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self._policies = np.zeros((*shape, COLUMNS), np.float32)
        self._values = np.zeros(shape, np.float32)
        self._verdicts = np.full(shape, ONGOING, np.int8)
        self._deep = np.zeros(shape, np.bool_)

    def play(self, evaluator: Evaluator) -> Samples:
        """Some plies of all games; returns what the games that ended in them have to teach."""
        return Samples.joined([sample for _ in range(self.config.plies) for sample in self._ply(evaluator)])

    def _ply(self, evaluator: Evaluator) -> list[Samples]:
        config = self.config
        positions = self._games.positions()
        ply = plies_of(positions.occupied)
        opening = ply < self._openings
        deep = (self._rng.random(config.games) < config.deep_share) & ~opening
        forest, priors = self._search(evaluator, positions, np.where(opening, 0, np.where(deep, 2, 1)))
        columns = np.zeros(config.games, np.int64)
        best_columns(forest, FIRST_FOUR, columns)
        taught = lesson(forest, priors, columns, config.sharpness)
        game = np.arange(config.games)
        self._own[game, ply], self._occupied[game, ply] = positions.own, positions.occupied
        self._policies[game, ply], self._values[game, ply] = taught
        self._verdicts[game, ply], self._deep[game, ply] = forest.verdicts[:, 0], deep
        step = self._games.step(self._choose(forest, columns, ply, opening))
        ended = np.flatnonzero(step.done)
        self._openings[ended] = self._rng.integers(config.opening + 1, size=len(ended))
        return [self._take(int(end), int(ply[end]), int(step.reward[end])) for end in ended]

    def _search(
        self, evaluator: Evaluator, positions: PositionBatch, depths: npt.NDArray[np.int64]
    ) -> tuple[Forest, Floats]:
        """Search each position not at all (0), quickly (1) or deeply and with noise (2).

        Returns:
            The trees, and the network's probabilities at their roots.
        """
        config = self.config
        forest = new_forest(positions.own, positions.occupied, max(config.simulations, config.quick_simulations), 1)
        forest.budgets[:] = 0
        grow(forest, evaluator, FIRST_FOUR, config.exploration)
        priors = forest.priors[:, 0].copy()
        legal = to_legal(positions.occupied)
        noise = self._rng.gamma(config.noise_shape, size=legal.shape).astype(np.float32) * legal
        noise /= noise.sum(axis=1, keepdims=True)
        mixed = (1 - config.noise) * priors + config.noise * noise
        forest.priors[:, 0] = np.where(depths[:, None] == 2, mixed, priors)
        forest.budgets[:] = np.array([0, config.quick_simulations, config.simulations])[depths]
        grow(forest, evaluator, FIRST_FOUR, config.exploration)
        return forest, priors

    def _choose(
        self, forest: Forest, best: npt.NDArray[np.int64], ply: npt.NDArray[np.int64], opening: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """The columns to play: any legal one in an opening, then by visits, later the best."""
        legal = to_legal(forest.occupied[:, 0])
        visits = forest.visits[:, 0].astype(np.float64)
        weights = np.where(opening[:, None], legal, visits)
        # The largest of logarithms plus Gumbel noise is a draw by the weights.
        drawn = (np.log(np.maximum(weights, 1e-12)) + self._rng.gumbel(size=weights.shape)).argmax(axis=1)
        settled = (ply >= self.config.random_plies) | (forest.verdicts[:, 0] != ONGOING)
        return np.where(settled & ~opening, best, drawn)

    def _take(self, game: int, last: int, reward: int) -> Samples:
        """The deep searches of a game that ended with ``reward`` for the side that moved at ply ``last``."""
        plies = np.flatnonzero(self._deep[game, : last + 1])
        played_out = np.where((last - plies) % 2 == 0, reward, -reward)
        verdicts = self._verdicts[game, plies]
        certain = verdicts != ONGOING
        results = np.eye(3, dtype=np.float32)[1 - np.where(certain, verdicts, played_out)]
        values = self._values[game, plies]
        found = np.stack([1 + values, np.zeros_like(values), 1 - values], axis=1) / 2
        share = np.where(certain, 0, self.config.search_share).astype(np.float32)[:, None]
        return Samples(
            self._own[game, plies],
            self._occupied[game, plies],
            self._policies[game, plies],
            (1 - share) * results + share * found,
        )

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        arrays = {name: torch.from_numpy(array.copy()) for name, array in self._arrays().items()}
        return {"random": random_state(self._rng), "arrays": arrays}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        set_random_state(self._rng, state["random"])
        kept = {name: tensor.numpy() for name, tensor in state["arrays"].items()}
        for name, array in self._arrays().items():
            array[:] = kept[name]
        self._games.restore(PositionBatch(kept["now_own"], kept["now_occupied"]))

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        positions = self._games.positions()
        return {
            "now_own": positions.own,
            "now_occupied": positions.occupied,
            "openings": self._openings,
            "own": self._own,
            "occupied": self._occupied,
            "policies": self._policies,
            "values": self._values,
            "verdicts": self._verdicts,
            "deep": self._deep,
        }
