"""``random``, ``rules`` and ``mcts``, and that strength is ordered."""

from __future__ import annotations

import random

import numpy as np
import pytest

import c4agents
from c4agents.catalogue import EVALUATION_NAMES
from c4agents.mcts import MctsAgent
from c4agents.search.agents import AlphaBetaAgent
from c4agents.uct import playout
from c4env.bitboard import FIRST_FOUR, RULES
from c4env.position import Position
from tests.c4agents import oracle


def wins_at_once(position: Position, column: int) -> bool:
    return position.play(column).winner == position.player


def test_rules_wins_else_blocks_else_any():
    agent = c4agents.make("rules")
    rng = random.Random(1)
    seen = set()
    for _ in range(400):
        position = oracle.random_position(rng)
        wins = {column for column in position.legal if wins_at_once(position, column)}
        other = Position(position.own ^ position.occupied, position.occupied)
        blocks = {column for column in position.legal if other.play(column).result == -1}
        expected = wins or blocks or set(position.legal)
        seen.add("win" if wins else "block" if blocks else "any")
        assert agent.act(position) in expected
        analysis = agent.analyse(position)
        assert {column for column in range(7) if analysis.scores[column]} == expected
        assert sum(score for score in analysis.scores if score is not None) == pytest.approx(1)
    assert seen == {"win", "block", "any"}


@pytest.mark.parametrize("spec", ["random", "rules"])
def test_simple_agents_draw_evenly_and_by_seed(spec):
    agent = c4agents.make(spec)
    position = Position.from_moves("777777")
    drawn = [agent.act(position) for _ in range(3000)]
    assert np.bincount(drawn, minlength=7)[:6].min() > 400
    agent.seed(0)
    assert [agent.act(position) for _ in range(3000)] == drawn
    streams = np.arange(1000, dtype=np.int64) * 31
    columns = np.full(1000, -1, dtype=np.int8)
    boards = np.full((2, 1000), [[position.own], [position.occupied]], dtype=np.int64)
    agent.choose(boards[0], boards[1], np.ones(1000, dtype=np.bool_), streams, columns, 10, 1000, FIRST_FOUR)
    assert (columns[:10] == -1).all()
    assert set(columns[10:].tolist()) == set(range(6))


@pytest.mark.parametrize("rules", RULES)
def test_playouts_have_the_chances_of_random_play(rules):
    rng = random.Random(2)
    position = Position.from_moves("44435", rules)
    results = []
    for _ in range(3000):
        after = position
        while not after.is_over:
            after = after.play(rng.choice(after.legal))
        results.append(0 if after.winner is None else 1 if after.winner == position.player else -1)
    stream, ours = 7, []
    for _ in range(3000):
        outcome, stream = playout(position.own, position.occupied, RULES[rules], stream)
        ours.append(outcome)
    for value in (-1, 0, 1):
        assert np.mean(np.equal(ours, value)) == pytest.approx(np.mean(np.equal(results, value)), abs=0.05)


@pytest.mark.parametrize("rules", RULES)
def test_mcts_finds_the_right_result_near_the_end(rules):
    rng = random.Random(3)
    agent = MctsAgent(simulations=30_000)
    exact = AlphaBetaAgent(eval="squares", depth=42)
    for _ in range(25):
        position = oracle.random_position(rng, rules, plies=41)
        while position.ply < 32:
            position = oracle.random_position(rng, rules, plies=41)
        scores = exact.analyse(position).scores
        signs = [None if score is None else int(np.sign(score)) for score in scores]
        analysis = agent.analyse(position)
        assert signs[analysis.column] == max(sign for sign in signs if sign is not None)
        # What it calls certain is.
        for column, score in enumerate(analysis.scores):
            if score in (1.0, -1.0) and analysis.visits[column] > 100:
                assert signs[column] == score


def test_mcts_counts_every_playout_once():
    analysis = MctsAgent(simulations=500).analyse(Position.from_moves("44"))
    assert sum(analysis.visits) == analysis.nodes == 500
    assert analysis.visits[analysis.column] == max(analysis.visits)
    assert all(-1 <= score <= 1 for score in analysis.scores)


def test_mcts_stops_when_the_root_is_certain():
    analysis = MctsAgent(simulations=100_000).analyse(Position.from_moves("121212"))
    assert analysis.column == 0
    assert analysis.nodes < 100


def test_mcts_is_decided_by_seed_and_position_up_to_mirror():
    rng = random.Random(4)
    agent, twin, other = MctsAgent(seed=1), MctsAgent(seed=1), MctsAgent(seed=2)
    differ = 0
    for _ in range(30):
        position = oracle.random_position(rng, plies=20)
        analysis = agent.analyse(position)
        assert analysis.visits == twin.analyse(position).visits
        differ += analysis.visits != other.analyse(position).visits
        if position.key != position.mirror().key:
            mirrored = agent.analyse(position.mirror())
            assert mirrored.visits == analysis.visits[::-1]
            assert mirrored.column == 6 - analysis.column
    assert differ > 20


def test_mcts_answers_games_natively():
    agent = c4agents.make("mcts:simulations=200")
    winning = Position.from_moves("121212")
    own = np.full(20, winning.own, dtype=np.int64)
    occupied = np.full(20, winning.occupied, dtype=np.int64)
    columns = np.full(20, -1, dtype=np.int8)
    waiting = np.arange(20) < 15
    agent.choose(own, occupied, waiting, np.arange(20, dtype=np.int64), columns, 0, 20, FIRST_FOUR)
    assert columns.tolist() == [0] * 15 + [-1] * 5


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("rules", "random"),
        ("alphabeta:depth=6", "alphabeta:depth=2"),
        ("mcts:simulations=2000", "mcts:simulations=50"),
        *((f"alphabeta:depth=4,eval={name}", "rules") for name in EVALUATION_NAMES),
    ],
)
def test_strength_is_ordered(stronger, weaker):
    strong, weak = c4agents.make(stronger), c4agents.make(weaker)
    rng = random.Random(5)
    points = games = 0.0
    for pair in range(20):
        opening = oracle.random_position(rng, plies=3)
        for first in (0, 1):
            position = opening
            strong.seed(pair)
            weak.seed(pair + 1000)
            while not position.is_over:
                position = position.play((strong if position.player == first else weak).act(position))
            games += 1
            points += 0.5 if position.winner is None else position.winner == first
    assert points / games > 0.6
