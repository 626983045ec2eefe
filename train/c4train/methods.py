"""The methods of training by name, with what --smoke and no settings at all mean."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from c4train.alphazero import AlphaZero, AlphaZeroConfig
from c4train.distill import Distill, DistillConfig
from c4train.loop import train
from c4train.ppo import Ppo, PpoConfig
from c4train.session import CommonConfig

CONFIGS: Final[dict[str, type[CommonConfig]]] = {
    "ppo": PpoConfig,
    "alphazero": AlphaZeroConfig,
    "distill": DistillConfig,
}
_TRAINERS: Final[dict[str, Any]] = {
    "ppo": lambda config, _crew: Ppo(config),
    "alphazero": AlphaZero,
    "distill": Distill,
}
_SMOKE: Final[dict[str, dict[str, Any]]] = {
    "ppo": {"games": 64, "plies": 16, "total_steps": 8 * 64 * 16},
    "alphazero": {
        "games": 32,
        "plies": 8,
        "simulations": 16,
        "quick_simulations": 4,
        "total_steps": 8 * 256,
        "batch": 64,
    },
    "distill": {"batch": 128, "updates": 10, "probe": 500, "total_steps": 8 * 1280, "channels": 8, "width": 32},
}

DEFAULT_MINUTES: Final = 4.0


def run(method: str, config: CommonConfig) -> int:
    """Train by a method; returns the exit code."""
    if config.smoke and config.resume is None:
        config = dataclasses.replace(config, **_SMOKE[method], minutes=None, eval_games=20)
    elif config.minutes is None and config.total_steps is None and config.resume is None:
        config = dataclasses.replace(config, minutes=DEFAULT_MINUTES)
    return train(method, config, _TRAINERS[method])
