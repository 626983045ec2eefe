import subprocess
import sys
import warnings

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from c4env.env import ConnectFourEnv
from c4env.position import Position
from c4env.sb3 import SB3VecEnv

# Column 1 (index 0) is full, nobody has a four.
FULL_COLUMN = "111111"


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    """More threads only slow networks this small down."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def small_ppo(env, **arguments):
    return MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=2, device="cpu", seed=5, **arguments)


def random_actions(masks, rng, legal=True):
    if not legal:
        return rng.integers(0, 7, len(masks))
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("legal", [True, False])
@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_agrees_with_stable_baselines_own_batch_of_single_environments(rules, legal):
    count = 6
    ours = SB3VecEnv(count, opponent="random", rules=rules)
    theirs = DummyVecEnv([lambda: Monitor(ConnectFourEnv("random", rules=rules)) for _ in range(count)])
    ours.seed(11)
    theirs.seed(11)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    assert (ours.reset() == theirs.reset()).all()
    rng = np.random.default_rng(3)
    endings = 0
    for _ in range(120):
        masks = get_action_masks(ours)
        assert masks.dtype == np.bool_
        assert (masks == get_action_masks(theirs)).all()
        actions = random_actions(masks, rng, legal)
        observations, rewards, dones, infos = ours.step(actions)
        expected = theirs.step(actions)
        for mine, other in zip((observations, rewards, dones), expected[:3], strict=True):
            assert mine.dtype == other.dtype
            assert (mine == other).all()
        for game in np.flatnonzero(dones):
            mine, other = infos[game], expected[3][game]
            endings += 1
            assert (mine["terminal_observation"] == other["terminal_observation"]).all()
            assert mine["TimeLimit.truncated"] is other["TimeLimit.truncated"] is False
            assert {key: mine["episode"][key] for key in "rl"} == {key: other["episode"][key] for key in "rl"}
            for key in ("winner", "moves", "illegal_move"):
                assert mine[key] == other[key]
                assert type(mine[key]) is type(other[key])
            assert (mine["winning_cells"] == other["winning_cells"]).all()
            assert (ours.reset_infos[game]["action_mask"] == theirs.reset_infos[game]["action_mask"]).all()
        assert all(not info for info, done in zip(infos, dones, strict=True) if not done)
    assert endings > 20


def test_earlier_results_do_not_change():
    env = SB3VecEnv(4, opponent="random")
    env.seed(0)
    kept = [env.reset()]
    copies = [kept[0].copy()]
    rng = np.random.default_rng(0)
    for _ in range(30):
        masks = np.stack(env.env_method("action_masks"))
        step = env.step(random_actions(masks, rng))
        kept += [masks, *step[:3]]
        copies += [part.copy() for part in (masks, *step[:3])]
    assert all((one == other).all() for one, other in zip(kept, copies, strict=True))


def test_masks_show_a_full_column():
    env = SB3VecEnv(3, opponent="random", agent_plays="first")
    env.set_options([{"moves": FULL_COLUMN}, {}, {"moves": "44"}])
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).tolist() == [[False] + [True] * 6, [True] * 7, [True] * 7]
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=0)] == [[False] + [True] * 6]
    assert env.get_attr("moves") == [FULL_COLUMN, "", "44"]
    assert env.get_attr("position", indices=[2, 0]) == [Position.from_moves("44"), Position.from_moves(FULL_COLUMN)]
    assert env.get_attr("agent_player") == [0, 0, 0]
    assert env.get_attr("rules") == ["first-four"] * 3
    env.reset()
    assert env.get_attr("moves") == [""] * 3, "options are used once"


def test_one_set_of_options_for_all_games():
    env = SB3VecEnv(2, opponent="random")
    env.set_options({"moves": "443", "agent_plays": "second", "opponent": lambda position: 6})
    env.reset()
    assert env.get_attr("moves") == ["443"] * 2
    env.step([0, 1])
    assert env.get_attr("moves") == ["44317", "44327"]


def test_options_that_cannot_differ_are_refused():
    env = SB3VecEnv(2)
    env.set_options([{"opponent": "random"}, {"opponent": "rules"}])
    with pytest.raises(ValueError, match="'opponent' must be the same"):
        env.reset()


def test_illegal_move_loses_in_its_own_game_only():
    env = SB3VecEnv(2, opponent="random", agent_plays="first")
    env.set_options({"moves": FULL_COLUMN})
    env.reset()
    observations, rewards, dones, infos = env.step([0, 1])
    assert rewards.tolist() == [-1, 0]
    assert dones.tolist() == [True, False]
    assert infos[0]["illegal_move"]
    assert infos[0]["moves"] == FULL_COLUMN
    assert infos[0]["episode"]["r"] == -1
    assert not observations[0].any(), "the game has begun again"
    assert env.get_attr("position")[1].ply == len(FULL_COLUMN) + 2


def test_illegal_move_raises_on_request_and_changes_nothing():
    env = SB3VecEnv(2, opponent="random", agent_plays="first", illegal="raise")
    env.set_options({"moves": FULL_COLUMN})
    env.reset()
    with pytest.raises(ValueError, match="game 1: illegal move: column 1 is full"):
        env.step([3, 0])
    assert env.get_attr("moves") == [FULL_COLUMN] * 2
    env.step([3, 3])
    assert [moves[: len(FULL_COLUMN) + 1] for moves in env.get_attr("moves")] == [FULL_COLUMN + "4"] * 2


def test_same_seed_same_games():
    def play(seed):
        env = SB3VecEnv(8, opponent="random")
        env.seed(seed)
        start = env.reset()
        rng = np.random.default_rng(1)
        return np.stack([start] + [env.step(random_actions(get_action_masks(env), rng))[0] for _ in range(40)])

    assert (play(4) == play(4)).all()
    assert (play(4) != play(5)).any()


def test_maskable_ppo_trains_and_logs_episodes():
    env = SB3VecEnv(16, opponent="random", illegal="raise")  # an unmasked action would raise
    model = small_ppo(env)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(2048)
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))
    assert len(model.ep_info_buffer) > 50
    assert {episode["r"] for episode in model.ep_info_buffer} <= {-1.0, 0.0, 1.0}
    assert all(3 <= episode["l"] <= 21 for episode in model.ep_info_buffer)


def test_training_is_reproducible():
    def weights():
        model = small_ppo(SB3VecEnv(8, opponent="random"))
        model.learn(512)
        return [parameter.detach().numpy() for parameter in model.policy.parameters()]

    assert all((one == other).all() for one, other in zip(weights(), weights(), strict=True))


def test_masked_evaluation(tmp_path):
    model = small_ppo(SB3VecEnv(4, opponent="random"))
    evaluation = SB3VecEnv(4, opponent="random", illegal="raise")
    evaluation.seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rewards, lengths = evaluate_policy(model, evaluation, n_eval_episodes=12, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 12
    assert set(rewards) <= {-1.0, 0.0, 1.0}
    callback = MaskableEvalCallback(evaluation, n_eval_episodes=4, eval_freq=64, log_path=str(tmp_path), verbose=0)
    model.learn(256, callback=callback)
    with np.load(tmp_path / "evaluations.npz") as log:
        assert log["results"].shape == (1, 4)


def test_vec_monitor():
    env = SB3VecEnv(4, opponent="random")
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        monitored = VecMonitor(env, info_keywords=("winner", "moves"))
    monitored.seed(0)
    monitored.reset()
    assert is_masking_supported(monitored)
    rng = np.random.default_rng(0)
    episodes = []
    while len(episodes) < 5:
        _, _, dones, infos = monitored.step(random_actions(get_action_masks(monitored), rng))
        episodes += [infos[game]["episode"] for game in np.flatnonzero(dones)]
    for episode in episodes:
        position = Position.from_moves(episode["moves"])
        assert position.is_over
        assert episode["winner"] == (-1 if position.winner is None else position.winner)
        assert episode["l"] in ((position.ply + 1) // 2, position.ply // 2)
    small_ppo(monitored).learn(256)


def test_off_policy_learning():
    env = SB3VecEnv(4, opponent="random")
    DQN("MlpPolicy", env, learning_starts=50, buffer_size=500, device="cpu", seed=0).learn(200)


def test_pictures():
    env = SB3VecEnv(3, opponent="random", render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    assert len(images) == 3
    height, width, _ = images[0].shape
    assert env.render().shape == (2 * height, 2 * width, 3)
    text = SB3VecEnv(2, opponent="random", agent_plays="first", render_mode="ansi")
    text.reset()
    assert all("O to move" in board for board in text.env_method("render"))
    with pytest.raises(ValueError, match="rgb_array"):
        text.get_images()


def test_what_it_does_not_have_is_said():
    env = SB3VecEnv(2)
    assert not env.has_attr("no_such_thing")
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(VecMonitor, indices=0) == [False]
    with pytest.raises(AttributeError, match="action_masks and render, not 'seed'"):
        env.env_method("seed")
    with pytest.raises(NotImplementedError, match="cannot set 'rules'"):
        env.set_attr("rules", "most-fours")
    with pytest.raises(ValueError, match="same_step"):
        SB3VecEnv(2, autoreset_mode="next_step")
    env.close()


def test_without_stable_baselines_the_error_names_the_extra():
    program = "import sys; sys.modules['stable_baselines3'] = None\nimport c4env.sb3"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert 'pip install "c4env[sb3]"' in done.stderr
