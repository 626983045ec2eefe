"""The vector environment against N single ones, step for step, and what it adds."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import c4env  # registers the environment
from c4env.env import ConnectFourEnv
from c4env.position import Position
from c4env.vector import ConnectFourVectorEnv

N = 17


def centre_first(position: Position) -> int:
    return min(position.legal, key=lambda column: (abs(column - 3), column))


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    """Equal values and types, where ``theirs`` says it has a value."""
    assert type(ours) is type(theirs), where
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs), where
        for key in theirs:
            if not key.startswith("_"):
                present = theirs[f"_{key}"]
                np.testing.assert_array_equal(ours[f"_{key}"], present, err_msg=where)
                if isinstance(theirs[key], dict):
                    assert_same(ours[key], theirs[key], f"{where}.{key}")
                else:
                    for game in np.flatnonzero(present):
                        np.testing.assert_array_equal(ours[key][game], theirs[key][game], err_msg=f"{where}.{key}")
                    assert ours[key].dtype == ("<U42" if key == "moves" else theirs[key].dtype), f"{where}.{key}"
    else:
        np.testing.assert_array_equal(ours, theirs, err_msg=where)
        assert ours.dtype == theirs.dtype, where


@pytest.mark.parametrize("opponent", ["random", "rules", centre_first, ["random", "rules", centre_first]])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_vector_is_n_single_environments(opponent: Any, mode: AutoresetMode, rules: Any) -> None:
    arguments = {"opponent": opponent, "rules": rules}
    ours = ConnectFourVectorEnv(N, autoreset_mode=mode, **arguments)
    theirs = SyncVectorEnv([lambda: ConnectFourEnv(**arguments)] * N, autoreset_mode=mode)
    rng = np.random.default_rng(5)
    results = ours.reset(seed=3), theirs.reset(seed=3)
    ends = 0
    for step in range(120):
        for part, (mine, reference) in enumerate(zip(*results, strict=True)):
            assert_same(mine, reference, f"step {step} part {part}")
        actions = rng.integers(-1, 8, N) if step % 40 == 39 else _sample(results[0][-1]["action_mask"], rng)
        results = ours.step(actions), theirs.step(actions)
        ends += int(results[0][2].sum())
    assert ends > N


def _sample(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.argmax(rng.random(masks.shape) * masks, axis=1)


def test_disabled_autoreset_waits_for_a_masked_reset() -> None:
    ours = ConnectFourVectorEnv(N, opponent="rules", autoreset_mode="disabled")
    theirs = SyncVectorEnv([lambda: ConnectFourEnv(opponent="rules")] * N, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(0)
    observations, infos = ours.reset(seed=1)
    theirs.reset(seed=1)
    for _ in range(60):
        actions = _sample(infos["action_mask"], rng)
        observations, _, ended, _, infos = ours.step(actions)
        reference = theirs.step(actions)
        np.testing.assert_array_equal(observations, reference[0])
        np.testing.assert_array_equal(ended, reference[2])
        if ended.any():
            with pytest.raises(gym.error.ResetNeeded):
                ours.step(actions)
            observations, infos = ours.reset(options={"reset_mask": ended})
            reference_observations, reference_infos = theirs.reset(options={"reset_mask": ended})
            np.testing.assert_array_equal(observations, reference_observations)
            np.testing.assert_array_equal(infos["action_mask"][ended], reference_infos["action_mask"][ended])


@pytest.mark.parametrize("threads", [2, 3, 64])
def test_threads_change_nothing(threads: int) -> None:
    one, many = ConnectFourVectorEnv(50), ConnectFourVectorEnv(50, threads=threads)
    rng = np.random.default_rng(0)
    results = one.reset(seed=9), many.reset(seed=9)
    for _ in range(40):
        np.testing.assert_array_equal(results[0][0], results[1][0])
        actions = _sample(results[0][-1]["action_mask"], rng)
        results = one.step(actions), many.step(actions)
        np.testing.assert_array_equal(results[0][1], results[1][1])
    many.close()


def test_returned_arrays_never_change() -> None:
    env = ConnectFourVectorEnv(N, autoreset_mode="same_step")
    rng = np.random.default_rng(0)
    observations, infos = env.reset(seed=0)
    kept = []
    for _ in range(50):
        kept.append((observations, infos, copy.deepcopy((observations, infos))))
        observations, _, _, _, infos = env.step(_sample(infos["action_mask"], rng))
    for seen, info, (seen_then, info_then) in kept:
        np.testing.assert_array_equal(seen, seen_then)
        assert repr(info) == repr(info_then)


def test_reset_options_reach_single_games() -> None:
    env = ConnectFourVectorEnv(3, opponent="random")
    starts = ["4453", "", "1212"]
    env.reset(seed=0, options={"moves": starts, "agent_plays": ["first", "first", "second"], "opponent": centre_first})
    assert [env.moves(game) for game in range(3)] == ["4453", "", "12124"]
    assert env.agent_players.tolist() == [0, 0, 1]
    assert env.position(0) == Position.from_moves("4453")
    only_second = np.array([False, True, False])
    env.reset(options={"reset_mask": only_second, "moves": "7", "agent_plays": "second"})
    assert [env.moves(game) for game in range(3)] == ["4453", "7", "12124"]


def test_opponent_of_one_reset_does_not_outlive_its_episode() -> None:
    env = ConnectFourVectorEnv(2, opponent=centre_first, agent_plays="second", autoreset_mode="same_step")
    env.reset(seed=0, options={"opponent": lambda position: position.legal[0]})
    assert env.moves(0) == "1"
    for column in (6, 6, 6):
        result = env.step([column, column])
    assert result[2].all()
    assert env.moves(0) == "4"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": "4444444"}, "ply 7: column 4 is full"),
        ({"moves": "12x"}, "ply 3: 'x' is not a column"),
        ({"moves": "1212121"}, "the game is over"),
        ({"moves": ["1", "2"]}, "3 of them"),
        ({"move": "1"}, "unknown reset option 'move'; there are moves"),
        ({"agent_plays": "third"}, "'first' or 'second' or 'random'"),
        ({"opponent": "rulez"}, "did you mean 'rules'"),
        ({"reset_mask": np.zeros(3, bool)}, "at least one True"),
        ({"reset_mask": np.ones(2, bool)}, r"shape \(3,\)"),
    ],
)
def test_bad_options_are_one_sentence_and_change_nothing(options: dict[str, Any], message: str) -> None:
    env = ConnectFourVectorEnv(3, agent_plays="first")
    env.reset(seed=0)
    env.step([3, 3, 3])
    before = [env.moves(game) for game in range(3)]
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert [env.moves(game) for game in range(3)] == before


def test_illegal_can_raise_without_touching_any_game() -> None:
    env = ConnectFourVectorEnv(2, illegal="raise", agent_plays="first")
    env.reset(seed=0, options={"moves": "444444"})
    before = env.positions()
    for bad in ([3, 0], [0, 3], [0, 7], [-1, 0]):
        with pytest.raises(ValueError, match="illegal move"):
            env.step(bad)
    np.testing.assert_array_equal(env.positions().occupied, before.occupied)
    env.step([0, 0])


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_on_alike(clone: Any) -> None:
    env = ConnectFourVectorEnv(8, opponent="rules", threads=2)
    env.reset(seed=0)
    env.step(np.full(8, 3))
    twin = clone(env)
    for column in (2, 4, 1, 5, 0, 6):
        np.testing.assert_equal(env.step(np.full(8, column)), twin.step(np.full(8, column)))


def test_an_opponent_that_cheats_is_named() -> None:
    def stubborn(position: Position) -> int:
        return 3

    env = ConnectFourVectorEnv(2, opponent=stubborn, agent_plays="first")
    env.reset(seed=0)
    for _ in range(3):
        env.step([3, 3])
    with pytest.raises(ValueError, match="opponent stubborn: illegal move: column 4 is full"):
        env.step([0, 0])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_gymnasium_makes_and_wraps_it(mode: str) -> None:
    env = gym.make_vec(c4env.ENV_ID, 4, vectorization_mode="vector_entry_point", autoreset_mode=mode, opponent="random")
    env = gym.wrappers.vector.RecordEpisodeStatistics(env)
    rng = np.random.default_rng(0)
    _, infos = env.reset(seed=0)
    episodes = 0
    for _ in range(100):
        _, _, ended, _, infos = env.step(_sample(infos["action_mask"], rng))
        episodes += int(ended.sum())
    assert episodes > 10
    assert len(env.return_queue) == episodes
    env.close()
