"""Games played by search: what is taken from them, and that it is true of them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from c4agents.jobs import Crew
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.puct import new_forest
from c4env.bitboard import LOST, ONGOING, WON
from c4env.position import Position, PositionBatch
from c4train.lessons import Samples, Searched, lesson
from c4train.searched_games import Games, SearchedGames, SearchedGamesConfig, play_turn

TINY: dict[str, Any] = {"games": 16, "plies": 8, "simulations": 12, "quick_simulations": 4}


@pytest.fixture
def network() -> PolicyNetwork:
    return PolicyNetwork(NetworkConfig(4, 4, 16, 1)).eval()


def same(mine: Samples, theirs: Samples) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


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


def test_samples_are_of_the_games_played(network: PolicyNetwork) -> None:
    """Positions are legal, only deep searches are kept, and outcomes and policies fit what is plain to see."""
    config = SearchedGamesConfig(**TINY)
    games = SearchedGames(config, 0)
    samples = Samples.joined([games.play(network, Crew()) for _ in range(12)])
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
    ply = np.array([0, 1, 3, 4, 5, 6])
    verdicts = np.full(6, ONGOING, np.int8)
    verdicts[1] = WON  # the second player could have won, and the search knew it
    values = np.zeros(6, np.float32)
    values[3] = 0.5
    searched = Searched(np.full(6, 3), ply, ply, ply, np.zeros((6, 7), np.float32), values, verdicts)
    ours, theirs = [0.875, 0, 0.125], [0.125, 0, 0.875]
    won = searched.samples(np.where(ply % 2 == 0, 1, -1).astype(np.float32), 0.25)  # by the first player
    assert won.outcomes.tolist() == [ours, [1, 0, 0], theirs, [0.9375, 0, 0.0625], theirs, ours]
    drawn = searched.samples(np.zeros(6, np.float32), 0.25)
    assert drawn.outcomes[[0, 1]].tolist() == [[0.125, 0.75, 0.125], [1, 0, 0]]


def test_games_are_learned_from_when_they_end(network: PolicyNetwork) -> None:
    """By the winner as won and by the loser as lost, but for what was certain before; no ply twice or lost."""
    config = SearchedGamesConfig(**TINY | {"plies": 1}, deep_share=1.0, opening=0, search_share=0.0)
    games, crew = SearchedGames(config, 0), Crew()
    as_it_ended: list[bool] = []
    for _ in range(30):
        before = games.games.searched
        samples = games.play(network, crew)
        after = games.games.searched
        assert len(samples.own) + len(after.game) == len(before.game) + 16
        assert (np.bincount(after.game, minlength=16) == [bin(stones).count("1") for stones in _stones(games)]).all()
        for start, stop in pairwise([*np.flatnonzero(samples.occupied == 0), len(samples.own)]):
            plies = [bin(stones).count("1") for stones in samples.occupied[start:stop].tolist()]
            assert plies == list(range(stop - start))
            outcomes = samples.outcomes[start:stop].argmax(axis=1)[::-1]
            assert outcomes[0] in (0, 1)  # whoever moves last wins or draws
            as_it_ended += (
                outcomes == np.where(np.arange(stop - start) % 2 == 0, outcomes[0], 2 - outcomes[0])
            ).tolist()
    assert len(as_it_ended) > 200
    assert np.mean(as_it_ended) > 0.9


def _stones(games: SearchedGames) -> list[int]:
    stones: list[int] = games.games.occupied.tolist()
    return stones


def test_games_begin_in_many_ways(network: PolicyNetwork) -> None:
    """Openings of all lengths occur, nothing in them is learned from, and without them games follow the search."""
    games = SearchedGames(SearchedGamesConfig(**TINY | {"games": 128, "plies": 1}, deep_share=1.0), 0)
    lengths = games.games.openings
    assert set(lengths.tolist()) == set(range(7))
    for _ in range(7):
        games.play(network, Crew())
    assert set(games.games.openings.tolist()) == set(range(7))
    searched = games.games.searched
    for game in np.flatnonzero([bin(stones).count("1") == 7 for stones in _stones(games)]):
        assert searched.ply[searched.game == game].tolist() == list(range(lengths[game], 7))
    never = SearchedGames(SearchedGamesConfig(**TINY, opening=0, random_plies=0, deep_share=0.0), 0)
    never.play(network, Crew())
    assert len(set(_stones(never))) == 1


def test_random_plies_cannot_throw_away_what_is_proven(network: PolicyNetwork) -> None:
    config = SearchedGamesConfig(**TINY | {"plies": 1}, opening=0, random_plies=42, deep_share=1.0)
    ready = PositionBatch.of([Position.from_moves("112233")] * 16)
    none = np.zeros(16, np.int64)
    games = Games(0, np.arange(16), ready.own, ready.occupied, none, Searched.none())
    after, (samples,) = play_turn((config, 0, network), games)
    assert after.occupied.max() == 0  # all have won and begun again
    assert (samples.policies.argmax(axis=1) == 3).all()
    assert games.occupied.min() > 0  # what was given is as it was


@pytest.mark.parametrize("parts", [2, 3, 16, 40])
def test_how_games_are_divided_changes_nothing(network: PolicyNetwork, parts: int) -> None:
    config = SearchedGamesConfig(**TINY)
    whole, divided = Games.new(config, 5), Games.new(config, 5)
    for _ in range(8):
        whole, taught = play_turn((config, 5, network), whole)
        turns = [play_turn((config, 5, network), part) for part in divided.divided(parts)]
        assert len(turns) == min(parts, 16)
        divided = Games.joined([games for games, _ in turns])
        for ply, samples in enumerate(taught):
            assert same(samples, Samples.joined([theirs[ply] for _, theirs in turns]))
    assert np.array_equal(whole.own, divided.own)
    assert len(whole.searched.game) == len(divided.searched.game) > 0


def test_every_game_has_its_own_randomness(network: PolicyNetwork) -> None:
    games = SearchedGames(SearchedGamesConfig(**TINY | {"games": 64}, opening=0), 0)
    games.play(network, Crew())
    assert len(set(games.games.own.tolist())) > 50
    again = SearchedGames(SearchedGamesConfig(**TINY | {"games": 64}, opening=0), 1)
    again.play(network, Crew())
    assert not np.array_equal(games.games.own, again.games.own)


def test_state_goes_on_exactly(network: PolicyNetwork) -> None:
    first = SearchedGames(SearchedGamesConfig(**TINY), 0)
    for _ in range(3):
        first.play(network, Crew())
    torch.save(first.state(), "state.pt")
    second = SearchedGames(SearchedGamesConfig(**TINY), 9)
    second.load_state(torch.load("state.pt", weights_only=True))
    for _ in range(3):
        assert same(first.play(network, Crew()), second.play(network, Crew()))
