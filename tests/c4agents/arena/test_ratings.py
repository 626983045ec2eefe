"""Ratings and the ladder."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from c4agents.arena.intervals import share
from c4agents.arena.ladder import play_ladder
from c4agents.arena.ratings import rate

from .helpers import Scripted, hashed


def synthetic(elos: dict[str, float], openings: int, draws: float, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    names = list(elos)
    results = {}
    for i, j in itertools.combinations(range(len(names)), 2):
        expected = 1 / (1 + 10 ** ((elos[names[j]] - elos[names[i]]) / 400))
        results[i, j] = []
        for _ in range(openings):
            games = []
            for _ in range(2):
                half = min(expected, 1 - expected) * draws  # draws leave the expected points as they are
                roll = rng.random()
                games.append(1.0 if roll < expected - half else 0.5 if roll < expected + half else 0.0)
            results[i, j].append(games)
    return results


@pytest.mark.parametrize("draws", [0.0, 0.6])
def test_ratings_recover_order_and_gaps(draws):
    elos = {"middling": 250.0, "random": 0.0, "strong": 700.0, "good": 450.0}
    ratings = rate(list(elos), synthetic(elos, 1500, draws, 1))
    assert [rating.name for rating in ratings] == ["strong", "good", "middling", "random"]
    for rating in ratings:
        assert rating.elo == pytest.approx(elos[rating.name], abs=35)
        assert rating.low <= rating.elo <= rating.high
    assert ratings[-1].elo == 0
    assert all(rating.high - rating.low < 120 for rating in ratings)


def test_intervals_cover_the_truth_as_often_as_they_say():
    elos = {"random": 0.0, "other": 150.0}
    covered = 0
    for seed in range(60):
        other = rate(list(elos), synthetic(elos, 60, 0.3, seed), resamples=150, seed=seed)[0]
        low, high = (other.low, other.high) if other.name == "other" else (-1e9, -1e9)
        covered += low <= 150 <= high
    assert covered >= 50


def test_no_decisive_game_and_only_wins_stay_finite():
    ratings = rate(["random", "same", "better"], {(0, 1): [[0.5, 0.5]] * 10, (1, 2): [[0.0, 0.0]] * 10})
    by_name = {rating.name: rating for rating in ratings}
    assert by_name["same"].elo == pytest.approx(0, abs=1e-3)
    assert 300 < by_name["better"].elo < 1500
    assert all(np.isfinite([rating.elo, rating.low, rating.high]).all() for rating in ratings)


def test_without_the_anchor_the_lowest_is_zero():
    ratings = rate(["a", "b"], {(0, 1): [[1.0, 0.5]] * 5})
    assert ratings[-1].name == "b"
    assert ratings[-1].elo == 0


def test_agents_without_games_are_named():
    with pytest.raises(ValueError, match="without any so far: c"):
        rate(["a", "b", "c"], {(0, 1): [[1.0, 0.0]]})


def test_ladder_ranks_known_strengths_and_resumes(tmp_path):
    agents = ["rules", "random", "alphabeta:depth=4"]
    played = []
    first = play_ladder(agents, 12, folder=tmp_path, progress=lambda *at: played.append(at))
    assert [rating.name for rating in first.ratings] == ["alphabeta:depth=4", "rules", "random"]
    assert max(at[2] for at in played) == 36
    files = sorted(tmp_path.iterdir())
    assert len(files) == 3
    marked = json.loads(files[0].read_text())
    for game in marked["games"]:
        game["seconds"] = [7.0, 7.0]
    files[0].write_text(json.dumps(marked))
    files[1].write_text("{")  # as if the machine had died: played again
    again = play_ladder(agents, 12, folder=tmp_path)
    assert again.ratings == first.ratings
    assert sum(match.games[0].seconds == (7.0, 7.0) for match in again.matches.values()) == 1
    table = first.cross_table()
    for row, column in itertools.combinations(range(3), 2):
        assert table[row][column] + table[column][row] == pytest.approx(1)
        assert table[row][row] is None
    more = play_ladder([*agents, "minimax:depth=2"], 12, folder=tmp_path)
    assert len(more.matches) == 6
    assert len(list(tmp_path.iterdir())) == 6


def test_a_bad_agent_does_not_stop_the_ladder():
    def breaks(position):
        if position.ply > 6:
            raise RuntimeError("no more")
        return hashed(position)

    result = play_ladder([Scripted(breaks, "breaks"), "random", "rules"], 8)
    assert result.complete
    assert {failure.agent for failure in result.failures} == {"breaks"}
    assert result.ratings[-1].name == "breaks" or result.ratings[-1].score > 0


def test_shares():
    whole = share(8, 10)
    assert (round(whole.low, 4), round(whole.high, 4)) == (0.4902, 0.9433)  # Wilson, by hand
    half = share(8.5, 10)
    assert half.low == whole.low
    assert half.high > whole.high
    assert str(share(0, 0)) == "-"
