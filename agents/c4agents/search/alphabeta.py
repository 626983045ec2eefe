"""Alpha-beta search, compiled: the values of plain minimax from a small part of its nodes.

Each switch saves nodes and leaves every value as it is. The search keeps its own stack in an
array instead of recursing, because arrays passed through recursion cost a third of the speed.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.evaluations import OUTCOME, WIN, WINDOWS, WON_FROM, decided, evaluate
from c4env.bitboard import COLUMN, FIRST_FOUR, STRIDE, key, mirror, playable, threats
from c4env.compiled import compiled, popcount

IntArray = npt.NDArray[np.int64]

ORDERING: Final = 1
"""Search promising columns first: the table's move, then by the evaluation after the move."""
TABLE: Final = 2
"""Remember positions that several orders of moves lead to."""
DEEPENING: Final = 4
"""Search depth 1, 2, ... in turn, each ordering the next; needed for a time limit."""
THREATS: Final = 8
"""Under first-four, see wins of one and two plies without searching them."""
ALL_SWITCHES: Final = ORDERING | TABLE | DEEPENING | THREATS

INFINITY: Final = WIN + 1

# Reports of a search, by index.
NODES: Final = 0
VALUE: Final = 1
DEPTH: Final = 2
REPORT_SIZE: Final = 3

# Fields of a stack frame: one node between the root and the current one.
_OWN, _OCCUPIED, _ALPHA, _BETA, _START_ALPHA = 0, 1, 2, 3, 4
_BEST, _BEST_COLUMN, _COLUMN, _MOVES, _SORT = 5, 6, 7, 8, 9
FRAMES_SHAPE: Final = (43, 16)

# Lists of columns are packed in one number, a nibble each (column + 1), the first lowest.
_LEFT_TO_RIGHT: Final = 0x7654321
_CENTRE_FIRST: Final = 0x7162534
_CENTRE_FIRST_MIRRORED: Final = 0x1726354

_EXACT, _LOWER, _UPPER = 0, 1, 2
_KEY_BITS: Final = 49
TAGS: Final = 1 << 14
"""Searches that may share a table between two clearings, each with its own tag from 1 on."""
_HASH: Final = 0x1E3779B97F4A7C15


@compiled
def tie_order(own: int, occupied: int) -> int:
    """The columns with room, centre first, as a packed list.

    Of two columns as far from the centre, the one first that is on the left when the position is
    turned to its canonical side: so a mirrored position has the mirrored order.
    """
    direct = key(own, occupied)
    return _with_room(_CENTRE_FIRST if direct <= mirror(direct) else _CENTRE_FIRST_MIRRORED, playable(occupied))


@compiled
def _with_room(columns: int, cells: int) -> int:
    """Those of the packed ``columns`` that hold one of ``cells``, in the same order."""
    kept = 0
    shift = 0
    while columns:
        nibble = columns & 15
        columns >>= 4
        if cells & (COLUMN << (STRIDE * (nibble - 1))):
            kept |= nibble << shift
            shift += 4
    return kept


@compiled
def _sorted_moves(
    own: int, occupied: int, cells: int, rules: int, evaluation: int, first: int, frames: IntArray, level: int
) -> int:
    """The columns of ``cells``, ``first`` in front (-1: none), then by evaluation after the move."""
    by = WINDOWS if evaluation == OUTCOME else evaluation
    columns = _with_room(_CENTRE_FIRST, cells)
    count = 0
    while columns:
        column = (columns & 15) - 1
        columns >>= 4
        cell = cells & (COLUMN << (STRIDE * column))
        score = INFINITY if column == first else -evaluate(own ^ occupied, occupied | cell, by, rules, 1)
        entry = (score << 4) | (column + 1)
        place = count
        while place > 0 and (frames[level, _SORT + place - 1] >> 4) < score:
            frames[level, _SORT + place] = frames[level, _SORT + place - 1]
            place -= 1
        frames[level, _SORT + place] = entry
        count += 1
    packed = 0
    for index in range(count - 1, -1, -1):
        packed = (packed << 4) | (frames[level, _SORT + index] & 15)
    return packed


@compiled
def _slot(position_key: int, table: IntArray) -> int:
    return ((position_key * _HASH) >> 32) & (len(table) - 1)


@compiled
def _pack_entry(value: int, depth: int, column: int, bound: int) -> int:
    return ((value + 2 * WIN) << 16) | (depth << 8) | ((column + 1) << 2) | bound


