"""All positions after a number of plies, and their exact scores: what the opening book is made of."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.solver.memory import Words
from c4agents.solver.score import LOWER, UNSOLVED, advance, begin, narrow, win_score
from c4agents.solver.search import new_workspace
from c4env.bitboard import CELLS, COLUMNS, canonical_key, from_key, has_four, is_legal, play
from c4env.compiled import compiled, popcount

Keys = npt.NDArray[np.int64]
Scores = npt.NDArray[np.int8]

_SLICE: Final = 2_000_000
_SAVE_SECONDS: Final = 30.0


@compiled
def _children(keys: Words, children: Words) -> int:
    count = 0
    for key in keys:
        own, occupied = from_key(key)
        for column in range(COLUMNS):
            if is_legal(occupied, column):
                child_own, child_occupied = play(own, occupied, column)
                if not has_four(child_own ^ child_occupied):
                    children[count] = canonical_key(child_own, child_occupied)
                    count += 1
    return count


def opening_keys(plies: int) -> Keys:
    """Canonical keys, ascending, of all positions after ``plies`` plies in which the game is not over."""
    keys = np.array([canonical_key(0, 0)], dtype=np.int64)
    for _ in range(plies):
        children = np.empty(COLUMNS * len(keys), dtype=np.int64)
        keys = np.unique(children[: _children(keys, children)])
    return keys


@compiled
def _scores_above(keys: Words, child_keys: Words, child_scores: npt.NDArray[np.int8], scores: Words) -> None:
    for index in range(len(keys)):
        own, occupied = from_key(keys[index])
        best = -CELLS
        for column in range(COLUMNS):
            if is_legal(occupied, column):
                child_own, child_occupied = play(own, occupied, column)
                if has_four(child_own ^ child_occupied):
                    value = win_score(popcount(occupied))
                else:
                    at = np.searchsorted(child_keys, canonical_key(child_own, child_occupied))
                    value = -int(child_scores[at])
                best = max(best, value)
        scores[index] = best


def scores_above(keys: Keys, child_keys: Keys, child_scores: Scores) -> Scores:
    """Scores of ``keys`` from those of all positions one ply later."""
    scores = np.empty(len(keys), dtype=np.int64)
    _scores_above(keys, child_keys, child_scores, scores)
    return scores.astype(np.int8)


@compiled
def _floors(keys: Words, scores: npt.NDArray[np.int8], child_keys: Words, floors: npt.NDArray[np.int8]) -> None:
    for index in range(len(keys)):
        own, occupied = from_key(keys[index])
        for column in range(COLUMNS):
            if is_legal(occupied, column):
                child_own, child_occupied = play(own, occupied, column)
                if not has_four(child_own ^ child_occupied):
                    at = np.searchsorted(child_keys, canonical_key(child_own, child_occupied))
                    floors[at] = max(floors[at], -scores[index])


def floors_below(keys: Keys, scores: Scores, child_keys: Keys) -> Scores:
    """For each of ``child_keys``, a lower bound of its score: no child is better for the mover than its parent."""
    floors = np.full(len(child_keys), -CELLS // 2, dtype=np.int8)
    _floors(keys, scores, child_keys, floors)
    return floors


class ScoreFile:
    """Scores of all positions after a number of plies, as far as they are solved, kept on disk.

    Attributes:
        path: The file: one signed byte per position, in the order of :func:`opening_keys`.
        keys: The positions.
        scores: Their scores, UNSOLVED where not solved.
    """

    def __init__(self, path: Path, plies: int) -> None:
        self.path = path
        self.keys = opening_keys(plies)
        self.scores: Scores = np.full(len(self.keys), UNSOLVED, dtype=np.int8)
        if path.exists():
            stored = np.fromfile(path, dtype=np.int8)
            if len(stored) != len(self.keys):
                raise ValueError(f"{path} is not a score file for {plies} plies: {len(stored)} bytes")
            self.scores = stored

    @property
    def remaining(self) -> int:
        """Number of positions not solved yet."""
        return int((self.scores == UNSOLVED).sum())

    def save(self) -> None:
        """Write the scores in one step, so that an interruption leaves the old file or the new one."""
        with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=self.path.name, delete=False) as file:
            file.write(self.scores.tobytes())
        Path(file.name).replace(self.path)

    def solve(self, table: Words, shift: int, floors: Scores | None = None) -> Iterator[int]:
        """Solve what remains, saving now and then; yields the number still to do about once a second.

        Stopping the iteration, or an interruption, keeps what was solved.

        Args:
            table: Transposition table of 2**(64 - shift) words.
            shift: See ``table``.
            floors: Lower bounds of the scores, if known.
        """
        work = new_workspace()
        saved = told = time.monotonic()
        remaining = self.remaining
        try:
            for index in np.flatnonzero(self.scores == UNSOLVED):
                own, occupied = from_key(int(self.keys[index]))
                begin(work, own, occupied)
                if floors is not None:
                    narrow(work, int(floors[index]), CELLS)
                while not advance(table, shift, work, False, _SLICE):
                    pass
                self.scores[index] = work[LOWER]
                remaining -= 1
                now = time.monotonic()
                if now - saved > _SAVE_SECONDS:
                    self.save()
                    saved = now
                if now - told > 1:
                    told = now
                    yield remaining
        finally:
            self.save()
