"""Positions with exact labels: the shipped evaluation set, files of our own, and the published text sets."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from c4agents.arena.exact import NO_SCORE
from c4agents.arena.walk import stones
from c4env.bitboard import BOARD, COLUMNS, STRIDE
from c4env.position import Position, PositionBatch

SHIPPED: Final = "evaluation_set.npz"


@dataclass(frozen=True, slots=True)
class LabelledPositions:
    """Positions that are not over, with the exact score of every column.

    Attributes:
        own: Stones of the side to move, int64 [N].
        occupied: All stones, int64 [N].
        best: The exact score of the position, int8 [N].
        scores: The exact score of each column, int8 [N, 7], ``NO_SCORE`` where it is full; None if only ``best``
            is known.
        name: Where they come from.
    """

    own: npt.NDArray[np.int64]
    occupied: npt.NDArray[np.int64]
    best: npt.NDArray[np.int8]
    scores: npt.NDArray[np.int8] | None
    name: str

    def __len__(self) -> int:
        return len(self.own)

    @property
    def ply(self) -> npt.NDArray[np.int64]:
        """Stones on each board, shape [N]."""
        return stones(self.occupied)

    @property
    def batch(self) -> PositionBatch:
        """The positions as agents take them."""
        return PositionBatch(self.own, self.occupied)

    @property
    def decisive(self) -> npt.NDArray[np.bool_] | None:
        """Where columns differ in outcome, so that a move can give it away; bool [N], None if not known."""
        if self.scores is None:
            return None
        outcomes = np.sign(self.scores)
        legal = self.scores != NO_SCORE
        return np.asarray((legal & (outcomes != np.sign(self.best)[:, None])).any(axis=1))


def from_scores(
    own: npt.NDArray[np.int64], occupied: npt.NDArray[np.int64], scores: npt.NDArray[np.int8], name: str
) -> LabelledPositions:
    """Labelled positions from the scores of all columns."""
    return LabelledPositions(own, occupied, scores.max(axis=1), scores, name)


@cache
def evaluation_set() -> LabelledPositions:
    """The shipped set: stratified by ply, no position twice up to mirror, never to be trained on.

    ``python -m c4agents.arena.make_evaluation_set FILE`` makes it anew.
    """
    path = files("c4agents.arena") / "data" / SHIPPED
    with path.open("rb") as file:
        return _from_arrays(np.load(file, allow_pickle=False), SHIPPED)


def read_positions(path: Path) -> LabelledPositions:
    """Labelled positions from a file.

    A ``.npz`` file has ``own`` and ``occupied`` (int64 [N]) and ``scores`` (int8 [N, 7]). Any other is text as the
    published test sets are: on each line the moves, a space, and the exact score of the position.

    Raises:
        ValueError: The file is not that; says where.
    """
    try:
        if path.suffix == ".npz":
            if path.exists() and not zipfile.is_zipfile(path):
                raise zipfile.BadZipFile
            return _from_arrays(np.load(path, allow_pickle=False), path.name)
        return _from_text(path.read_text(encoding="ascii"), path.name)
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror or error}") from None
    except (KeyError, zipfile.BadZipFile, UnicodeDecodeError):
        raise ValueError(f"{path} is not a set of positions: own, occupied and scores, or lines of text") from None


def write_positions(path: Path, positions: LabelledPositions) -> None:
    """Write labelled positions as a ``.npz`` file that :func:`read_positions` reads, whole or not at all."""
    assert positions.scores is not None
    part = path.with_name(f"{path.name}.part.npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(part, own=positions.own, occupied=positions.occupied, scores=positions.scores)
        part.replace(path)
    except OSError as error:
        raise ValueError(f"can't write {path}: {error.strerror}") from None


def _from_arrays(arrays: Any, name: str) -> LabelledPositions:
    own, occupied, scores = arrays["own"], arrays["occupied"], arrays["scores"]
    shapes_fit = own.ndim == 1 and own.shape == occupied.shape and scores.shape == (len(own), COLUMNS)
    if not shapes_fit or own.dtype != np.int64 or occupied.dtype != np.int64 or scores.dtype != np.int8:
        raise ValueError(f"{name}: own and occupied are int64 [N], scores int8 [N, 7]")
    if ((own & ~occupied) | (occupied & ~BOARD)).any():
        raise ValueError(f"{name}: there are boards in it that can't be")
    full = (occupied[:, None] >> (STRIDE * np.arange(COLUMNS) + 5)) & 1
    if ((scores == NO_SCORE) != full.astype(np.bool_)).any() or full.all(axis=1).any():
        raise ValueError(f"{name}: scores are given for exactly the columns that have room")
    return from_scores(own, occupied, scores, name)


def _from_text(text: str, name: str) -> LabelledPositions:
    positions, scores = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            moves, score = line.split()
            position = Position.from_moves(moves)
            if position.is_over:
                raise ValueError("the game is over")
            scores.append(int(score))
        except ValueError as error:
            raise ValueError(f"{name}, line {number}: {error}; a line is moves, a space and a score") from None
        positions.append(position)
    if not positions:
        raise ValueError(f"{name} has no positions")
    batch = PositionBatch.of(positions)
    return LabelledPositions(batch.own, batch.occupied, np.array(scores, np.int8), None, name)
