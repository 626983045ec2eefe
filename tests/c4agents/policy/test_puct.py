"""The compiled trees against sums done by hand and against a plain Python search."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import numpy as np
import pytest

import c4agents
from c4agents.policy.agent import PolicySearchAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.puct import FIRST_PLAY_REDUCTION, absorb, collect, new_forest, select
from c4env.bitboard import FIRST_FOUR, ONGOING
from c4env.position import Position, PositionBatch
from tests.c4agents.oracle import random_position


def test_select_by_hand() -> None:
    """Q + c * P * sqrt(N) / (1 + n): 0.5 + 0.2, 0.0 + 0.4 * 4 / 2 = 0.8 and -0.25 + 0.5 * 4 = 1.75 with c = 1."""
    forest = new_forest(np.zeros(1, np.int64), np.zeros(1, np.int64), 10, 1)
    forest.used[0] = 1
    forest.visits[0, 0] = [15, 1, 0, 0, 0, 0, 0]
    forest.totals[0, 0] = [7.5, 0, 0, 0, 0, 0, 0]
    forest.priors[0, 0] = [0.8, 0.4, 0.5, 0, 0, 0, 0]
    assert select(forest, 0, 0, 1.0) == 2
    forest.priors[0, 0, 2] = 0.26  # -0.25 + 0.26 * 4 = 0.79
    assert select(forest, 0, 0, 1.0) == 1
    forest.priors[0, 0, 1] = 0.34  # 0.68 < 0.7
    forest.priors[0, 0, 2] = 0.23  # 0.67
    assert select(forest, 0, 0, 1.0) == 0
    assert select(forest, 0, 0, 0.0) == 0


@dataclass
class Node:
    """A position of the plain search; statistics are for its side to move."""

    position: Position
    priors: list[float] = field(default_factory=list)
    value: float = 0.0
    verdict: int | None = None
    children: dict[int, Node] = field(default_factory=dict)
    visits: list[int] = field(default_factory=lambda: [0] * 7)
    totals: list[float] = field(default_factory=lambda: [0.0] * 7)


def plain_search(position: Position, evaluate: Evaluator, simulations: int, exploration: float) -> Node:
    def new_node(position: Position) -> Node:
        node = Node(position)
        if position.is_over:
            node.verdict = 0 if position.is_draw else -1
        elif any(position.play(c).winner is not None for c in position.legal):
            node.verdict = 1
        else:
            batch = PositionBatch.of([position])
            evaluation = evaluate(batch.own, batch.occupied)
            node.priors = evaluation.probabilities[0].tolist()
            node.value = float(evaluation.values[0])
        return node

    def bound(node: Node, column: int) -> float:
        child = node.children.get(column)
        n = node.visits[column]
        value = node.totals[column] / n if n else node.value - FIRST_PLAY_REDUCTION
        if child is not None and child.verdict is not None:
            value = -child.verdict
        return value + exploration * node.priors[column] * math.sqrt(max(sum(node.visits), 1)) / (1 + n)

    def losing(node: Node, column: int) -> bool:
        return column in node.children and node.children[column].verdict == 1

    def visit(node: Node) -> float:
        """One simulation below ``node``; its value for the side to move there."""
        if node.verdict is not None:
            return node.verdict
        columns = [c for c in node.position.legal if not losing(node, c)]
        column = max(columns, key=lambda c: (bound(node, c), -c))
        if column in node.children:
            value = -visit(node.children[column])
        else:
            child = node.children[column] = new_node(node.position.play(column))
            value = -(child.value if child.verdict is None else child.verdict)
        node.visits[column] += 1
        node.totals[column] += value
        verdicts = [node.children[c].verdict if c in node.children else None for c in node.position.legal]
        if -1 in verdicts:
            node.verdict = 1
        elif None not in verdicts:
            node.verdict = max(-v for v in verdicts if v is not None)
        return value

    root = new_node(position)
    for _ in range(simulations):
        if root.verdict is not None:
            break
        visit(root)
    return root


def test_same_visits_and_verdicts_as_a_plain_search(evaluator: Evaluator) -> None:
    rng = random.Random(6)
    positions = [random_position(rng) for _ in range(25)]
    batch = PositionBatch.of(positions)
    forest = new_forest(batch.own, batch.occupied, 60, 1)
    own, occupied = np.zeros(25, np.int64), np.zeros(25, np.int64)
    while count := collect(forest, FIRST_FOUR, 1.5, own, occupied):
        answers = evaluator(own[:count], occupied[:count])
        absorb(forest, own, occupied, answers.probabilities, answers.values)
    proven = 0
    for tree, position in enumerate(positions):
        root = plain_search(position, evaluator, 60, 1.5)
        verdict = int(forest.verdicts[tree, 0])
        assert (None if verdict == ONGOING else verdict) == root.verdict
        assert forest.visits[tree, 0].tolist() == root.visits
        assert forest.totals[tree, 0].tolist() == pytest.approx(root.totals, abs=1e-4)
        proven += root.verdict is not None
    assert 0 < proven < 25


@pytest.mark.parametrize("leaves", [1, 4, 8])
def test_virtual_losses_are_taken_back(evaluator: Evaluator, positions: PositionBatch, leaves: int) -> None:
    forest = new_forest(positions.own, positions.occupied, 50, leaves)
    own = np.zeros(len(positions) * leaves, np.int64)
    occupied = np.zeros_like(own)
    while count := collect(forest, FIRST_FOUR, 1.5, own, occupied):
        answers = evaluator(own[:count], occupied[:count])
        absorb(forest, own, occupied, answers.probabilities, answers.values)
    done = 50 - forest.budgets
    unfinished = forest.verdicts[:, 0] == ONGOING
    assert np.array_equal(forest.visits[:, 0].sum(axis=1), done)
    assert (done[unfinished] == 50).all()
    assert (np.abs(forest.totals) <= forest.visits + 1e-3).all()
    assert (forest.children >= 0).all()
    for tree in np.flatnonzero(unfinished)[:50]:
        for column in range(7):
            child = forest.children[tree, 0, column]
            if child and forest.verdicts[tree, child] == ONGOING:
                below = forest.totals[tree, child].sum()
                total = -forest.values[tree, child] - below
                assert forest.totals[tree, 0, column] == pytest.approx(total, abs=1e-3)


def test_verdicts_are_true(evaluator: Evaluator) -> None:
    """Where the search is certain, a full search of the rest of the game agrees."""
    rng = random.Random(8)
    drawn = (random_position(rng, plies=40) for _ in range(3000))
    positions = [position for position in drawn if position.ply >= 30]
    batch = PositionBatch.of(positions)
    forest = PolicySearchAgent(evaluator, simulations=400).search(batch)
    full = c4agents.make("alphabeta:eval=outcome,depth=42")
    certain = np.flatnonzero(forest.verdicts[:, 0] != ONGOING)
    assert len(certain) > 20
    for tree in certain:
        best = max(score for score in full.analyse(positions[tree]).scores if score is not None)
        assert np.sign(best) == forest.verdicts[tree, 0]
