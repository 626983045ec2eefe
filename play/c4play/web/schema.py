"""What the page may send: one dataclass a request, checked field by field."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from c4agents.catalogue import EVALUATION_NAMES
from c4env.bitboard import CELLS
from c4env.position import Position, check_rules

DEEPEST_TREE: Final = 5
LIGHT_TREE: Final = 3


@dataclass(frozen=True, slots=True)
class SolveRequest:
    """A position to solve: the moves that lead to it, columns 1 to 7, and the rules."""

    moves: str = ""
    rules: str = "first-four"


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """A position and the agent to ask about it."""

    agent: str
    moves: str = ""
    rules: str = "first-four"


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """A position and how to search it."""

    moves: str = ""
    rules: str = "first-four"
    depth: int = 3
    evaluation: str = "windows"
    pruning: bool = True


Request = TypeVar("Request", SolveRequest, AgentRequest, TreeRequest)
_KINDS: Final[dict[str, tuple[type, str]]] = {
    "str": (str, "text"),
    "int": (int, "a whole number"),
    "bool": (bool, "true or false"),
}


def parse(kind: type[Request], body: bytes) -> Request:
    """The request that ``body`` is, as JSON.

    Raises:
        ValueError: It is none; says what is wrong.
    """
    try:
        content: Any = json.loads(body)
    except (ValueError, RecursionError):
        raise ValueError("the body is not JSON") from None
    if not isinstance(content, dict):
        raise ValueError("the body is a JSON object")
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name, value in content.items():
        if name not in fields:
            raise ValueError(f"there is no field {name[:40]!r}; fields are {', '.join(fields)}")
        wanted, words = _KINDS[str(fields[name].type)]
        if type(value) is not wanted:
            raise ValueError(f"{name} is {words}")
    for name, field in fields.items():
        if name not in content and field.default is dataclasses.MISSING:
            raise ValueError(f"the field {name} is missing")
    return kind(**content)


def position_of(request: SolveRequest | AgentRequest | TreeRequest) -> Position:
    """The position of a request, which is not over.

    Raises:
        ValueError: The moves can't be played, or nothing is left to play.
    """
    rules = check_rules(request.rules[:40])
    if len(request.moves) > CELLS:
        raise ValueError(f"a game has at most {CELLS} moves")
    position = Position.from_moves(request.moves, rules)
    if position.is_over:
        raise ValueError("the game is over; there is no move to choose")
    return position


def check_tree(request: TreeRequest) -> None:
    """Raise ValueError for a search tree that is not for the page."""
    if not 1 <= request.depth <= DEEPEST_TREE:
        raise ValueError(f"the depth of a tree is from 1 to {DEEPEST_TREE}, not {request.depth}")
    if request.evaluation not in EVALUATION_NAMES:
        raise ValueError(f"evaluations are {', '.join(EVALUATION_NAMES)}, not {request.evaluation[:40]!r}")
