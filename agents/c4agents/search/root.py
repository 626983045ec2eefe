"""Search from the root, compiled: the best column, every column's value, and many games at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from c4agents.evaluations import WON_FROM
from c4agents.search.alphabeta import (
    DEEPENING,
    DEPTH,
    FRAMES_SHAPE,
    INFINITY,
    NODES,
    ORDERING,
    REPORT_SIZE,
    TABLE,
    TAGS,
    THREATS,
    VALUE,
    IntArray,
    search_window,
    tie_order,
)
from c4env.bitboard import BOARD, column_of, landing, playable
from c4env.compiled import compiled, popcount
from c4env.randomness import draw_cell


@compiled
def score_columns(
    own: int,
    occupied: int,
    rules: int,
    evaluation: int,
    depth: int,
    searching: int,
    switches: int,
    tag: int,
    frames: IntArray,
    table: IntArray,
    report: IntArray,
    stop: IntArray,
    scores: IntArray,
) -> None:
    """Write the exact value of each column with room into ``scores``, shape [7]; 1 <= depth."""
    columns = tie_order(own, occupied)
    report[NODES] += 1
    while columns:
        column = (columns & 15) - 1
        columns >>= 4
        scores[column] = -search_window(
            own ^ occupied,
            occupied | landing(occupied, column),
            rules,
            evaluation,
            depth - 1,
            -searching,
            -INFINITY,
            INFINITY,
            switches,
            tag,
            frames,
            table,
            report,
            stop,
        )


@compiled
def best_cells(
    own: int,
    occupied: int,
    rules: int,
    evaluation: int,
    depth: int,
    searching: int,
    switches: int,
    all_ties: int,
    tag: int,
    frames: IntArray,
    table: IntArray,
    report: IntArray,
    stop: IntArray,
) -> int:
    """The best cell to play, first in :func:`tie_order` among equals, or with ``all_ties`` all of them.

    ``depth`` is at least 1; the game must not be over. ``report`` is overwritten: nodes, the value
    for the side to move, and the depth that was completed (less than asked only after ``stop``).
    The first depth always completes.
    """
    report[NODES] = 0
    order = tie_order(own, occupied)
    count = popcount(playable(occupied))
    reach = min(depth, popcount(BOARD & ~occupied))
    chosen_rank = 0
    chosen = 0
    for limit in range(1 if switches & DEEPENING else reach, reach + 1):
        report[NODES] += 1
        lead_rank = chosen_rank
        best = -INFINITY
        best_rank = 7
        best_set = 0
        for turn in range(count):
            # The last depth's best first, then the others in order.
            rank = lead_rank if turn == 0 else (turn - 1 if turn <= lead_rank else turn)
            column = ((order >> (4 * rank)) & 15) - 1
            cell = landing(occupied, column)
            # Whole values: a window one lower tells an equal column from a worse one.
            floor = best - 1 if all_ties or rank < best_rank else best
            value = -search_window(
                own ^ occupied,
                occupied | cell,
                rules,
                evaluation,
                limit - 1,
                -searching,
                -INFINITY,
                -floor,
                switches,
                tag,
                frames,
                table,
                report,
                stop,
            )
            if value > best:
                best = value
                best_rank = rank
                best_set = cell
            elif value == best and value > floor:
                best_rank = min(best_rank, rank)
                best_set = best_set | cell if all_ties else cell
        if stop[0] != 0 and limit > 1:
            break
        chosen_rank = best_rank
        chosen = best_set
        report[VALUE] = best
        report[DEPTH] = limit
        if abs(best) >= WON_FROM:
            break
    return chosen


@compiled
def choose_range(
    own: IntArray,
    occupied: IntArray,
    waiting: npt.NDArray[np.bool_],
    streams: IntArray,
    columns: npt.NDArray[np.int8],
    start: int,
    stop: int,
    rules: int,
    evaluation: int,
    depth: int,
    all_ties: int,
) -> None:
    """For each waiting game in [start, stop): write its column; with ``all_ties`` draw among the best."""
    frames = np.empty(FRAMES_SHAPE, dtype=np.int64)
    table = np.zeros((1 << 12, 2), dtype=np.int64)
    report = np.zeros(REPORT_SIZE, dtype=np.int64)
    never = np.zeros(1, dtype=np.int64)
    switches = ORDERING | THREATS
    if depth >= 4:
        switches |= TABLE
    if depth >= 6:
        switches |= DEEPENING
    tag = 0
    for game in range(start, stop):
        if not waiting[game]:
            continue
        tag += 1
        if tag == TAGS:
            table[:] = 0
            tag = 1
        cells = best_cells(
            own[game],
            occupied[game],
            rules,
            evaluation,
            depth,
            1,
            switches,
            all_ties,
            tag,
            frames,
            table,
            report,
            never,
        )
        if all_ties:
            cells, streams[game] = draw_cell(cells, streams[game])
        columns[game] = column_of(cells)
