"""Other libraries' own wrappers over these environments: they reset, step and show the right mask."""

import random
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

import c4env
from c4env.position import Position

FULL_COLUMN = "111111"
FIRST_CLOSED = [False] + [True] * 6


def legal(position):
    return [column in position.legal for column in range(7)]


def make(**arguments):
    return gymnasium.make(c4env.ENV_ID, **{"opponent": "random", "agent_plays": "first", **arguments})


class TestTianshou:
    @pytest.fixture(autouse=True)
    def _library(self):
        pytest.importorskip("tianshou")
        pytest.importorskip("pettingzoo")

    def test_mask_follows_the_game(self):
        from tianshou.env import PettingZooEnv

        from c4env import aec

        env = PettingZooEnv(aec.env())
        rng = random.Random(0)
        for _ in range(15):
            seen, _ = env.reset(seed=1)
            position = Position()
            while True:
                assert seen["agent_id"] == f"player_{position.player}"
                assert seen["obs"][..., 0].tolist() == (position.to_array() == position.player + 1).astype(int).tolist()
                if position.is_over:
                    break
                assert list(seen["mask"]) == legal(position)
                column = rng.choice(position.legal)
                mover = position.player
                position = position.play(column)
                seen, rewards, terminated, truncated, _ = env.step(column)
                assert (terminated, truncated) == (position.is_over, False)
                won = 0 if position.winner is None else 1
                assert (rewards[mover], rewards[1 - mover]) == (won, -won)

    def test_full_column_and_illegal_move(self):
        from tianshou.env import PettingZooEnv

        from c4env import aec

        env = PettingZooEnv(aec.env())
        seen, _ = env.reset(options={"moves": FULL_COLUMN})
        assert list(seen["mask"]) == FIRST_CLOSED
        _, rewards, terminated, _, _ = env.step(0)
        assert terminated
        assert rewards == [-1, 0]

    def test_collector_plays_whole_games(self):
        from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
        from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
        from tianshou.data import Collector
        from tianshou.env import DummyVectorEnv, PettingZooEnv

        from c4env import aec

        env = PettingZooEnv(aec.env(illegal="raise"))  # an unmasked action would raise
        players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(2)]
        algorithm = MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)
        batch = DummyVectorEnv([lambda: PettingZooEnv(aec.env(illegal="raise")) for _ in range(2)])
        result = Collector(algorithm.policy, batch).collect(n_episode=4, reset_before_collect=True)
        assert result.n_collected_episodes >= 4
        assert (result.lens >= 7).all()
        assert (result.lens <= 42).all()
        assert (result.returns.sum(axis=1) == 0).all()


class TestTorchRL:
    @pytest.fixture(autouse=True)
    def _library(self):
        pytest.importorskip("torchrl")

    def pettingzoo_wrapper(self, **arguments):
        pytest.importorskip("pettingzoo")
        from torchrl.envs import PettingZooWrapper

        from c4env import aec

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PettingZoo in TorchRL is tested using version")
            return PettingZooWrapper(aec.env(**arguments), use_mask=True)

    def test_two_players_mask_follows_the_game(self):
        env = self.pettingzoo_wrapper(illegal="raise")  # an unmasked action would raise
        for seed in range(3):
            env.set_seed(seed)
            games = env.rollout(60)
            position = Position()
            for step in games:
                mover, waiting = f"player_{position.player}", f"player_{1 - position.player}"
                assert step[mover, "action_mask"][0].tolist() == legal(position)
                assert not step[waiting, "mask"].any()
                position = position.play(int(step[mover, "action"].item()))
            assert position.is_over
            rewards = [games["next", f"player_{player}", "reward"][-1].item() for player in range(2)]
            assert rewards == {None: [0, 0], 0: [1, -1], 1: [-1, 1]}[position.winner]

    def test_two_players_full_column(self):
        start = self.pettingzoo_wrapper().reset(options={"moves": FULL_COLUMN})
        assert start["player_0", "action_mask"][0].tolist() == FIRST_CLOSED
        assert not start["player_1", "mask"].any()

    def gym_wrapper(self, **arguments):
        from torchrl.envs import ActionMask, GymWrapper, TransformedEnv

        env = GymWrapper(make(**arguments), categorical_action_encoding=True)
        return TransformedEnv(env.auto_register_info_dict(), ActionMask())

    def test_against_an_opponent_mask_follows_the_game(self):
        env = self.gym_wrapper(illegal="raise", rules="most-fours")  # an unmasked action would raise
        for seed in range(3):
            env.set_seed(seed)
            games = env.rollout(21, break_when_any_done=True)
            assert games.shape == (21,)
            for step in games:
                rows = step["observation"].sum(dim=0)
                assert step["action_mask"].bool().tolist() == (rows[0] == 0).tolist()
            assert games["next", "done"].squeeze(-1).tolist() == [False] * 20 + [True]

    def test_against_an_opponent_full_column(self):
        start = self.gym_wrapper().reset(options={"moves": FULL_COLUMN})
        assert start["action_mask"].bool().tolist() == FIRST_CLOSED


def test_gymnasium_records_a_video(tmp_path):
    moviepy = pytest.importorskip("moviepy")
    env = RecordVideo(
        make(render_mode="rgb_array"), str(tmp_path / "videos"), episode_trigger=lambda _: True, disable_logger=True
    )
    frames = []
    _, info = env.reset(seed=4)
    rng = np.random.default_rng(0)
    ended = False
    frames.append(env.unwrapped.render())
    while not ended:
        _, _, ended, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
        frames.append(env.unwrapped.render())
    env.close()
    (path,) = tmp_path.glob("videos/*.mp4")
    with moviepy.VideoFileClip(str(path)) as video:
        assert video.n_frames == len(frames)
        assert video.size == [frames[0].shape[1], frames[0].shape[0]]
        first = np.asarray(video.get_frame(0), dtype=int)
    # Encoding loses detail but not the picture.
    assert np.abs(first - frames[0]).mean() < 12
