"""AlphaZero: what it takes from its games and searches, that it learns, and exact resume."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from c4agents.policy.puct import new_forest
from c4env.bitboard import ONGOING, WON
from c4env.position import PositionBatch
from c4train.alphazero import AlphaZero, AlphaZeroConfig, Samples, visit_shares
from c4train.session import agent_of
from tests.c4agents.oracle import random_position

TINY: dict[str, Any] = {
    "games": 16,
    "plies": 8,
    "simulations": 12,
    "quick_simulations": 4,
    "channels": 4,
    "width": 16,
    "batch": 32,
    "total_steps": 10_000,
}


def test_visit_shares_by_hand() -> None:
    forest = new_forest(np.zeros(2, np.int64), np.zeros(2, np.int64), 8, 1)
    forest.visits[:, 0] = [[2, 0, 0, 6, 0, 0, 0], [1, 3, 0, 0, 0, 0, 0]]
    forest.verdicts[1, 0] = WON
    shares = visit_shares(forest, np.array([3, 0]))
    assert shares.tolist() == [[0.25, 0, 0, 0.75, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0]]


def test_samples_are_of_the_games_played() -> None:
    """Positions are legal, only deep searches are kept, and results fit who won or what the search proved."""
    trainer = AlphaZero(AlphaZeroConfig(**TINY))
    for _ in range(6):
        trainer.advance(0.0)
    samples = trainer.samples
    assert 50 < len(samples.own) < trainer.step * 0.4
    assert samples.policies.sum(axis=1) == pytest.approx(1, abs=1e-5)
    for position, policy in zip(PositionBatch(samples.own, samples.occupied), samples.policies, strict=True):
        assert not position.is_over
        assert set(np.flatnonzero(policy).tolist()) <= set(position.legal)
        wins = [column for column in position.legal if position.play(column).winner is not None]
        if wins:
            assert policy[wins].max() == 1
    assert set(samples.results.tolist()) <= {0, 1, 2}


def test_results_alternate_from_the_end_of_a_game() -> None:
    trainer = AlphaZero(AlphaZeroConfig(**TINY))
    trainer._deep[3, :7] = True
    trainer._deep[3, 2] = False
    trainer._verdicts[3, 0] = WON
    trainer._own[3, :7] = np.arange(7)
    trainer._keep(3, 6, 1)  # the side that moved at ply 6, the first player, won
    assert trainer.samples.own.tolist() == [0, 1, 3, 4, 5, 6]
    assert trainer.samples.results.tolist() == [0, 2, 2, 0, 2, 0]
    trainer._verdicts[3, 1] = WON  # the search knew that the second player could have won
    trainer._keep(3, 6, 0)
    assert trainer.samples.results[6:].tolist() == [0, 0, 1, 1, 1, 1]
    assert (trainer._verdicts[3, 3:] == ONGOING).all()


def test_memory_keeps_the_latest() -> None:
    def some(first: int, last: int) -> Samples:
        boards = np.arange(first, last)
        return Samples(boards, boards, np.zeros((last - first, 7), np.float32), boards)

    assert Samples.none().then(some(0, 5), 8).then(some(5, 10), 8).own.tolist() == list(range(2, 10))


def test_it_learns_to_win_in_one() -> None:
    """Far more often than before, it plays the winning column of positions it meets in its own games."""
    changes = {"games": 32, "simulations": 8, "deep_share": 1.0, "channels": 32, "width": 64, "batch": 128}
    trainer = AlphaZero(AlphaZeroConfig(**TINY | changes, learning_rate=5e-3))
    found = [_wins_found(trainer)]
    for _ in range(20):
        trainer.advance(0.0)
    trainer.network.eval()
    found.append(_wins_found(trainer))
    assert found[1] > max(0.5, 1.5 * found[0]), found


def _wins_found(trainer: AlphaZero) -> float:
    rng = random.Random(0)
    drawn = [random_position(rng) for _ in range(600)]
    ready = [p for p in drawn if any(p.play(column).winner is not None for column in p.legal)]
    columns = agent_of(trainer.network).act_batch(PositionBatch.of(ready))
    return float(np.mean([p.play(int(c)).winner is not None for p, c in zip(ready, columns, strict=True)]))


def test_resume_is_exact() -> None:
    first = AlphaZero(AlphaZeroConfig(**TINY))
    for _ in range(4):
        first.advance(0.1)
    torch.save({**first.state(), "step": first.step}, "state.pt")
    second = AlphaZero(AlphaZeroConfig(**TINY | {"seed": 9}))
    second.load_state(torch.load("state.pt", weights_only=True))
    for _ in range(3):
        assert first.advance(0.2) == second.advance(0.2)
    for mine, theirs in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)
