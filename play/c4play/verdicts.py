"""What exact scores say to a person: how far the win is, and how good a move was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from c4env.bitboard import CELLS

Grade = Literal["perfect", "inaccuracy", "blunder"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How good a move was.

    Attributes:
        grade: ``perfect``: no move scores more; ``inaccuracy``: it keeps the result but wins later or loses sooner
            than it could; ``blunder``: it gives away a win or a draw.
        score: Score of the move, from the side that made it.
        best: The best score there was.
        better: The columns (0 to 6) that have it.
    """

    grade: Grade
    score: int
    best: int
    better: tuple[int, ...]


def judge(scores: Sequence[float | None], column: int) -> Verdict:
    """The verdict on playing ``column``, given the exact score of each column (None if full)."""
    known = {index: int(score) for index, score in enumerate(scores) if score is not None}
    best, score = max(known.values()), known[column]
    grade: Grade = "perfect" if score == best else ("inaccuracy" if _sign(score) == _sign(best) else "blunder")
    return Verdict(grade, score, best, tuple(index for index, value in known.items() if value == best))


def moves_to_end(score: int, ply: int) -> int:
    """Stones the winner still needs, in a position after ``ply`` stones with ``score``, which is not 0."""
    own, other = (CELLS - ply + 1) // 2, (CELLS - ply) // 2
    return own - score + 1 if score > 0 else other + score + 1


def describe_score(score: int, ply: int) -> str:
    """``win in 3``, ``draw`` or ``loss in 5``: for the side to move, in stones of the winner."""
    if score == 0:
        return "draw"
    return f"{'win' if score > 0 else 'loss'} in {moves_to_end(score, ply)}"


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
