"""Games that a searching network plays against itself, and what can be learned from them.

Many games run at once, so that the network is asked in batches. Most moves get a quick search, only to carry the game
on; a share of them gets a deep one with noise at the root, and only those are learned from. Where the search is
certain of the result, that is the value to learn, whatever became of the game.

The games may be divided among workers. Each has its own randomness, which follows from the seed, the turn and its
number, and the network's answers do not depend on what else it is asked; so what is played does not depend on how the
games are divided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from c4agents.jobs import Crew
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import PolicyNetwork
from c4agents.policy.planes import to_legal
from c4agents.policy.puct import Forest, best_columns, new_forest
from c4agents.policy.search import grow
from c4env.bitboard import COLUMNS, FIRST_FOUR, ONGOING
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import plies_of
from c4train.lessons import Boards, Floats, Samples, Searched, lesson
from c4train.session import SharedOutConfig

_BY_GAME: Final = ("numbers", "own", "occupied", "openings")
"""Fields of :class:`Games` with an entry for each game."""


@dataclass(frozen=True)
class SearchedGamesConfig(SharedOutConfig):
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


class Dice(NamedTuple):
    """The randomness of P plies of N games.

    Attributes:
        deep: Whether a search is deep, by comparison, [P, N].
        noise: At the root, before it is scaled, [P, N, 7].
        gumbel: Draws the column, [P, N, 7].
        openings: Random plies of the game that begins after this ply, if one does, [P, N].
    """

    deep: npt.NDArray[np.float64]
    noise: Floats
    gumbel: npt.NDArray[np.float64]
    openings: Boards

    @classmethod
    def rolled(cls, config: SearchedGamesConfig, seed: int, turn: int, numbers: Boards) -> Dice:
        """That of some games in a turn: each game's own, whatever the others are."""
        rolls = []
        for number in numbers.tolist():
            rng = np.random.default_rng((seed, turn, number))
            noise = rng.standard_gamma(config.noise_shape, (config.plies, COLUMNS)).astype(np.float32)
            gumbel = rng.gumbel(size=(config.plies, COLUMNS))
            rolls.append((rng.random(config.plies), noise, gumbel, rng.integers(config.opening + 1, size=config.plies)))
        return cls(*(np.stack(arrays, axis=1) for arrays in zip(*rolls, strict=True)))


@dataclass(frozen=True)
class Games:
    """N games in progress, as they are sent to a worker and come back.

    Attributes:
        turn: How many turns they have had.
        numbers: Which games these are, ascending, [N].
        own: Stones of the side to move now, [N].
        occupied: All stones now, [N].
        openings: Random plies with which each began, [N].
        searched: What their deep searches have found.
    """

    turn: int
    numbers: Boards
    own: Boards
    occupied: Boards
    openings: Boards
    searched: Searched

    @classmethod
    def new(cls, config: SearchedGamesConfig, seed: int) -> Games:
        """All games, at their beginning."""
        numbers, none = np.arange(config.games), np.zeros(config.games, np.int64)
        openings = np.random.default_rng(seed).integers(config.opening + 1, size=config.games)
        return cls(0, numbers, none, none, openings, Searched.none())

    def divided(self, parts: int) -> list[Games]:
        """The same games in so many parts, or fewer if there are not as many games, in order."""
        cuts = np.array_split(np.arange(len(self.numbers)), min(parts, len(self.numbers)))
        return [
            Games(
                turn=self.turn,
                searched=self.searched.of(np.isin(self.searched.game, self.numbers[cut])),
                **{name: getattr(self, name)[cut] for name in _BY_GAME},
            )
            for cut in cuts
        ]

    @staticmethod
    def joined(parts: list[Games]) -> Games:
        """What :meth:`divided` divided."""
        arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _BY_GAME}
        searched = Searched.none().joined(*(part.searched for part in parts))
        return Games(turn=parts[0].turn, searched=searched, **arrays)


def play_turn(shared: tuple[SearchedGamesConfig, int, PolicyNetwork], games: Games) -> tuple[Games, list[Samples]]:
    """Some plies of some games, in any process.

    Args:
        shared: How they are played, the seed, and the network.
        games: The games; they are not changed.

    Returns:
        The games after it, and for each ply what the games that ended with it have to teach.
    """
    config, seed, network = shared
    turn = _Turn(
        config,
        Evaluator(network, bfloat16=config.bfloat16),
        games,
        Dice.rolled(config, seed, games.turn, games.numbers),
    )
    taught = [turn.ply(number) for number in range(config.plies)]
    return turn.games(), taught


