"""Matches of two agents: paired openings, both seats, in parallel, the same for any number of workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from c4agents.agent import LATE_MOVES, Agent
from c4agents.arena.asking import ask
from c4agents.arena.extra import needs_extra
from c4agents.arena.games import Failure, Game, play_game
from c4agents.arena.intervals import Share, share
from c4agents.arena.openings import draw_openings
from c4agents.arena.players import PlayerLike, is_spec, load_player, player_name
from c4env.bitboard import Rules
from c4env.position import Position

Progress = Callable[[int, int], None]
"""Told how many of how many are done."""

_GAMES_PER_TASK: Final = 8
"""Games a worker plays before it reports: few enough for a lively bar, many enough to pay for the trip."""


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
    workers: int = 1,
    progress: Progress | None = None,
) -> MatchResult:
    """Play ``games`` games, each opening twice with the seats swapped.

    The games depend on the seed alone, not on the number of workers. An agent that fails loses that game, and the
    match goes on. Ctrl-C ends the match with the games played so far.

    Args:
        first: One agent, in any form that :func:`~c4agents.arena.players.load_player` takes.
        second: The other.
        games: Even number of games.
        seed: Decides the openings and all randomness of the agents.
        openings: ``"all"`` legal ones or ``"balanced"``.
        opening_plies: Length of the openings; by default the shortest even one that has enough, from 2.
        rules: The rules.
        seconds: Limit per move.
        workers: Processes to use; 0 for one per core.
        progress: Called with games played and games asked for.

    Raises:
        ValueError: Bad arguments, or an agent that can't be made.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games is an even number, as each opening is played from both seats, not {games}")
    if seed < 0:
        raise ValueError(f"seed is a whole number of at least 0, not {seed}")
    agents = _ready(first), _ready(second)
    drawn = draw_openings(games // 2, seed=seed, plies=opening_plies, kind=openings)
    plan = [(index, moves, seat) for index, moves in enumerate(drawn) for seat in (0, 1)]
    tasks = [plan[start : start + _GAMES_PER_TASK] for start in range(0, games, _GAMES_PER_TASK)]
    workers = min(workers or os.cpu_count() or 1, len(tasks))
    settings = (seed, rules, seconds)
    played: list[Game] = []
    try:
        for some in _run(tasks, (first, second), agents, settings, workers):
            played += some
            if progress:
                progress(len(played), games)
    except KeyboardInterrupt:
        pass
    return MatchResult((player_name(first), player_name(second)), tuple(played), games, seed)


_Settings = tuple[int, Rules, float | None]
_Task = Sequence[tuple[int, str, int]]


def _run(
    tasks: Sequence[_Task],
    players: tuple[PlayerLike, PlayerLike],
    agents: tuple[Agent, Agent],
    settings: _Settings,
    workers: int,
) -> Iterator[list[Game]]:
    if workers == 1:
        for task in tasks:
            for planned in task:
                yield [_play(agents, planned, settings)]
        return
    with needs_extra():
        from joblib import Parallel, delayed
    here = Path.cwd()
    yield from Parallel(n_jobs=workers, return_as="generator", batch_size=1)(
        delayed(_play_task)(players, here, task, settings) for task in tasks
    )


_made: dict[str, Agent] = {}
"""Agents that this worker has made, by spec string."""


def _play_task(players: tuple[PlayerLike, PlayerLike], folder: Path, task: _Task, settings: _Settings) -> list[Game]:
    os.chdir(folder)  # workers are kept and may have begun elsewhere; agents given as code are found from here
    agents = _worker_agent(players[0], "0"), _worker_agent(players[1], "1")
    return [_play(agents, planned, settings) for planned in task]


def _worker_agent(player: PlayerLike, seat: str) -> Agent:
    if not isinstance(player, str):
        return load_player(player)
    if seat + player not in _made:
        _made[seat + player] = _ready(player)
    return _made[seat + player]


def _ready(player: PlayerLike) -> Agent:
    """The agent; one of our own has moved once, so that no time is charged for loading compiled code."""
    agent = load_player(player)
    if is_spec(player):
        ask(agent, Position.from_moves(LATE_MOVES))
    return agent


def _play(agents: tuple[Agent, Agent], planned: tuple[int, str, int], settings: _Settings) -> Game:
    index, opening, first = planned
    seed, rules, seconds = settings
    return play_game(agents, opening, first, seed=(seed, index, first), rules=rules, seconds=seconds)
