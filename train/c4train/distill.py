"""Imitation of the solver: on a dataset, on what the network itself reaches (DAgger), and where it leaks.

A move is right if it preserves the game's outcome; the loss is the log of the probability on all right moves, plus
a smaller term for the fastest win or longest defence, plus the outcome itself. Positions the network gets wrong are
looked for all the time and shown more often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from c4agents.agent import Agent
from c4agents.arena.exact import NO_SCORE, Oracle, solver
from c4agents.arena.perfect import PerfectPlayer
from c4agents.jobs import Crew
from c4agents.policy.agent import PolicyAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import HALF, by_column
from c4agents.policy.planes import to_legal, to_planes
from c4env.bitboard import CELLS
from c4train.asking import CrewOracle
from c4train.dataset import Dataset, boards_of, flattened, outcomes_of, plies_of
from c4train.labels import Boards, Scores
from c4train.leaks import walk
from c4train.reach import STRONG, Preserving, bots, opening_keys, reached_keys
from c4train.run import random_state, set_random_state
from c4train.session import SharedOutConfig

_FULL: Final = -100
"""Stands for the outcome of a column without room."""


@dataclass(frozen=True)
class DistillConfig(SharedOutConfig):
    """Imitation of the solver, then of its answers to whatever the network itself runs into."""

    data: tuple[str, ...] = ("data/positions",)
    """Datasets to learn from, as c4 dataset build makes them."""
    book_plies: int = 7
    """Learn all positions of at most this many stones, too: the opening book has their scores; -1 for none."""
    channels: int = 96
    """Network: detectors that look at each band of five columns."""
    features: int = 48
    """Network: what the second layer makes of them, for each band."""
    width: int = 160
    """Network: size of each half of a hidden layer."""
    blocks: int = 2
    """Network: hidden layers after the first."""
    batch: int = 1024
    """Positions per gradient step."""
    updates: int = 200
    """Gradient steps between two looks at the clock."""
    learning_rate: float = 2e-3
    """AdamW's step size; falls to a hundredth along a cosine."""
    weight_decay: float = 1e-4
    """AdamW's pull to zero."""
    best_weight: float = 0.15
    """Weight of preferring the fastest win and the longest defence."""
    outcome_weight: float = 0.5
    """Weight of predicting win, draw or loss."""
    columns_weight: float = 1.0
    """Weight of predicting win, draw or loss after each column, by a head that is not part of the policy: it makes the
    network see why a move is right, which helps where there are few positions to learn from."""
    balance: float = 0.33
    """How much the number of positions with so many stones counts in how often these are drawn: 1 draws all positions
    equally often, 0 all numbers of stones."""
    error_share: float = 0.25
    """Share of each batch that is drawn from positions the network got wrong; falls to none over the run, as in the end
    those are few and cannot be learned without harm to the rest."""
    probe: int = 20_000
    """Positions looked at for errors after each round of updates."""
    dagger_every: int = 10
    """Rounds of updates between two rounds of play whose positions are labelled and added; 0 for none."""
    dagger_games: int = 2048
    """Games in such a round, against bots, perfect play with and without noise, and itself."""
    dagger_positions: int = 10_000
    """Most positions added in such a round: those that the network is least sure of."""
    first_ply: int = 12
    """Positions with fewer stones take the solver long: few of them are added."""
    early_positions: int = 150
    """Most positions of fewer than --first-ply stones added in such a round."""
    strong_games: int = 1024
    """Further games in such a round, against alpha-beta of depth 8 with every evaluation; positions are added as many
    as of the others, and of fewer than --first-ply stones, too."""
    perfect_games: int = 256
    """Further games in such a round, from the empty board, among the network and perfect play with the longest
    defence; all of their positions are added."""
    leaks_every: int = 20
    """Rounds of updates between two walks for leaks; 0 for none."""
    leaks_from: float = 0.2
    """Share of the run after which these begin: a network that knows little leaks everywhere."""
    leaks_layer: int = 20_000
    """Most positions of a ply in such a walk."""
    leaks_positions: int = 20_000
    """Most positions added after such a walk: its leaks, then where the network was least sure."""


