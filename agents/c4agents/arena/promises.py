"""Holding an agent to what it declares of itself: a proof rests on it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from c4agents.agent import Agent
from c4agents.arena.asking import ask_batch
from c4env.bitboard import COLUMNS
from c4env.position import PositionBatch


def hold_to_promises(
    agent: Agent, positions: PositionBatch, columns: npt.NDArray[np.int8], mirror_consistent: bool
) -> None:
    """Ask again in a batch of other make-up, and in the mirror.

    Args:
        agent: Who declares to be deterministic.
        positions: Positions it was asked in, shape [B].
        columns: What it played there, all legal, shape [B].
        mirror_consistent: Whether it declares that, too.

    Raises:
        ValueError: It plays something else now; names the position.
    """
    again, _ = ask_batch(agent, positions)
    for index in np.flatnonzero(again != columns)[:1].tolist():
        raise ValueError(
            f"{agent.name} declares that it is deterministic, but plays columns "
            f"{columns[index] + 1} and {again[index] + 1} in\n{positions[index]}"
        )
    if not mirror_consistent:
        return
    mirrors = PositionBatch.of(position.mirror() for position in positions)
    there, _ = ask_batch(agent, mirrors)
    # A position that is its own mirror image may be answered on either side.
    differ = (there != COLUMNS - 1 - columns) & (mirrors.own != positions.own)
    for index in np.flatnonzero(differ)[:1].tolist():
        raise ValueError(
            f"{agent.name} declares that it is mirror consistent, but plays column {columns[index] + 1} in\n"
            f"{positions[index]}\nand column {there[index] + 1} in its mirror image"
        )
