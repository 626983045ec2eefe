"""Bots, search, the perfect solver, the policy network and the arena.

``c4agents.make("alphabeta:eval=windows,depth=5")`` builds an agent by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from c4agents.registry import Entry, Option, make, register

if TYPE_CHECKING:
    from c4agents.agent import Agent, Analysis


def __getattr__(name: str) -> Any:
    """`Agent` and `Analysis` on first use: they load numba, which naming agents does not need."""
    if name in ("Agent", "Analysis"):
        from c4agents import agent

        return getattr(agent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Agent", "Analysis", "Entry", "Option", "make", "register"]
