"""Evaluation every so often during training, as a hook for any trainer, and as a Stable-Baselines3 callback."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents.agent import Agent, Analysis
from c4agents.arena.accuracy import judge
from c4agents.arena.labelled import LabelledPositions, evaluation_set
from c4agents.arena.match import play_match
from c4agents.arena.players import PlayerLike, player_name
from c4env.bitboard import COLUMNS, ROWS, STRIDE
from c4env.position import Position, PositionBatch


@dataclass
class PeriodicEvaluation:
    """Measures an agent whenever ``every`` steps have passed since the last time.

    Call it with the number of steps and the agent as often as convenient; it returns None, or the figures when they
    are due: ``accuracy/preserving``, ``accuracy/decisive``, ``accuracy/best``, ``accuracy/regret`` and
    ``score/NAME`` for each opponent, all to be logged as they are.

    Attributes:
        every: Steps between two measurements; the first is due at ``every``.
        opponents: Whom to play.
        games: Games against each, even.
        positions: Labelled positions to judge moves on; the shipped set if not given. None of them may be trained on.
        report: Called with steps and figures each time.
        seed: Decides the openings; the same each time, so that figures can be compared.
        history: All figures so far, by steps.

    Example:
        >>> hook = PeriodicEvaluation(every=10_000, opponents=("rules",), games=20)
        >>> for steps in range(0, 50_000, 1000):  # doctest: +SKIP
        ...     figures = hook(steps, agent)
    """

    every: int
    opponents: Sequence[PlayerLike] = ("random", "rules", "alphabeta:depth=4")
    games: int = 20
    positions: LabelledPositions | None = None
    report: Callable[[int, dict[str, float]], None] | None = None
    seed: int = 0
    history: dict[int, dict[str, float]] = field(default_factory=dict)
    _last: int = 0

    def __call__(self, steps: int, agent: PlayerLike) -> dict[str, float] | None:
        """The figures if they are due, else None."""
        if steps - self._last < self.every:
            return None
        self._last = steps
        figures = self.measure(agent)
        self.history[steps] = figures
        if self.report:
            self.report(steps, figures)
        return figures

    def measure(self, agent: PlayerLike) -> dict[str, float]:
        """The figures now."""
        judged = judge(agent, self.positions or evaluation_set(), seed=self.seed)
        everything = judged.accuracy()
        figures = {
            "accuracy/preserving": everything.preserving.share,
            "accuracy/best": everything.best.share,
            "accuracy/regret": everything.regret,
        }
        decisive = judged.positions.decisive
        if decisive is not None:
            figures["accuracy/decisive"] = judged.accuracy(decisive).preserving.share
        for opponent in self.opponents:
            match = play_match(agent, opponent, self.games, seed=self.seed)
            figures[f"score/{player_name(opponent)}"] = match.score().share
        return figures


class ModelAgent:
    """A Stable-Baselines3 model (PPO, DQN, MaskablePPO, ...) as an agent; plays its most likely legal column.

    The model must have been trained on observations of ``c4env`` environments: int8 [2, 6, 7], own stones first.
    A model without masks that prefers a full column plays the column with room nearest to it.

    Attributes:
        model: The model.
        name: What to call it.
    """

    deterministic = True
    mirror_consistent = False

    def __init__(self, model: Any, name: str = "model") -> None:
        self.model = model
        self.name = name
        self._masked = "Maskable" in type(model).__name__

    def seed(self, seed: int) -> None:
        """Nothing: it plays without randomness."""

    def act(self, position: Position) -> int:
        """Its column."""
        return int(self.act_batch(PositionBatch.of([position]))[0])

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """Its columns, shape [B]."""
        shape = (len(positions), 2, ROWS, COLUMNS)
        cells = STRIDE * np.arange(COLUMNS)[None, :] + np.arange(ROWS)[::-1, None]
        both = np.stack([positions.own, positions.own ^ positions.occupied], axis=1)
        observations = ((both[:, :, None, None] >> cells) & 1).astype(np.int8).reshape(shape)
        room = ((positions.occupied[:, None] >> (STRIDE * np.arange(COLUMNS) + ROWS - 1)) & 1) == 0
        if self._masked:
            columns, _ = self.model.predict(observations, action_masks=room, deterministic=True)
        else:
            columns, _ = self.model.predict(observations, deterministic=True)
        columns = np.asarray(columns, np.int64)
        distance = np.abs(np.arange(COLUMNS)[None, :] - columns[:, None]) + np.where(room, 0, 2 * COLUMNS)
        return np.asarray(distance.argmin(axis=1))

    def analyse(self, position: Position) -> Analysis:
        """Its move, without opinion on the columns."""
        started = time.perf_counter()
        column = self.act(position)
        return Analysis(self.name, column, (None,) * COLUMNS, seconds=time.perf_counter() - started)


def sb3_callback(evaluation: PeriodicEvaluation, agent: Callable[[Any], Agent] = ModelAgent) -> Any:
    """A callback for ``model.learn(..., callback=...)`` that logs the figures of ``evaluation``.

    They go to the model's logger under ``c4/``, and so to its TensorBoard.

    Args:
        evaluation: What to measure, and how often in time steps.
        agent: Makes an agent from the model.

    Raises:
        ImportError: Stable-Baselines3 is not installed.
    """
    try:
        from stable_baselines3.common.callbacks import BaseCallback
    except ImportError as error:
        raise ImportError('the callback needs Stable-Baselines3: pip install "c4env[sb3]"') from error

    class ArenaCallback(BaseCallback):  # type: ignore[misc]
        """Measures the model between rollouts."""

        def _on_step(self) -> bool:
            return True

        def _on_rollout_end(self) -> None:
            figures = evaluation(self.num_timesteps, agent(self.model))
            for name, value in (figures or {}).items():
                self.logger.record(f"c4/{name}", value)

    return ArenaCallback()
