"""Matches of two agents: paired openings, both seats, in parallel, the same for any number of workers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from c4agents.arena.games import Failure, Game
from c4agents.arena.intervals import Share, share
from c4agents.arena.pairings import Table, Terms, play_pairings
from c4agents.arena.players import PlayerLike, player_name
from c4agents.jobs import Crew
from c4env.bitboard import Rules

Progress = Callable[[int, int], None]
"""Told how many of how many are done."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The games of a match between agents 0 and 1, in order, and what they add up to.

    Attributes:
        names: The two agents.
        games: The games played; fewer than asked if the match was interrupted.
        asked: The games asked for.
        seed: What all randomness came from.
    """

    names: tuple[str, str]
    games: tuple[Game, ...]
    asked: int
    seed: int

    @property
    def interrupted(self) -> bool:
        """Whether games are missing."""
        return len(self.games) < self.asked

    @property
    def failures(self) -> list[Failure]:
        """The games that ended by a failure."""
        return [game.failure for game in self.games if game.failure]

    @property
    def distinct(self) -> int:
        """Number of games that differ from all before them."""
        return len({game.moves for game in self.games})

    def tally(self, agent: int = 0, seat: int | None = None) -> tuple[int, int, int]:
        """Wins, draws and losses of ``agent``; with ``seat`` only the games in which it moved first (0) or second."""
        games = [game for game in self.games if seat is None or (game.first != agent) == bool(seat)]
        wins = sum(game.winner == agent for game in games)
        draws = sum(game.winner is None for game in games)
        return wins, draws, len(games) - wins - draws

    def score(self, agent: int = 0) -> Share:
        """Share of the points ``agent`` took, a draw counting half."""
        return share(sum(game.points(agent) for game in self.games), len(self.games))

    def seconds_per_move(self, agent: int) -> float:
        """Mean time ``agent`` took for a move."""
        return sum(game.seconds[agent] for game in self.games) / max(sum(game.thought[agent] for game in self.games), 1)

    def summary(self) -> dict[str, Any]:
        """The result as plain values, for JSON; all from the first agent's side unless said."""
        wins, draws, losses = self.tally()
        count = max(len(self.games), 1)
        score, won = self.score(), share(wins, len(self.games))
        return {
            "agents": list(self.names),
            "games": len(self.games),
            "asked": self.asked,
            "seed": self.seed,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "moving_first": dict(zip(("wins", "draws", "losses"), self.tally(0, 0), strict=True)),
            "moving_second": dict(zip(("wins", "draws", "losses"), self.tally(0, 1), strict=True)),
            "score": score.share,
            "score_interval": [score.low, score.high],
            "win_share": won.share,
            "win_interval": [won.low, won.high],
            "distinct_games": self.distinct,
            "mean_plies": sum(len(game.moves) for game in self.games) / count,
            "seconds_per_move": [self.seconds_per_move(0), self.seconds_per_move(1)],
            "failures": [str(failure) for failure in self.failures],
        }


def play_match(
    first: PlayerLike,
    second: PlayerLike,
    games: int = 100,
    *,
    seed: int = 0,
    openings: str = "all",
    opening_plies: int | None = None,
    rules: Rules = "first-four",
    seconds: float | None = None,
    workers: int | Crew = 1,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play ``games`` games, each opening twice with the seats swapped.

    The games depend on the seed alone, not on the workers. An agent that fails loses that game, and the match goes on.
    Ctrl-C ends the match with the games played so far.

    Args:
        first: One agent, in any form that :func:`~c4agents.arena.players.load_player` takes.
        second: The other.
        games: Even number of games.
        seed: Decides the openings and all randomness of the agents.
        openings: ``"all"`` legal ones or ``"balanced"``.
        opening_plies: Length of the openings; by default the shortest even one that has enough, from 2.
        rules: The rules.
        seconds: Limit per move.
        workers: Processes, 0 for one per core; or a crew.
        folder: Where games are kept as they are finished; those found there are not played again.
        progress: Called with games played and games asked for.

    Raises:
        ValueError: Bad arguments, or an agent that can't be made.
    """
    table = Table((first, second), Terms(games, seed, openings, opening_plies, rules, seconds))
    played: list[Game] = []
    try:
        for (pairing,) in play_pairings(table, [(0, 1)], workers, folder):
            played = pairing.games
            if progress:
                progress(len(played), games)
    except KeyboardInterrupt:
        pass
    return MatchResult((player_name(first), player_name(second)), tuple(played), games, seed)
