"""Games against perfect play, with ties drawn at random and with a little noise."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4agents.arena.exact import NO_SCORE, Oracle
from c4agents.arena.games import Game, play_game
from c4agents.arena.intervals import share
from c4agents.arena.players import PlayerLike, load_player
from c4env.position import Position, PositionBatch


class PerfectPlayer:
    """Plays the best column by exact score, equally good ones at random, and sometimes any column.

    Attributes:
        name: What it is called in reports.
        epsilon: Chance of a random move.
    """

    deterministic = False
    mirror_consistent = False

    def __init__(self, oracle: Oracle, epsilon: float = 0.0) -> None:
        self.name = "perfect play" if not epsilon else f"perfect play, {epsilon:.0%} random moves"
        self.epsilon = epsilon
        self._oracle = oracle
        self._random = random.Random(0)
        self._known: dict[int, tuple[int, ...]] = {}

    def seed(self, seed: int) -> None:
        """Restart its random numbers."""
        self._random.seed(seed)

    def act(self, position: Position) -> int:
        """One of the best columns, or now and then any."""
        check_not_over(position)
        if self._random.random() < self.epsilon:
            return self._random.choice(position.legal)
        scores = self.scores(position)
        best = max(scores)
        return self._random.choice([column for column in position.legal if scores[column] == best])

    def scores(self, position: Position) -> tuple[int, ...]:
        """The exact score of each column; remembered, as games share their openings."""
        if position.key not in self._known:
            batch = PositionBatch.of([position])
            self._known[position.key] = tuple(self._oracle.scores(batch.own, batch.occupied)[0].tolist())
        return self._known[position.key]

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """A column for each position, shape [B]."""
        new = {position.key: index for index, position in enumerate(positions) if position.key not in self._known}
        if new and not self.epsilon:  # one question rather than many
            asked = list(new.values())
            scores = self._oracle.scores(positions.own[asked], positions.occupied[asked])
            self._known |= zip(new, map(tuple, scores.tolist()), strict=True)
        return np.array([self.act(position) for position in positions], np.int8)

    def analyse(self, position: Position) -> Analysis:
        """The exact scores, and a draw among the best."""
        started = time.perf_counter()
        column = self.act(position)
        scores = tuple(None if score == NO_SCORE else float(score) for score in self.scores(position))
        return Analysis(self.name, column, scores, "score", (column,), seconds=time.perf_counter() - started)


@dataclass(frozen=True, slots=True)
class PerfectResult:
    """An agent's games from the empty board against perfect play.

    Attributes:
        opponent: Which kind.
        seat: ``first`` or ``second``: the agent's.
        games: The games; the agent is agent 0.
    """

    opponent: str
    seat: str
    games: tuple[Game, ...]

    @property
    def tally(self) -> tuple[int, int, int]:
        """The agent's wins, draws and losses."""
        wins = sum(game.winner == 0 for game in self.games)
        draws = sum(game.winner is None for game in self.games)
        return wins, draws, len(self.games) - wins - draws

    @property
    def mean_plies(self) -> float:
        """Mean length of the games: moving second, how long it survives."""
        return sum(len(game.moves) for game in self.games) / max(len(self.games), 1)

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        wins, draws, losses = self.tally
        score = share(wins + draws / 2, len(self.games))
        return {
            "opponent": self.opponent,
            "seat": self.seat,
            "games": len(self.games),
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "score": score.share,
            "score_interval": [score.low, score.high],
            "mean_plies": self.mean_plies,
            "distinct_games": len({game.moves for game in self.games}),
            "failures": [str(game.failure) for game in self.games if game.failure],
        }


def against_perfect(
    player: PlayerLike,
    oracle: Oracle,
    games: int = 20,
    *,
    epsilons: tuple[float, ...] = (0.0, 0.1),
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[PerfectResult]:
    """Play from the empty board against perfect play, ``games`` from each seat for each noise level."""
    agent = load_player(player)
    results = []
    done, total = 0, 2 * games * len(epsilons)
    for level, epsilon in enumerate(epsilons):
        perfect = PerfectPlayer(oracle, epsilon)
        for first, seat in enumerate(("first", "second")):
            played = []
            for number in range(games):
                key = (seed, level, first, number)
                played.append(play_game((agent, perfect), "", first, seed=key, seconds=seconds))
                done += 1
                if progress:
                    progress(done, total)
            results.append(PerfectResult(perfect.name, seat, tuple(played)))
    return results
