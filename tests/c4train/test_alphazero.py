"""AlphaZero: what it keeps, that it learns, same seed same weights, and exact resume."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from c4agents.policy.weights import load_policy
from c4env.position import PositionBatch
from c4train import alphazero, methods
from c4train.alphazero import AlphaZero, AlphaZeroConfig
from c4train.lessons import Samples
from c4train.session import agent_of
from tests.c4agents.oracle import random_position

TINY: dict[str, Any] = {
    "games": 16,
    "plies": 8,
    "simulations": 12,
    "quick_simulations": 4,
    "channels": 4,
    "features": 4,
    "width": 16,
    "blocks": 1,
    "batch": 32,
    "eval_games": 2,
}


def same(mine: torch.nn.Module, theirs: torch.nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(mine.parameters(), theirs.parameters(), strict=True))


def test_memory_keeps_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    """All at first, then the last half of what came, never more than its size; each is owed ``reuse`` times."""
    monkeypatch.setattr(alphazero, "FEWEST", 4)
    trainer = AlphaZero(AlphaZeroConfig(**TINY, memory=8, reuse=3))

    def kept_after(first: int, last: int) -> list[int]:
        boards, count = np.arange(first, last), last - first
        trainer.keep(Samples(boards, boards, np.zeros((count, 7), np.float32), np.zeros((count, 3), np.float32)))
        return trainer.samples.own.tolist()

    assert kept_after(0, 3) == [0, 1, 2]
    assert kept_after(3, 6) == [2, 3, 4, 5]
    assert kept_after(6, 12) == [6, 7, 8, 9, 10, 11]
    assert kept_after(12, 30) == list(range(22, 30))
    assert trainer._owed == 3 * 30


def test_the_network_is_the_average_of_the_learner() -> None:
    trainer = AlphaZero(AlphaZeroConfig(**TINY, average=0.75))
    means, weights = list(trainer.network.parameters()), list(trainer.learner.parameters())
    for number, expected in enumerate([8.0, 6.0, 4.0, 3.0], start=1):  # means of 8, 4, 0; then a quarter of the next
        with torch.no_grad():
            for weight in weights:
                weight.fill_([8.0, 4.0, 0.0, 0.0][number - 1])
        trainer._average()
        assert all(torch.allclose(mean, torch.full_like(mean, expected)) for mean in means)


def test_it_learns_a_few_positions_by_heart() -> None:
    rng = np.random.default_rng(0)
    boards = PositionBatch.of([random_position(random.Random(seed)) for seed in range(60)])
    policies = np.zeros((60, 7), np.float32)
    for index, position in enumerate(boards):
        policies[index, rng.choice(position.legal)] = 1
    outcomes = np.eye(3, dtype=np.float32)[rng.integers(3, size=60)]
    trainer = AlphaZero(AlphaZeroConfig(**TINY | {"channels": 32, "features": 16, "width": 64}, learning_rate=5e-3))
    trainer.keep(Samples(boards.own, boards.occupied, policies, outcomes))
    for _ in range(300):
        policy_loss, value_loss = trainer._learn()
    evaluation = agent_of(trainer.network).evaluator(boards.own, boards.occupied)
    assert (evaluation.logits.argmax(axis=1) == policies.argmax(axis=1)).all()
    assert (evaluation.outcomes.argmax(axis=1) == outcomes.argmax(axis=1)).all()
    assert max(policy_loss, value_loss) < 0.1


def test_it_learns_to_win_in_one() -> None:
    """Far more often than before, it plays the winning column of positions it has not met."""
    changes = {"games": 32, "simulations": 8, "channels": 32, "features": 16, "width": 64, "batch": 128}
    trainer = AlphaZero(AlphaZeroConfig(**TINY | changes, deep_share=1.0, learning_rate=5e-3))
    found = [_wins_found(trainer)]
    for _ in range(20):
        trainer.advance(0.0)
    found.append(_wins_found(trainer))
    assert found[1] > max(0.7, 1.5 * found[0]), found


def _wins_found(trainer: AlphaZero) -> float:
    rng = random.Random(0)
    drawn = [random_position(rng) for _ in range(600)]
    ready = [p for p in drawn if any(p.play(column).winner is not None for column in p.legal)]
    columns = agent_of(trainer.network).act_batch(PositionBatch.of(ready))
    return float(np.mean([p.play(int(c)).winner is not None for p, c in zip(ready, columns, strict=True)]))


def test_same_seed_same_weights() -> None:
    trainers = []
    for seed in (5, 5, 6):
        torch.manual_seed(seed)
        trainers.append(AlphaZero(AlphaZeroConfig(**TINY, seed=seed)))
        for _ in range(5):
            trainers[-1].advance(0.0)
    assert same(trainers[0].network, trainers[1].network)
    assert not same(trainers[0].network, trainers[2].network)
    assert not same(trainers[0].network, trainers[0].learner)


def test_resume_is_exact() -> None:
    first = AlphaZero(AlphaZeroConfig(**TINY))
    for _ in range(4):
        first.advance(0.1)
    torch.save({**first.state(), "step": first.step}, "state.pt")
    second = AlphaZero(AlphaZeroConfig(**TINY, seed=9))
    second.load_state(torch.load("state.pt", weights_only=True))
    for _ in range(3):
        assert first.advance(0.2) == second.advance(0.2)
    assert same(first.network, second.network)
    assert same(first.learner, second.learner)


def test_a_killed_run_ends_as_if_it_had_not_been() -> None:
    """Whoever played the games: one process, two, or two until it was killed and then one."""
    methods.run("alphazero", AlphaZeroConfig(**TINY, total_steps=1280, name="whole"))
    options = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()] + ["--workers=2"]
    program = "import sys; from c4play.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "train", "alphazero", *options, "--total-steps=1280", "--name=cut"]
    process = subprocess.Popen(command)
    folder = Path("runs/cut")
    while len(list((folder / "checkpoints").glob("*.pt"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (folder / "report.md").exists()
    assert methods.run("alphazero", AlphaZeroConfig(resume=folder)) == 0
    methods.run("alphazero", AlphaZeroConfig(**TINY, total_steps=1280, name="pair", workers=2))
    whole, cut, pair = (load_policy(Path(f"runs/{name}/policy.safetensors")) for name in ("whole", "cut", "pair"))
    assert same(whole.network, cut.network)
    assert same(whole.network, pair.network)
    assert cut.about["steps"] == "1280"
    settings = [json.loads(Path(f"runs/{name}/config.json").read_text()) for name in ("whole", "cut", "pair")]
    assert all({**one, "name": ""} == {**settings[0], "name": ""} for one in settings)
