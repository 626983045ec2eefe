"""Random position sets with exact labels: so many per ply, no two alike up to mirror."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.solver.solver import Solver
from c4env.bitboard import canonical_key, has_four, play
from c4env.compiled import compiled
from c4env.position import Position, PositionBatch
from c4env.randomness import draw_column

_BATCH: Final = 256
_FRUITLESS: Final = 40
"""Batches in a row without a new position after which a ply is given up."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A position, how it came about, and its exact score for the side to move."""

    moves: str
    position: Position
    score: int


def sample(
    per_ply: int, plies: Sequence[int], seed: int, solver: Solver, *, balanced: bool = False
) -> Iterator[Labelled]:
    """Positions reached by random play, ``per_ply`` for each of ``plies``, in that order.

    Every legal move is equally likely; games that end too soon are thrown away. No position, nor
    its mirror image, comes twice. The seed decides everything.

    Args:
        per_ply: Positions for each ply.
        plies: Stones on the board, 0 to 41.
        seed: Start of the random numbers.
        solver: Who labels them.
        balanced: As many won as drawn as lost for the side to move (the odd one or two left over go
            to any).

    Raises:
        ValueError: A ply has not that many (or none turned up in a long time); says how many.
    """
    for ply in plies:
        stream = int(np.random.default_rng((seed, ply)).integers(2**63))
        columns = np.zeros(ply, dtype=np.int8)
        seen: set[int] = set()
        wanted = dict.fromkeys((-1, 0, 1), per_ply // 3) if balanced else {}
        free = per_ply - sum(wanted.values())
        found = fruitless = 0
        while found < per_ply:
            fresh = []
            for _ in range(_BATCH):
                own, occupied, stream = _random_game(columns, stream)
                key = canonical_key(own, occupied)
                if key not in seen:
                    seen.add(key)
                    fresh.append(("".join(str(column + 1) for column in columns), Position(own, occupied)))
            before = found
            if fresh:
                batch = PositionBatch.of(position for _, position in fresh)
                signs = solver.outcomes(batch.own, batch.occupied) if balanced else np.zeros(len(fresh), np.int8)
                kept = []
                for (moves, position), sign in zip(fresh, signs, strict=True):
                    if wanted.get(int(sign), 0) > 0:
                        wanted[int(sign)] -= 1
                    elif free > 0:
                        free -= 1
                    else:
                        continue
                    kept.append((moves, position))
                found += len(kept)
                yield from _label(kept, solver)
            fruitless = 0 if found > before else fruitless + 1
            if fruitless == _FRUITLESS:
                raise ValueError(f"found only {found} of {per_ply} such positions after {ply} plies; ask for fewer")


def _label(kept: list[tuple[str, Position]], solver: Solver) -> Iterator[Labelled]:
    batch = PositionBatch.of(position for _, position in kept)
    for (moves, position), score in zip(kept, solver.score_batch(batch.own, batch.occupied), strict=True):
        yield Labelled(moves, position, int(score))


@compiled
def _random_game(moves: npt.NDArray[np.int8], stream: int) -> tuple[int, int, int]:
    """Fill ``moves`` with random columns that leave the game going on.

    Returns:
        ``own``, ``occupied`` and the advanced random stream.
    """
    own, occupied, ply = 0, 0, 0
    while ply < len(moves):
        column, stream = draw_column(occupied, stream)
        own, occupied = play(own, occupied, column)
        moves[ply] = column
        ply += 1
        if has_four(own ^ occupied):
            own, occupied, ply = 0, 0, 0
    return own, occupied, stream
