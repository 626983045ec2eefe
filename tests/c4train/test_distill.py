"""Imitation: the loss by hand, errors that are found and shown again, and exact resume."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from c4agents.arena.exact import NO_SCORE
from c4agents.jobs import Crew
from c4train import dataset
from c4train.building import build
from c4train.dataset import Dataset, boards_of, outcomes_of
from c4train.distill import ColumnOutcomes, Distill, DistillConfig, column_loss, loss_of

TINY: dict[str, Any] = {
    "channels": 8,
    "width": 32,
    "blocks": 1,
    "batch": 128,
    "updates": 5,
    "probe": 200,
    "total_steps": 10_000,
    "book_plies": -1,
    "dagger_every": 0,
    "early_positions": 0,
    "strong_games": 0,
    "perfect_games": 0,
    "leaks_every": 0,
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    build(tmp_path / "data", 300, plies=(30, 38))
    return tmp_path / "data"


def test_loss_by_hand() -> None:
    """Chances 1/2, 1/4, 1/4 of three legal columns, of which the second and third are right and the third best."""
    logits = torch.tensor([[math.log(2), 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]])
    legal = torch.tensor([[True] * 3 + [False] * 4])
    right = torch.tensor([[False, True, True] + [False] * 4])
    best = torch.tensor([[False, False, True] + [False] * 4])
    outcome = torch.tensor([[0.0, 0.0, math.log(2)]])
    weights = SimpleNamespace(best_weight=0.25, outcome_weight=0.5)
    total, preserving = loss_of(logits, outcome, legal, right, best, torch.tensor([2]), weights)
    assert float(preserving) == pytest.approx(math.log(2))
    assert float(total) == pytest.approx(math.log(2) + 0.25 * math.log(4) + 0.5 * math.log(2))


def test_it_learns_its_dataset_by_heart(data: Path) -> None:
    trainer = Distill(DistillConfig(**TINY | {"updates": 60, "width": 64}, data=(str(data),)))
    for _ in range(8):
        figures = trainer.advance(0.3)
    assert figures["right"] == 1.0
    assert figures["errors"] == 0


def test_errors_are_what_it_gets_wrong(data: Path) -> None:
    trainer = Distill(DistillConfig(**TINY | {"probe": 1000}, data=(str(data),)))
    trainer.advance(0.0)
    from c4agents.policy.evaluator import Evaluator

    columns = Evaluator(trainer.network)(*boards_of(trainer.keys)).logits.argmax(axis=1)
    right = outcomes_of(trainer.scores)[0][np.arange(300), columns]
    assert set(trainer.errors.tolist()) <= set(np.flatnonzero(~right).tolist())
    assert len(trainer.errors) > 0


@pytest.mark.parametrize(("balance", "share"), [(1.0, 1 / 4), (0.5, 1 / (1 + 3**0.5)), (0.0, 1 / 2)])
def test_plies_are_drawn_by_their_share(data: Path, balance: float, share: float) -> None:
    """Three quarters of the positions have one number of stones, a quarter another."""
    trainer = Distill(DistillConfig(**TINY | {"balance": balance}, data=(str(data),)))
    plies = dataset.plies_of(boards_of(trainer.keys)[1])
    few, many = (np.flatnonzero(plies == ply)[:count] for ply, count in ((31, 8), (32, 24)))
    assert (len(few), len(many)) == (8, 24)
    kept = np.concatenate([few, many])
    trainer.keys, trainer.scores = trainer.keys[kept], trainer.scores[kept]
    trainer._sort_by_ply()
    drawn = trainer._draw(20_000)
    assert np.bincount(drawn, minlength=32).min() > 0
    assert (drawn < 8).mean() == pytest.approx(share, abs=0.02)


def test_games_against_perfect_play_are_learned_from_whole(data: Path) -> None:
    """Of the positions it adds, those with few stones come from games from the empty board."""
    play: dict[str, Any] = {"dagger_every": 1, "dagger_games": 2, "dagger_positions": 1, "perfect_games": 4}
    trainer = Distill(DistillConfig(**TINY | play, data=(str(data),)))
    trainer.advance(0.0)
    plies = dataset.plies_of(boards_of(trainer.keys[300:])[1])
    assert {8, 9, 10, 20} <= set(plies.tolist())
    assert not np.isin(trainer.keys, dataset.forbidden_keys()).any()


def test_column_loss_by_hand() -> None:
    """Of three columns with room one is seen rightly, one wrongly, one not at all; the others do not count."""
    logits = torch.zeros(1, 7, 3)
    logits[0, 0, 0] = logits[0, 1, 0] = 50.0
    scores = np.array([[4, -3, 0, NO_SCORE, NO_SCORE, NO_SCORE, NO_SCORE]], np.int8)
    assert float(column_loss(logits, scores)) == pytest.approx((0 + 50 + math.log(3)) / 3, abs=1e-4)


def test_outcomes_of_columns_are_mirrored_with_the_board() -> None:
    u, v = torch.randn(2, 5, 16)
    head = ColumnOutcomes(16)
    assert head(u, v).shape == (5, 7, 3)
    assert torch.equal(head(v, u), head(u, v).flip(1))


def test_games_against_strong_bots_are_learned_from(data: Path) -> None:
    """The network is to move in what they add, and it has both seats."""
    play: dict[str, Any] = {"dagger_every": 1, "dagger_games": 1, "dagger_positions": 50, "strong_games": 200}
    trainer = Distill(DistillConfig(**TINY | play | {"first_ply": 14}, data=(str(data),)))
    trainer.advance(0.0)
    plies = dataset.plies_of(boards_of(trainer.keys[300:])[1])
    assert len(plies) > 10
    assert {0, 1} == set((plies % 2).tolist())
    assert not np.isin(trainer.keys, dataset.forbidden_keys()).any()


def test_fewer_digits_learn_as_well(data: Path) -> None:
    """A few updates in bfloat16: not the same weights, and nearly the same losses."""
    figures = []
    for bfloat16 in (False, True):
        torch.manual_seed(0)
        trainer = Distill(DistillConfig(**TINY | {"updates": 60, "bfloat16": bfloat16}, data=(str(data),)))
        figures.append(trainer.advance(0.0)["loss"])
        assert all(weights.dtype == torch.float32 for weights in trainer.network.parameters())
    assert figures[0] != figures[1]
    assert figures[1] == pytest.approx(figures[0], rel=0.05)


def test_play_adds_positions_it_did_not_know(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late: dict[str, Any] = {"first_ply": 30, "dagger_every": 1, "dagger_games": 100, "dagger_positions": 60}
    trainer = Distill(DistillConfig(**TINY | late, data=(str(data),)))
    trainer.advance(0.0)
    added = trainer.keys[300:]
    assert len(added) > 5
    assert len(np.unique(trainer.keys)) == len(trainer.keys)
    assert (dataset.plies_of(boards_of(added)[1]) >= 30).all()
    monkeypatch.setattr(dataset, "forbidden_keys", lambda: np.unique(added))
    again = Distill(DistillConfig(**TINY | late, data=(str(data),)))
    again.advance(0.0)
    assert not np.isin(again.keys, added).any()


def test_resume_is_exact_with_added_positions(data: Path) -> None:
    late: dict[str, Any] = {"first_ply": 30, "dagger_every": 2, "dagger_games": 50, "dagger_positions": 40}
    first = Distill(DistillConfig(**TINY | late, data=(str(data),)))
    for _ in range(3):
        first.advance(0.1)
    torch.save({**first.state(), "step": first.step}, "state.pt")
    second = Distill(DistillConfig(**TINY | late | {"seed": 7}, data=(str(data),)))
    second.load_state(torch.load("state.pt", weights_only=True))
    for _ in range(3):
        assert first.advance(0.2) == second.advance(0.2)
    for mine, theirs in zip(first.network.parameters(), second.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_who_asks_the_solver_changes_nothing(data: Path) -> None:
    """Labels of positions from play and of leaks come from two processes as from one."""
    adding: dict[str, Any] = {"first_ply": 24, "dagger_every": 1, "dagger_games": 40, "dagger_positions": 60}
    adding |= {"leaks_every": 1, "leaks_from": 0.0, "leaks_layer": 15, "leaks_positions": 40}
    trainers = []
    for workers in (1, 2):
        torch.manual_seed(0)
        with Crew(workers) as crew:
            trainers.append(Distill(DistillConfig(**TINY | adding, data=(str(data),)), crew))
            for _ in range(2):
                trainers[-1].advance(0.1)
            assert crew.local or sum(tally.items for tally in crew.tallies.values()) > 100
    alone, shared = trainers
    assert len(alone.keys) > 350
    assert np.array_equal(alone.keys, shared.keys)
    assert np.array_equal(alone.scores, shared.scores)
    for mine, theirs in zip(alone.network.parameters(), shared.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_without_data_it_says_how_to_make_some(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="c4 dataset build"):
        Distill(DistillConfig(data=(str(tmp_path / "nothing"),)))
    assert len(Dataset(tmp_path / "nothing")) == 0
