"""The policy agent, plain and with search."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import c4agents
from c4agents.agent import Agent
from c4agents.policy.agent import PolicyAgent, PolicySearchAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import PolicyNetwork
from c4agents.policy.weights import save_policy
from c4env.env import ConnectFourEnv
from c4env.position import Position, PositionBatch
from c4env.symmetry import mirror


@pytest.fixture(params=["plain", "search"])
def agent(request: pytest.FixtureRequest, evaluator: Evaluator) -> Agent:
    return PolicyAgent(evaluator) if request.param == "plain" else PolicySearchAgent(evaluator, simulations=40)


def test_batch_answers_are_single_answers_and_legal(agent: Agent, positions: PositionBatch) -> None:
    columns = agent.act_batch(positions)
    assert all(column in position.legal for column, position in zip(columns, positions, strict=True))
    for index in range(0, 400, 20):
        assert agent.act(positions[index]) == columns[index]
        assert agent.analyse(positions[index]).column == columns[index]


def test_mirrored_positions_get_mirrored_moves(agent: Agent, positions: PositionBatch) -> None:
    assert agent.mirror_consistent
    lopsided = np.array([position.mirror() != position for position in positions])
    batch = PositionBatch(positions.own[lopsided], positions.occupied[lopsided])
    image = mirror(position=batch).position
    assert np.array_equal(agent.act_batch(image), 6 - agent.act_batch(batch))


def test_analysis_of_the_plain_policy(evaluator: Evaluator) -> None:
    position = Position.from_moves("4444443")
    analysis = PolicyAgent(evaluator, name="me").analyse(position)
    assert analysis.agent == "me"
    assert analysis.kind == "probability"
    assert analysis.scores[3] is None
    assert sum(score for score in analysis.scores if score is not None) == pytest.approx(1)
    assert analysis.value is not None
    assert -1 <= analysis.value <= 1
    after = position
    for column in analysis.line:
        after = after.play(column)
    assert after.is_over


def test_a_win_at_once_is_certain(evaluator: Evaluator) -> None:
    position = Position.from_moves("112233")
    analysis = PolicySearchAgent(evaluator, simulations=5).analyse(position)
    assert position.play(analysis.column).winner == 0
    assert analysis.scores[analysis.column] == analysis.value == 1.0


def test_temperature_draws_with_the_chances_it_says(evaluator: Evaluator) -> None:
    position = Position.from_moves("3312")
    chances = np.array([s or 0.0 for s in PolicyAgent(evaluator).analyse(position).scores]) ** 2
    agent = PolicyAgent(evaluator, temperature=0.5, seed=1)
    drawn = Counter(agent.act_batch(PositionBatch.of([position] * 4000)).tolist())
    assert np.array([drawn[c] / 4000 for c in range(7)]) == pytest.approx(chances / chances.sum(), abs=0.04)
    agent.seed(5)
    first = agent.act_batch(PositionBatch.of([position] * 50))
    agent.seed(5)
    assert np.array_equal(agent.act_batch(PositionBatch.of([position] * 50)), first)
    assert not agent.deterministic


def test_over_is_refused(agent: Agent) -> None:
    over = Position.from_moves("1212121")
    for ask in (agent.act, agent.analyse):
        with pytest.raises(ValueError, match="over"):
            ask(over)


def test_by_spec(tmp_path: Path, network: PolicyNetwork) -> None:
    path = tmp_path / "p.safetensors"
    save_policy(network, path, {})
    plain, searching = c4agents.make(f"policy:{path}"), c4agents.make(f"policy:{path},search=20")
    assert isinstance(plain, PolicyAgent)
    assert isinstance(searching, PolicySearchAgent)
    assert plain.weights_sha256 == searching.weights_sha256 is not None
    assert plain.act(Position()) in range(7)
    with pytest.raises(ValueError, match="either search or temperature"):
        c4agents.make(f"policy:{path},search=20,temperature=1")
    with pytest.raises(ValueError, match="no weights file"):
        c4agents.make(f"policy:{tmp_path}/q.safetensors")


def test_environments_know_it_by_name(tmp_path: Path, network: PolicyNetwork) -> None:
    path = tmp_path / "p.safetensors"
    save_policy(network, path, {})
    env = ConnectFourEnv(opponent=f"policy:{path}", agent_plays="second")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