class ColumnOutcomes(nn.Module):
    """A head that says what becomes of each column, only to teach the network.

    Args:
        width: Size of each half of the network's last pair.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sides = nn.Linear(width, 3 * (HALF + 1))
        self.slant = nn.Linear(width, 3 * HALF, bias=False)

    def forward(self, u: Tensor, v: Tensor) -> Tensor:
        """Logits of win, draw and loss after each column, [B, 7, 3]."""
        return by_column(self.sides(u + v).unflatten(1, (-1, 3)), self.slant(u - v).unflatten(1, (-1, 3)))


def column_loss(logits: Tensor, scores: Scores) -> Tensor:
    """Cross-entropy of the outcome after each column [B, 7, 3], averaged over all columns with room."""
    results = np.where(scores == NO_SCORE, _FULL, 1 - np.sign(scores)).astype(np.int64)
    return functional.cross_entropy(logits.flatten(0, 1), torch.from_numpy(results).flatten(), ignore_index=_FULL)


def loss_of(
    logits: Tensor, outcome: Tensor, legal: Tensor, preserving: Tensor, best: Tensor, result: Tensor, config: Any
) -> tuple[Tensor, Tensor]:
    """The loss of each part, averaged over the batch: all of it, and that of preserving the outcome alone.

    Args:
        logits: Of the columns, [B, 7].
        outcome: Logits of win, draw, loss, [B, 3].
        legal: Columns with room, [B, 7].
        preserving: Columns that preserve the outcome, [B, 7].
        best: Columns with the highest score, [B, 7].
        result: The outcome: 0 win, 1 draw, 2 loss, [B].
        config: Has ``best_weight`` and ``outcome_weight``.
    """
    everything = torch.logsumexp(logits.masked_fill(~legal, -1e9), dim=1)
    right = (everything - torch.logsumexp(logits.masked_fill(~preserving, -1e9), dim=1)).mean()
    finest = (everything - torch.logsumexp(logits.masked_fill(~best, -1e9), dim=1)).mean()
    total = right + config.best_weight * finest + config.outcome_weight * functional.cross_entropy(outcome, result)
    return total, right


class Distill:
    """Learns from a dataset, and adds to it.

    Args:
        config: The settings.
        crew: Who answers for the solver; this process if not given. What is learned does not depend on it.
        oracle: The solver.

    Attributes:
        network: What is trained.
        step: Positions learned from.
    """

    shown = ("loss", "right", "positions")

    def __init__(self, config: DistillConfig, crew: Crew | None = None, oracle: Callable[[], Oracle] = solver) -> None:
        self.config = config
        self.network = config.new_network()
        self.columns = ColumnOutcomes(config.width)
        learned = [*self.network.parameters(), *self.columns.parameters()]
        self.optimizer = torch.optim.AdamW(learned, config.learning_rate, weight_decay=config.weight_decay)
        self.step = 0
        self.round = 0
        self.rng = np.random.default_rng(config.seed)
        self.errors = np.zeros(0, np.int64)
        """Indices of positions that the network got wrong when last looked at."""
        self._oracle = CrewOracle(oracle(), crew or Crew())
        self._strong: list[Agent] = []
        self._perfect: PerfectPlayer | None = None
        self._leaks: dict[str, float] = {}
        self.keys, self.scores, self._forbidden = _read_all(config.data)
        self._sort_by_ply()
        if config.book_plies >= 0:
            self._add(self._fresh(opening_keys(config.book_plies)))
        self._given = len(self.keys)

    def advance(self, done: float) -> dict[str, float]:
        """A round of updates, a look for errors, and, when it is due, a round of play."""
        config = self.config
        rate = config.learning_rate * max(0.01, 0.5 * (1 + math.cos(math.pi * min(done, 1))))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = right = 0.0
        for _ in range(config.updates):
            total, preserving = self._update(min(done, 1))
            loss, right = loss + total / config.updates, right + preserving / config.updates
        self.step += config.updates * config.batch
        self.round += 1
        accuracy = self._probe()
        if config.dagger_every and self.round % config.dagger_every == 0:
            self._play_and_label()
        if config.leaks_every and self.round % config.leaks_every == 0 and done >= config.leaks_from:
            self._leaks = self._walk_and_label()
        return {
            "loss": loss,
            "loss_right": right,
            "right": accuracy,
            "errors": float(len(self.errors)),
            "positions": float(len(self.keys)),
            **self._leaks,
        }

    def _update(self, done: float) -> tuple[float, float]:
        count = self.config.batch
        hard = min(int(count * self.config.error_share * (1 - done)), len(self.errors))
        chosen = self._draw(count)
        if hard:
            chosen[:hard] = self.errors[self.rng.integers(len(self.errors), size=hard)]
        own, occupied = boards_of(self.keys[chosen])
        planes = torch.from_numpy(to_planes(own, occupied)).float()
        legal = torch.from_numpy(to_legal(occupied))
        preserving, best, result = map(torch.from_numpy, outcomes_of(self.scores[chosen]))
        with self.config.arithmetic():
            pair = self.network.pair(planes)
            logits, outcome = self.network.answers(*pair)
            columns = self.columns(*pair)
        total, right = loss_of(logits.float(), outcome.float(), legal, preserving, best, result, self.config)
        total = total + self.config.columns_weight * column_loss(columns.float(), self.scores[chosen])
        self.optimizer.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(total.detach()), float(right.detach())

    def _sort_by_ply(self) -> None:
        """Note where the positions of each ply are, and how often each ply is drawn."""
        plies = plies_of(boards_of(self.keys)[1])
        self._by_ply = np.argsort(plies, kind="stable")
        self._counts = np.bincount(plies, minlength=CELLS)
        self._starts = np.cumsum(self._counts) - self._counts
        shares = np.where(self._counts > 0, self._counts ** float(self.config.balance), 0.0)
        self._shares = shares / shares.sum()

    def _draw(self, count: int) -> Boards:
        """Indices of ``count`` positions: a ply by its share, then any position of that ply."""
        plies = self.rng.choice(len(self._shares), count, p=self._shares)
        places = self._starts[plies] + (self.rng.random(count) * self._counts[plies]).astype(np.int64)
        drawn: Boards = self._by_ply[places]
        return drawn

    def _probe(self) -> float:
        """Look at some positions, and at the known errors, anew; returns the share of right moves among the former."""
        some = self._draw(min(self.config.probe, len(self.keys)))
        wrong = some[~self._is_right(some)]
        still = self.errors[~self._is_right(self.errors)]
        self.errors = np.union1d(wrong, still)
        return 1 - len(wrong) / len(some)

    def _is_right(self, chosen: Boards) -> Any:
        columns = Evaluator(self.network)(*boards_of(self.keys[chosen])).logits.argmax(axis=1)
        return outcomes_of(self.scores[chosen])[0][np.arange(len(chosen)), columns]

    def _play_and_label(self) -> None:
        """Play the network against all kinds of players and itself, and add the positions it is least sure of."""
        config = self.config
        evaluator = Evaluator(self.network)
        players: list[Agent] = [PolicyAgent(evaluator), PolicyAgent(evaluator), PolicyAgent(evaluator, temperature=1.0)]
        players += [Preserving(self._oracle), Preserving(self._oracle, noise=0.2), *bots()]
        self._add_reached(
            reached_keys(players, config.dagger_games, self.rng, shares=(0.0, 0.0, 0.05, 0.2), opening=10)
        )
        if config.strong_games:
            self._strong = self._strong or bots(STRONG)
            players = [players[0], *self._strong]
            self._add_reached(
                reached_keys(players, config.strong_games, self.rng, shares=(0.0, 0.02), opening=6, learner=True)
            )
        if config.perfect_games:
            self._perfect = self._perfect or PerfectPlayer(self._oracle)
            keys = reached_keys([players[0], self._perfect], config.perfect_games, self.rng, shares=(0.0,), opening=0)
            self._add(self._fresh(keys))

    def _add_reached(self, keys: Boards) -> None:
        """Add those of ``keys`` that the network is least sure of, apart for those that take the solver long."""
        config = self.config
        fresh = self._fresh(keys)
        late = plies_of(boards_of(fresh)[1]) >= config.first_ply
        self._add(self._least_sure(fresh[~late], config.early_positions))
        drawn = flattened(fresh[late], 4 * config.dagger_positions, self.rng)
        self._add(self._least_sure(drawn, config.dagger_positions))

    def _least_sure(self, keys: Boards, most: int) -> Boards:
        """Those of ``keys`` whose best column has the lowest chance, at most ``most``, sorted."""
        sure = Evaluator(self.network)(*boards_of(keys)).probabilities.max(axis=1)
        return np.sort(keys[np.argsort(sure, kind="stable")[:most]])

    def _walk_and_label(self) -> dict[str, float]:
        """Look for leaks from both seats, and add them and where the network was least sure; returns their shares."""
        config = self.config
        figures = {}
        for seat, name in enumerate(("first", "second")):
            walked = walk(Evaluator(self.network), self._oracle, seat, config.leaks_layer, self.rng)
            figures[f"leaks/{name}"] = float(walked.leaks.mean())
            order = np.argsort(walked.sure - 2 * walked.leaks, kind="stable")
            self._add(self._fresh(walked.keys[order], config.leaks_positions // 2))
        return figures

    def _fresh(self, keys: Boards, most: int | None = None) -> Boards:
        """The first ``most`` of ``keys`` that may be learned from and are not yet, sorted."""
        fresh = keys[~np.isin(keys, self.keys) & ~np.isin(keys, self._forbidden)]
        return np.unique(fresh[:most])

    def _add(self, keys: Boards) -> None:
        """Label positions and learn from them from now on."""
        if len(keys) == 0:
            return
        added = np.arange(len(self.keys), len(self.keys) + len(keys))
        self.keys = np.concatenate([self.keys, keys])
        self.scores = np.concatenate([self.scores, self._oracle.scores(*boards_of(keys))])
        self.errors = np.union1d(self.errors, added[~self._is_right(added)])
        self._sort_by_ply()

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, the positions that were added included."""
        return {
            "network": self.network.state_dict(),
            "columns": self.columns.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": random_state(self.rng),
            "round": self.round,
            "errors": torch.from_numpy(self.errors),
            "given": self._given,
            "leaks": self._leaks,
            "added_keys": torch.from_numpy(self.keys[self._given :].copy()),
            "added_scores": torch.from_numpy(self.scores[self._given :].copy()),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned. Data that have grown since are taken whole.

        Raises:
            ValueError: The data have become fewer since.
        """
        given = int(state["given"])
        if given > self._given:
            raise ValueError(f"the data have {self._given:,} positions, fewer than the run began with")
        self.network.load_state_dict(state["network"])
        self.columns.load_state_dict(state["columns"])
        self.optimizer.load_state_dict(state["optimizer"])
        set_random_state(self.rng, state["random"])
        self.step, self.round = int(state["step"]), int(state["round"])
        self._leaks = dict(state["leaks"])
        added, scores = state["added_keys"].numpy(), state["added_scores"].numpy()
        new = ~np.isin(added, self.keys)
        self.keys, self.scores = np.concatenate([self.keys, added[new]]), np.concatenate([self.scores, scores[new]])
        self._sort_by_ply()
        # In data that have grown the errors stand elsewhere; they will be found again.
        self.errors = state["errors"].numpy() if given == self._given else np.zeros(0, np.int64)


def _read_all(folders: Sequence[str]) -> tuple[Boards, Scores, Boards]:
    """Keys and scores of several datasets, each position once, and the keys that none of them may hold.

    Raises:
        ValueError: One of them is not there, or holds what another may not.
    """
    read = [Dataset(Path(folder)) for folder in folders]
    for folder, data in zip(folders, read, strict=True):
        if len(data) == 0:
            raise ValueError(f"there is no dataset in {folder}: make one with c4 dataset build {folder}")
    keys = np.concatenate([data.keys for data in read])
    scores = np.concatenate([data.scores for data in read])
    forbidden = np.unique(np.concatenate([data.forbidden for data in read]))
    if np.isin(forbidden, keys).any():
        raise ValueError(f"of {', '.join(folders)} one holds positions that another must not")
    _, once = np.unique(keys, return_index=True)
    once.sort()
    return keys[once], scores[once], forbidden
