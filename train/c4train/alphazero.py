"""AlphaZero: self-play with tree search, and a network that learns what the search found, from scratch.

Hundreds of games run at once, so that the network is asked in batches. Most moves get a quick search, only to carry
the game on; a share of them gets a deep one with noise at the root, and only those are learned from. Where the
search is certain of the result, that is the value to learn, whatever became of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import PolicyNetwork
from c4agents.policy.planes import to_legal, to_planes
from c4agents.policy.puct import Forest, best_columns, new_forest
from c4agents.policy.search import grow
from c4env.bitboard import CELLS, COLUMNS, FIRST_FOUR, ONGOING
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay
from c4train.dataset import plies_of
from c4train.run import random_state, set_random_state
from c4train.session import CommonConfig

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class AlphaZeroConfig(CommonConfig):
    """Self-play with tree search, from scratch: the network learns what the search finds. Uses no solver."""

    channels: int = 64
    """Network: detectors that look at each band of five columns."""
    features: int = 32
    """Network: what the second layer makes of them, for each band."""
    width: int = 128
    """Network: size of each half of a hidden layer."""
    games: int = 256
    """Games played at once."""
    plies: int = 8
    """Plies of each between two rounds of learning."""
    simulations: int = 100
    """Positions searched for a move that is learned from."""
    quick_simulations: int = 20
    """Positions searched for any other."""
    deep_share: float = 0.25
    """Share of the moves that are learned from."""
    exploration: float = 1.5
    """Weight of the network's probabilities in the search."""
    noise: float = 0.25
    """Share of random noise in the root's probabilities of deep searches."""
    noise_shape: float = 1.0
    """How even the noise is: Dirichlet's parameter."""
    random_plies: int = 12
    """Plies in which moves are drawn by their visits; later the best is played."""
    memory: int = 200_000
    """Positions that are learned from: the latest."""
    reuse: float = 6.0
    """Times each position is learned from, on average."""
    batch: int = 512
    """Positions per gradient step."""
    learning_rate: float = 2e-3
    """AdamW's step size; falls to a tenth over the run."""
    weight_decay: float = 1e-4
    """AdamW's pull to zero."""


class Samples(NamedTuple):
    """Positions to learn from.

    Attributes:
        own: Stones of the side to move, [N].
        occupied: All stones, [N].
        policies: Share of the search's visits of each column, [N, 7].
        results: Outcome for the side to move: 0 win, 1 draw, 2 loss, [N].
    """

    own: npt.NDArray[np.int64]
    occupied: npt.NDArray[np.int64]
    policies: Floats
    results: npt.NDArray[np.int64]

    @classmethod
    def none(cls) -> Samples:
        """No positions."""
        boards = np.zeros(0, np.int64)
        return cls(boards, boards, np.zeros((0, COLUMNS), np.float32), boards)

    def then(self, other: Samples, limit: int) -> Samples:
        """These and ``other``, the last ``limit`` of them."""
        return Samples(*(np.concatenate([mine, theirs])[-limit:] for mine, theirs in zip(self, other, strict=True)))


def visit_shares(forest: Forest, columns: npt.NDArray[np.int64]) -> Floats:
    """Share of the visits of each column, [T, 7]; all on the column to play where the root's result is certain."""
    visits = forest.visits[:, 0].astype(np.float32)
    certain = forest.verdicts[:, 0] != ONGOING
    visits[certain] = 0
    visits[certain, columns[certain]] = 1
    shares: Floats = visits / visits.sum(axis=1, keepdims=True)
    return shares


