import copy
import pickle
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

pettingzoo = pytest.importorskip("pettingzoo")

from gymnasium import spaces  # noqa: E402
from pettingzoo.test import api_test, render_test, seed_test  # noqa: E402
from pettingzoo.utils import turn_based_aec_to_parallel  # noqa: E402

from c4env import aec  # noqa: E402
from c4env.position import Position  # noqa: E402

AGENTS = ["player_0", "player_1"]
RULES = ["first-four", "most-fours"]
# Tops up the two left columns without a four.
TWO_FULL_COLUMNS = "121212212121"


@pytest.fixture(autouse=True)
def _no_display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def play_random(env, rng, plies):
    for _ in range(plies):
        observation, _, terminated, _, _ = env.last()
        if terminated:
            return
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_pettingzoo_api(rules, illegal):
    # Its advice on dict observations, and on masks of zeros for agents that are not to move, is known.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably")
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        warnings.filterwarnings("ignore", message="Action mask numpy array is all zeros")
        api_test(aec.env(rules=rules, illegal=illegal), num_cycles=300)


@pytest.mark.parametrize("rules", RULES)
def test_pettingzoo_seed(rules):
    seed_test(lambda: aec.env(rules=rules), num_cycles=100)


def test_pettingzoo_render(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setitem(aec.ConnectFourAEC.metadata, "render_fps", 0)
    render_test(aec.env)


def same(ours, theirs):
    """Assert that two environments look alike to both agents, down to types and shapes."""
    assert ours.agents == theirs.agents
    assert ours.rewards == theirs.rewards
    assert ours.terminations == theirs.terminations
    assert ours.truncations == theirs.truncations
    assert ours.infos == theirs.infos
    if not ours.agents:
        return
    assert ours.agent_selection == theirs.agent_selection
    assert ours.last()[1:] == theirs.last()[1:]
    for agent in AGENTS:
        mine, other = ours.observe(agent), theirs.observe(agent)
        assert mine.keys() == other.keys()
        for key, value in mine.items():
            assert value.dtype == other[key].dtype
            assert value.tolist() == other[key].tolist(), (agent, key)


@pytest.mark.parametrize("legal_share", [1.0, 0.9])
def test_side_by_side_with_pettingzoos_own(legal_share):
    pytest.importorskip("pygame")  # theirs imports it at once
    ours, theirs = aec.env(), pettingzoo.make("aec", "classic/connect_four-v3")
    for agent in AGENTS:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
    assert ours.possible_agents == theirs.possible_agents
    rng = random.Random(7)
    endings = {"won": 0, "drawn": 0, "illegal": 0}
    for game in range(60):
        ours.reset(seed=game)
        theirs.reset(seed=game)
        same(ours, theirs)
        while ours.agents:
            observation, reward, terminated, truncated, _ = ours.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            action = None
            if not terminated:
                action = rng.choice(legal) if rng.random() < legal_share else rng.randrange(7)
            ours.step(action)
            theirs.step(action)
            same(ours, theirs)
            if terminated and ours.agents:
                endings["illegal" if truncated else ("drawn" if reward == 0 else "won")] += 1
    assert endings["won"] > 20
    assert (endings["illegal"] > 0) == (legal_share < 1)


@pytest.mark.parametrize("rules", RULES)
def test_follows_the_rules(rules):
    env = aec.raw_env(rules=rules)
    for seed in range(40):
        rng = random.Random(seed)
        env.reset()
        position = Position(rules=rules)
        moves = ""
        while not position.is_over:
            player = position.player
            assert env.agent_selection == AGENTS[player]
            view = env.observe(AGENTS[player])
            assert view["observation"][..., 0].tolist() == (position.to_array() == player + 1).astype(int).tolist()
            assert view["observation"][..., 1].tolist() == (position.to_array() == 2 - player).astype(int).tolist()
            assert np.flatnonzero(view["action_mask"]).tolist() == list(position.legal)
            assert not env.observe(AGENTS[1 - player])["action_mask"].any()
            assert set(env.rewards.values()) == {0}
            column = rng.choice(position.legal)
            moves += str(column + 1)
            position = position.play(column)
            env.step(column)
            assert env.position == position
        assert env.moves == moves
        expected = {None: [0, 0], 0: [1, -1], 1: [-1, 1]}[position.winner]
        assert [env.rewards[agent] for agent in AGENTS] == expected
        assert env.terminations == {"player_0": True, "player_1": True}
        for _ in AGENTS:
            env.step(None)
        assert env.agents == []


def test_a_full_board_without_a_four_is_a_draw():
    rng = random.Random(3)
    env = aec.raw_env()
    for _ in range(2000):
        position = Position()
        moves = ""
        while not position.is_over:
            column = rng.choice(position.legal)
            position = position.play(column)
            moves += str(column + 1)
        if position.is_draw:
            break
    env.reset(options={"moves": moves[:-1]})
    env.step(int(moves[-1]) - 1)
    assert env.rewards == {"player_0": 0, "player_1": 0}
    assert env.terminations == {"player_0": True, "player_1": True}


@pytest.mark.parametrize("make_copy", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("make", [aec.env, aec.raw_env])
def test_copies_keep_the_game_and_go_their_own_way(make, make_copy):
    env = make(rules="most-fours")
    env.reset()
    play_random(env, random.Random(1), 15)
    twin = make_copy(env)
    same(twin, env)
    assert twin.moves == env.moves
    before = env.moves
    play_random(twin, random.Random(2), 5)
    assert len(twin.moves) == 20
    assert env.moves == before
    play_random(env, random.Random(2), 5)
    same(twin, env)


def test_a_copy_of_an_environment_with_an_open_window():
    pytest.importorskip("pygame")
    env = aec.raw_env(render_mode="human")
    env.metadata = {**env.metadata, "render_fps": 0}
    env.reset()
    env.step(3)
    twin = pickle.loads(pickle.dumps(env))
    assert twin.position == copy.deepcopy(env).position == env.position
    twin.step(3)
    twin.close()
    env.close()


def test_observations_do_not_change_afterwards():
    env = aec.raw_env()
    env.reset()
    seen = [env.observe("player_0") for _ in range(2)]
    kept = copy.deepcopy(seen)
    seen[1]["observation"][:] = 5
    seen[1]["action_mask"][:] = 5
    env.step(3)
    assert (seen[0]["observation"] == kept[0]["observation"]).all()
    assert (seen[0]["action_mask"] == kept[0]["action_mask"]).all()
    assert env.observe("player_0")["observation"].max() == 1


def test_reset_from_moves():
    env = aec.env()
    env.reset(options={"moves": "44531"})
    assert env.agent_selection == "player_1"
    assert env.position == Position.from_moves("44531")
    env.step(0)
    assert env.moves == "445311"
    env.reset()
    assert env.moves == ""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"moves": "48"}, "ply 2: '8' is not a column"),
        ({"moves": "4444444"}, "ply 7: column 4 is full"),
        ({"moves": "1212121"}, "game is over"),
        ({"moves": "12121212"}, "ply 8: the game is over"),
    ],
)
def test_wrong_options_are_refused_and_change_nothing(options, complaint):
    env = aec.env()
    env.reset(options={"moves": "44"})
    with pytest.raises(ValueError, match=complaint):
        env.reset(options=options)
    assert env.moves == "44"


