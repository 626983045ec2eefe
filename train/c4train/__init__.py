"""Training: distillation, PPO and AlphaZero, one readable file each.

For a method of your own: :func:`train` is the loop, :class:`CommonConfig` the settings that every method has, and
:class:`Trainer` says what a method must do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from c4train.loop import train
    from c4train.session import CommonConfig, Trainer

__all__ = ["CommonConfig", "Trainer", "train"]


def __getattr__(name: str) -> Any:
    """The three on first use: they load torch, which the datasets' and commands' help does not need."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from c4train import loop

    return getattr(loop, name)
