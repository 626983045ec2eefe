"""The games of pairings: planned, played by a crew in one stream, and kept in files as they are finished."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from c4agents.agent import LATE_MOVES, Agent
from c4agents.arena.asking import ask
from c4agents.arena.games import Failure, Game, play_game
from c4agents.arena.openings import draw_openings
from c4agents.arena.players import PlayerLike, fingerprint, is_spec, load_player, player_name
from c4agents.arena.storing import write_json
from c4agents.jobs import Crew
from c4env.bitboard import Rules
from c4env.position import Position

_SECONDS: Final = 0.5
"""What a batch of games should take."""
_SAVED_EVERY: Final = 2.0
"""Least seconds between two writings of a pairing that is under way."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What all games of a match or ladder have in common.

    Attributes:
        games: Games of each pairing, even: each opening is played from both seats.
        seed: Decides the openings and all randomness of the agents.
        openings: ``"all"`` legal ones or ``"balanced"``.
        opening_plies: Length of the openings; None for the shortest even one that has enough, from 2.
        rules: The rules.
        seconds: Limit per move, or None.
    """

    games: int
    seed: int = 0
    openings: str = "all"
    opening_plies: int | None = None
    rules: Rules = "first-four"
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise ValueError(f"games is an even number, as each opening is played from both seats, not {self.games}")
        if self.seed < 0:
            raise ValueError(f"seed is a whole number of at least 0, not {self.seed}")


class Table:
    """The agents that take part, and how they play; made anew in each worker, once.

    Args:
        players: The agents, in any form that :func:`~c4agents.arena.players.load_player` takes.
        terms: What all games have in common.

    Raises:
        ValueError: An agent can't be made.
    """

    def __init__(self, players: Sequence[PlayerLike], terms: Terms) -> None:
        self.players, self.terms = tuple(players), terms
        self._agents: dict[int, Agent] = {index: load_player(player) for index, player in enumerate(players)}
        # Agents by name are told apart by what their weights and source were when the games began.
        self._prints = [
            fingerprint(player, self._agents[index]) if isinstance(player, str) else None
            for index, player in enumerate(players)
        ]
        self._ready: set[int] = set()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_agents": {}, "_ready": set()}

    def agent(self, index: int) -> Agent:
        """An agent; one of our own has moved once, so that no time is charged for loading compiled code."""
        player = self.players[index]
        if index not in self._agents:
            self._agents[index] = load_player(player)
        if index not in self._ready:
            self._ready.add(index)
            if is_spec(player):
                ask(self._agents[index], Position.from_moves(LATE_MOVES))
        return self._agents[index]

    def fingerprint(self, index: int) -> str | None:
        """What changes with the weights or the source of an agent."""
        return self._prints[index] or fingerprint(self.players[index], self._agents[index])


@dataclass(frozen=True, slots=True)
class _Planned:
    """A game to be played: its pairing, its opening's number, the opening, and which agent moves first."""

    pair: tuple[int, int]
    index: int
    opening: str
    first: int


@dataclass
class Pairing:
    """Two agents of a table and the games they have played, the first of those planned, in order.

    Attributes:
        pair: Which agents.
        games: Their finished games.
    """

    pair: tuple[int, int]
    games: list[Game] = field(default_factory=list)
    _path: Path | None = None
    _question: dict[str, Any] = field(default_factory=dict)
    _saved: tuple[int, float, float] = (0, 0.0, 0.0)

    @classmethod
    def at(cls, table: Table, pair: tuple[int, int], folder: Path | None) -> Pairing:
        """The pairing, with the games that ``folder`` has of it."""
        if folder is None:
            return cls(pair)
        terms = dataclasses.asdict(table.terms)
        if terms["rules"] == "first-four":
            del terms["rules"]
        question = {
            "agents": [player_name(table.players[index]) for index in pair],
            "fingerprints": [table.fingerprint(index) for index in pair],
            **terms,
        }
        digest = hashlib.sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()[:16]
        path = folder / f"pairing-{digest}.json"
        games = _read(path, question)
        return cls(pair, games, path, question, (len(games), 0.0, 0.0))

    def save(self, *, now: bool) -> None:
        """Write the games, if there are new ones and ``now`` or the last writing was a while ago."""
        count, at, took = self._saved
        started = time.monotonic()
        if self._path is None or len(self.games) == count:
            return
        if now or started - at > max(_SAVED_EVERY, 20 * took):
            games = [dataclasses.asdict(game) for game in self.games]
            write_json(self._path, {"question": self._question, "games": games})
            self._saved = len(self.games), time.monotonic(), time.monotonic() - started


def play_pairings(
    table: Table, pairs: Sequence[tuple[int, int]], workers: int | Crew, folder: Path | None
) -> Iterator[list[Pairing]]:
    """Play all games of all pairs, as one stream.

    Args:
        table: The agents and the terms.
        pairs: Who plays whom.
        workers: Processes, or a crew.
        folder: Where games are kept as they are finished; those found there are not played again.

    Yields:
        All pairings so far, the same list each time: at once, and whenever there are new games.

    Raises:
        ValueError: There are not enough openings, or games can't be kept.
    """
    terms = table.terms
    drawn = draw_openings(terms.games // 2, seed=terms.seed, plies=terms.opening_plies, kind=terms.openings)
    pairings = {pair: Pairing.at(table, pair, folder) for pair in pairs}
    seats = [(index, opening, first) for index, opening in enumerate(drawn) for first in (0, 1)]
    plan = [_Planned(pair, *seat) for pair in pairs for seat in seats[len(pairings[pair].games) :]]
    everything = list(pairings.values())
    yield everything
    with Crew.of(workers) as crew:
        run = crew.map_range(_play, len(plan), lambda part: plan[part], shared=table, seconds=_SECONDS)
        with contextlib.closing(run):
            try:
                for part, games in run:
                    for planned, game in zip(plan[part], games, strict=True):
                        pairing = pairings[planned.pair]
                        pairing.games.append(game)
                        pairing.save(now=len(pairing.games) == terms.games)
                    yield everything
            finally:
                for pairing in everything:
                    pairing.save(now=True)


def _play(table: Table, batch: Sequence[_Planned]) -> list[Game]:
    games = []
    for game in batch:
        agents = table.agent(game.pair[0]), table.agent(game.pair[1])
        seed = table.terms.seed, game.index, game.first
        rules, seconds = table.terms.rules, table.terms.seconds
        games.append(play_game(agents, game.opening, game.first, seed=seed, rules=rules, seconds=seconds))
    return games


def _read(path: Path, question: dict[str, Any]) -> list[Game]:
    """The games in a file, none if it is not there or not of this pairing."""
    if not path.exists():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return [_game(stored) for stored in content["games"]] if content["question"] == question else []
    except (OSError, KeyError, TypeError, ValueError):
        return []


def _game(stored: dict[str, Any]) -> Game:
    failure = stored["failure"]
    lists = {name: tuple(stored[name]) for name in ("thought", "seconds")}
    return Game(**(stored | lists | {"failure": None if failure is None else Failure(**failure)}))
