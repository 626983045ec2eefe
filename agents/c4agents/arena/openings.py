"""Short openings, so that deterministic agents do not play one game for ever."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from c4agents.arena.exact import solver
from c4env.bitboard import canonical_key
from c4env.position import DIGITS, Position, PositionBatch

LONGEST: Final = 8
"""Plies beyond which openings are not listed."""
KINDS: Final = ("all", "balanced")


@lru_cache(maxsize=LONGEST + 1)
def all_openings(plies: int) -> tuple[str, ...]:
    """One move string for each position after ``plies`` plies that is not over, mirror images counted once.

    Raises:
        ValueError: ``plies`` is not from 0 to 8.
    """
    if not 0 <= plies <= LONGEST:
        raise ValueError(f"openings are 0 to {LONGEST} plies long, not {plies}")
    if plies == 0:
        return ("",)
    found: dict[int, str] = {}
    for moves in all_openings(plies - 1):
        position = Position.from_moves(moves)
        for column in position.legal:
            after = position.play(column)
            if not after.is_over:
                found.setdefault(canonical_key(after.own, after.occupied), moves + DIGITS[column])
    return tuple(found.values())


def draw_openings(count: int, *, seed: int = 0, plies: int | None = None, kind: str = "all") -> tuple[str, ...]:
    """``count`` different openings, drawn without repeats from all there are of a length.

    Args:
        count: How many.
        seed: Start of the drawing.
        plies: Their length; by default the shortest even length from 2 on that has enough.
        kind: ``"all"``, or ``"balanced"``: only those that perfect play draws.

    Raises:
        ValueError: There are not that many; says how many there are.
    """
    if kind not in KINDS:
        raise ValueError(f"openings are {' or '.join(KINDS)}, not {kind!r}")
    if count < 1:
        raise ValueError(f"at least one opening is needed, not {count}")
    choose: Callable[[int], tuple[str, ...]] = all_openings if kind == "all" else balanced_openings
    lengths = range(2, LONGEST + 1, 2) if plies is None else (plies,)
    listed: tuple[str, ...] = ()
    for length in lengths:
        listed = choose(length)
        if len(listed) >= count:
            break
    if len(listed) < count:
        raise ValueError(f"there are only {len(listed):,} {kind} openings of {lengths[-1]} plies, not {count:,}")
    order = np.random.default_rng(seed).permutation(len(listed))[:count]
    return tuple(listed[index] for index in order.tolist())


@lru_cache(maxsize=LONGEST + 1)
def balanced_openings(plies: int) -> tuple[str, ...]:
    """Those of :func:`all_openings` that perfect play draws."""
    listed = all_openings(plies)
    batch = PositionBatch.of(Position.from_moves(moves) for moves in listed)
    outcomes = solver().outcomes(batch.own, batch.occupied)
    return tuple(moves for moves, outcome in zip(listed, outcomes.tolist(), strict=True) if outcome == 0)
