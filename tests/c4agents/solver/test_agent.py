"""The ``solver`` agent."""

from __future__ import annotations

import numpy as np
import pytest

import c4agents
from c4agents.agent import Agent
from c4agents.solver import Solver, SolverAgent
from c4env.position import Position, PositionBatch
from tests.c4agents.solver.positions import random_positions

POSITIONS = random_positions(range(14, 41), 4, seed=6)


@pytest.fixture(scope="module")
def solver():
    return Solver(table_bits=20, book=None)


def test_it_is_an_agent_by_name():
    agent = c4agents.make("solver:ties=random,noise=0.25,seed=3")
    assert isinstance(agent, Agent)
    assert isinstance(agent, SolverAgent)
    assert agent.name == "solver:ties=random,noise=0.25,seed=3"


def test_it_plays_best_moves_alone_and_in_bulk(solver):
    agent = SolverAgent(solver=solver)
    assert agent.deterministic
    assert agent.mirror_consistent
    columns = agent.act_batch(PositionBatch.of(POSITIONS))
    for position, column in zip(POSITIONS, columns, strict=True):
        assert column == agent.act(position) == solver.best_columns(position)[0]
        if position != position.mirror():
            assert agent.act(position.mirror()) == 6 - column


def test_random_ties_reach_every_best_column_and_no_other(solver):
    agent = SolverAgent(ties="random", solver=solver)
    assert not agent.deterministic
    position = next(position for position in POSITIONS if len(solver.best_columns(position)) > 1)
    batch = PositionBatch.of([position] * 200)
    first = agent.act_batch(batch).tolist()
    assert set(first) == set(solver.best_columns(position))
    agent.seed(0)
    assert agent.act_batch(batch).tolist() == first


def test_noise_is_the_share_of_random_moves(solver):
    position = next(p for p in POSITIONS if len(p.legal) == 7 and len(solver.best_columns(p)) == 1)
    agent = SolverAgent(noise=0.5, solver=solver)
    assert not agent.deterministic
    assert not agent.mirror_consistent
    columns = agent.act_batch(PositionBatch.of([position] * 2000))
    slips = (columns != solver.best_columns(position)[0]).mean()
    assert abs(slips - 0.5 * 6 / 7) < 0.05
    assert set(np.unique(columns)) == set(range(7))


def test_an_analysis_is_exact(solver):
    agent = SolverAgent(solver=solver)
    for position in POSITIONS[::10]:
        analysis = agent.analyse(position)
        assert analysis.kind == "score"
        assert analysis.scores == solver.scores(position)
        assert analysis.line == solver.line(position)
        assert analysis.line[0] == analysis.column


def test_what_it_cannot_play(solver):
    agent = SolverAgent(solver=solver)
    with pytest.raises(ValueError, match="over"):
        agent.act(Position.from_moves("1212121"))
    for ask in (agent.act, agent.analyse):
        with pytest.raises(ValueError, match="first-four"):
            ask(Position.from_moves("44", rules="most-fours"))
    for options in ({"noise": 1.5}, {"ties": "left"}):
        with pytest.raises(ValueError, match=next(iter(options))):
            SolverAgent(**options)
