"""Games played by search: what is taken from them, and that it is true of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.puct import new_forest
from c4env.bitboard import LOST, ONGOING, WON
from c4env.position import Position, PositionBatch
from c4train.searched_games import Samples, SearchedGames, SearchedGamesConfig, lesson

TINY: dict[str, Any] = {"games": 16, "plies": 8, "simulations": 12, "quick_simulations": 4}


@pytest.fixture
def evaluator() -> Evaluator:
    return Evaluator(PolicyNetwork(NetworkConfig(4, 4, 16, 1)).eval())


def test_lesson_by_hand() -> None:
    """Two columns are tried, a third is proven to win for the other side, a fourth has no room left in the prior."""
    forest = new_forest(np.zeros(1, np.int64), np.zeros(1, np.int64), 8, 1)
    priors = np.array([[0.4, 0.2, 0.1, 0.1, 0.1, 0.1, 0]], np.float32)
    forest.visits[0, 0] = [6, 2, 1, 0, 0, 0, 0]
    forest.totals[0, 0] = [3, -1, 0.3, 0, 0, 0, 0]
    forest.children[0, 0, 2] = 1
    forest.verdicts[0, 1] = WON
    forest.values[0, 0] = 0.2
    policies, values = lesson(forest, priors, np.array([0]), 0.01)
    average = (0.4 * 0.5 + 0.2 * -0.5 + 0.1 * -1) / 0.7
    untried = (0.2 + 9 * average) / 10
    worth = [0.5, -0.5, -1, *[untried] * 4]
    weights = [max(p, 1e-6) * math.exp(0.01 * (50 + 6) * q) for p, q in zip(priors[0].tolist(), worth, strict=True)]
    expected = [weight / sum(weights) for weight in weights]
    assert policies[0].tolist() == pytest.approx(expected, rel=1e-4)
    assert values[0] == pytest.approx(sum(p * q for p, q in zip(expected, worth, strict=True)), rel=1e-4)


def test_lesson_of_certain_roots() -> None:
    """A won root teaches the winning column, a lost one what the search returned to."""
    forest = new_forest(np.zeros(2, np.int64), np.zeros(2, np.int64), 8, 1)
    forest.visits[:, 0] = [[1, 3, 0, 0, 0, 0, 0], [1, 3, 1, 1, 1, 1, 2]]
    forest.verdicts[:, 0] = [WON, LOST]
    policies, values = lesson(forest, np.full((2, 7), 1 / 7, np.float32), np.array([0, 1]), 0.1)
    assert policies.tolist() == pytest.approx(np.array([[1, 0, 0, 0, 0, 0, 0], [0.1, 0.3, *[0.1] * 4, 0.2]]))
    assert values.tolist() == [1, -1]


def test_samples_are_of_the_games_played(evaluator: Evaluator) -> None:
    """Positions are legal, only deep searches are kept, and outcomes and policies fit what is plain to see."""
    config = SearchedGamesConfig(**TINY)
    games = SearchedGames(config, 0)
    samples = Samples.joined([games.play(evaluator) for _ in range(12)])
    assert 100 < len(samples.own) < 12 * config.games * config.plies * 0.4
    assert samples.policies.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert samples.outcomes.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert samples.outcomes.min() >= 0
    winning = 0
    for index, position in enumerate(PositionBatch(samples.own, samples.occupied)):
        assert not position.is_over
        policy = samples.policies[index]
        assert set(np.flatnonzero(policy).tolist()) <= set(position.legal)
        wins = [column for column in position.legal if position.play(column).winner is not None]
        if wins:
            winning += 1
            assert policy[wins].max() == 1
            assert samples.outcomes[index].tolist() == [1, 0, 0]
    assert winning > 5


def test_outcomes_alternate_from_the_end_of_a_game() -> None:
    games = SearchedGames(SearchedGamesConfig(**TINY, search_share=0.25), 0)
    games._deep[3, :7] = True
    games._deep[3, 2] = False
    games._verdicts[3, 1] = WON  # the second player could have won, and the search knew it
    games._values[3, 4] = 0.5
    games._own[3, :7] = np.arange(7)
    samples = games._take(3, 6, 1)  # the side that moved at ply 6, the first player, won
    assert samples.own.tolist() == [0, 1, 3, 4, 5, 6]
    ours, theirs = [0.875, 0, 0.125], [0.125, 0, 0.875]
    assert samples.outcomes.tolist() == [ours, [1, 0, 0], theirs, [0.9375, 0, 0.0625], theirs, ours]
    drawn = games._take(3, 6, 0)
    assert drawn.outcomes[[0, 1]].tolist() == [[0.125, 0.75, 0.125], [1, 0, 0]]
    assert (games._verdicts[3, 2:] == ONGOING).all()


def test_games_begin_in_many_ways(evaluator: Evaluator) -> None:
    """Openings of all lengths occur, nothing in them is learned from, and without them games follow the search."""
    games = SearchedGames(SearchedGamesConfig(**TINY | {"games": 128, "plies": 1}, deep_share=1.0), 0)
    lengths = games._openings.copy()
    assert set(lengths.tolist()) == set(range(7))
    for _ in range(7):
        games.play(evaluator)
    for game, length in enumerate(lengths):
        assert not games._deep[game, :length].any()
        assert games._deep[game, length:6].all()
    never = SearchedGames(SearchedGamesConfig(**TINY, opening=0, random_plies=0, deep_share=0.0), 0)
    never.play(evaluator)
    assert len(set(never._games.positions())) == 1


def test_random_plies_cannot_throw_away_what_is_proven(evaluator: Evaluator) -> None:
    games = SearchedGames(SearchedGamesConfig(**TINY | {"plies": 1}, opening=0, random_plies=42), 0)
    games._games.restore(PositionBatch.of([Position.from_moves("112233")] * 16))
    samples = games.play(evaluator)
    assert games._games.positions().occupied.max() == 0  # all have won and begun again
    assert (samples.policies.argmax(axis=1) == 3).all()


def test_state_goes_on_exactly(evaluator: Evaluator) -> None:
    first = SearchedGames(SearchedGamesConfig(**TINY), 0)
    for _ in range(3):
        first.play(evaluator)
    torch.save(first.state(), "state.pt")
    second = SearchedGames(SearchedGamesConfig(**TINY), 9)
    second.load_state(torch.load("state.pt", weights_only=True))
    for _ in range(3):
        for mine, theirs in zip(first.play(evaluator), second.play(evaluator), strict=True):
            assert np.array_equal(mine, theirs)
