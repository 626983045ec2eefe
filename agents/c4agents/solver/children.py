"""All children of a position at once: one lane per column, in a shape that LLVM vectorises.

A lane with no move in it computes something harmless that its caller ignores.
"""

from __future__ import annotations

from typing import Final

from c4agents.solver.memory import Words, inlined, load, store
from c4env.bitboard import BOARD, BOTTOM, COLUMN, STRIDE
from c4env.compiled import compiled, popcount

LANES: Final = 8
"""Seven columns, and one that is always empty so that the lanes fill a vector."""

# A node's children, as rows of LANES words.
OCCUPIED: Final = 0
"""All stones after the move."""
REPLIES: Final = LANES
"""The non-losing cells of the side that then is to move."""
KEY: Final = 2 * LANES
"""Table key of the child."""
ORDER: Final = 3 * LANES
"""How promising the move is, above the tie-break in the lowest 3 bits; DONE if there is no such move."""

DONE: Final = -1
TIE_BITS: Final = 3
TIE_MASK: Final = (1 << TIE_BITS) - 1

_THREAT_WEIGHT: Final = 4
STACKED_WEIGHT: Final = 8
"""For the attacker, a threat right above a playable cell is worth this much more: whoever plays below it loses."""


@inlined
def winning_cells(stones: int, occupied: int) -> int:
    """:func:`c4env.bitboard.threats`, without the loop over directions that would stop vectorisation."""
    cells = (stones << 1) & (stones << 2) & (stones << 3)
    up = stones << 6
    pair = stones & up
    cells |= ((pair << 6) & ((stones << 18) | (stones >> 6))) | ((pair >> 12) & (up | (stones >> 18)))
    up = stones << 7
    pair = stones & up
    cells |= ((pair << 7) & ((stones << 21) | (stones >> 7))) | ((pair >> 14) & (up | (stones >> 21)))
    up = stones << 8
    pair = stones & up
    cells |= ((pair << 8) & ((stones << 24) | (stones >> 8))) | ((pair >> 16) & (up | (stones >> 24)))
    return cells & (BOARD & ~occupied)


@inlined
def non_losing(enemy_threats: int, playable: int) -> int:
    """The cells of ``playable`` after which the enemy cannot win with its next stone.

    Two immediate threats cannot both be met; one must be; and no stone may make an enemy threat
    playable by lying right below it.
    """
    forced = enemy_threats & playable
    candidates = forced if forced != 0 else playable
    safe = candidates & ~(enemy_threats >> 1)
    return 0 if (forced & (forced - 1)) != 0 else safe


@compiled
def safe_cells(own: int, occupied: int) -> int:
    """The cells into which the side to move can play without losing to the next stone; 0 if none."""
    return non_losing(winning_cells(own ^ occupied, occupied), (occupied + BOTTOM) & BOARD)


@inlined
def expand(frames: Words, base: int, own: int, occupied: int, moves: int, stacked_weight: int, ties: int) -> bool:
    """Write the children of a position into the rows that start at ``frames[base]``.

    Args:
        frames: Where the children go.
        base: Index of the first row; a multiple of LANES.
        own: Stones of the side to move.
        occupied: All stones.
        moves: The non-losing cells of the side to move; no other moves are considered.
        stacked_weight: STACKED_WEIGHT for the attacker, 0 for the defender.
        ties: Four bits per column, the higher the earlier among equals.

    Returns:
        Whether some move wins by force with the next stone: the other side has no reply.
    """
    other = own ^ occupied
    wins = 0
    for lane in range(LANES):
        cell = moves & (COLUMN << (STRIDE * lane))
        after = occupied | cell
        threats = winning_cells(own | cell, after)
        above = after + BOTTOM
        playable = above & BOARD
        replies = non_losing(threats, playable)
        promise = _THREAT_WEIGHT * popcount(threats) + stacked_weight * popcount(threats & (playable << 1))
        order = (promise << TIE_BITS) | ((ties >> (4 * lane)) & TIE_MASK)
        store(frames, base + OCCUPIED + lane, after)
        store(frames, base + REPLIES + lane, replies)
        store(frames, base + KEY + lane, other | above)
        store(frames, base + ORDER + lane, order if cell != 0 else DONE)
        wins |= 1 if (cell != 0) & (replies == 0) else 0
    return wins != 0


@inlined
def can_force(own: int, occupied: int, moves: int) -> bool:
    """Whether some of ``moves`` leaves the other side without a reply: :func:`expand` for a leaf."""
    wins = 0
    for lane in range(LANES):
        cell = moves & (COLUMN << (STRIDE * lane))
        after = occupied | cell
        replies = non_losing(winning_cells(own | cell, after), (after + BOTTOM) & BOARD)
        wins |= 1 if (cell != 0) & (replies == 0) else 0
    return wins != 0


@inlined
def add_open_twos(frames: Words, base: int, own: int, occupied: int, moves: int) -> None:
    """Raise each child's order by the number of windows that hold at least two own stones and no other.

    Early in the game there are few threats to tell moves apart; later this costs more than it saves.
    """
    free = (own | ~occupied) & BOARD
    upright = free & (free >> 1)
    upright &= upright >> 2
    falling = free & (free >> 6)
    falling &= falling >> 12
    level = free & (free >> 7)
    level &= level >> 14
    rising = free & (free >> 8)
    rising &= rising >> 16
    for lane in range(LANES):
        a = own | (moves & (COLUMN << (STRIDE * lane)))
        b, c, d = a >> 1, a >> 2, a >> 3
        twos = popcount(upright & (((a | b) & (c | d)) | (a & b) | (c & d)))
        b, c, d = a >> 6, a >> 12, a >> 18
        twos += popcount(falling & (((a | b) & (c | d)) | (a & b) | (c & d)))
        b, c, d = a >> 7, a >> 14, a >> 21
        twos += popcount(level & (((a | b) & (c | d)) | (a & b) | (c & d)))
        b, c, d = a >> 8, a >> 16, a >> 24
        twos += popcount(rising & (((a | b) & (c | d)) | (a & b) | (c & d)))
        order = load(frames, base + ORDER + lane)
        store(frames, base + ORDER + lane, order + (twos << TIE_BITS) if order >= 0 else DONE)


@inlined
def take_best(frames: Words, base: int, columns: int) -> int:
    """The most promising lane that is not done, which then is; DONE if none is left.

    ``columns`` holds, four bits per tie-break value, the lane that has it.
    """
    best = DONE
    for lane in range(LANES):
        order = load(frames, base + ORDER + lane)
        best = max(best, order)
    if best >= 0:
        best = (columns >> (4 * (best & TIE_MASK))) & TIE_MASK
        store(frames, base + ORDER + best, DONE)
    return best
