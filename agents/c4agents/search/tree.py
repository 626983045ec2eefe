"""The search tree itself, node by node, for people to look at.

The searches that play keep no tree. This one does: plain, or with alpha-beta pruning in
centre-first order and nothing else (no table, no threats), so that what is cut can be followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from c4agents.agent import check_not_over
from c4agents.evaluations import EVALUATIONS, WIN, decided, evaluate, in_points
from c4agents.search.agents import unpack_columns
from c4agents.search.alphabeta import INFINITY, tie_order
from c4env.bitboard import CELLS, RULES, play
from c4env.position import Position

MAX_NODES: Final = 3_000_000

Bound = Literal["exact", "at least", "at most"]
Kind = Literal["inner", "leaf", "end"]


@dataclass(slots=True)
class TreeNode:
    """One position of a search tree.

    Attributes:
        column: The move that led here, 0 to 6; None at the root.
        value: Its value *for the side that searches*, in points (won and lost: see
            :data:`c4agents.evaluations.WIN`).
        bound: Whether pruning left the value exact or only a bound.
        kind: ``inner``; ``leaf`` where the depth limit was reached; ``end`` where the game is over.
        children: Its searched children, in the order of the search.
        cut: Columns that pruning left out.
    """

    column: int | None
    value: float
    bound: Bound = "exact"
    kind: Kind = "inner"
    children: list[TreeNode] = field(default_factory=list)
    cut: tuple[int, ...] = ()

    def walk(self) -> Iterator[TreeNode]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class SearchTree:
    """A search tree and what it was searched with.

    Attributes:
        root: Its root.
        position: The position at the root.
        evaluation: Name of the evaluation at the leaves.
        depth: Plies searched.
        pruned: Whether by alpha-beta.
        nodes: Number of nodes, the root included.
    """

    root: TreeNode
    position: Position
    evaluation: str
    depth: int
    pruned: bool
    nodes: int

    @property
    def best(self) -> int:
        """The column the search chooses: the first child of the root with the root's value."""
        chosen = next(
            child for child in self.root.children if child.value == self.root.value and child.bound == "exact"
        )
        assert chosen.column is not None
        return chosen.column


def build_tree(position: Position, *, evaluation: str = "windows", depth: int = 3, pruning: bool = True) -> SearchTree:
    """Search ``position`` and keep every node.

    Raises:
        ValueError: The game is over, the evaluation or depth does not exist, or the tree would
            have more than ``MAX_NODES`` nodes.
    """
    check_not_over(position)
    if evaluation not in EVALUATIONS:
        raise ValueError(f"evaluations are {', '.join(EVALUATIONS)}, not {evaluation!r}")
    if not 1 <= depth <= CELLS:
        raise ValueError(f"depth is a whole number from 1 to {CELLS}, not {depth}")
    builder = _Builder(EVALUATIONS[evaluation], RULES[position.rules], pruning)
    _, root = builder.search(position.own, position.occupied, None, depth, 1, -INFINITY, INFINITY)
    return SearchTree(root, position, evaluation, depth, pruning, builder.nodes)


class _Builder:
    """Negamax that keeps its nodes. Without pruning every window is full."""

    def __init__(self, evaluation: int, rules: int, pruning: bool) -> None:
        self.evaluation = evaluation
        self.rules = rules
        self.pruning = pruning
        self.nodes = 0

    def search(
        self, own: int, occupied: int, column: int | None, depth: int, sign: int, alpha: int, beta: int
    ) -> tuple[int, TreeNode]:
        """The value for the side to move, and the node; ``sign`` is 1 if that side searches, else -1."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise ValueError(f"the tree has more than {MAX_NODES:,} nodes; take a smaller depth")
        value = decided(own, occupied, self.rules)
        if value != WIN:
            return value, self._node(column, value, sign, kind="end")
        if depth == 0:
            value = evaluate(own, occupied, self.evaluation, self.rules, sign)
            return value, self._node(column, value, sign, kind="leaf")
        best, lower = -INFINITY, alpha
        children: list[TreeNode] = []
        moves = unpack_columns(tie_order(own, occupied))
        for move in moves:
            if self.pruning and lower >= beta:
                break
            after = play(own, occupied, move)
            value, child = self.search(*after, move, depth - 1, -sign, -beta, -lower)
            children.append(child)
            best = max(best, -value)
            if self.pruning:
                lower = max(lower, best)
        node = self._node(column, best, sign)
        node.children = children
        node.cut = moves[len(children) :]
        if best >= beta:
            node.bound = "at least" if sign == 1 else "at most"
        elif best <= alpha:
            node.bound = "at most" if sign == 1 else "at least"
        return best, node

    def _node(self, column: int | None, value: int, sign: int, kind: Kind = "inner") -> TreeNode:
        return TreeNode(column, in_points(sign * value, self.evaluation), kind=kind)