@pytest.mark.parametrize("wrong", [{"rules": "five"}, {"illegal": "ignore"}, {"render_mode": "video"}])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong)) + " (is|are) '"):
        aec.env(**wrong)


def test_illegal_move_loses():
    env = aec.env()
    env.reset(options={"moves": TWO_FULL_COLUMNS})
    mover = env.agent_selection
    env.step(0)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {mover: -1, AGENTS[1 - AGENTS.index(mover)]: 0}
    assert env.moves == TWO_FULL_COLUMNS


def test_illegal_move_raises_on_request_and_changes_nothing():
    for env in (aec.env(illegal="raise"), aec.raw_env()):
        env.reset(options={"moves": TWO_FULL_COLUMNS})
        before = env.observe(env.agent_selection)
        with pytest.raises(ValueError, match="column 2 is full"):
            env.step(1)
        after = env.observe(env.agent_selection)
        assert all((before[key] == after[key]).all() for key in before)
        assert env.terminations == {"player_0": False, "player_1": False}
        env.step(3)
        assert env.moves == TWO_FULL_COLUMNS + "4"


def test_raw_env_refuses_columns_that_do_not_exist():
    env = aec.raw_env()
    for column in (-1, 7):
        with pytest.raises(ValueError, match="there is no column"):
            env.step(column)
    assert env.moves == ""


def test_render_modes():
    env = aec.env(render_mode="ansi")
    env.reset(options={"moves": "4"})
    assert "X to move" in env.render()
    env = aec.env(render_mode="rgb_array")
    env.reset()
    empty = env.render()
    env.step(3)
    assert empty.dtype == np.uint8
    assert (env.render() != empty).any()


def test_made_by_name():
    env = pettingzoo.make("aec", aec.AEC_ID, rules="most-fours")
    env.reset()
    assert env.rules == "most-fours"
    assert isinstance(env.observation_space("player_0"), spaces.Dict)


def test_as_parallel_environment():
    env = turn_based_aec_to_parallel(aec.env())
    observations, _ = env.reset()
    assert set(observations) == set(AGENTS)
    turn = {agent: 3 if observations[agent]["action_mask"].any() else 0 for agent in AGENTS}
    observations, _, terminations, _, _ = env.step(turn)
    assert observations["player_1"]["action_mask"].all()
    assert not any(terminations.values())


def test_importing_c4env_leaves_pettingzoo_alone():
    program = "import sys, c4env; print('pettingzoo' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


def test_without_pettingzoo_the_error_names_the_extra():
    program = "import sys; sys.modules['pettingzoo'] = None\nimport c4env.aec"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert 'pip install "c4env[pettingzoo]"' in done.stderr
