"""Imitation of the solver, first on positions of a dataset, then on those the network itself reaches (DAgger).

A move is right if it preserves the game's outcome; the loss is the log of the probability on all right moves, plus
a smaller term for the fastest win or longest defence, plus the outcome itself. Positions the network gets wrong are
looked for all the time and shown more often.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from c4agents.arena.exact import solver
from c4agents.policy.agent import PolicyAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import PolicyNetwork
from c4agents.policy.planes import to_legal, to_planes
from c4train.dataset import (
    Boards,
    Dataset,
    Labeller,
    boards_of,
    flattened,
    forbidden_keys,
    outcomes_of,
    plies_of,
)
from c4train.reach import bots, reached_keys
from c4train.run import random_state, set_random_state
from c4train.session import CommonConfig


@dataclass(frozen=True)
class DistillConfig(CommonConfig):
    """Imitation of the solver, then of its answers to whatever the network itself runs into."""

    data: str = "data/positions"
    """Dataset to learn from, as c4 dataset build makes it."""
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
    best_weight: float = 0.25
    """Weight of preferring the fastest win and the longest defence."""
    outcome_weight: float = 0.5
    """Weight of predicting win, draw or loss."""
    error_share: float = 0.25
    """Share of each batch that is drawn from positions the network got wrong."""
    probe: int = 20_000
    """Positions looked at for errors after each round of updates."""
    dagger_every: int = 0
    """Rounds of updates between two rounds of play whose positions are labelled and added; 0 for none."""
    dagger_games: int = 512
    """Games in such a round."""
    dagger_positions: int = 2000
    """Most positions added in such a round: those that the network is least sure of."""
    first_ply: int = 8
    """Positions with fewer stones are not added: without an opening book they take the solver long."""


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

    Attributes:
        network: What is trained.
        step: Positions learned from.
    """

    shown = ("loss", "right", "positions")

    def __init__(self, config: DistillConfig, labeller: Callable[[], Labeller] = solver) -> None:
        self.config = config
        self.network = PolicyNetwork(config.network())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self.step = 0
        self.round = 0
        self.rng = np.random.default_rng(config.seed)
        self.errors = np.zeros(0, np.int64)
        """Indices of positions that the network got wrong when last looked at."""
        self._labeller = labeller
        given = Dataset(Path(config.data))
        if len(given) == 0:
            raise ValueError(f"there is no dataset in {config.data}: make one with c4 dataset build {config.data}")
        self.keys, self.scores = given.keys, given.scores
        self._given = len(given)

    def advance(self, done: float) -> dict[str, float]:
        """A round of updates, a look for errors, and, when it is due, a round of play."""
        config = self.config
        rate = config.learning_rate * max(0.01, 0.5 * (1 + math.cos(math.pi * min(done, 1))))
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss = right = 0.0
        for _ in range(config.updates):
            total, preserving = self._update()
            loss, right = loss + total / config.updates, right + preserving / config.updates
        self.step += config.updates * config.batch
        self.round += 1
        accuracy = self._probe()
        if config.dagger_every and self.round % config.dagger_every == 0:
            self._play_and_label()
        return {
            "loss": loss,
            "loss_right": right,
            "right": accuracy,
            "errors": float(len(self.errors)),
            "positions": float(len(self.keys)),
        }

    def _update(self) -> tuple[float, float]:
        count = self.config.batch
        hard = min(int(count * self.config.error_share), len(self.errors))
        chosen = self.rng.integers(len(self.keys), size=count)
        if hard:
            chosen[:hard] = self.errors[self.rng.integers(len(self.errors), size=hard)]
        own, occupied = boards_of(self.keys[chosen])
        planes = torch.from_numpy(to_planes(own, occupied)).float()
        legal = torch.from_numpy(to_legal(occupied))
        preserving, best, result = map(torch.from_numpy, outcomes_of(self.scores[chosen]))
        logits, outcome = self.network(planes)
        total, right = loss_of(logits, outcome, legal, preserving, best, result, self.config)
        self.optimizer.zero_grad()
        total.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(total.detach()), float(right.detach())

    def _probe(self) -> float:
        """Look at some positions, and at the known errors, anew; returns the share of right moves among the former."""
        some = self.rng.integers(len(self.keys), size=min(self.config.probe, len(self.keys)))
        wrong = some[~self._is_right(some)]
        still = self.errors[~self._is_right(self.errors)]
        self.errors = np.union1d(wrong, still)
        return 1 - len(wrong) / len(some)

    def _is_right(self, chosen: Boards) -> Any:
        columns = Evaluator(self.network)(*boards_of(self.keys[chosen])).logits.argmax(axis=1)
        return outcomes_of(self.scores[chosen])[0][np.arange(len(chosen)), columns]

    def _play_and_label(self) -> None:
        """Play the network against bots and itself, and add the positions it is least sure of."""
        config = self.config
        evaluator = Evaluator(self.network)
        players = [PolicyAgent(evaluator), PolicyAgent(evaluator, temperature=1.0), *bots()]
        keys = reached_keys(players, config.dagger_games, self.rng, shares=(0.0, 0.0, 0.05, 0.2))
        late = keys[plies_of(boards_of(keys)[1]) >= config.first_ply]
        fresh = np.setdiff1d(np.setdiff1d(late, self.keys), forbidden_keys())
        fresh = flattened(fresh, 4 * config.dagger_positions, self.rng)
        sure = evaluator(*boards_of(fresh)).probabilities.max(axis=1)
        self._add(np.sort(fresh[np.argsort(sure)[: config.dagger_positions]]))

    def _add(self, keys: Boards) -> None:
        """Label positions and learn from them from now on."""
        if len(keys) == 0:
            return
        added = np.arange(len(self.keys), len(self.keys) + len(keys))
        self.keys = np.concatenate([self.keys, keys])
        self.scores = np.concatenate([self.scores, self._labeller().scores(*boards_of(keys))])
        self.errors = np.union1d(self.errors, added[~self._is_right(added)])

    def state(self) -> dict[str, Any]:
        """All that is needed to go on, the positions that were added included."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": random_state(self.rng),
            "round": self.round,
            "errors": torch.from_numpy(self.errors),
            "given": self._given,
            "added_keys": torch.from_numpy(self.keys[self._given :].copy()),
            "added_scores": torch.from_numpy(self.scores[self._given :].copy()),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned.

        Raises:
            ValueError: The dataset has become smaller since.
        """
        given = int(state["given"])
        if given > self._given:
            raise ValueError(f"{self.config.data} has {self._given:,} positions, fewer than the run began with")
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        set_random_state(self.rng, state["random"])
        self.step, self.round = int(state["step"]), int(state["round"])
        self.errors = state["errors"].numpy()
        self._given = given
        self.keys = np.concatenate([self.keys[:given], state["added_keys"].numpy()])
        self.scores = np.concatenate([self.scores[:given], state["added_scores"].numpy()])
