"""PPO: advantages by their definition, the games it plays, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest

from c4env.bitboard import popcount
from c4train.ppo import LADDER, Ppo, PpoConfig, advantages


def naive_advantage(
    rewards: np.ndarray, values: np.ndarray, done: np.ndarray, last: float, discount: float, trace: float, t: int
) -> float:
    """The sum over later plies of (discount * trace)^k times the error of each, signs alternating."""
    total, weight = 0.0, 1.0
    for k in range(t, len(rewards)):
        following = last if k + 1 == len(rewards) else values[k + 1]
        error = rewards[k] - values[k] - (0.0 if done[k] else discount * following)
        total += weight * error
        if done[k]:
            break
        weight *= -discount * trace
    return total


@pytest.mark.parametrize(("discount", "trace"), [(1.0, 1.0), (0.9, 0.8), (0.99, 0.0)])
def test_advantages_by_definition(discount: float, trace: float) -> None:
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=(2, 20, 5)).astype(np.float32)
    done = rng.random((20, 5)) < 0.2
    last = rng.normal(size=5).astype(np.float32)
    found = advantages(rewards, values, done, last, discount, trace)
    for t in range(20):
        for game in range(5):
            column = (rewards[:, game], values[:, game], done[:, game], float(last[game]))
            assert found[t, game] == pytest.approx(naive_advantage(*column, discount, trace, t), abs=1e-4)


def test_without_discount_returns_are_the_results() -> None:
    """A game of five plies won by its last move: +1 for the winner's plies, -1 for the loser's."""
    values = np.random.default_rng(1).normal(size=(5, 1)).astype(np.float32)
    rewards = np.array([[0], [0], [0], [0], [1]], np.float32)
    done = np.array([[False]] * 4 + [[True]])
    returns = advantages(rewards, values, done, np.array([9.0], np.float32), 1.0, 1.0) + values
    assert returns[:, 0] == pytest.approx([1, -1, 1, -1, 1], abs=1e-5)


SMALL = PpoConfig(games=32, plies=12, channels=4, width=16, opening=4, total_steps=10_000)


def test_what_it_plays_is_what_it_says() -> None:
    trainer = Ppo(SMALL)
    for _ in range(4):
        before = trainer.games.positions()
        batch = {name: array.reshape(12, 32) for name, array in trainer._play().items()}
        assert np.array_equal(batch["own"][0], before.own)
        ply = np.vectorize(popcount)(batch["occupied"])
        bot = ply % 2 == trainer.bot_seat
        assert not (batch["learned"] & bot).any()
        assert batch["learned"].any(axis=0).all()
        assert (batch["learned"] | bot | (ply < 4)).all()
        assert ((batch["chances"] > 0) & (batch["chances"] <= 1))[batch["learned"]].all()
    assert np.array_equal(trainer.ply, np.vectorize(popcount)(trainer.games.positions().occupied))


def test_it_climbs_when_it_wins() -> None:
    trainer = Ppo(SMALL)
    trainer.recent = [1.0] * 300 + [0.0] * 100
    trainer._climb()
    assert trainer.rung == 0
    trainer.recent = [1.0] * 340 + [0.5] * 60
    trainer._climb()
    assert trainer.rung == 1
    assert trainer.recent == []
    assert trainer._bot.name == LADDER[1]  # type: ignore[attr-defined]


def test_it_learns_to_beat_random() -> None:
    trainer = Ppo(PpoConfig(games=64, plies=16, channels=8, width=32, bot_share=1.0, total_steps=1, promotion=2.0))
    trainer.network.train()
    for _ in range(25):
        figures = trainer.advance(0.0)
    assert figures["bot_points"] > 0.75
