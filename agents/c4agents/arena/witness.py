"""What a walk asks about a range of keys, in this process or in a worker: the agent's moves and exact outcomes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from c4agents.agent import Agent
from c4agents.arena.asking import ILLEGAL, ask_batch
from c4agents.arena.exact import Oracle
from c4agents.arena.players import FrozenAgent, PlayerLike, fingerprint, load_player
from c4agents.arena.promises import hold_to_promises
from c4agents.arena.walk import OPEN, Keys, Small, after_moves, boards
from c4env.position import PositionBatch

_ASKED_AGAIN: Final = 32
"""One position in so many is asked again, to see whether the agent keeps what it promises."""


class Witness:
    """An agent, and the exact values it is held to. Sent to a worker, the agent is made anew there.

    Args:
        player: The agent, in any form that :func:`~c4agents.arena.players.load_player` takes.
        oracle: Exact values, or None.
        freeze: A seed that decides the agent's randomness, or None.

    Attributes:
        agent: The agent.
        fingerprint: What changes with its weights or source.
        mirrored: Whether it is held to answering mirror images alike.

    Raises:
        ValueError: The agent can't be made.
    """

    def __init__(self, player: PlayerLike, oracle: Oracle | None, freeze: int | None) -> None:
        self._player, self._freeze = player, freeze
        made = load_player(player)
        self.agent: Agent = made if freeze is None else FrozenAgent(made, freeze)
        self.fingerprint = fingerprint(player, made)
        self.mirrored = False
        self.oracle = oracle

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["agent"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        made = load_player(self._player)
        self.agent = made if self._freeze is None else FrozenAgent(made, self._freeze)


def moves(witness: Witness, keys: Keys) -> Small:
    """The agent's columns, int8 [B], ``ILLEGAL`` where it failed.

    Raises:
        ValueError: It breaks a promise it declares.
    """
    own, occupied = boards(keys)
    columns, _ = ask_batch(witness.agent, PositionBatch(own, occupied))
    some = np.flatnonzero(columns != ILLEGAL)[::_ASKED_AGAIN]
    if len(some):
        hold_to_promises(witness.agent, PositionBatch(own[some], occupied[some]), columns[some], witness.mirrored)
    return columns


def outcomes_after(witness: Witness, batch: tuple[Keys, Small]) -> Small:
    """The exact outcomes for the agent after its ``columns`` in the positions ``keys``, int8 [B]."""
    assert witness.oracle is not None
    own, occupied, values = after_moves(*batch)
    going = values == OPEN
    values[going] = -witness.oracle.outcomes(own[going], occupied[going])
    return values


def outcomes_before(witness: Witness, batch: tuple[Keys, Small]) -> Small:
    """The exact outcomes for the agent in the positions ``keys``, int8 [B], of which a lower bound is known."""
    assert witness.oracle is not None
    keys, least = batch
    values = least.copy()
    unsure = values < 1
    own, occupied = boards(keys[unsure])
    values[unsure] = witness.oracle.outcomes(own, occupied)
    return values
