"""Tree search guided by a network (PUCT): many trees at once, so that the network is asked in batches.

A round has two halves. :func:`collect` goes down every tree to positions the network has not seen, and lists
them; :func:`absorb` takes the network's answers and carries them up again. In between a *virtual loss* lies on
the paths, so that one tree can offer several different leaves in a round.

Results that are certain travel up as well: a move known to win is played, one known to lose is left, and a tree
whose root is certain is finished.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from c4env.bitboard import (
    CELLS,
    COLUMNS,
    FIRST_FOUR,
    LOST,
    ONGOING,
    WON,
    column_of,
    is_legal,
    play,
    playable,
    result,
    threats,
)
from c4env.compiled import compiled, inlined

Boards = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

UNSEEN: Final = 0
"""A child without a node; node 0 is the root, which is nobody's child."""
ASKED: Final = -1
"""A child that the network is being asked about."""

FIRST_PLAY_REDUCTION: Final = 0.25
"""A move that was never tried counts as this much worse than its position."""


class Forest(NamedTuple):
    """T trees of up to N nodes; node 0 is the root. Numbers are seen by the side to move at the node.

    Attributes:
        own: Stones of the side to move, [T, N].
        occupied: All stones, [T, N].
        children: Node after each column, or UNSEEN, or ASKED, [T, N, 7].
        priors: The network's probabilities, 0 for full columns, [T, N, 7].
        visits: Times each column was tried, [T, N, 7].
        totals: Sum of what came of it, each -1 to 1, [T, N, 7].
        values: The network's value, [T, N].
        verdicts: LOST, DRAWN or WON if that is certain, else ONGOING, [T, N].
        used: Nodes in use, [T]; 0 before the root has been evaluated.
        budgets: Simulations still to make, [T].
        path: Nodes above each leaf that waits for the network, [T, K, 42].
        moves: The columns played at them, [T, K, 42].
        lengths: Number of them, [T, K].
        waiting: Number of leaves that wait, [T].
    """

    own: Boards
    occupied: Boards
    children: npt.NDArray[np.int32]
    priors: Floats
    visits: npt.NDArray[np.int32]
    totals: Floats
    values: Floats
    verdicts: npt.NDArray[np.int8]
    used: Boards
    budgets: Boards
    path: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int8]
    lengths: Boards
    waiting: Boards


def new_forest(own: Boards, occupied: Boards, simulations: int, leaves: int) -> Forest:
    """Trees for the positions [T], none of which may be over.

    Args:
        own: Stones of the side to move, [T].
        occupied: All stones, [T].
        simulations: Moves tried from each root.
        leaves: Most positions one tree may have evaluated in a round.
    """
    trees, nodes = len(own), simulations + 1
    forest = Forest(
        own=np.zeros((trees, nodes), np.int64),
        occupied=np.zeros((trees, nodes), np.int64),
        children=np.zeros((trees, nodes, COLUMNS), np.int32),
        priors=np.zeros((trees, nodes, COLUMNS), np.float32),
        visits=np.zeros((trees, nodes, COLUMNS), np.int32),
        totals=np.zeros((trees, nodes, COLUMNS), np.float32),
        values=np.zeros((trees, nodes), np.float32),
        verdicts=np.full((trees, nodes), ONGOING, np.int8),
        used=np.zeros(trees, np.int64),
        budgets=np.full(trees, simulations, np.int64),
        path=np.zeros((trees, leaves, CELLS), np.int32),
        moves=np.zeros((trees, leaves, CELLS), np.int8),
        lengths=np.zeros((trees, leaves), np.int64),
        waiting=np.zeros(trees, np.int64),
    )
    forest.own[:, 0] = own
    forest.occupied[:, 0] = occupied
    return forest


