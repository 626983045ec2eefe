"""What the environments' arguments may be, and the sentences for those that may not."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from c4env import games
from c4env.bitboard import COLUMNS, Rules
from c4env.position import Position

AgentPlays = Literal["first", "second", "random"]
SEATS: dict[str, int] = {"first": games.FIRST, "second": games.SECOND, "random": games.EITHER}
Illegal = Literal["lose", "raise"]
ILLEGAL_CHOICES = ("lose", "raise")
OPTIONS = ("moves", "agent_plays", "opponent")


def describe_illegal(position: Position, column: int) -> str:
    """A sentence on why ``column`` can't be played, with the board."""
    reason = f"column {column + 1} is full" if 0 <= column < COLUMNS else f"there is no column {column + 1}"
    return f"illegal move: {reason} in\n{position}"


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """``value`` if it is one of ``choices``, else ValueError with all of them."""
    if value not in choices:
        raise ValueError(f"{name} is {' or '.join(repr(choice) for choice in choices)}, not {value!r}")
    checked: str = value
    return checked


def check_options(options: dict[str, Any] | None, known: Collection[str] = OPTIONS) -> dict[str, Any]:
    """Reset options, or ValueError naming the ones there are."""
    for name in options or {}:
        if name not in known:
            raise ValueError(f"unknown reset option {name!r}; there are {', '.join(known)}")
    return options or {}


def starting_position(moves: str, rules: Rules) -> Position:
    """The position after a move string, which must leave something to play."""
    if not isinstance(moves, str):
        raise ValueError(f"moves are a string of columns 1 to 7 such as '4453', not {moves!r}")
    if not moves:
        return Position(rules=rules)
    position = Position.from_moves(moves, rules)
    if position.is_over:
        raise ValueError(f"moves {moves!r}: the game is over; nothing is left to play")
    return position


def per_game(name: str, value: str | Sequence[str], size: int) -> list[str]:
    """``value`` for each of ``size`` games, from one value for all or a list with one for each."""
    values = [value] * size if isinstance(value, str) else list(value)
    if len(values) != size:
        raise ValueError(f"{name} must be one string or {size} of them, not {len(values)}")
    return values