class AlphaZero:
    """Plays, searches and learns.

    Attributes:
        network: What is trained.
        step: Plies played.
        samples: What it learns from.
    """

    shown = ("policy_loss", "value_loss", "samples")

    def __init__(self, config: AlphaZeroConfig) -> None:
        self.config = config
        self.network = PolicyNetwork(config.network())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), config.learning_rate, weight_decay=config.weight_decay
        )
        self.step = 0
        self.rng = np.random.default_rng(config.seed)
        self.games = SelfPlay(config.games)
        self.samples = Samples.none()
        self._owed = 0.0
        # What each running game will be learned from, by ply, once its result is known.
        shape = (config.games, CELLS)
        self._own, self._occupied = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self._policies = np.zeros((*shape, COLUMNS), np.float32)
        self._verdicts = np.full(shape, ONGOING, np.int8)
        self._deep = np.zeros(shape, np.bool_)

    def advance(self, done: float) -> dict[str, float]:
        """Play some plies of all games, and learn as often as their positions are owed."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.9 * min(done, 1))
        self.network.eval()
        for _ in range(self.config.plies):
            self._play()
        self.step += self.config.plies * self.config.games
        self.network.train()
        losses = []
        while self._owed >= self.config.batch:
            losses.append(self._learn())
            self._owed -= self.config.batch
        policy, value = np.mean(losses, axis=0).tolist() if losses else (0.0, 0.0)
        return {"policy_loss": policy, "value_loss": value, "samples": float(len(self.samples.own))}

    def _play(self) -> None:
        """One ply of every game."""
        config = self.config
        positions = self.games.positions()
        ply = plies_of(positions.occupied)
        deep = self.rng.random(config.games) < config.deep_share
        forest = self._search(positions, deep)
        columns = np.zeros(config.games, np.int64)
        best_columns(forest, FIRST_FOUR, columns)
        shares = visit_shares(forest, columns)
        game = np.arange(config.games)
        self._own[game, ply], self._occupied[game, ply] = positions.own, positions.occupied
        self._policies[game, ply], self._deep[game, ply] = shares, deep
        self._verdicts[game, ply] = forest.verdicts[:, 0]
        drawn = (np.log(np.maximum(shares, 1e-12)) + self.rng.gumbel(size=shares.shape)).argmax(axis=1)
        played = np.where(ply < config.random_plies, drawn, columns)
        step = self.games.step(played)
        for ended in np.flatnonzero(step.done):
            self._keep(int(ended), int(ply[ended]), int(step.reward[ended]))

    def _search(self, positions: PositionBatch, deep: npt.NDArray[np.bool_]) -> Forest:
        config = self.config
        evaluator = Evaluator(self.network)
        forest = new_forest(positions.own, positions.occupied, config.simulations, 1)
        forest.budgets[:] = 0
        grow(forest, evaluator, FIRST_FOUR, config.exploration)
        legal = to_legal(positions.occupied)
        noise = self.rng.gamma(config.noise_shape, size=legal.shape).astype(np.float32) * legal
        noise /= noise.sum(axis=1, keepdims=True)
        mixed = (1 - config.noise) * forest.priors[:, 0] + config.noise * noise
        forest.priors[:, 0] = np.where(deep[:, None], mixed, forest.priors[:, 0])
        forest.budgets[:] = np.where(deep, config.simulations, config.quick_simulations)
        grow(forest, evaluator, FIRST_FOUR, config.exploration)
        return forest

    def _keep(self, game: int, last: int, reward: int) -> None:
        """Take up the deep searches of a game that ended with ``reward`` for the side that moved at ply ``last``."""
        plies = np.flatnonzero(self._deep[game, : last + 1])
        played_out = np.where((last - plies) % 2 == 0, reward, -reward)
        verdicts = self._verdicts[game, plies]
        values = np.where(verdicts == ONGOING, played_out, verdicts)
        new = Samples(
            self._own[game, plies],
            self._occupied[game, plies],
            self._policies[game, plies],
            (1 - values).astype(np.int64),
        )
        self.samples = self.samples.then(new, self.config.memory)
        self._owed += self.config.reuse * len(plies)

    def _learn(self) -> tuple[float, float]:
        """One gradient step; returns the losses of policy and outcome."""
        chosen = self.rng.integers(len(self.samples.own), size=self.config.batch)
        occupied = self.samples.occupied[chosen]
        planes = torch.from_numpy(to_planes(self.samples.own[chosen], occupied)).float()
        logits, outcome = self.network(planes)
        logs = functional.log_softmax(logits.masked_fill(~torch.from_numpy(to_legal(occupied)), -1e9), dim=1)
        policy_loss = -(torch.from_numpy(self.samples.policies[chosen]) * logs).sum(dim=1).mean()
        value_loss = functional.cross_entropy(outcome, torch.from_numpy(self.samples.results[chosen]))
        self.optimizer.zero_grad()
        (policy_loss + value_loss).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(policy_loss.detach()), float(value_loss.detach())

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        positions = self.games.positions()
        arrays = {**self.samples._asdict(), **{f"_{name}": array for name, array in self._pending().items()}}
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": random_state(self.rng),
            "owed": self._owed,
            "games": [torch.from_numpy(positions.own), torch.from_numpy(positions.occupied)],
            "arrays": {name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        set_random_state(self.rng, state["random"])
        self.step, self._owed = int(state["step"]), float(state["owed"])
        self.games.restore(PositionBatch(*(board.numpy() for board in state["games"])))
        arrays = {name: tensor.numpy().copy() for name, tensor in state["arrays"].items()}
        self.samples = Samples(*(arrays[name] for name in Samples._fields))
        for name, array in self._pending().items():
            array[:] = arrays[f"_{name}"]

    def _pending(self) -> dict[str, npt.NDArray[Any]]:
        """What is remembered of running games."""
        return {
            "own": self._own,
            "occupied": self._occupied,
            "policies": self._policies,
            "verdicts": self._verdicts,
            "deep": self._deep,
        }
