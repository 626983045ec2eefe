"""Masked PPO by self-play and against a ladder of bots, from scratch.

All games run in one compiled batch in which every ply is one step. In some games the learner moves for both sides,
in others a bot has one of the seats; a harder one joins as soon as the learner beats the hardest so far. What is
good for one side is bad for the other, so values and advantages change sign from ply to ply.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

import c4agents
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.planes import to_legal, to_planes
from c4env.opponents import Opponent, ask
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay
from c4train.run import random_state, set_random_state
from c4train.session import CommonConfig

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

LADDER: Final = ("random", "rules", "alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=3", "alphabeta:depth=4")
"""The bots to climb unless others are given, weakest first."""
KEPT: Final = 4
"""Bots that are played at a time: the highest reached, and those just below it lest they be forgotten."""
JUDGED: Final = 400
"""Games against the highest bot by which the next one is earned."""


@dataclass(frozen=True)
class PpoConfig(CommonConfig):
    """Masked PPO by self-play and against a ladder of bots that get harder as it wins. Uses no solver."""

    games: int = 512
    """Games played at once."""
    plies: int = 32
    """Plies of each between two updates."""
    bot_share: float = 0.8
    """Share of the games in which a bot has one of the seats."""
    ladder: tuple[str, ...] = LADDER
    """The bots, weakest first, as c4 agents lists them."""
    promotion: float = 0.65
    """Share of the points, over the last 400 games against the hardest bot so far, at which a harder one joins."""
    opening: int = 6
    """Games begin with up to this many random plies, from which nothing is learned."""
    learning_rate: float = 1.5e-3
    """Adam's step size; falls to a tenth over the run."""
    epochs: int = 2
    """Times an update goes over its plies."""
    minibatch: int = 1024
    """Plies per gradient step."""
    discount: float = 0.99
    """Worth of a result one ply later."""
    trace: float = 0.9
    """GAE's lambda: 1 waits for the result, 0 trusts the value of the next ply."""
    clip: float = 0.2
    """How far the chance of a move may change in an update, as a ratio."""
    entropy: float = 0.06
    """Reward for undecided play; falls to a tenth over the run."""
    value_weight: float = 1.0
    """Weight of the value's loss."""
    gradient_limit: float = 1.0
    """Longest gradient."""


def advantages(
    rewards: Floats, values: Floats, done: Flags, last_values: Floats, discount: float, trace: float
) -> Floats:
    """Generalised advantages of alternating plies, [T, N].

    With V for the side to move, the ply after is worth -V to the side that moved, so
    ``delta = r - discount * V' - V`` and ``A = delta - discount * trace * A'``; both stop at the end of a game.

    Args:
        rewards: For the side that moved, [T, N].
        values: Value for the side to move before each ply, [T, N].
        done: Whether the ply ended its game, [T, N].
        last_values: Value for the side to move after the last ply, [N].
        discount: Worth of one ply later.
        trace: Lambda.
    """
    result = np.zeros_like(rewards)
    following, next_values = np.zeros_like(last_values), last_values
    for t in reversed(range(len(rewards))):
        goes_on = discount * ~done[t]
        following = rewards[t] - goes_on * next_values - values[t] - goes_on * trace * following
        result[t] = following
        next_values = values[t]
    return result


