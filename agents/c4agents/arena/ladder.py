"""A round robin of agents, which can be interrupted and gone on with, and its ratings."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from c4agents.arena.games import Failure
from c4agents.arena.match import MatchResult
from c4agents.arena.pairings import Table, Terms, play_pairings
from c4agents.arena.players import PlayerLike, player_name
from c4agents.arena.ratings import Rating, rate
from c4agents.jobs import Crew

RUNGS: Final = (
    "random",
    "rules",
    "alphabeta:depth=2",
    "alphabeta:depth=4",
    "mcts:simulations=1000",
    "alphabeta:depth=7",
    "alphabeta:depth=8",
    "alphabeta:eval=chains,depth=12",
    "solver",
)
"""The default ladder: our range of bots, from random to perfect play."""

LadderProgress = Callable[[str, str, int, int], None]
"""Told the two agents of the pairing under way, and how many of how many games of the ladder are done."""


@dataclass(frozen=True, slots=True)
class LadderResult:
    """The pairings that were played, and the ratings they give.

    Attributes:
        names: The agents.
        matches: The matches by the two agents' indices (i, j), i < j; agent 0 of the match is i.
        ratings: Best first.
        complete: Whether all pairings were played.
    """

    names: tuple[str, ...]
    matches: dict[tuple[int, int], MatchResult]
    ratings: list[Rating]
    complete: bool = True

    @property
    def failures(self) -> list[Failure]:
        """All games that ended by a failure."""
        return [failure for match in self.matches.values() for failure in match.failures]

    def cross_table(self) -> list[list[float | None]]:
        """Share of the points the row's agent took from the column's, best agent first; None if they did not play."""
        order = [self.names.index(rating.name) for rating in self.ratings]
        return [[self._score(row, column) for column in order] for row in order]

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "ratings": [dataclasses.asdict(rating) for rating in self.ratings],
            "agents": [rating.name for rating in self.ratings],
            "cross_table": self.cross_table(),
            "matches": [match.summary() for match in self.matches.values()],
        }

    def _score(self, row: int, column: int) -> float | None:
        if (row, column) in self.matches:
            return self.matches[row, column].score(0).share
        if (column, row) in self.matches:
            return self.matches[column, row].score(1).share
        return None


def play_ladder(
    players: Sequence[PlayerLike] = RUNGS,
    games: int = 40,
    *,
    seed: int = 0,
    openings: str = "all",
    opening_plies: int | None = None,
    seconds: float | None = None,
    workers: int | Crew = 1,
    folder: Path | None = None,
    progress: LadderProgress | None = None,
) -> LadderResult:
    """Play everyone against everyone and rate them.

    All games of all pairings are one stream of work, so that many workers do not wait for the last game of a pairing.

    Args:
        players: At least two agents with different names.
        games: Games of each pairing, even.
        seed: Decides openings and randomness; each pairing plays the same openings.
        openings: ``"all"`` or ``"balanced"``.
        opening_plies: Length of the openings.
        seconds: Limit per move.
        workers: Processes, 0 for one per core; or a crew.
        folder: Where games are kept as they are finished; those found there are not played again.
        progress: Told what is being played.

    Raises:
        ValueError: Bad arguments, or interrupted before the first pairing was finished.
    """
    names = tuple(player_name(player) for player in players)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ValueError("a ladder needs at least two agents, each given once")
    table = Table(players, Terms(games, seed, openings, opening_plies, seconds=seconds))
    pairs = list(combinations(range(len(names)), 2))
    matches: dict[tuple[int, int], MatchResult] = {}
    try:
        for pairings in play_pairings(table, pairs, workers, folder):
            for pairing in pairings:
                if len(pairing.games) == games and pairing.pair not in matches:
                    who = names[pairing.pair[0]], names[pairing.pair[1]]
                    matches[pairing.pair] = MatchResult(who, tuple(pairing.games), games, seed)
            if progress:
                i, j = next((pairing.pair for pairing in pairings if len(pairing.games) < games), pairs[-1])
                done = sum(len(pairing.games) for pairing in pairings)
                progress(names[i], names[j], done, games * len(pairs))
    except KeyboardInterrupt:
        pass
    if not matches:
        raise ValueError("interrupted before the first pairing was finished")
    took_part = sorted({index for pair in matches for index in pair})
    renumbered = {index: place for place, index in enumerate(took_part)}
    kept = {(renumbered[i], renumbered[j]): matches[i, j] for i, j in pairs if (i, j) in matches}
    present = tuple(names[index] for index in took_part)
    ratings = rate(present, {pair: _points(match) for pair, match in kept.items()})
    return LadderResult(present, kept, ratings, len(kept) == len(pairs))


def _points(match: MatchResult) -> list[list[float]]:
    """The points of agent 0, opening by opening."""
    points: dict[str, list[float]] = {}
    for game in match.games:
        points.setdefault(game.opening, []).append(game.points(0))
    return list(points.values())
