"""The Gymnasium environment: its contract, its rewards, its seeds, its state."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import c4env
from c4env.env import ConnectFourEnv
from c4env.position import Position
from tests.c4env.oracle import Grid


def script(*columns: int) -> Any:
    """An opponent that plays these columns in turn, by the number of its stones on the board."""

    def play(position: Position) -> int:
        return columns[position.ply // 2]

    return play


def play_out(env: gym.Env[Any, Any], rng: np.random.Generator, **reset: Any) -> list[Any]:
    """All that an episode of random legal play returned."""
    seen: list[Any] = [env.reset(**reset)]
    ended = False
    while not ended:
        action = rng.choice(np.flatnonzero(seen[-1][-1]["action_mask"]))
        seen.append(env.step(action))
        ended = seen[-1][2]
    return seen


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
@pytest.mark.parametrize("agent_plays", ["first", "second", "random"])
@pytest.mark.parametrize("render_mode", [None, "ansi", "rgb_array"])
def test_gymnasium_checker_finds_nothing(rules: Any, agent_plays: Any, render_mode: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = gym.make(c4env.ENV_ID, rules=rules, agent_plays=agent_plays, render_mode=render_mode)
        check_env(made.unwrapped, skip_render_check=render_mode is None)


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
@pytest.mark.parametrize("agent_plays", ["first", "second"])
def test_every_step_is_what_the_grid_says(rules: Any, agent_plays: Any) -> None:
    """Observation, mask, reward and final info, rebuilt from the recorded moves on the naive grid."""
    env = ConnectFourEnv("rules", agent_plays, rules)
    rng = np.random.default_rng(0)
    learner = 1 if agent_plays == "first" else 2
    rewards = Counter[float]()
    for episode in range(60):
        seen = play_out(env, rng, seed=episode)
        grid = Grid(rules)
        moves = env.moves
        for observation, *_, info in seen:
            ended = "winner" in info
            while len(grid.moves) < (len(moves) if ended else np.count_nonzero(observation)):
                grid.play(int(moves[len(grid.moves)]) - 1)
            array = grid.array()
            np.testing.assert_array_equal(observation, np.stack([array == learner, array == 3 - learner]))
            expected = np.ones(7) if ended else array[0] == 0
            np.testing.assert_array_equal(info["action_mask"], expected)
            assert grid.over == ended
        _, reward, terminated, truncated, info = seen[-1]
        assert terminated
        assert not truncated
        winner = grid.winner
        assert reward == (0 if winner is None else (1 if winner == learner - 1 else -1))
        assert info["winner"] == (-1 if winner is None else winner)
        assert info["moves"] == moves
        assert not info["illegal_move"]
        fours = {cell for who in (1, 2) for window in grid.fours(who) for cell in window}
        assert {tuple(cell) for cell in np.argwhere(info["winning_cells"]).tolist()} == fours
        assert all(step[1] == 0 for step in seen[1:-1])
        rewards[reward] += 1
    assert rewards[1] > 0
    assert rewards[-1] > 0


def test_losing_to_the_answer_is_minus_one_on_that_very_step() -> None:
    env = ConnectFourEnv(script(6, 6, 6, 6), "first")
    env.reset(seed=0)
    rewards = [env.step(column)[1:3] for column in (0, 0, 1, 1)]
    assert rewards == [(0.0, False)] * 3 + [(-1.0, True)]
    assert env.moves == "17172727"


def test_winning_ends_the_game_before_the_opponent_answers() -> None:
    env = ConnectFourEnv(script(6, 6, 6, 5), "first")
    env.reset()
    for column in (0, 0, 0):
        env.step(column)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["winner"], info["moves"]) == (1.0, True, 0, "1717171")


def test_second_player_resets_to_the_opponents_first_move() -> None:
    env = ConnectFourEnv(script(3), "second")
    observation, _ = env.reset()
    assert env.moves == "4"
    assert observation[0].sum() == 0
    assert observation[1, 5, 3] == 1
    assert observation[1].sum() == 1
    assert env.agent_player == 1


def test_same_seed_same_games_and_other_seeds_other_games() -> None:
    def record(seed: int) -> list[str]:
        env = ConnectFourEnv(["random", "rules"], "random")
        rng = np.random.default_rng(0)
        env.reset(seed=seed)
        games = []
        for _ in range(5):
            play_out(env, rng)
            games.append(f"{env.agent_player} {env.moves}")
        return games

    assert record(1) == record(1)
    assert record(1) != record(2)


def test_seats_opponents_and_answers_are_all_drawn() -> None:
    env = ConnectFourEnv(["random", lambda position: position.legal[-1]], "random")
    firsts = Counter((env.reset(seed=seed) and env.agent_player, env.moves) for seed in range(400))
    assert 150 < sum(count for (player, _), count in firsts.items() if player == 0) < 250
    assert {moves for (player, moves) in firsts if player == 1} == set("1234567")
    sevens = sum(count for (player, moves), count in firsts.items() if player == 1 and moves == "7")
    assert sevens > 80


def test_replacing_np_random_replaces_all_randomness() -> None:
    games = []
    for _ in range(2):
        env = ConnectFourEnv("random")
        env.reset(seed=5)
        env.np_random = np.random.default_rng(11)
        play_out(env, np.random.default_rng(0))
        games.append(env.moves)
    assert games[0] == games[1]


@pytest.mark.parametrize("action", [7, -1, 100, 3])
def test_illegal_moves_lose_by_default(action: int) -> None:
    env = ConnectFourEnv("random", "first")
    observation, _ = env.reset(seed=0, options={"moves": "444444"})
    after, reward, terminated, _, info = env.step(action)
    assert (reward, terminated, info["illegal_move"], info["winner"]) == (-1.0, True, True, 1)
    np.testing.assert_array_equal(after, observation)
    assert not info["winning_cells"].any()
    with pytest.raises(gym.error.ResetNeeded):
        env.step(0)
    env.reset()
    env.step(3)


@pytest.mark.parametrize("action", [7, -1, 3])
def test_illegal_moves_raise_on_request_and_change_nothing(action: int) -> None:
    env = ConnectFourEnv("random", "first", illegal="raise")
    env.reset(seed=0, options={"moves": "444444"})
    with pytest.raises(ValueError, match="illegal move"):
        env.step(action)
    assert env.moves == "444444"
    assert not env.step(0)[2]


def test_actions_must_be_whole_numbers() -> None:
    env = ConnectFourEnv()
    env.reset()
    with pytest.raises(TypeError):
        env.step(2.5)  # type: ignore[arg-type]
    env.step(np.int64(2))


def test_step_before_reset_is_refused() -> None:
    with pytest.raises(gym.error.ResetNeeded):
        ConnectFourEnv().step(3)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponent", ["rules", "random", ["random", "rules"]])
def test_copies_keep_the_game_and_play_on_alike(clone: Any, opponent: Any) -> None:
    env = ConnectFourEnv(opponent)
    env.reset(seed=3)
    env.step(3)
    twin = clone(env)
    assert twin.position == env.position
    rngs = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(4):
        for ours, theirs in zip(play_out(env, rngs[0]), play_out(twin, rngs[1]), strict=True):
            np.testing.assert_equal(ours, theirs)
    assert env.moves == twin.moves


def test_a_copy_does_not_share_the_board() -> None:
    env = ConnectFourEnv("random", "first")
    env.reset(seed=0)
    twin = copy.deepcopy(env)
    twin.step(3)
    assert env.moves == ""


def test_returned_arrays_never_change() -> None:
    env = ConnectFourEnv()
    seen = play_out(env, np.random.default_rng(0), seed=0)
    kept = copy.deepcopy(seen)
    play_out(env, np.random.default_rng(1))
    np.testing.assert_equal(seen, kept)


def test_action_masks_follow_the_info() -> None:
    env = ConnectFourEnv("random", "first")
    _, info = env.reset(seed=0, options={"moves": "444444"})
    assert info["action_mask"].tolist() == [1, 1, 1, 0, 1, 1, 1]
    assert env.action_masks().tolist() == [True, True, True, False, True, True, True]
    assert env.action_masks().dtype == np.bool_
    wrapped = gym.make(c4env.ENV_ID)
    wrapped.reset()
    assert wrapped.get_wrapper_attr("action_masks")().shape == (7,)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"moves": "4444444"}, "ply 7: column 4 is full"),
        ({"moves": "44x"}, "ply 3: 'x' is not a column; columns are 1 to 7"),
        ({"moves": "12121213"}, "ply 8: the game is over"),
        ({"moves": "1212121"}, "the game is over; nothing is left to play"),
        ({"moves": [1, 2]}, "moves are a string"),
        ({"agent_plays": "third"}, "agent_plays is 'first' or 'second' or 'random', not 'third'"),
        ({"starts": 1}, "unknown reset option 'starts'; there are moves, agent_plays, opponent"),
        ({"opponent": "ruled"}, "unknown opponent 'ruled'; did you mean 'rules'"),
    ],
)
def test_bad_options_say_what_would_be_right(options: dict[str, Any], message: str) -> None:
    env = ConnectFourEnv("random", "first")
    env.reset(seed=0)
    env.step(3)
    before = env.moves
    with pytest.raises(ValueError, match=message):
        env.reset(options=options)
    assert env.moves == before


def test_options_hold_for_one_episode() -> None:
    env = ConnectFourEnv(script(0, 0, 0), "first")
    env.reset(seed=0, options={"moves": "4", "agent_plays": "first", "opponent": lambda position: 6})
    assert env.moves == "47"
    env.reset()
    env.step(3)
    assert env.moves == "41"


def test_a_start_that_the_opponent_ends_at_once_is_refused() -> None:
    env = ConnectFourEnv("rules", "first")
    with pytest.raises(ValueError, match="ends the game before the learner can move"):
        env.reset(options={"moves": "1717172", "agent_plays": "first"})


@pytest.mark.parametrize(
    "arguments",
    [
        {"opponent": []},
        {"opponent": "nobody"},
        {"rules": "gomoku"},
        {"agent_plays": "last"},
        {"illegal": "ignore"},
        {"render_mode": "svg"},
    ],
)
def test_bad_arguments_are_value_errors(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".{20}"):
        ConnectFourEnv(**arguments)


def test_opponents_may_be_objects_and_are_seeded() -> None:
    class Dice:
        name = "dice"

        def seed(self, seed: int) -> None:
            self.rng = np.random.default_rng(seed)

        def act(self, position: Position) -> int:
            return int(self.rng.choice(position.legal))

    games = []
    for _ in range(2):
        env = ConnectFourEnv(Dice())
        play_out(env, np.random.default_rng(0), seed=4)
        games.append(env.moves)
    assert games[0] == games[1]
    with pytest.raises(TypeError, match="an opponent is"):
        ConnectFourEnv(3)  # type: ignore[arg-type]


def test_the_rules_opponent_wins_else_blocks() -> None:
    env = ConnectFourEnv("rules", "first")
    for seed in range(10):
        env.reset(seed=seed, options={"moves": "717171"[:5] + "2"})
        assert not env.step(3)[2] or env.moves.endswith("7")
        env.reset(seed=seed, options={"moves": "1727"})
        env.step(2)
        assert env.moves == "172734"
