"""What an agent is, and what it can say about a position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from c4env.bitboard import Rules
from c4env.position import Position, PositionBatch

ScoreKind = Literal["score", "value", "probability"]
"""What per-column numbers mean: the solver's exact score, an estimate, or the chance of playing it."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What an agent thinks of a position, for any front end to show.

    Attributes:
        agent: Name of the agent.
        column: The column it would play.
        scores: One number per column from the side to move, higher is better; None where the
            column is full or the agent has no opinion.
        kind: What the scores mean.
        line: The expected continuation, columns 0 to 6, starting with ``column``; may be empty.
        nodes: Positions visited (playouts for tree search by simulation), 0 if it does not search.
        seconds: Wall-clock time taken.
        visits: Visits per column for tree search by simulation, else None.
        depth: Plies searched to, if that is a meaningful number.
        value: Estimate of the position for the side to move, -1 lost to 1 won, where the scores don't say it.
    """

    agent: str
    column: int
    scores: tuple[float | None, ...]
    kind: ScoreKind = "value"
    line: tuple[int, ...] = ()
    nodes: int = 0
    seconds: float = 0.0
    visits: tuple[int, ...] | None = None
    depth: int | None = None
    value: float | None = None


LATE_MOVES = "5625446317511674677661543273712133532542"
"""A game that is undecided with two cells left, under both rules."""


def warm_up(agent: Agent, rules: Rules = "first-four") -> None:
    """Let ``agent`` think about a position just before the end, whose search is short at any depth.

    Afterwards its compiled code is loaded, so that times measured from then on are of its thinking.
    """
    agent.analyse(Position.from_moves(LATE_MOVES, rules))


@runtime_checkable
class Agent(Protocol):
    """A player of Connect Four.

    Attributes:
        name: Its spec string, or something as short that tells it apart.
        deterministic: Whether the position alone decides the move.
        mirror_consistent: Whether the move in a mirrored position is always the mirrored move.
    """

    name: str
    deterministic: bool
    mirror_consistent: bool

    def act(self, position: Position) -> int:
        """The column (0 to 6) it plays in ``position``, which must not be over."""

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The column for each position, shape [B]; the same moves :meth:`act` makes if deterministic."""

    def analyse(self, position: Position) -> Analysis:
        """What it thinks of ``position``, which must not be over."""

    def seed(self, seed: int) -> None:
        """Restart its randomness, if it has any."""


def check_not_over(position: Position) -> None:
    """Raise ValueError if there is nothing left to play in ``position``."""
    if position.is_over:
        raise ValueError("the game is over; there is no move to choose")