@inlined
def select(forest: Forest, tree: int, node: int, exploration: float) -> int:
    """The column to try: value so far plus ``exploration`` * prior * sqrt(node's visits) / (1 + column's visits).

    Columns known to lose are left out, unless all do.
    """
    tried = 0
    for column in range(COLUMNS):
        tried += forest.visits[tree, node, column]
    weight = exploration * math.sqrt(max(tried, 1))
    untried_value = forest.values[tree, node] - FIRST_PLAY_REDUCTION
    best, best_bound, fallback = -1, -1e9, -1
    for column in range(COLUMNS):
        if not is_legal(forest.occupied[tree, node], column):
            continue
        child = forest.children[tree, node, column]
        verdict = forest.verdicts[tree, child] if child > 0 else ONGOING
        fallback = column
        if verdict == WON:
            continue
        visits = forest.visits[tree, node, column]
        value = untried_value
        if verdict != ONGOING:
            value = -verdict
        elif visits > 0:
            value = forest.totals[tree, node, column] / visits
        bound = value + weight * forest.priors[tree, node, column] / (1 + visits)
        if bound > best_bound:
            best, best_bound = column, bound
    return best if best >= 0 else fallback


@inlined
def _prove(forest: Forest, tree: int, node: int) -> bool:
    """Settle the verdict of a node if its children do; whether that happened."""
    best = LOST
    for column in range(COLUMNS):
        if not is_legal(forest.occupied[tree, node], column):
            continue
        child = forest.children[tree, node, column]
        verdict = forest.verdicts[tree, child] if child > 0 else ONGOING
        if verdict == LOST:
            forest.verdicts[tree, node] = WON
            return True
        best = ONGOING if verdict == ONGOING or best == ONGOING else max(best, -verdict)
    if best == ONGOING:
        return False
    forest.verdicts[tree, node] = best
    return True


@inlined
def _carry_up(forest: Forest, tree: int, leaf: int, value: float, visits: int, lift: float, certain: bool) -> None:
    """Add a leaf's value (for its side to move) to the path above it; ``lift`` takes a virtual loss away again."""
    for index in range(forest.lengths[tree, leaf] - 1, -1, -1):
        node, column = forest.path[tree, leaf, index], forest.moves[tree, leaf, index]
        value = -value
        forest.visits[tree, node, column] += visits
        forest.totals[tree, node, column] += value + lift
        if certain:
            certain = _prove(forest, tree, node)


@inlined
def _add_node(forest: Forest, tree: int, leaf: int, own: int, occupied: int) -> int:
    """A new node below the path of ``leaf`` (the root if the path is empty)."""
    node: int = forest.used[tree]
    forest.used[tree] += 1
    forest.own[tree, node] = own
    forest.occupied[tree, node] = occupied
    length = forest.lengths[tree, leaf]
    if length > 0:
        forest.children[tree, forest.path[tree, leaf, length - 1], forest.moves[tree, leaf, length - 1]] = node
    return node


@compiled
def _wins_at_once(own: int, occupied: int, rules: int) -> bool:
    return rules == FIRST_FOUR and threats(own, occupied) & playable(occupied) != 0


@inlined
def _descend(forest: Forest, tree: int, rules: int, exploration: float) -> int:
    """Try one move sequence from the root of a tree.

    Returns:
        1 if its end waits for the network, 0 if its result is known and carried up, -1 if it led to a position
        that the network is being asked about already, and nothing was done.
    """
    leaf = forest.waiting[tree]
    node = 0
    length = 0
    while True:
        column = select(forest, tree, node, exploration)
        forest.path[tree, leaf, length] = node
        forest.moves[tree, leaf, length] = column
        length += 1
        child = forest.children[tree, node, column]
        if child == ASKED:
            return -1
        if child == UNSEEN or forest.verdicts[tree, child] != ONGOING:
            break
        node = child
    forest.lengths[tree, leaf] = length
    forest.budgets[tree] -= 1
    if child == UNSEEN:
        own, occupied = play(forest.own[tree, node], forest.occupied[tree, node], column)
        verdict = result(own, occupied, rules)
        if verdict == ONGOING and _wins_at_once(own, occupied, rules):
            verdict = WON
        if verdict == ONGOING:
            forest.children[tree, node, column] = ASKED
            for index in range(length):
                above, played = forest.path[tree, leaf, index], forest.moves[tree, leaf, index]
                forest.visits[tree, above, played] += 1
                forest.totals[tree, above, played] -= 1
            forest.waiting[tree] += 1
            return 1
        child = _add_node(forest, tree, leaf, own, occupied)
        forest.verdicts[tree, child] = verdict
    _carry_up(forest, tree, leaf, forest.verdicts[tree, child], 1, 0.0, True)
    return 0


