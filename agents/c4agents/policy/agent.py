"""The agent ``policy``: a network that plays by itself, or with tree search on top."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from c4agents.agent import Analysis, check_not_over
from c4agents.policy.evaluator import Evaluation, Evaluator
from c4agents.policy.puct import UNSEEN, Forest, best_columns, new_forest
from c4agents.policy.search import grow
from c4agents.policy.weights import load_policy, shipped_path
from c4env.bitboard import COLUMNS, DRAWN, LOST, ONGOING, RULES, WON, canonical_key, key
from c4env.compiled import compiled
from c4env.position import Position, PositionBatch
from c4env.symmetry import mirror

LEAVES: Final = 8
"""Positions that one search offers the network at a time."""
TREES: Final = 256
"""Searches that run together."""


class PolicyAgent:
    """Plays the network's favourite column, or draws one if it has a temperature.

    Mirrored positions get mirrored answers, because the network is built that way.

    Attributes:
        name: Its spec string.
        evaluator: The network it asks.
        weights_sha256: Fingerprint of its weights file, if it came from one.
        temperature: 0 for the favourite; else columns are drawn with chances ~ probability^(1/temperature).
        deterministic: Whether the temperature is 0.
        mirror_consistent: Likewise.
    """

    def __init__(self, evaluator: Evaluator, *, name: str = "policy", temperature: float = 0.0, seed: int = 0) -> None:
        if temperature < 0:
            raise ValueError(f"temperature is a number of at least 0, not {temperature}")
        self.name = name
        self.evaluator = evaluator
        self.weights_sha256 = evaluator.sha256
        self.temperature = temperature
        self.deterministic = temperature == 0
        self.mirror_consistent = self.deterministic
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Restart its random numbers from ``seed``."""
        self._random = np.random.default_rng(seed)

    def act(self, position: Position) -> int:
        """The column it plays."""
        check_not_over(position)
        return int(self.act_batch(PositionBatch.of([position]))[0])

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The column for each position, shape [B]."""
        return self._pick(self.evaluator(positions.own, positions.occupied).logits)

    def analyse(self, position: Position) -> Analysis:
        """The network's chance of each column and its value of the position; the line is its play for both sides."""
        check_not_over(position)
        started = time.perf_counter()
        evaluation = self._evaluate(position)
        chances = evaluation.probabilities[0]
        column = int(self._pick(evaluation.logits)[0])
        line, after = [column], position.play(column)
        while not after.is_over:
            line.append(int(self._evaluate(after).logits[0].argmax()))
            after = after.play(line[-1])
        return Analysis(
            agent=self.name,
            column=column,
            scores=tuple(float(chances[c]) if c in position.legal else None for c in range(COLUMNS)),
            kind="probability",
            line=tuple(line),
            nodes=1,
            seconds=time.perf_counter() - started,
            value=float(evaluation.values[0]),
        )

    def _evaluate(self, position: Position) -> Evaluation:
        batch = PositionBatch.of([position])
        return self.evaluator(batch.own, batch.occupied)

    def _pick(self, logits: npt.NDArray[np.float32]) -> npt.NDArray[np.integer[Any]]:
        """The best column of each row [B, 7], or by temperature a drawn one."""
        if self.temperature > 0:
            # The largest of logits plus Gumbel noise is a draw from their softmax.
            logits = logits / np.float32(self.temperature) + self._random.gumbel(size=logits.shape).astype(np.float32)
        columns: npt.NDArray[np.integer[Any]] = logits.argmax(axis=1)
        return columns


