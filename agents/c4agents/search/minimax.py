"""Plain minimax, compiled: every line to the depth limit, nothing cut.

It is kept plain on purpose: it is the reference that alpha-beta is checked and measured against.
"""

from __future__ import annotations

from c4agents.evaluations import WIN, decided, evaluate
from c4env.bitboard import playable
from c4env.compiled import compiled


@compiled
def minimax(own: int, occupied: int, rules: int, evaluation: int, depth: int, searching: int) -> tuple[int, int]:
    """The value of a position for its side to move, searched ``depth`` plies deep.

    Args:
        own: Stones of the side to move.
        occupied: All stones.
        rules: ``FIRST_FOUR`` or ``MOST_FOURS``.
        evaluation: Its number, used where the depth limit is reached before the end.
        depth: Plies left, 0 or more.
        searching: 1 if the side to move is the one that searches, else -1.

    Returns:
        The value, and the number of positions visited, this one included.
    """
    value = decided(own, occupied, rules)
    if value != WIN:
        return value, 1
    if depth == 0:
        return evaluate(own, occupied, evaluation, rules, searching), 1
    best = -WIN
    nodes = 1
    cells = playable(occupied)
    while cells:
        cell = cells & -cells
        cells ^= cell
        value, visited = minimax(own ^ occupied, occupied | cell, rules, evaluation, depth - 1, -searching)
        best = max(best, -value)
        nodes += visited
    return best, nodes
