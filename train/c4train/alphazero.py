"""AlphaZero: self-play with tree search, and a network that learns what the search found, from scratch.

The games are played by the running average of the network's weights over the last steps, which is stronger and
steadier than the weights themselves; it is also what is measured and saved.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from c4agents.jobs import Crew
from c4agents.policy.planes import to_legal, to_planes
from c4train.lessons import Samples
from c4train.run import random_state, set_random_state
from c4train.searched_games import SearchedGames, SearchedGamesConfig

FEWEST: Final = 20_000
"""Positions that are always kept, however few there were before them."""


@dataclass(frozen=True)
class AlphaZeroConfig(SearchedGamesConfig):
    """Self-play with tree search, from scratch: the network learns what the search finds. Uses no solver."""

    channels: int = 64
    """Network: detectors that look at each band of five columns."""
    features: int = 32
    """Network: what the second layer makes of them, for each band."""
    width: int = 160
    """Network: size of each half of a hidden layer."""
    blocks: int = 2
    """Network: hidden layers after the first."""
    memory: int = 300_000
    """Positions that are learned from: the latest, but no more than half of all there were."""
    reuse: float = 8.0
    """Times each position is learned from, on average."""
    batch: int = 512
    """Positions per gradient step."""
    learning_rate: float = 2e-3
    """AdamW's step size; falls to a fiftieth over the run."""
    weight_decay: float = 1e-4
    """AdamW's pull to zero."""
    average: float = 0.995
    """Share of the old average that a step leaves in the average of weights."""


class AlphaZero:
    """Plays, searches and learns.

    Args:
        config: The settings.
        crew: Who plays the games; this process if not given. What is learned does not depend on it.

    Attributes:
        network: The average of the weights: what plays, is measured and saved.
        learner: What is trained.
        step: Plies played.
        samples: What it learns from.
    """

    shown = ("policy_loss", "value_loss", "samples")

    def __init__(self, config: AlphaZeroConfig, crew: Crew | None = None) -> None:
        self.config = config
        self.crew = crew or Crew()
        self.learner = config.new_network()
        self.network = copy.deepcopy(self.learner).requires_grad_(False)
        self.optimizer = torch.optim.AdamW(
            self.learner.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self.step = 0
        self.rng = np.random.default_rng(config.seed)
        self.games = SearchedGames(config, config.seed + 1)
        self.samples = Samples.none()
        self._seen = 0
        self._owed = 0.0
        self._updates = 0

    def advance(self, done: float) -> dict[str, float]:
        """Play some plies of all games, and learn as often as their positions are owed."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.98 * min(done, 1))
        self.keep(self.games.play(self.network.eval(), self.crew))
        self.step += self.config.plies * self.config.games
        losses = []
        while self._owed >= self.config.batch:
            losses.append(self._learn())
            self._owed -= self.config.batch
        policy, value = np.mean(losses, axis=0).tolist() if losses else (0.0, 0.0)
        return {"policy_loss": policy, "value_loss": value, "samples": float(len(self.samples.own))}

    def keep(self, new: Samples) -> None:
        """Take up new positions to learn from, and forget the oldest."""
        self._seen += len(new.own)
        self._owed += self.config.reuse * len(new.own)
        limit = min(self.config.memory, max(FEWEST, self._seen // 2))
        self.samples = Samples.joined([self.samples, new]).last(limit)

    def _learn(self) -> tuple[float, float]:
        """One gradient step; returns the losses of policy and outcome."""
        chosen = self.rng.integers(len(self.samples.own), size=self.config.batch)
        occupied = self.samples.occupied[chosen]
        planes = torch.from_numpy(to_planes(self.samples.own[chosen], occupied)).float()
        with self.config.arithmetic():
            logits, outcome = self.learner(planes)
        logs = functional.log_softmax(logits.float().masked_fill(~torch.from_numpy(to_legal(occupied)), -1e9), dim=1)
        policy_loss = -(torch.from_numpy(self.samples.policies[chosen]) * logs).sum(dim=1).mean()
        value_loss = functional.cross_entropy(outcome.float(), torch.from_numpy(self.samples.outcomes[chosen]))
        self.optimizer.zero_grad()
        (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self._average()
        return float(policy_loss.detach()), float(value_loss.detach())

    def _average(self) -> None:
        """Move the average towards the weights; at first it is their mean, so that the start is soon forgotten."""
        self._updates += 1
        share = max(1 - self.config.average, 1 / self._updates)
        for mean, weights in zip(self.network.parameters(), self.learner.parameters(), strict=True):
            mean.lerp_(weights.detach(), share)

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        return {
            "network": self.network.state_dict(),
            "learner": self.learner.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": random_state(self.rng),
            "games": self.games.state(),
            "samples": [torch.from_numpy(array.copy()) for array in self.samples],
            "seen": self._seen,
            "owed": self._owed,
            "updates": self._updates,
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.network.load_state_dict(state["network"])
        self.learner.load_state_dict(state["learner"])
        self.optimizer.load_state_dict(state["optimizer"])
        set_random_state(self.rng, state["random"])
        self.games.load_state(state["games"])
        self.samples = Samples(*(tensor.numpy().copy() for tensor in state["samples"]))
        self.step, self._seen, self._updates = int(state["step"]), int(state["seen"]), int(state["updates"])
        self._owed = float(state["owed"])
