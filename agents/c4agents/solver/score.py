"""From yes-or-no searches to exact scores, one position or many, in slices that can be interrupted.

Score, from the side to move: 0 is a draw; +1 if it wins with its very last stone, +2 with the last
but one, and so on; negative if the opponent does.
"""

from __future__ import annotations

from typing import Final

from c4agents.solver.children import safe_cells, winning_cells
from c4agents.solver.memory import Words
from c4agents.solver.search import MOVES, NODES, OTHERS, OWN, PAUSED, PLY, TASK, search
from c4env.bitboard import BOTTOM, CELLS
from c4env.compiled import compiled, popcount

# The task that is under way, in the workspace's header.
LOWER: Final = TASK
"""What is known of the score: at least LOWER, at most UPPER."""
UPPER: Final = TASK + 1
ASKED: Final = TASK + 2
"""The bound that the search under way asks about."""
BUSY: Final = TASK + 3
"""1 while a search is under way."""
ROOT_OWN: Final = TASK + 4
ROOT_OCCUPIED: Final = TASK + 5
ROOT_MOVES: Final = TASK + 6
OPEN: Final = TASK + 7
"""1 while :func:`solve_range` has a position under way."""

UNSOLVED: Final = 127
"""In an array of scores: still to be solved."""


@compiled
def win_score(ply: int) -> int:
    """Score of winning with the stone played at ``ply`` (stones on the board before it)."""
    return (CELLS + 1 - ply) // 2


@compiled
def begin(work: Words, own: int, occupied: int) -> None:
    """Make a position, not over, the workspace's task; what needs no search is known at once."""
    ply = popcount(occupied)
    work[BUSY] = 0
    work[ROOT_OWN] = own
    work[ROOT_OCCUPIED] = occupied
    moves = safe_cells(own, occupied)
    work[ROOT_MOVES] = moves
    if winning_cells(own, occupied) & (occupied + BOTTOM):
        work[LOWER] = work[UPPER] = win_score(ply)
    elif ply == CELLS - 1:
        work[LOWER] = work[UPPER] = 0
    elif moves == 0:
        work[LOWER] = work[UPPER] = -win_score(ply + 1)
    else:
        work[UPPER] = win_score(ply + 2)
        work[LOWER] = -max(win_score(ply + 3), 0)


@compiled
def narrow(work: Words, lower: int, upper: int) -> None:
    """Add what is known from elsewhere; a search that became pointless is dropped."""
    work[LOWER] = max(work[LOWER], lower)
    work[UPPER] = min(work[UPPER], upper)
    if work[ASKED] <= work[LOWER] or work[ASKED] > work[UPPER]:
        work[BUSY] = 0


@compiled
def clamp(work: Words, lower: int, upper: int) -> None:
    """Ask no more of a task that has just begun than where its score is in [lower, upper]."""
    work[LOWER] = min(max(work[LOWER], lower), upper)
    work[UPPER] = max(min(work[UPPER], upper), lower)


@compiled
def next_question(lower: int, upper: int) -> int:
    """The bound to ask about next, lower < bound <= upper.

    Questions far from 0 have near horizons and are cheap, so it comes in from the far ends, by
    halves; asking for the sign first would be much dearer.
    """
    middle = lower + (upper - lower) // 2
    if middle <= 0 and -(-lower // 2) < middle:
        middle = -(-lower // 2)
    elif middle >= 0 and upper // 2 > middle:
        middle = upper // 2
    return middle + 1


@compiled
def advance(table: Words, shift: int, work: Words, outcome_only: bool, budget: int) -> bool:
    """Go on with the task for about ``budget`` positions.

    Returns:
        Whether it is done: LOWER and UPPER have met, or, with ``outcome_only``, the sign is known.
    """
    while work[LOWER] < work[UPPER]:
        if outcome_only and (work[LOWER] > 0 or work[UPPER] < 0):
            return True
        ply = popcount(work[ROOT_OCCUPIED])
        if work[BUSY] == 0:
            work[ASKED] = next_question(work[LOWER], work[UPPER])
            work[BUSY] = 1
            work[PLY] = ply
            work[OWN] = work[ROOT_OWN]
            work[OTHERS] = work[ROOT_OCCUPIED]
            work[MOVES] = work[ROOT_MOVES]
        asked = work[ASKED]
        attacks = asked >= 1
        bound = asked if attacks else 1 - asked
        horizon = CELLS - 2 * bound + ((ply if attacks else ply + 1) & 1)
        result = search(table, shift, work, ply, horizon, bound, budget)
        if result == PAUSED:
            return False
        work[BUSY] = 0
        if result == 1:
            work[LOWER] = asked
        else:
            work[UPPER] = asked - 1
    return True


@compiled
def answer(work: Words, outcome_only: bool) -> int:
    """The score of a task that is done; with ``outcome_only`` its sign."""
    if not outcome_only:
        return work[LOWER]  # type: ignore[no-any-return]
    if work[LOWER] > 0:
        return 1
    return -1 if work[UPPER] < 0 else 0


@compiled
def solve_range(
    table: Words,
    shift: int,
    work: Words,
    own: Words,
    occupied: Words,
    scores: Words,
    lowers: Words,
    uppers: Words,
    start: int,
    stop: int,
    outcome_only: bool,
    budget: int,
) -> int:
    """Solve those positions in [start, stop) whose score is UNSOLVED, for about ``budget`` positions of search.

    ``lowers`` and ``uppers`` bound what is asked: a score outside them is given as the nearer bound.

    Returns:
        Where to go on: call again with this as ``start``, until it is ``stop``.
    """
    limit = work[NODES] + budget
    for index in range(start, stop):
        if scores[index] == UNSOLVED:
            if work[OPEN] == 0:
                begin(work, own[index], occupied[index])
                clamp(work, lowers[index], uppers[index])
                work[NODES] += 1
                work[OPEN] = 1
            if work[NODES] > limit or not advance(table, shift, work, outcome_only, limit + 1 - work[NODES]):
                return index
            scores[index] = answer(work, outcome_only)
            work[OPEN] = 0
    return stop
