"""The self-play batch against the naive grid, and what it promises."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from c4env.position import Position
from c4env.selfplay import SelfPlay
from tests.c4env.oracle import Grid


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_ply_is_what_the_grids_say(rules: Any, threads: int) -> None:
    n = 20
    games = SelfPlay(n, rules, threads=threads)
    grids = [Grid(rules) for _ in range(n)]
    view = games.reset()
    rng = np.random.default_rng(0)
    finished = 0
    for ply in range(150):
        actions = rng.integers(-2, 9, n) if ply % 50 == 49 else np.argmax(rng.random((n, 7)) * view.action_mask, axis=1)
        view = games.step(actions)
        for game, grid in enumerate(grids):
            mover, column = grid.mover, int(actions[game])
            if column in grid.legal:
                grid.play(column)
                winner = grid.winner
                reward = 0 if winner is None else (1 if winner == mover - 1 else -1)
                illegal = False
            else:
                reward, illegal = -1, True
            ended = grid.over or illegal
            assert (view.reward[game], view.done[game], view.illegal[game]) == (reward, ended, illegal)
            if ended:
                grids[game] = grid = Grid(rules)
                finished += 1
            array = grid.array()
            expected = np.stack([array == grid.mover, array == 3 - grid.mover])
            np.testing.assert_array_equal(view.observation[game], expected)
            np.testing.assert_array_equal(view.action_mask[game], array[0] == 0)
            assert games.players[game] == grid.mover - 1
    assert finished > n
    assert view.observation.dtype == view.action_mask.dtype == np.int8


def test_games_start_where_they_are_told() -> None:
    games = SelfPlay(2)
    games.reset(["4453", "1"])
    assert list(games.positions()) == [Position.from_moves("4453"), Position.from_moves("1")]
    for bad in (["1"], "1212121", "9", ["1", "x"]):
        with pytest.raises(ValueError, match=r"2 of them|over|column"):
            games.reset(bad)
    assert games.positions()[0] == Position.from_moves("4453")


def test_illegal_can_raise_and_change_nothing() -> None:
    games = SelfPlay(2, illegal="raise")
    games.reset("444444")
    with pytest.raises(ValueError, match="game 1: illegal move: column 4 is full"):
        games.step([0, 3])
    assert list(games.positions()) == [Position.from_moves("444444")] * 2
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        games.step([0])


def test_returned_arrays_never_change() -> None:
    games = SelfPlay(4)
    first = games.reset()
    kept = copy.deepcopy(first)
    steps = [games.step(np.full(4, column)) for column in (3, 3, 2, 1)]
    copies = copy.deepcopy(steps)
    games.step(np.zeros(4, int))
    np.testing.assert_equal(first, kept)
    np.testing.assert_equal(steps, copies)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda games: pickle.loads(pickle.dumps(games))])
def test_copies_keep_the_games(clone: Any) -> None:
    games = SelfPlay(4, threads=2)
    games.reset("44")
    games.step([0, 1, 2, 3])
    twin = clone(games)
    games.step([0, 0, 0, 0])
    assert twin.positions()[1] == Position.from_moves("442")


@pytest.mark.parametrize(
    "arguments", [{"num_games": 0}, {"num_games": 1, "threads": 0}, {"num_games": 1, "rules": "x"}]
)
def test_bad_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".{15}"):
        SelfPlay(**arguments)


def test_restored_games_go_on_as_the_originals_do() -> None:
    games, others = SelfPlay(50), SelfPlay(50)
    rng = np.random.default_rng(11)
    for _ in range(30):
        games.step(rng.integers(7, size=50))
    assert np.array_equal(others.restore(games.positions()).observation, games.view().observation)
    columns = rng.integers(7, size=50)
    for ours, theirs in zip(games.step(columns), others.step(columns), strict=True):
        assert np.array_equal(ours, theirs)
    with pytest.raises(ValueError, match="50 under first-four"):
        others.restore(SelfPlay(3).positions())