@compiled
def search_window(
    own: int,
    occupied: int,
    rules: int,
    evaluation: int,
    depth: int,
    searching: int,
    alpha: int,
    beta: int,
    switches: int,
    tag: int,
    frames: IntArray,
    table: IntArray,
    report: IntArray,
    stop: IntArray,
) -> int:
    """The minimax value of a position for its side to move, as far as the window asks.

    Args:
        own: Stones of the side to move.
        occupied: All stones.
        rules: ``FIRST_FOUR`` or ``MOST_FOURS``.
        evaluation: Its number, used where the depth limit is reached before the end.
        depth: Plies left, 0 or more.
        searching: 1 if the side to move is the one that searches, else -1.
        alpha: Values at or below need not be told apart.
        beta: Values at or above need not be told apart.
        switches: Sum of ``ORDERING``, ``TABLE``, ``THREATS``.
        tag: Marks the table's entries of this search; entries with other tags are not used.
        frames: Scratch of shape ``FRAMES_SHAPE``.
        table: Shape [N, 2], N a power of two.
        report: Its ``NODES`` is raised by the positions visited, this one included.
        stop: Shape [1]; once it is not 0 the search ends and its value means nothing.

    Returns:
        The exact value if it lies between alpha and beta; otherwise a bound: at most alpha and no
        less than the value, or at least beta and no more than the value.
    """
    level = -1
    nodes = 0
    value = 0
    while True:
        # Enter the node (own, occupied) on top of frame ``level``: value it, or give it a frame.
        nodes += 1
        entered = False
        value = decided(own, occupied, rules)
        left = depth - level - 1
        side = searching if level & 1 else -searching
        if value == WIN:
            if left == 0:
                value = evaluate(own, occupied, evaluation, rules, side)
            else:
                cells = playable(occupied)
                entered = True
                if switches & THREATS and rules == FIRST_FOUR:
                    ply = popcount(occupied)
                    if threats(own, occupied) & cells:
                        entered = False
                        value = WIN - ply - 1
                    elif left >= 2:
                        # A column that lets the other side win at once is the worst there is.
                        danger = threats(own ^ occupied, occupied)
                        forced = danger & cells
                        cells = (forced if forced else cells) & ~(danger >> 1)
                        if cells == 0 or forced & (forced - 1):
                            entered = False
                            value = ply + 2 - WIN
                first = -1
                if entered and switches & TABLE and left >= 2:
                    position_key = key(own, occupied)
                    slot = _slot(position_key, table)
                    if table[slot, 0] == position_key | (tag << _KEY_BITS):
                        entry = table[slot, 1]
                        value = (entry >> 16) - 2 * WIN
                        bound = entry & 3
                        first = ((entry >> 2) & 15) - 1
                        if (entry >> 8) & 63 == left:
                            if bound == _EXACT or (value >= beta if bound == _LOWER else value <= alpha):
                                entered = False
                        elif bound == _EXACT and abs(value) >= WON_FROM:
                            entered = False
        if entered:
            level += 1
            if not switches & ORDERING:
                moves = _with_room(_LEFT_TO_RIGHT, cells)
            elif left >= 3:
                moves = _sorted_moves(own, occupied, cells, rules, evaluation, first, frames, level)
            else:
                moves = _with_room(_CENTRE_FIRST, cells)
            frames[level, _OWN] = own
            frames[level, _OCCUPIED] = occupied
            frames[level, _ALPHA] = alpha
            frames[level, _START_ALPHA] = alpha
            frames[level, _BETA] = beta
            frames[level, _BEST] = -INFINITY
            frames[level, _BEST_COLUMN] = -1
            frames[level, _MOVES] = moves
        else:
            # Hand the value to the node above, and close every node that needs no more.
            while level >= 0:
                if -value > frames[level, _BEST]:
                    frames[level, _BEST] = -value
                    frames[level, _BEST_COLUMN] = frames[level, _COLUMN]
                    if -value > frames[level, _ALPHA]:
                        frames[level, _ALPHA] = -value
                if frames[level, _MOVES] != 0 and frames[level, _ALPHA] < frames[level, _BETA]:
                    break
                value = frames[level, _BEST]
                if switches & TABLE and depth - level >= 2:
                    position_key = key(frames[level, _OWN], frames[level, _OCCUPIED])
                    bound = _EXACT
                    if value >= frames[level, _BETA]:
                        bound = _LOWER
                    elif value <= frames[level, _START_ALPHA]:
                        bound = _UPPER
                    slot = _slot(position_key, table)
                    table[slot, 0] = position_key | (tag << _KEY_BITS)
                    table[slot, 1] = _pack_entry(value, depth - level, frames[level, _BEST_COLUMN], bound)
                level -= 1
            if level < 0 or stop[0] != 0:
                break
        # Take the next column of the node on top.
        moves = frames[level, _MOVES]
        column = (moves & 15) - 1
        frames[level, _MOVES] = moves >> 4
        frames[level, _COLUMN] = column
        alpha = -frames[level, _BETA]
        beta = -frames[level, _ALPHA]
        occupied = frames[level, _OCCUPIED]
        own = frames[level, _OWN] ^ occupied
        occupied |= playable(occupied) & (COLUMN << (STRIDE * column))
    report[NODES] += nodes
    return value