class Ppo:
    """Plays and learns.

    Attributes:
        network: What is trained.
        step: Plies played.
        rung: Index in the ladder of the hardest bot so far.
        recent: Points of the last games against it.
    """

    shown = ("rung", "bot_points", "entropy")

    def __init__(self, config: PpoConfig) -> None:
        self.config = config
        self.network = config.new_network()
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)
        self.step = 0
        self.rung = 0
        self.recent: list[float] = []
        self.rng = np.random.default_rng(config.seed)
        n = config.games
        self.games = SelfPlay(n)
        self.ply = np.zeros(n, np.int64)
        self.opening = self.rng.integers(config.opening + 1, size=n)
        self.bot_seat = np.where(np.arange(n) < config.bot_share * n, np.arange(n) % 2, -1)
        """Seat of the bot in each game, -1 where the learner has both."""
        self.bot = np.zeros(n, np.int64)
        """Index in the ladder of each game's bot."""
        self.streams = self.rng.integers(2**63, size=n)
        self._bots: list[Opponent] = [c4agents.make(spec) for spec in config.ladder]

    def advance(self, done: float) -> dict[str, float]:
        """Play ``plies`` plies of all games and learn from them."""
        decay = 1 - 0.9 * done
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * decay
        batch = self._play()
        figures = self._learn(batch, self.config.entropy * decay)
        self.step += self.config.games * self.config.plies
        self._climb()
        points = float(np.mean(self.recent)) if self.recent else 0.5
        return {**figures, "rung": float(self.rung), "bot_points": points}

    def _play(self) -> dict[str, npt.NDArray[Any]]:
        """Play, and return the learner's own plies: arrays [B] of positions, columns and what came of them."""
        config, n = self.config, self.config.games
        evaluate = Evaluator(self.network)
        shape = (config.plies, n)
        own, occupied = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        columns, chances = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
        values, rewards = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        done, learned = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        for t in range(config.plies):
            positions = self.games.positions()
            own[t], occupied[t] = positions.own, positions.occupied
            evaluation = evaluate(positions.own, positions.occupied)
            columns[t] = (evaluation.logits + self.rng.gumbel(size=(n, 7))).argmax(axis=1)
            opening = self.ply < self.opening
            bots_turn = (self.ply % 2 == self.bot_seat) & ~opening
            self._random_moves(positions, opening, columns[t])
            self._bot_moves(positions, bots_turn, columns[t])
            learned[t] = ~opening & ~bots_turn
            chances[t] = evaluation.probabilities[np.arange(n), columns[t]]
            values[t] = evaluation.values
            _, _, rewards[t], done[t], _ = self.games.step(columns[t])
            self._note_ends(rewards[t], done[t])
        last = self.games.positions()
        last_values = evaluate(last.own, last.occupied).values
        gains = advantages(rewards, values, done, last_values, config.discount, config.trace)
        batch: dict[str, npt.NDArray[Any]] = {
            "own": own,
            "occupied": occupied,
            "columns": columns,
            "chances": chances,
            "advantages": gains,
            "returns": gains + values,
        }
        return {name: array[learned] for name, array in batch.items()}

    def _random_moves(self, positions: PositionBatch, where: Flags, columns: npt.NDArray[np.int64]) -> None:
        draws = np.where(to_legal(positions.occupied), self.rng.random((len(positions), 7)), -1.0)
        columns[where] = draws.argmax(axis=1)[where]

    def _bot_moves(self, positions: PositionBatch, where: Flags, columns: npt.NDArray[np.int64]) -> None:
        answers = np.zeros(len(positions), np.int8)
        for index in np.unique(self.bot[where]).tolist():
            waiting = where & (self.bot == index)
            ask(self._bots[index], positions.own, positions.occupied, waiting, self.streams, answers, positions.rules)
        columns[where] = answers[where]

    def _note_ends(self, rewards: Floats, done: Flags) -> None:
        """Count results against the hardest bot, and give ended games a new opening and a new bot."""
        judged = done & (self.bot_seat >= 0) & (self.bot == self.rung)
        moved_last = self.ply % 2 != self.bot_seat
        results = np.where(moved_last, rewards, -rewards)[judged]
        self.recent = [*self.recent, *((results + 1) / 2).tolist()][-JUDGED:]
        self.ply = np.where(done, 0, self.ply + 1)
        ended = int(done.sum())
        self.opening[done] = self.rng.integers(self.config.opening + 1, size=ended)
        self.bot[done] = self.rng.integers(max(0, self.rung + 1 - KEPT), self.rung + 1, size=ended)

    def _climb(self) -> None:
        won = len(self.recent) == JUDGED and np.mean(self.recent) >= self.config.promotion
        if won and self.rung + 1 < len(self._bots):
            self.rung += 1
            self.recent = []

    def _learn(self, batch: dict[str, npt.NDArray[Any]], entropy_weight: float) -> dict[str, float]:
        """PPO's updates: the clipped objective, the error of the values, and the reward for undecided play."""
        config = self.config
        gains = batch["advantages"]
        mean, deviation = float(gains.mean()), float(gains.std()) + 1e-8
        totals = {"policy_loss": 0.0, "value_loss": 0.0, "entropy": 0.0, "change": 0.0}
        updates = 0
        for _ in range(config.epochs):
            order = self.rng.permutation(len(gains))
            for part in np.array_split(order, math.ceil(len(order) / config.minibatch)):
                sample = {name: torch.from_numpy(array[part]) for name, array in batch.items()}
                planes = torch.from_numpy(to_planes(batch["own"][part], batch["occupied"][part])).float()
                legal = torch.from_numpy(to_legal(batch["occupied"][part]))
                with config.arithmetic():
                    logits, outcome = self.network(planes)
                logs = functional.log_softmax(logits.float().masked_fill(~legal, -1e9), dim=1)
                new = logs.gather(1, sample["columns"][:, None])[:, 0]
                ratio = (new - sample["chances"].clamp_min(1e-9).log()).exp()
                gain = (sample["advantages"] - mean) / deviation
                clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
                policy_loss = -torch.minimum(ratio * gain, clipped * gain).mean()
                entropy = -(logs.exp() * logs).sum(dim=1).mean()
                chances = outcome.float().softmax(dim=1)
                value_loss = functional.mse_loss(chances[:, 0] - chances[:, 2], sample["returns"])
                loss = policy_loss + config.value_weight * value_loss - entropy_weight * entropy
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), config.gradient_limit)
                self.optimizer.step()
                updates += 1
                for name, value in (("policy_loss", policy_loss), ("value_loss", value_loss), ("entropy", entropy)):
                    totals[name] += float(value.detach())
                totals["change"] += float((ratio.detach() - 1).abs().mean())
        return {name: total / updates for name, total in totals.items()}

    def state(self) -> dict[str, Any]:
        """All that is needed to go on."""
        positions = self.games.positions()
        arrays = {
            "own": positions.own,
            "occupied": positions.occupied,
            "ply": self.ply,
            "opening": self.opening,
            "bot": self.bot,
            "streams": self.streams,
        }
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": random_state(self.rng),
            "rung": self.rung,
            "recent": self.recent,
            "games": {name: torch.from_numpy(array.copy()) for name, array in arrays.items()},
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` returned."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        set_random_state(self.rng, state["random"])
        self.step, self.rung, self.recent = int(state["step"]), int(state["rung"]), list(state["recent"])
        arrays = {name: tensor.numpy().copy() for name, tensor in state["games"].items()}
        self.games.restore(PositionBatch(arrays["own"], arrays["occupied"]))
        self.ply, self.opening = arrays["ply"], arrays["opening"]
        self.bot, self.streams = arrays["bot"], arrays["streams"]
