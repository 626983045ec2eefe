"""Anything that can play, made into an :class:`~c4agents.agent.Agent`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Agent, Analysis
from c4env.bitboard import COLUMNS
from c4env.position import Position, PositionBatch


class AdaptedAgent:
    """An opponent that has only ``act`` (or is a function ``Position -> column``) as an agent.

    It makes no promise about itself, so it counts as neither deterministic nor mirror consistent.

    Attributes:
        name: What to call it.
    """

    deterministic = False
    mirror_consistent = False

    def __init__(self, opponent: Any, name: str) -> None:
        self.name = name
        self._opponent = opponent

    def act(self, position: Position) -> int:
        """The opponent's column."""
        move = self._opponent.act if hasattr(self._opponent, "act") else self._opponent
        return int(move(position))

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The opponent's columns, shape [B]."""
        if hasattr(self._opponent, "act_batch"):
            return np.asarray(self._opponent.act_batch(positions))
        return np.array([self.act(position) for position in positions], dtype=np.int8)

    def analyse(self, position: Position) -> Analysis:
        """Its move, without opinion on the columns."""
        started = time.perf_counter()
        column = self.act(position)
        return Analysis(self.name, column, (None,) * COLUMNS, seconds=time.perf_counter() - started)

    def seed(self, seed: int) -> None:
        """Seed the opponent, if it can be."""
        if hasattr(self._opponent, "seed"):
            self._opponent.seed(seed)


def as_agent(opponent: Any, name: str) -> Agent:
    """``opponent`` itself if it is an agent, else wrapped as one called ``name``.

    Raises:
        ValueError: It can't play: it has no ``act`` and is no function.
    """
    if isinstance(opponent, Agent):
        return opponent
    if not (hasattr(opponent, "act") or callable(opponent)):
        raise ValueError(f"{name}: {type(opponent).__name__} has no act(position) and is not a function")
    return AdaptedAgent(opponent, name)
