"""Making the opening book, and checking it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from c4agents.solver.book import Book, pack
from c4agents.solver.memory import aligned_words
from c4agents.solver.openings import Keys, ScoreFile, Scores, floors_below, opening_keys, scores_above
from c4agents.solver.score import UNSOLVED
from c4agents.solver.solver import Solver
from c4env.bitboard import from_key


def score_path(folder: Path, plies: int) -> Path:
    """Where a build in ``folder`` keeps the scores after ``plies`` plies."""
    return folder / f"scores-{plies:02}.bin"


def build(plies: int, folder: Path, output: Path, *, resume: bool, table_bits: int = 25) -> Iterator[tuple[int, int]]:
    """Solve every position after ``plies`` plies, and write the book of all up to there.

    Only the deepest ply is searched; the others follow from it. If ``folder`` holds the finished
    scores of one ply less, they serve as bounds. May be interrupted at any time and resumed.

    Args:
        plies: Depth of the book.
        folder: Where the scores are kept while they are being found; is made if need be.
        output: The book to write at the end.
        resume: Go on with what ``folder`` holds for this depth.
        table_bits: Size of the transposition table.

    Yields:
        Positions solved and positions in all, now and then.

    Raises:
        ValueError: There is something to resume, but ``resume`` is not given.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = score_path(folder, plies)
    if path.exists() and not resume:
        raise ValueError(f"{path} exists: give --resume to go on with it, or another folder")
    deepest = ScoreFile(path, plies)
    floors = None
    if plies > 0 and score_path(folder, plies - 1).exists():
        above = ScoreFile(score_path(folder, plies - 1), plies - 1)
        if above.remaining == 0:
            floors = floors_below(above.keys, above.scores, deepest.keys)
    total = len(deepest.keys)
    yield total - deepest.remaining, total
    for remaining in deepest.solve(aligned_words(1 << table_bits), 64 - table_bits, floors):
        yield total - remaining, total
    yield total, total
    pack(all_plies(deepest.keys, deepest.scores, plies), output)


def all_plies(keys: Keys, scores: Scores, plies: int) -> list[tuple[Keys, Scores]]:
    """Keys and scores for each ply from 0 to ``plies``, whose own are given."""
    found = [(keys, scores)]
    for ply in reversed(range(plies)):
        above = opening_keys(ply)
        found.append((above, scores_above(above, *found[-1])))
    return found[::-1]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A position for which the book is wrong."""

    key: int
    booked: int
    solved: int


def check(book: Book, samples: int, seed: int, solver: Solver) -> Iterator[Mismatch | None]:
    """Re-solve random entries of the deepest plies, more of the deeper, with ``solver``, which has no book.

    Yields:
        For each entry None if the book is right, else what is wrong.
    """
    generator = np.random.default_rng(seed)
    plies = [ply for ply in range(book.plies + 1) if ply >= book.plies - 1] or [0]
    keys = np.concatenate([opening_keys(ply) for ply in plies])
    for key in generator.choice(keys, min(samples, len(keys)), replace=False):
        own, occupied = (np.array([board], dtype=np.int64) for board in from_key(int(key)))
        booked = int(book.look_up(own, occupied, UNSOLVED)[0])
        solved = int(solver.score_batch(own, occupied)[0])
        yield None if booked == solved else Mismatch(int(key), booked, solved)
