"""An evaluation from outside the package: the searches use it, and it survives copies, pickles and other processes."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys

import pytest

from c4agents.evaluations import OUTSIDE_LIMIT, evaluation, in_points
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent, make_alphabeta
from c4env.bitboard import RULES, threats
from c4env.compiled import popcount
from c4env.position import Position, PositionBatch
from tests.c4agents import oracle


@evaluation
def open_cells(own: int, occupied: int, rules: int) -> int:
    """Cells that complete a four, mine minus theirs, doubled under most-fours."""
    return (1 + rules) * (popcount(threats(own, occupied)) - popcount(threats(own ^ occupied, occupied)))


@evaluation
def boundless(own: int, occupied: int, rules: int) -> int:
    """Beyond every limit."""
    return 1 << 60


def naive(position: Position, depth: int) -> float:
    """Plain negamax with the same evaluation in Python."""
    if position.is_over:
        return position.result * (10_000_000 - position.ply)
    if depth == 0:
        other = position.own ^ position.occupied
        cells = [threats(stones, position.occupied).bit_count() for stones in (position.own, other)]
        return (1 + RULES[position.rules]) * (cells[0] - cells[1])
    return max(-naive(position.play(column), depth - 1) for column in position.legal)


@pytest.mark.parametrize("rules", RULES)
def test_both_searches_find_the_naive_values(rules):
    rng = random.Random(rules)
    for depth in (1, 2, 3):
        agents = [MinimaxAgent(eval=open_cells, depth=depth), AlphaBetaAgent(eval=open_cells, depth=depth)]
        for _ in range(5):
            position = oracle.random_position(rng, rules)
            for agent in agents:
                assert agent.search(position).value == naive(position, depth), position


def test_values_never_reach_those_of_a_won_game():
    report = MinimaxAgent(eval=boundless, depth=2).search(Position.from_moves("44"))
    assert report.value == in_points(OUTSIDE_LIMIT, boundless.number)


def test_batches_are_answered_in_compiled_code_like_single_positions():
    rng = random.Random(3)
    positions = [oracle.random_position(rng, "first-four") for _ in range(20)]
    agent = make_alphabeta(eval=open_cells, depth=4)
    assert agent.act_batch(PositionBatch.of(positions)).tolist() == [agent.act(position) for position in positions]


def test_only_built_in_evaluations_promise_mirrored_moves():
    assert MinimaxAgent().mirror_consistent
    assert not MinimaxAgent(eval=open_cells).mirror_consistent


def test_copies_and_pickles_find_the_evaluation_by_name():
    agent = AlphaBetaAgent(eval=open_cells, depth=3)
    position = Position.from_moves("4453")
    for twin in (copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert twin.evaluation == agent.evaluation
        assert twin.act(position) == agent.act(position)


def test_another_process_compiles_its_own(tmp_path):
    (tmp_path / "outside.py").write_text(
        "from c4agents.evaluations import evaluation\n"
        "@evaluation\n"
        "def left(own, occupied, rules):\n"
        "    return -((own ^ occupied) & 127)  # the mover's stones on the left are bad for the other side\n"
    )
    make = "import pickle, sys, outside; from c4agents.search.agents import AlphaBetaAgent as A; "
    make += "sys.stdout.buffer.write(pickle.dumps(A(eval=outside.left, depth=1)))"
    read = "import pickle, sys; from c4env.position import Position; "
    read += "print(pickle.load(sys.stdin.buffer).act(Position()))"
    made = subprocess.run([sys.executable, "-c", make], capture_output=True, check=True, cwd=tmp_path)
    answer = subprocess.run([sys.executable, "-c", read], input=made.stdout, capture_output=True, cwd=tmp_path)
    assert answer.stdout.strip() == b"0", answer.stderr
