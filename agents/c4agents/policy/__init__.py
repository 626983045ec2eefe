"""The policy network: what it sees, what it is, its weights on disk, and the agent that plays with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from c4agents.agent import Agent


def make_agent(**options: Any) -> Agent:
    """A policy agent from the options of its spec string.

    Raises:
        ValueError: The weights can't be read, or the libraries for it are not installed.
    """
    try:
        from c4agents.policy.agent import make_policy
    except ImportError as error:
        raise ValueError(f'policy needs {error.name}: pip install "c4env[train]"') from None
    return make_policy(**options)


def make_selfplay(**options: Any) -> Agent:
    """The agent ``policy-selfplay``, which has no weights but the shipped ones."""
    return make_agent(path=None, **options)
