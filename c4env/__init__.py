"""Connect Four for reinforcement learning: rules, Gymnasium, vector, self-play and PettingZoo environments.

Importing this package registers ``c4env/ConnectFour-v0`` with Gymnasium; the rest is imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register

if TYPE_CHECKING:
    from c4env.env import ConnectFourEnv
    from c4env.position import Position, PositionBatch
    from c4env.selfplay import SelfPlay
    from c4env.vector import ConnectFourVectorEnv

__version__ = "0.1.0"

ENV_ID = "c4env/ConnectFour-v0"

_HOMES = {
    "ConnectFourEnv": "c4env.env",
    "ConnectFourVectorEnv": "c4env.vector",
    "Position": "c4env.position",
    "PositionBatch": "c4env.position",
    "SelfPlay": "c4env.selfplay",
}

__all__ = ["ENV_ID", "ConnectFourEnv", "ConnectFourVectorEnv", "Position", "PositionBatch", "SelfPlay", "__version__"]

register(
    id=ENV_ID,
    entry_point="c4env.env:ConnectFourEnv",
    vector_entry_point="c4env.vector:ConnectFourVectorEnv",
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
