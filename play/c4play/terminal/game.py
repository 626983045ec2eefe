"""A game in the terminal: people and agents, in any pairing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from c4agents.agent import Agent
from c4env.position import DIGITS, Position
from c4play.commands.analyse import describe
from c4play.gamefiles import RecordedGame, save_game
from c4play.terminal.board import draw_board, stone_name
from c4play.terminal.opinions import hint

KEYS = "1 to 7 plays, u takes back, h gives a hint, a shows what the opponent thinks, s saves, q quits"


class Quit(Exception):  # noqa: N818 - not an error
    """The person has had enough."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays.

    Attributes:
        name: What the screen calls them.
        agent: The agent, or None for a person.
    """

    name: str
    agent: Agent | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How a game between agents goes on.

    Attributes:
        step: Wait for the Enter key before each move of an agent.
        delay: Seconds to wait after each move of an agent.
    """

    step: bool = False
    delay: float = 0.0


class TerminalGame:
    """One game on a console.

    Args:
        console: Where it is shown, and where answers come from.
        seats: Who moves first, who second.
        start: The position after ``moves``.
        moves: Moves made before the game begins.
        pace: How fast agents move.
    """

    def __init__(
        self, console: Console, seats: tuple[Seat, Seat], start: Position, moves: str = "", pace: Pace | None = None
    ) -> None:
        self.console = console
        self.seats = seats
        self.position = start
        self.moves = moves
        self.pace = pace or Pace()
        self._given = len(moves)

    def play(self) -> None:
        """Play to the end.

        Raises:
            Quit: Somebody typed q.
            EOFError: The input has ended.
            ValueError: An agent can't play on; says which and why.
        """
        self._show()
        while not self.position.is_over:
            seat = self.seats[self.position.player]
            before = self.moves
            if seat.agent is None:
                self._person(seat)
            else:
                self._agent(seat, seat.agent)
            if self.moves != before:
                self._show()
        self._announce()

    @property
    def record(self) -> RecordedGame:
        """The game so far, for a file."""
        first, second = (seat.name for seat in self.seats)
        return RecordedGame(self.moves, f"{first} (first) against {second}", self.position.rules)

    def _show(self) -> None:
        last = int(self.moves[-1]) - 1 if self.moves else None
        self.console.print()
        self.console.print(draw_board(self.console, self.position, last))
        if self.position.rules == "most-fours":
            first, second = self.position.fours
            self.console.print(f"{self.seats[0].name} {first} : {second} {self.seats[1].name}", markup=False)

    def _say(self, text: str, style: str | None = None) -> None:
        self.console.print(text, style=style, markup=False, highlight=False)

    def _push(self, column: int) -> None:
        self.position = self.position.play(column)
        self.moves += DIGITS[column]

    def _person(self, seat: Seat) -> None:
        self.console.print(stone_name(self.console, self.position.player), end=" ")
        given = self.console.input(f"{seat.name}, your column (? for help): ", markup=False).strip().lower()
        if given in DIGITS and len(given) == 1:
            try:
                self._push(DIGITS.index(given))
            except ValueError as error:
                self._say(f"{error}; choose another", "red")
            return
        actions: dict[str, Callable[[], None]] = {
            "u": self._undo,
            "h": lambda: hint(self.console, self.position),
            "a": self._opponent_thinks,
            "?": lambda: self._say(KEYS),
            "": lambda: self._say(KEYS),
        }
        word, _, rest = given.partition(" ")
        if word == "q":
            raise Quit
        if word == "s":
            self._save(rest.strip())
        elif given in actions:
            actions[given]()
        else:
            self._say(f"{given!r} is not a column; {KEYS}", "red")

    def _undo(self) -> None:
        """Take back to the last position in which a person was to move."""
        people = [player for player, seat in enumerate(self.seats) if seat.agent is None]
        for length in range(len(self.moves) - 1, self._given - 1, -1):
            if length % 2 in people:
                self.moves = self.moves[:length]
                self.position = Position.from_moves(self.moves, self.position.rules)
                return
        self._say("there is nothing to take back", "red")

    def _opponent_thinks(self) -> None:
        other = self.seats[1 - self.position.player]
        if other.agent is None:
            self._say(f"{other.name} is a person: ask them", "red")
            return
        with self.console.status(f"{other.name} is thinking ..."):
            analysis = other.agent.analyse(self.position)
        self._say(describe(analysis, self.position.ply))

    def _save(self, name: str) -> None:
        path = Path(name or "game.txt")
        try:
            save_game(path, self.record)
        except ValueError as error:
            self._say(str(error), "red")
        else:
            self._say(f"saved as {path}; c4 play --replay {path} shows it", "green")

    def _agent(self, seat: Seat, agent: Agent) -> None:
        if self.pace.step:
            given = self.console.input(f"Enter lets {seat.name} move, q quits: ", markup=False)
            if given.strip().lower() == "q":
                raise Quit
        with self.console.status(f"{seat.name} is thinking ..."):
            column = _legal_move(agent, self.position)
        self._push(column)
        self.console.print(stone_name(self.console, 1 - self.position.player), end=" ")
        self._say(f"{seat.name} chose {column + 1}")
        if self.pace.delay:
            time.sleep(self.pace.delay)

    def _announce(self) -> None:
        winner = self.position.winner
        if self.position.rules == "most-fours":
            first, second = self.position.fours
            self._say(f"The board is full, {first} : {second}")
        if winner is not None:
            self.console.print(stone_name(self.console, winner), end=" ")
        self._say("A draw." if winner is None else f"{self.seats[winner].name} wins!", "bold green")
        self._say(f"moves: {self.moves}", "dim")


def _legal_move(agent: Agent, position: Position) -> int:
    try:
        column = int(agent.act(position))
    except Exception as error:
        raise ValueError(f"{agent.name} can't go on: {error}") from error
    if column not in position.legal:
        raise ValueError(f"{agent.name} chose column {column + 1}, which can't be played")
    return column
