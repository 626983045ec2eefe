"""From yes-or-no searches to exact scores, one position or many, in slices that can be interrupted.

Score, from the side to move: 0 is a draw; +1 if it wins with its very last stone, +2 with the last
but one, and so on; negative if the opponent does.
"""

from __future__ import annotations

from typing import Final

from c4agents.solver.children import safe_cells, winning_cells
from c4agents.solver.memory import Words
from c4agents.solver.search import MOVES, OTHERS, OWN, PAUSED, PLY, TASK, search
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
def advance(table: Words, shift: int, work: Words, budget: int) -> bool:
    """Go on with the task for about ``budget`` positions; whether LOWER and UPPER have met."""
    while work[LOWER] < work[UPPER]:
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
