"""How a policy in training fares against bots: many games at once, both seats, the same openings each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from c4agents.arena.intervals import Share, share
from c4agents.arena.openings import draw_openings
from c4env.position import PositionBatch
from c4env.vector import ConnectFourVectorEnv


class Player(Protocol):
    """Who can be measured: an agent, or anything that moves in many games at once."""

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The column for each position, shape [B]."""


@dataclass(frozen=True, slots=True)
class Record:
    """Wins, draws and losses, moving first and moving second."""

    first: tuple[int, int, int]
    second: tuple[int, int, int]

    @property
    def points(self) -> float:
        """Share of the points, a draw counting half."""
        return self.share.share

    @property
    def share(self) -> Share:
        """The same with its 95 % interval."""
        wins, draws, losses = (self.first[k] + self.second[k] for k in range(3))
        return share(wins + draws / 2, wins + draws + losses)

    def __str__(self) -> str:
        return f"first {'/'.join(map(str, self.first))}, second {'/'.join(map(str, self.second))}"


def play_bot(player: Player, bot: str, games: int, seed: int = 0) -> Record:
    """Play ``games`` games (even) against a bot, each of ``games / 2`` openings from both seats.

    Args:
        player: Who is measured.
        bot: The bot's spec string.
        games: An even number.
        seed: Decides the openings and the bot's randomness.
    """
    openings = [*draw_openings(games // 2, seed=seed)] * 2
    seats = ["first"] * (games // 2) + ["second"] * (games // 2)
    env = ConnectFourVectorEnv(games, opponent=bot)
    env.reset(seed=seed, options={"moves": openings, "agent_plays": seats})
    results = np.zeros(games)
    running = np.ones(games, np.bool_)
    while running.any():
        positions = env.positions()
        columns = np.zeros(games, np.int64)
        columns[running] = player.act_batch(PositionBatch(positions.own[running], positions.occupied[running]))
        _, rewards, ended, _, _ = env.step(columns)
        results[running & ended] = rewards[running & ended]
        running &= ~ended
    env.close()
    tallies = [
        (int((part > 0).sum()), int((part == 0).sum()), int((part < 0).sum()))
        for part in (results[: games // 2], results[games // 2 :])
    ]
    return Record(tallies[0], tallies[1])
