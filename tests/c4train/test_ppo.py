"""PPO: advantages by their definition, the games it plays, and that it learns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from c4agents.policy.planes import to_legal
from c4env.position import PositionBatch
from c4env.selfplay import SelfPlay, Step
from c4train.ppo import JUDGED, KEPT, LADDER, Ppo, PpoConfig, advantages
from c4train.session import agent_of


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


class Leftmost:
    """A bot that is known by its moves: always the first column with room."""

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        columns: npt.NDArray[np.integer[Any]] = to_legal(positions.occupied).argmax(axis=1)
        return columns


class Witness(SelfPlay):
    """Games that remember what was played in them, and what the trainer's openings then were."""

    def watch(self, trainer: Ppo) -> Witness:
        self.trainer = trainer
        self.seen: list[dict[str, npt.NDArray[Any]]] = []
        return self

    def step(self, actions: npt.ArrayLike) -> Step:
        before = self.positions()
        step = super().step(actions)
        ply = np.array([int(stones).bit_count() for stones in before.occupied])
        self.seen.append(
            {
                "own": before.own,
                "occupied": before.occupied,
                "columns": np.array(actions),
                "ply": ply,
                "opening": ply < self.trainer.opening,
                "bots": ply % 2 == self.trainer.bot_seat,
                "reward": step.reward,
                "done": step.done,
            }
        )
        return step

    def everything(self) -> dict[str, npt.NDArray[Any]]:
        """All plies, [T, N]."""
        return {name: np.stack([ply[name] for ply in self.seen]) for name in self.seen[0]}


def watched(config: PpoConfig) -> tuple[Ppo, Witness]:
    trainer = Ppo(config)
    trainer._bots = [Leftmost()] * len(LADDER)
    trainer.games = games = Witness(config.games).watch(trainer)
    return trainer, games


def test_it_learns_from_its_own_moves_and_no_others() -> None:
    trainer, games = watched(SMALL)
    for _ in range(4):
        games.seen.clear()
        batch = trainer._play()
        played = games.everything()
        own = ~played["opening"] & ~played["bots"]
        assert own.any(axis=0).all()
        for name in ("own", "occupied", "columns"):
            assert np.array_equal(batch[name], played[name][own])
        bots = played["bots"] & ~played["opening"]
        leftmost = to_legal(played["occupied"][bots]).argmax(axis=1)
        assert np.array_equal(played["columns"][bots], leftmost)
        assert ((batch["chances"] > 0) & (batch["chances"] <= 1)).all()
    # A bot has a seat in four fifths of the games, the first in as many as the second.
    assert [int((trainer.bot_seat == seat).sum()) for seat in (-1, 0, 1)] == [6, 13, 13]


def test_without_discount_it_learns_the_results_of_its_games() -> None:
    """Of games that end while watched: +1 at the plies of the side that won, -1 at the other's, 0 in a draw."""
    trainer, games = watched(PpoConfig(games=32, plies=48, channels=4, width=16, discount=1.0, trace=1.0))
    batch = trainer._play()
    played = games.everything()
    results = np.full(played["own"].shape, np.nan)
    for game in range(32):
        for t in reversed(range(48)):
            if played["done"][t, game]:
                results[t, game] = played["reward"][t, game]
            elif t < 47:
                results[t, game] = -results[t + 1, game]
    expected = results[~played["opening"] & ~played["bots"]]
    ended = ~np.isnan(expected)
    assert ended.sum() > 200
    assert batch["returns"][ended] == pytest.approx(expected[ended], abs=1e-4)


def test_it_climbs_when_it_wins() -> None:
    trainer = Ppo(SMALL)
    trainer.recent = [1.0] * 240 + [0.0] * 160
    trainer._climb()
    assert trainer.rung == 0
    trainer.recent = [1.0] * (JUDGED - 1)
    trainer._climb()
    assert trainer.rung == 0
    trainer.recent = [1.0] * 220 + [0.5] * 100 + [0.0] * 80
    trainer._climb()
    assert trainer.rung == 1
    assert trainer.recent == []
    trainer.rung, trainer.recent = len(LADDER) - 1, [1.0] * JUDGED
    trainer._climb()
    assert trainer.rung == len(LADDER) - 1


def test_the_ladder_is_a_setting() -> None:
    """Its last bot is the hardest; a bot that does not exist is refused."""
    trainer = Ppo(replace(SMALL, ladder=("random", "rules")))
    trainer.recent = [1.0] * JUDGED
    trainer._climb()
    assert trainer.rung == 1
    trainer.recent = [1.0] * JUDGED
    trainer._climb()
    assert trainer.rung == 1
    with pytest.raises(ValueError, match="nobody"):
        Ppo(replace(SMALL, ladder=("nobody",)))


def test_new_games_are_against_the_highest_bots_and_judged_by_the_highest() -> None:
    trainer = Ppo(SMALL)
    trainer.rung = 4
    trainer.bot[:] = np.arange(32) % 6
    ended = np.ones(32, np.bool_)
    judged = int(((trainer.bot == 4) & (trainer.bot_seat >= 0)).sum())
    trainer._note_ends(np.ones(32, np.float32), ended)
    assert len(trainer.recent) == judged
    for _ in range(20):
        assert set(trainer.bot.tolist()) <= set(range(4 - KEPT + 1, 5))
        trainer._note_ends(np.zeros(32, np.float32), ended)


def random_positions(count: int) -> PositionBatch:
    """Positions 6 to 24 plies into random games."""
    rng = np.random.default_rng(5)
    games = SelfPlay(count)
    kept: list[PositionBatch] = []
    for ply in range(24):
        legal = to_legal(games.positions().occupied)
        games.step(np.where(legal, rng.random(legal.shape), -1).argmax(axis=1))
        if ply >= 6:
            kept.append(games.positions())
    return PositionBatch(np.concatenate([b.own for b in kept]), np.concatenate([b.occupied for b in kept]))


def winning_columns(positions: PositionBatch) -> npt.NDArray[np.bool_]:
    """Where the side to move wins at once, [B, 7], by playing every column."""
    answer = np.zeros((len(positions), 7), np.bool_)
    for index, position in enumerate(positions):
        for column in position.legal:
            answer[index, column] = position.play(column).winner == position.player
    return answer


def test_it_learns_to_win_and_to_block_in_one() -> None:
    trainer = Ppo(
        PpoConfig(
            games=128, plies=16, channels=8, width=32, minibatch=256, bot_share=0.0, learning_rate=3e-3, discount=0.9
        )
    )
    positions = random_positions(60)
    wins = winning_columns(positions)
    blocks = winning_columns(PositionBatch(positions.own ^ positions.occupied, positions.occupied))
    can_win = wins.any(axis=1)
    must_block = ~can_win & (blocks.sum(axis=1) == 1)
    assert can_win.sum() > 100 < must_block.sum()

    def shares() -> tuple[float, float]:
        columns = agent_of(trainer.network).act_batch(positions)
        rows = np.arange(len(columns))
        return float(wins[rows, columns][can_win].mean()), float(blocks[rows, columns][must_block].mean())

    assert max(shares()) < 0.5
    for _ in range(20):
        trainer.advance(0.0)
    assert min(shares()) > 0.85


def test_it_learns_to_beat_random() -> None:
    trainer = Ppo(PpoConfig(games=64, plies=16, channels=8, width=32, bot_share=1.0, total_steps=1, promotion=2.0))
    trainer.network.train()
    for _ in range(25):
        figures = trainer.advance(0.0)
    assert figures["bot_points"] > 0.75
