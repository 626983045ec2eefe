"""Monte Carlo tree search (UCT) with random playouts, compiled.

The tree is a pool of nodes in flat arrays. A node's statistics are from the side that moved into
it, so that its parent takes the child with the highest. Results that are certain travel up the
tree as well: a move that wins is taken, one that loses is left, and the search ends when the root
is certain.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from c4env.bitboard import BOARD, COLUMN, COLUMNS, FIRST_FOUR, ONGOING, STRIDE, column_of, has_four, playable, result
from c4env.compiled import compiled, inlined
from c4env.randomness import draw, draw_cell

IntArray = npt.NDArray[np.int64]

MAX_NODES: Final = 1 << 21
"""Nodes a tree may have; when they are used up, playouts go on from its leaves."""

_ROOT_LOGS: Final = np.sqrt(np.log(np.maximum(np.arange(4096), 1)))
"""``sqrt(log(n))`` for small n, which is asked at every node of every descent."""


class Pool(NamedTuple):
    """The nodes of a tree; the root is node 0.

    Attributes:
        children: Node of each column, 0 if it has none yet, shape [N, 7].
        visits: Playouts through the node, shape [N].
        total: Sum of their results, +1 won, -1 lost, for the side that moved into it, shape [N].
        mean: ``total / visits``, shape [N].
        spread: ``1 / sqrt(visits)``, shape [N].
        proven: 1 certainly won for that side, -1 certainly lost, else 0, shape [N].
        expanded: Whether every column with room has a node, shape [N].
        used: Number of nodes in use, shape [1].
    """

    children: npt.NDArray[np.int32]
    visits: IntArray
    total: IntArray
    mean: npt.NDArray[np.float64]
    spread: npt.NDArray[np.float64]
    proven: npt.NDArray[np.int8]
    expanded: npt.NDArray[np.bool_]
    used: IntArray


def new_pool(capacity: int) -> Pool:
    """A tree of one node, the root, with room for ``capacity``."""
    pool = Pool(
        np.zeros((capacity, COLUMNS), dtype=np.int32),
        np.zeros(capacity, dtype=np.int64),
        np.zeros(capacity, dtype=np.int64),
        np.zeros(capacity, dtype=np.float64),
        np.zeros(capacity, dtype=np.float64),
        np.zeros(capacity, dtype=np.int8),
        np.zeros(capacity, dtype=np.bool_),
        np.zeros(1, dtype=np.int64),
    )
    pool.used[0] = 1
    return pool


_compiled_pool = compiled(new_pool)


@compiled
def playout(own: int, occupied: int, rules: int, stream: int) -> tuple[int, int]:
    """Random play to the end: -1, 0 or 1 for the side to move, and the advanced stream.

    The game must not be over.
    """
    sign = 1
    while True:
        # Drawing again when a column is full is quicker than counting those that are not.
        cells = playable(occupied)
        cell = 0
        while cell == 0:
            column, stream = draw(stream, COLUMNS)
            cell = cells & (COLUMN << (STRIDE * column))
        own |= cell
        occupied |= cell
        if rules == FIRST_FOUR and has_four(own):
            return sign, stream
        own ^= occupied
        sign = -sign
        if occupied == BOARD:
            return sign * result(own, occupied, rules), stream


@inlined
def _select(node: int, cells: int, exploration: float, pool: Pool) -> int:
    """The column to try next in a node whose columns have all been tried: highest upper bound."""
    best = -1
    best_bound = -math.inf
    visits = pool.visits[node]
    weight = exploration * (_ROOT_LOGS[visits] if visits < len(_ROOT_LOGS) else math.sqrt(math.log(visits)))
    for column in range(COLUMNS):
        if not cells & (COLUMN << (STRIDE * column)):
            continue
        child = pool.children[node, column]
        if pool.proven[child] == 1:
            return column
        bound = pool.mean[child] + weight * pool.spread[child]
        if pool.proven[child] == -1:
            bound -= 1e6
        if bound > best_bound:
            best_bound = bound
            best = column
    return best


@inlined
def _prove(node: int, cells: int, pool: Pool) -> None:
    """Mark a node whose children make it certain."""
    lost = True
    for column in range(COLUMNS):
        if cells & (COLUMN << (STRIDE * column)):
            child = pool.children[node, column]
            verdict = pool.proven[child] if child else 0
            if verdict == 1:
                pool.proven[node] = -1
                return
            lost = lost and verdict == -1
    if lost:
        pool.proven[node] = 1


@compiled
def simulate(
    own: int, occupied: int, rules: int, simulations: int, exploration: float, stream: int, pool: Pool
) -> tuple[int, int]:
    """Run up to ``simulations`` playouts on the tree of a position that is not over.

    Returns:
        How many were run (fewer if the root became certain), and the advanced stream.
    """
    path = np.zeros(43, dtype=np.int64)
    boards = np.zeros(43, dtype=np.int64)
    for done in range(simulations):
        if pool.proven[0]:
            return done, stream
        node = 0
        length = 0
        here, filled = own, occupied
        outcome = ONGOING
        while True:
            path[length] = node
            boards[length] = filled
            length += 1
            cells = playable(filled)
            untried = 0
            if not pool.expanded[node]:
                for column in range(COLUMNS):
                    if pool.children[node, column] == 0:
                        untried |= cells & (COLUMN << (STRIDE * column))
                pool.expanded[node] = untried == 0
            if untried:
                if pool.used[0] == len(pool.visits):
                    outcome, stream = playout(here, filled, rules, stream)
                    outcome = -outcome
                    break
                cell, stream = draw_cell(untried, stream)
                column = column_of(cell)
                child = pool.used[0]
                pool.used[0] += 1
                pool.children[node, column] = child
            else:
                column = _select(node, cells, exploration, pool)
                child = pool.children[node, column]
                cell = cells & (COLUMN << (STRIDE * column))
            here ^= filled
            filled |= cell
            node = child
            outcome = result(here, filled, rules)
            if outcome != ONGOING or untried:
                path[length] = node
                boards[length] = filled
                length += 1
                if outcome == ONGOING:
                    outcome, stream = playout(here, filled, rules, stream)
                elif outcome != 0:
                    pool.proven[node] = -outcome
                outcome = -outcome
                break
        # From here on, outcome is for the side that moved into the last node of the path.
        certain = pool.proven[node] != 0
        for index in range(length - 1, -1, -1):
            node = path[index]
            if certain and index < length - 1:
                _prove(node, playable(boards[index]), pool)
                certain = pool.proven[node] != 0
            pool.visits[node] += 1
            pool.total[node] += outcome
            pool.mean[node] = pool.total[node] / pool.visits[node]
            pool.spread[node] = 1 / math.sqrt(pool.visits[node])
            outcome = -outcome
    return simulations, stream


@compiled
def best_column(node: int, pool: Pool) -> int:
    """The column to play from ``node``: certain to win, else the most visited that is not certain to lose.

    -1 if no column was tried.
    """
    best = -1
    most = -1
    for column in range(COLUMNS):
        child = pool.children[node, column]
        if child == 0:
            continue
        weight = pool.visits[child] * 4 + 1 + pool.proven[child]
        if pool.proven[child] == 1:
            weight += 1 << 60
        elif pool.proven[child] == -1:
            weight -= 1 << 60
        if best == -1 or weight > most:
            most = weight
            best = column
    return best


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
    simulations: int,
    exploration: float,
) -> None:
    """For each waiting game in [start, stop): search, write its column, advance its stream."""
    for game in range(start, stop):
        if waiting[game]:
            pool = _compiled_pool(min(simulations + 1, MAX_NODES))
            _, streams[game] = simulate(own[game], occupied[game], rules, simulations, exploration, streams[game], pool)
            columns[game] = best_column(0, pool)


@compiled
def stream_of(position_key: int, seed: int) -> int:
    """A stream that seed and position decide."""
    _, stream = draw(seed ^ (position_key * 0x1E3779B97F4A7C15), 2)
    return stream
