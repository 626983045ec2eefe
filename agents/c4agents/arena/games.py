"""One game between two agents, and the record of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from c4agents.agent import Agent
from c4agents.arena.asking import ask
from c4env.bitboard import Rules
from c4env.position import DIGITS, Position


@dataclass(frozen=True, slots=True)
class Failure:
    """An agent that could not go on, and therefore lost.

    Attributes:
        agent: Its name.
        moves: The position it was asked in, as a move string.
        reason: What it did, in one line.
    """

    agent: str
    moves: str
    reason: str

    def __str__(self) -> str:
        return f"{self.agent} {self.reason} (after {self.moves or 'no moves'})"


@dataclass(frozen=True, slots=True)
class Game:
    """A finished game of a match between agents 0 and 1.

    Attributes:
        opening: The moves both were given.
        first: The agent (0 or 1) that moved first.
        moves: All moves, the opening included, columns 1 to 7.
        winner: The agent (0 or 1) that won; None for a draw.
        thought: Moves each agent chose.
        seconds: Time each agent took for them.
        failure: Why the loser forfeited; None if the game ended on the board.
    """

    opening: str
    first: int
    moves: str
    winner: int | None
    thought: tuple[int, int]
    seconds: tuple[float, float]
    failure: Failure | None = None

    def points(self, agent: int) -> float:
        """1, 0.5 or 0: what ``agent`` (0 or 1) got."""
        return 0.5 if self.winner is None else float(self.winner == agent)


def play_game(
    agents: tuple[Agent, Agent],
    opening: str = "",
    first: int = 0,
    *,
    seed: tuple[int, ...] = (0,),
    rules: Rules = "first-four",
    seconds: float | None = None,
) -> Game:
    """Play one game from ``opening``; the agents are seeded from ``seed``.

    Args:
        agents: Agent 0 and agent 1.
        opening: Moves that both are given.
        first: Which agent moves first.
        seed: Numbers that decide all randomness of the game.
        rules: The rules.
        seconds: Limit per move; whoever takes longer loses. None for no limit.
    """
    words = np.random.SeedSequence(seed).generate_state(2, np.uint64)
    for index, agent in enumerate(agents):
        try:
            agent.seed(int(words[index]) >> 1)
        except Exception as error:
            failure = Failure(agent.name, opening, f"raised {type(error).__name__} when it was seeded: {error}")
            return Game(opening, first, opening, 1 - index, (0, 0), (0.0, 0.0), failure)
    position = Position.from_moves(opening, rules)
    moves = opening
    thought, taken = [0, 0], [0.0, 0.0]
    while not position.is_over:
        mover = (position.player + first) % 2
        answer = ask(agents[mover], position, seconds)
        thought[mover] += 1
        taken[mover] += answer.seconds
        if answer.failure:
            failure = Failure(agents[mover].name, moves, answer.failure)
            return Game(opening, first, moves, 1 - mover, (thought[0], thought[1]), (taken[0], taken[1]), failure)
        position = position.play(answer.column)
        moves += DIGITS[answer.column]
    winner = None if position.winner is None else (position.winner + first) % 2
    return Game(opening, first, moves, winner, (thought[0], thought[1]), (taken[0], taken[1]))


def games_text(names: tuple[str, str], games: Iterable[Game]) -> str:
    """Games as text: a line that starts with ``#`` says who played and how it ended, the next has the moves."""
    lines = []
    for number, game in enumerate(games, start=1):
        first, second = names[game.first], names[1 - game.first]
        ended = "drawn" if game.winner is None else f"{names[game.winner]} wins"
        if game.failure:
            ended += f": {game.failure}"
        lines += [f"# game {number}: {first} (first) against {second}, {ended}", game.moves]
    return "\n".join(lines) + "\n"