class _Turn:
    """Some plies of some games."""

    def __init__(self, config: SearchedGamesConfig, evaluator: Evaluator, games: Games, dice: Dice) -> None:
        self._config, self._evaluator, self._before, self._dice = config, evaluator, games, dice
        self._games = SelfPlay(len(games.numbers))
        self._games.restore(PositionBatch(games.own, games.occupied))
        self._openings = games.openings.copy()
        self._searched = games.searched

    def games(self) -> Games:
        """The games as they stand, one turn on."""
        now = self._games.positions()
        return replace(
            self._before,
            turn=self._before.turn + 1,
            own=now.own,
            occupied=now.occupied,
            openings=self._openings,
            searched=self._searched,
        )

    def ply(self, number: int) -> Samples:
        """One ply of all games; returns what those that end with it have to teach."""
        config, numbers = self._config, self._before.numbers
        positions = self._games.positions()
        ply = plies_of(positions.occupied)
        opening = ply < self._openings
        deep = (self._dice.deep[number] < config.deep_share) & ~opening
        depths = np.where(opening, 0, np.where(deep, 2, 1))
        forest, priors = self._search(positions, depths, self._dice.noise[number])
        columns = np.zeros(len(numbers), np.int64)
        best_columns(forest, FIRST_FOUR, columns)
        taught = lesson(forest, priors, columns, config.sharpness)
        found = Searched(numbers, ply, positions.own, positions.occupied, *taught, forest.verdicts[:, 0])
        self._searched = self._searched.joined(found.of(deep))
        step = self._games.step(self._choose(forest, columns, ply, opening, self._dice.gumbel[number]))
        self._openings = np.where(step.done, self._dice.openings[number], self._openings)
        return self._take(step.done, ply, step.reward)

    def _search(self, positions: PositionBatch, depths: Boards, dice: Floats) -> tuple[Forest, Floats]:
        """Search each position not at all (0), quickly (1) or deeply and with noise (2).

        Returns:
            The trees, and the network's probabilities at their roots.
        """
        config = self._config
        forest = new_forest(positions.own, positions.occupied, max(config.simulations, config.quick_simulations), 1)
        forest.budgets[:] = 0
        grow(forest, self._evaluator, FIRST_FOUR, config.exploration)
        priors = forest.priors[:, 0].copy()
        noise = dice * to_legal(positions.occupied)
        noise /= noise.sum(axis=1, keepdims=True)
        mixed = (1 - config.noise) * priors + config.noise * noise
        forest.priors[:, 0] = np.where(depths[:, None] == 2, mixed, priors)
        forest.budgets[:] = np.array([0, config.quick_simulations, config.simulations])[depths]
        grow(forest, self._evaluator, FIRST_FOUR, config.exploration)
        return forest, priors

    def _choose(
        self,
        forest: Forest,
        best: Boards,
        ply: Boards,
        opening: npt.NDArray[np.bool_],
        gumbel: npt.NDArray[np.float64],
    ) -> Boards:
        """The columns to play: any legal one in an opening, then by visits, later the best."""
        legal = to_legal(forest.occupied[:, 0])
        visits = forest.visits[:, 0].astype(np.float64)
        weights = np.where(opening[:, None], legal, visits)
        # The largest of logarithms plus Gumbel noise is a draw by the weights.
        drawn = (np.log(np.maximum(weights, 1e-12)) + gumbel).argmax(axis=1)
        settled = (ply >= self._config.random_plies) | (forest.verdicts[:, 0] != ONGOING)
        return np.where(settled & ~opening, best, drawn)

    def _take(self, done: npt.NDArray[np.bool_], last: Boards, reward: Floats) -> Samples:
        """Take out what was searched in games that are ``done`` with ``reward`` for the side that moved at ``last``."""
        index = np.searchsorted(self._before.numbers, self._searched.game)
        over = np.flatnonzero(done[index])
        over = over[np.argsort(index[over], kind="stable")]  # game by game, as it is whatever the division
        ended, of_game = self._searched.of(over), index[over]
        self._searched = self._searched.of(~done[index])
        rewards = np.where((last[of_game] - ended.ply) % 2 == 0, reward[of_game], -reward[of_game])
        return ended.samples(rewards, self._config.search_share)


class SearchedGames:
    """Games in progress, played by a crew.

    Args:
        config: How they are played.
        seed: Decides all randomness.
    """

    def __init__(self, config: SearchedGamesConfig, seed: int) -> None:
        self.config = config
        self._seed = seed
        self.games = Games.new(config, seed)

    def play(self, network: PolicyNetwork, crew: Crew) -> Samples:
        """Some plies of all games; returns what the games that ended in them have to teach."""
        parts = self.games.divided(crew.size)
        shared = (self.config, self._seed, network)  # a new object, as the network's weights may be new
        turns = list(crew.map(play_turn, parts, shared=shared, items=self._plies))
        self.games = Games.joined([games for games, _ in turns])
        return Samples.joined([taught[ply] for ply in range(self.config.plies) for _, taught in turns])

    def _plies(self, part: Games) -> int:
        return self.config.plies * len(part.numbers)

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        games = {name: torch.from_numpy(getattr(self.games, name).copy()) for name in _BY_GAME}
        searched = [torch.from_numpy(array.copy()) for array in self.games.searched]
        return {"seed": self._seed, "turn": self.games.turn, "games": games, "searched": searched}

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        if "turn" not in state:
            return  # of a run begun before games had their own randomness: they begin anew
        arrays = {name: state["games"][name].numpy().copy() for name in _BY_GAME}
        searched = Searched(*(tensor.numpy().copy() for tensor in state["searched"]))
        self._seed, self.games = int(state["seed"]), Games(turn=int(state["turn"]), searched=searched, **arrays)
