"""Minimax against a naive version, alpha-beta against minimax, and the agents built on them."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import threading

import numpy as np
import pytest

import c4agents
from c4agents.evaluations import EVALUATIONS, WIN, WON_FROM, in_points
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent
from c4agents.search.minimax import minimax
from c4env.bitboard import FIRST_FOUR, RULES
from c4env.opponents import NativeOpponent
from c4env.position import Position, PositionBatch
from tests.c4agents import oracle

ALL_RULES = tuple(RULES)
SWITCHES = ("ordering", "table", "threats", "deepening")
ALL_SETTINGS = [dict(zip(SWITCHES, values, strict=True)) for values in itertools.product((False, True), repeat=4)]


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("name", EVALUATIONS)
def test_minimax_is_the_naive_one(name, rules):
    rng = random.Random(name)
    for depth in (1, 2, 3):
        agent = MinimaxAgent(eval=name, depth=depth)
        for _ in range(3):
            position = oracle.random_position(rng, rules)
            assert agent.search(position).value == oracle.minimax(position, name, depth)


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("name", EVALUATIONS)
def test_alphabeta_is_minimax_at_every_depth_and_switch(name, rules):
    rng = random.Random(name)
    for depth in range(1, 7):
        plain = MinimaxAgent(eval=name, depth=depth)
        agents = [AlphaBetaAgent(eval=name, depth=depth, **settings) for settings in ALL_SETTINGS]
        for _ in range(8 if depth < 6 else 3):
            position = oracle.random_position(rng, rules)
            expected = plain.search(position)
            for agent, settings in zip(agents, ALL_SETTINGS, strict=True):
                found = agent.search(position)
                assert (found.value, found.column) == (expected.value, expected.column), (position, settings)
                if not settings["deepening"]:
                    assert found.nodes <= expected.nodes


@pytest.mark.parametrize("rules", ALL_RULES)
def test_to_the_end_of_the_game_is_exhaustive_search(rules):
    rng = random.Random(4)
    for _ in range(40):
        position = oracle.random_position(rng, rules, plies=41)
        while position.ply < 34:
            position = oracle.random_position(rng, rules, plies=41)
        expected = oracle.minimax(position, "squares", 42)
        for settings in ALL_SETTINGS:
            assert AlphaBetaAgent(eval="windows", depth=42, **settings).search(position).value == expected


def test_node_counts_of_the_plain_tree_and_no_more_than_the_originals_pruned():
    position = Position.from_moves("4", "most-fours")
    for depth, plain_nodes, pruned_nodes in ((3, 400, 234), (5, 19_608, 4_290), (6, 137_256, 15_415)):
        assert MinimaxAgent(eval="chains", depth=depth).search(position).nodes == plain_nodes
        for settings in ALL_SETTINGS:
            nodes = AlphaBetaAgent(eval="chains", depth=depth, **settings).search(position).nodes
            # Deepening without the order it is for only adds the shallower searches.
            assert nodes <= pruned_nodes or (settings["deepening"] and not settings["ordering"])


@pytest.mark.parametrize("kind", [MinimaxAgent, AlphaBetaAgent])
def test_sooner_wins_and_later_losses_are_preferred(kind):
    agent = kind(depth=5)
    report = agent.search(Position.from_moves("121212"))
    assert (report.column, report.value) == (0, WIN - 7)
    # Three on the ground open at both ends: lost next ply but one whatever is played.
    lost = agent.search(Position.from_moves("33445"))
    assert lost.value == -(WIN - 7)
    assert lost.value <= -WON_FROM


def after_column(position: Position, column: int, name: str, depth: int) -> float:
    """The value of a column by plain minimax, for the side to move."""
    after = position.play(column)
    number = EVALUATIONS[name]
    value, _ = minimax(after.own, after.occupied, RULES[position.rules], number, depth - 1, -1)
    return in_points(-value, number)


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize(
    "spec", ["minimax:depth=3", "alphabeta:depth=4,eval=outcome", "easy", "alphabeta:seconds=5,depth=3"]
)
def test_analysis_has_every_columns_exact_value(spec, rules):
    agent = c4agents.make(spec)
    rng = random.Random(5)
    for _ in range(10):
        position = oracle.random_position(rng, rules)
        analysis = agent.analyse(position)
        name = {number: name for name, number in EVALUATIONS.items()}[agent.evaluation]
        for column in range(7):
            if column not in position.legal:
                assert analysis.scores[column] is None
            else:
                assert analysis.scores[column] == after_column(position, column, name, agent.depth)
        assert analysis.column == agent.act(position)
        assert analysis.line[0] == analysis.column
        assert analysis.nodes > 0


@pytest.mark.parametrize("rules", ALL_RULES)
def test_the_line_leads_to_the_value(rules):
    rng = random.Random(6)
    for _ in range(20):
        position = oracle.random_position(rng, rules)
        agent = AlphaBetaAgent(eval="windows", depth=5)
        analysis = agent.analyse(position)
        end = position
        for column in analysis.line:
            end = end.play(column)
        sign = -1 if len(analysis.line) & 1 else 1
        assert sign * oracle.minimax(end, "windows", 0) == analysis.scores[analysis.column]
        assert end.is_over or len(analysis.line) == 5


@pytest.mark.parametrize("spec", ["minimax:depth=3", "alphabeta:depth=5,eval=chains", "medium:eval=outcome"])
def test_mirrored_positions_get_mirrored_moves(spec):
    agent = c4agents.make(spec)
    assert agent.deterministic
    assert agent.mirror_consistent
    rng = random.Random(7)
    for _ in range(60):
        position = oracle.random_position(rng)
        if position.key != position.mirror().key:
            assert agent.act(position.mirror()) == 6 - agent.act(position)


def test_ties_go_to_the_centre_or_by_lot():
    empty = Position()
    assert c4agents.make("alphabeta:eval=outcome,depth=3").act(empty) == 3
    lots = c4agents.make("alphabeta:eval=outcome,depth=3,ties=random,seed=1")
    assert not lots.deterministic
    first = [lots.act(empty) for _ in range(60)]
    assert set(first) == set(range(7))
    lots.seed(1)
    assert [lots.act(empty) for _ in range(60)] == first
    plain = c4agents.make("minimax:eval=outcome,depth=3,ties=random,seed=1")
    assert [plain.act(empty) for _ in range(60)] == first


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("spec", ["alphabeta:depth=2,eval=lines", "easy", "alphabeta:depth=6,eval=outcome"])
def test_batches_and_native_answers_are_the_single_ones(spec, rules):
    agent = c4agents.make(spec)
    rng = random.Random(8)
    positions = [oracle.random_position(rng, rules) for _ in range(50)]
    batch = PositionBatch.of(positions)
    single = [agent.act(position) for position in positions]
    assert agent.act_batch(batch).tolist() == single
    waiting = np.arange(50) % 3 != 0
    columns = np.full(50, -1, dtype=np.int8)
    streams = np.arange(50, dtype=np.int64)
    assert isinstance(agent, NativeOpponent)
    threads = [
        threading.Thread(
            target=agent.choose,
            args=(batch.own, batch.occupied, waiting, streams, columns, start, start + 25, RULES[rules]),
        )
        for start in (0, 25)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert columns.tolist() == [column if wait else -1 for column, wait in zip(single, waiting, strict=True)]


def test_native_random_ties_depend_on_the_games_stream():
    agent = c4agents.make("alphabeta:eval=outcome,depth=2,ties=random")
    zeros = np.zeros(400, dtype=np.int64)
    answers = []
    for _ in range(2):
        streams = np.arange(400, dtype=np.int64) * 977
        columns = np.zeros(400, dtype=np.int8)
        agent.choose(zeros, zeros, np.ones(400, dtype=np.bool_), streams, columns, 0, 400, FIRST_FOUR)
        answers.append(columns)
    assert (answers[0] == answers[1]).all()
    assert (np.bincount(answers[0], minlength=7) > 20).all()


def test_time_limit_ends_the_search_with_a_legal_move_and_less_depth():
    agent = c4agents.make("alphabeta:depth=42,seconds=0.02")
    report = agent.search(Position())
    assert 1 <= report.depth < 42
    assert not agent.deterministic
    assert not isinstance(agent, NativeOpponent)
    fixed = c4agents.make(f"alphabeta:depth={report.depth}").search(Position())
    assert (report.column, report.value) == (fixed.column, fixed.value)
    assert agent.analyse(Position()).depth < 42


@pytest.mark.parametrize("spec", ["minimax", "hard", "mcts:simulations=50", "random", "rules:seed=4"])
def test_agents_can_be_copied_and_pickled(spec):
    position = Position.from_moves("4453")
    agent = c4agents.make(spec)
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        agent.seed(9)
        twin.seed(9)
        assert agent.act(position) == twin.act(position)


@pytest.mark.parametrize("spec", ["random", "rules", "minimax", "alphabeta", "hard", "mcts"])
@pytest.mark.parametrize("method", ["act", "analyse"])
def test_a_finished_game_is_refused(spec, method):
    over = Position.from_moves("1212121")
    with pytest.raises(ValueError, match="the game is over"):
        getattr(c4agents.make(spec), method)(over)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 0}, "from 1 to 42, not 0"),
        ({"depth": -3}, "from 1 to 42, not -3"),
        ({"depth": 43}, "from 1 to 42, not 43"),
        ({"eval": "window"}, "one of outcome, lines, squares, windows, powers, chains, not 'window'"),
        ({"ties": "left"}, "centre or random, not 'left'"),
    ],
)
@pytest.mark.parametrize("kind", [MinimaxAgent, AlphaBetaAgent])
def test_bad_settings_are_refused(kind, options, message):
    with pytest.raises(ValueError, match=message):
        kind(**options)
    if kind is AlphaBetaAgent:
        with pytest.raises(ValueError, match="above 0"):
            kind(seconds=-1.0)
