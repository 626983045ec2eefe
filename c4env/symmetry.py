"""Left-right symmetry: a position and everything said about it, mirrored together.

The rules do not tell left from right, so a mirrored sample is as good as the original, if *all* of
it is mirrored: a flipped board with an unflipped policy teaches the wrong move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from c4env import bitboard
from c4env.bitboard import COLUMNS
from c4env.compiled import compiled
from c4env.position import Position, PositionBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """What :func:`mirror` returns: the mirror image of each thing it was given, None for the rest."""

    position: Any = None
    observation: Any = None
    mask: Any = None
    policy: Any = None
    column: Any = None


def mirror(
    *,
    position: Position | PositionBatch | None = None,
    observation: Any = None,
    mask: Any = None,
    policy: Any = None,
    column: Any = None,
    channels_last: bool = False,
) -> Mirrored:
    """Mirror left to right whatever is given, alone or in batches of any leading shape [...].

    Arrays are numpy arrays, torch tensors or what numpy makes an array of; the result is of the same
    kind, does not share memory with the argument, and mirroring it again gives the original.

    Args:
        position: A position, or a batch of them.
        observation: Planes [..., 2, 6, 7]; any [..., 6, 7] will do.
        mask: Legal columns [..., 7].
        policy: A number per column [..., 7]: probabilities, logits, scores, visits.
        column: The column played, 0 to 6: an int or an array of them, any shape.
        channels_last: The observation is [..., 6, 7, 2], as PettingZoo has it.

    Raises:
        ValueError: An array without an axis of seven columns where it must be.
    """
    return Mirrored(
        position=None if position is None else _mirror_position(position),
        observation=None if observation is None else _flip(observation, "observation", -2 if channels_last else -1),
        mask=None if mask is None else _flip(mask, "mask"),
        policy=None if policy is None else _flip(policy, "policy"),
        column=None if column is None else (COLUMNS - 1) - column,
    )


def _mirror_position(position: Position | PositionBatch) -> Position | PositionBatch:
    if isinstance(position, Position):
        return position.mirror()
    return PositionBatch(_mirror_boards(position.own), _mirror_boards(position.occupied), position.rules)


@compiled
def _mirror_boards(boards: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    mirrored = np.empty_like(boards)
    for index in range(boards.size):
        mirrored[index] = bitboard.mirror(boards[index])
    return mirrored


def _flip(array: Any, name: str, axis: int = -1) -> Any:
    """``array`` reversed along its column axis, which must have length 7."""
    is_tensor = hasattr(array, "flip")
    if not is_tensor:
        array = np.asarray(array)
    shape = tuple(array.shape)
    if len(shape) < -axis or shape[axis] != COLUMNS:
        hint = ", or set channels_last" if name == "observation" else ""
        raise ValueError(f"{name} of shape {shape} has no columns on axis {axis}: they must be 7 there{hint}")
    # A copy, because torch takes no numpy array that is read backwards.
    return array.flip(axis) if is_tensor else np.flip(array, axis).copy()


__all__ = ["Mirrored", "mirror"]
