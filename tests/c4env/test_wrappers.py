import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation

import c4env
from c4env.wrappers import DictObservation, RLlibObservation

FULL_COLUMN = "111111"


def make(**arguments):
    arguments = {"opponent": "random", "agent_plays": "first", **arguments}
    return gymnasium.make(c4env.ENV_ID, disable_env_checker=True, **arguments)


@pytest.mark.parametrize(
    ("wrapper", "key", "shape", "dtype"),
    [(DictObservation, "observation", (2, 6, 7), np.int8), (RLlibObservation, "observations", (84,), np.float32)],
)
def test_observation_and_mask_are_those_of_the_environment_beneath(wrapper, key, shape, dtype):
    plain, wrapped = make(), wrapper(make())
    assert set(wrapped.observation_space) == {key, "action_mask"}
    assert wrapped.observation_space[key].shape == shape
    assert wrapped.action_space == plain.action_space
    rng = np.random.default_rng(2)
    for seed in range(20):
        array, info = plain.reset(seed=seed)
        both, wrapped_info = wrapped.reset(seed=seed)
        ended = False
        while True:
            assert wrapped.observation_space.contains(both)
            assert both[key].dtype == dtype
            assert both[key].reshape(2, 6, 7).tolist() == array.tolist()
            assert both["action_mask"].tolist() == wrapped_info["action_mask"].tolist() == info["action_mask"].tolist()
            if ended:
                break
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            array, reward, ended, _, info = plain.step(action)
            both, wrapped_reward, wrapped_ended, _, wrapped_info = wrapped.step(action)
            assert (wrapped_reward, wrapped_ended) == (reward, ended)
            assert wrapped_info.keys() == info.keys()


@pytest.mark.parametrize("wrapper", [DictObservation, RLlibObservation])
def test_gymnasium_finds_nothing_to_complain_about(wrapper):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The checker wants to see the environment itself; that it is wrapped is the point here.
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        check_env(wrapper(make()), skip_render_check=True)


@pytest.mark.parametrize("wrapper", [DictObservation, RLlibObservation])
def test_full_column_and_illegal_move(wrapper):
    env = wrapper(make())
    both, _ = env.reset(seed=0, options={"moves": FULL_COLUMN})
    assert both["action_mask"].tolist() == [0, 1, 1, 1, 1, 1, 1]
    assert env.get_wrapper_attr("action_masks")().tolist() == [False] + [True] * 6
    both, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["illegal_move"]) == (-1, True, True)
    env = wrapper(make(illegal="raise"))
    env.reset(seed=0, options={"moves": FULL_COLUMN})
    with pytest.raises(ValueError, match="column 1 is full"):
        env.step(0)
    assert env.unwrapped.moves == FULL_COLUMN


def test_masks_in_observation_and_info_are_separate():
    env = DictObservation(make())
    both, info = env.reset(seed=0)
    both["action_mask"][:] = 0
    assert info["action_mask"].all()


def test_goes_on_top_of_other_wrappers():
    both, _ = DictObservation(FlattenObservation(make())).reset(seed=0)
    assert both["observation"].shape == (84,)
    with pytest.raises(ValueError, match="needs array observations"):
        DictObservation(DictObservation(make()))


def test_copies_and_specs():
    env = RLlibObservation(make())
    env.reset(seed=3)
    env.step(3)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.unwrapped.moves == env.unwrapped.moves
    again = gymnasium.make(env.spec)
    assert again.observation_space == env.observation_space


def test_in_gymnasiums_own_vector_environment():
    envs = gymnasium.make_vec(
        c4env.ENV_ID, 3, vectorization_mode="sync", wrappers=[DictObservation], opponent="random", agent_plays="first"
    )
    both, _ = envs.reset(seed=0, options={"moves": FULL_COLUMN})
    assert both["observation"].shape == (3, 2, 6, 7)
    assert both["action_mask"].tolist() == [[0, 1, 1, 1, 1, 1, 1]] * 3
    envs.close()


def test_rllib_trains_with_its_action_masking_module():
    pytest.importorskip("ray.rllib")
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    register_env("masked", lambda _config: RLlibObservation(make(illegal="raise")))  # an unmasked action would raise
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"head_fcnet_hiddens": [32], "head_fcnet_activation": "relu"},
    )
    config = PPOConfig().environment("masked").env_runners(num_env_runners=0).rl_module(rl_module_spec=module)
    algorithm = config.training(train_batch_size_per_learner=200, minibatch_size=50, num_epochs=1).build_algo()
    assert algorithm.train()["env_runners"]["num_episodes"] > 0
    algorithm.stop()