class PolicySearchAgent:
    """PUCT search guided by a network.

    Attributes:
        name: Its spec string.
        evaluator: The network it asks.
        weights_sha256: Fingerprint of its weights file, if it came from one.
        simulations: Moves tried from a position before one is made.
        exploration: Weight of the network's probabilities against what the search has found.
    """

    deterministic = True
    mirror_consistent = True

    def __init__(
        self, evaluator: Evaluator, *, name: str = "policy", simulations: int = 200, exploration: float = 4.0
    ) -> None:
        if simulations < 1:
            raise ValueError(f"search is a whole number of at least 1, not {simulations}")
        self.name = name
        self.evaluator = evaluator
        self.weights_sha256 = evaluator.sha256
        self.simulations = simulations
        self.exploration = exploration

    def seed(self, seed: int) -> None:
        """It has no randomness."""

    def act(self, position: Position) -> int:
        """The most visited column, or one that is certain to be best."""
        check_not_over(position)
        return int(self.act_batch(PositionBatch.of([position]))[0])

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The column for each position, shape [B]."""
        upright, flipped = _canonical(positions)
        columns = np.zeros(len(positions), np.int64)
        for start in range(0, len(positions), TREES):
            part = slice(start, start + TREES)
            batch = PositionBatch(upright.own[part], upright.occupied[part], positions.rules)
            best_columns(self.search(batch), RULES[positions.rules], columns[part])
        return np.where(flipped, COLUMNS - 1 - columns, columns)

    def analyse(self, position: Position) -> Analysis:
        """Mean result and visits of every column; the line is the most visited."""
        check_not_over(position)
        started = time.perf_counter()
        upright, flipped = _canonical(PositionBatch.of([position]))
        forest = self.search(upright)
        columns = np.zeros(1, np.int64)
        best_columns(forest, RULES[position.rules], columns)
        order = range(COLUMNS)[::-1] if flipped[0] else range(COLUMNS)
        line = tuple(order[column] for column in _line(forest, int(columns[0])))
        return Analysis(
            agent=self.name,
            column=line[0],
            scores=tuple(_column_value(forest, column, int(columns[0])) for column in order),
            line=line,
            nodes=self.simulations - int(forest.budgets[0]),
            seconds=time.perf_counter() - started,
            visits=tuple(int(forest.visits[0, 0, column]) for column in order),
            value=_root_value(forest),
        )

    def search(self, positions: PositionBatch) -> Forest:
        """Search all positions together, and return their trees."""
        forest = new_forest(positions.own, positions.occupied, self.simulations, LEAVES)
        grow(forest, self.evaluator, RULES[positions.rules], self.exploration)
        return forest


@compiled
def _flipped(own: npt.NDArray[np.int64], occupied: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    flipped = np.empty(len(own), np.bool_)
    for index in range(len(own)):
        flipped[index] = canonical_key(own[index], occupied[index]) != key(own[index], occupied[index])
    return flipped


def _canonical(positions: PositionBatch) -> tuple[PositionBatch, npt.NDArray[np.bool_]]:
    """Of each position and its mirror image the one with the smaller key, and whether that is the image, [B].

    The search itself would tell left from right where columns are equally good.
    """
    flipped = _flipped(positions.own, positions.occupied)
    image = mirror(position=positions).position
    own = np.where(flipped, image.own, positions.own)
    occupied = np.where(flipped, image.occupied, positions.occupied)
    return PositionBatch(own, occupied, positions.rules), flipped


def _column_value(forest: Forest, column: int, best: int) -> float | None:
    """What the search found of a column of the first tree's root; None if it never tried it."""
    if column == best and forest.verdicts[0, 0] != ONGOING:
        return float(forest.verdicts[0, 0])
    child = int(forest.children[0, 0, column])
    verdict = int(forest.verdicts[0, child]) if child > UNSEEN else ONGOING
    if verdict in (LOST, DRAWN, WON):
        return float(-verdict)
    visits = int(forest.visits[0, 0, column])
    return float(forest.totals[0, 0, column]) / visits if visits else None


def _root_value(forest: Forest) -> float:
    verdict = int(forest.verdicts[0, 0])
    if verdict != ONGOING:
        return float(verdict)
    visits = int(forest.visits[0, 0].sum())
    return float(forest.totals[0, 0].sum()) / visits if visits else float(forest.values[0, 0])


def _line(forest: Forest, column: int) -> tuple[int, ...]:
    line = [column]
    node = int(forest.children[0, 0, column])
    while node > UNSEEN and forest.visits[0, node].any():
        line.append(int(forest.visits[0, node].argmax()))
        node = int(forest.children[0, node, line[-1]])
    return tuple(line)


def make_policy(
    *, name: str, path: str | None, search: int, temperature: float, exploration: float, seed: int
) -> PolicyAgent | PolicySearchAgent:
    """A policy agent from the options of its spec string; without a path its weights are the shipped ones."""
    policy = load_policy(shipped_path(name.partition(":")[0].strip()) if path is None else Path(path))
    evaluator = Evaluator(policy.network, policy.sha256)
    if search:
        if temperature:
            raise ValueError("policy: give either search or temperature, not both")
        return PolicySearchAgent(evaluator, name=name, simulations=search, exploration=exploration)
    return PolicyAgent(evaluator, name=name, temperature=temperature, seed=seed)
