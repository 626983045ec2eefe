"""The search loop: trees offer positions, the network answers, until every tree is finished."""

from __future__ import annotations

import numpy as np

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.puct import Forest, absorb, collect


def grow(forest: Forest, evaluator: Evaluator, rules: int, exploration: float) -> None:
    """Spend the budgets of all trees, each until its root is certain; with no budget a tree gets its root evaluated."""
    own = np.zeros(forest.lengths.size, np.int64)
    occupied = np.zeros_like(own)
    while count := collect(forest, rules, exploration, own, occupied):
        evaluation = evaluator(own[:count], occupied[:count])
        absorb(forest, own, occupied, evaluation.probabilities, evaluation.values)