@compiled
def collect(forest: Forest, rules: int, exploration: float, own: Boards, occupied: Boards) -> int:
    """Go down all unfinished trees; write the leaves the network must evaluate to ``own``, ``occupied`` [T * K].

    Returns:
        The number of leaves; 0 if every tree is finished.
    """
    count = 0
    for tree in range(len(forest.used)):
        forest.waiting[tree] = 0
        if forest.used[tree] == 0:
            forest.lengths[tree, 0] = 0
            forest.waiting[tree] = 1
            own[count], occupied[count] = forest.own[tree, 0], forest.occupied[tree, 0]
            if _wins_at_once(own[count], occupied[count], rules):
                forest.verdicts[tree, 0] = WON
            count += 1
            continue
        while (
            forest.waiting[tree] < forest.lengths.shape[1]
            and forest.budgets[tree] > 0
            and forest.verdicts[tree, 0] == ONGOING
        ):
            leaf = forest.waiting[tree]
            outcome = _descend(forest, tree, rules, exploration)
            if outcome < 0:
                break
            if outcome > 0:
                last = forest.lengths[tree, leaf] - 1
                node, column = forest.path[tree, leaf, last], forest.moves[tree, leaf, last]
                own[count], occupied[count] = play(forest.own[tree, node], forest.occupied[tree, node], column)
                count += 1
    return count


@compiled
def absorb(forest: Forest, own: Boards, occupied: Boards, priors: Floats, values: Floats) -> None:
    """Take the network's answers for the leaves that :func:`collect` listed, in its order.

    Args:
        forest: The trees.
        own: As collect wrote it.
        occupied: As collect wrote it.
        priors: Probabilities of the columns, 0 for full ones, [L, 7].
        values: Value for the side to move, -1 to 1, [L].
    """
    index = 0
    for tree in range(len(forest.used)):
        for leaf in range(forest.waiting[tree]):
            node = _add_node(forest, tree, leaf, own[index], occupied[index])
            forest.priors[tree, node] = priors[index]
            forest.values[tree, node] = values[index]
            _carry_up(forest, tree, leaf, values[index], 0, 1.0, False)
            index += 1
        forest.waiting[tree] = 0


@compiled
def best_columns(forest: Forest, rules: int, columns: npt.NDArray[np.int64]) -> None:
    """Write the column to play in each tree, [T].

    It is one that wins at once, else one that keeps the root's verdict if that is certain, else the most visited of
    those not known to lose; the higher prior decides ties.
    """
    for tree in range(len(forest.used)):
        own, occupied = forest.own[tree, 0], forest.occupied[tree, 0]
        wins = threats(own, occupied) & playable(occupied)
        if rules == FIRST_FOUR and wins:
            columns[tree] = column_of(wins & -wins)
            continue
        best, best_weight = -1, -1e9
        for column in range(COLUMNS):
            if not is_legal(occupied, column):
                continue
            child = forest.children[tree, 0, column]
            verdict = forest.verdicts[tree, child] if child > 0 else ONGOING
            weight = forest.visits[tree, 0, column] + 0.5 * forest.priors[tree, 0, column]
            if verdict == LOST:
                weight += 1e6
            elif verdict == WON:
                weight -= 1e6
            elif forest.verdicts[tree, 0] != ONGOING and verdict == -forest.verdicts[tree, 0]:
                weight += 1e5
            if weight > best_weight:
                best, best_weight = column, weight
        columns[tree] = best
