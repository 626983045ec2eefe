"""Each evaluation against its definition, and its symmetries."""

from __future__ import annotations

import random

import pytest

from c4agents.evaluations import EVALUATIONS, WON_FROM, decided, evaluate, in_points, plies_to_end
from c4env.bitboard import RULES
from c4env.position import Position
from tests.c4agents import oracle

ALL_RULES = tuple(RULES)


def points(position: Position, name: str, searching: int = 1) -> float:
    number = EVALUATIONS[name]
    return in_points(evaluate(position.own, position.occupied, number, RULES[position.rules], searching), number)


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("name", EVALUATIONS)
def test_equals_its_definition(name, rules):
    rng = random.Random(name + rules)
    for _ in range(300):
        position = oracle.random_position(rng, rules, plies=41)
        searching = rng.choice((1, -1))
        assert points(position, name, searching) == oracle.evaluate(position, name, searching), position


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("name", [name for name in EVALUATIONS if name != "outcome"])
def test_is_mine_minus_theirs(name, rules):
    rng = random.Random(1)
    for _ in range(300):
        position = oracle.random_position(rng, rules, plies=41)
        swapped = Position(position.own ^ position.occupied, position.occupied, rules)
        assert points(position, name) == -points(swapped, name)


@pytest.mark.parametrize("rules", ALL_RULES)
@pytest.mark.parametrize("name", EVALUATIONS)
def test_mirror_image_is_worth_the_same(name, rules):
    rng = random.Random(2)
    for _ in range(300):
        position = oracle.random_position(rng, rules, plies=41)
        assert points(position, name) == points(position.mirror(), name)


def test_unknown_end_counts_half_a_loss_for_the_side_that_searches():
    position = Position.from_moves("44")
    assert points(position, "outcome", searching=1) == -0.5
    assert points(position, "outcome", searching=-1) == 0.5


def test_a_decided_game_outranks_every_evaluation():
    rng = random.Random(3)
    most = max(
        abs(evaluate(position.own, position.occupied, number, RULES[rules], 1))
        for rules in ALL_RULES
        for position in (oracle.random_position(rng, rules, plies=41) for _ in range(200))
        for number in EVALUATIONS.values()
    )
    # No position can be worth more than every window filled by one side.
    assert most <= 69 * 10**4 < WON_FROM


def test_sooner_wins_are_worth_more_and_tell_when_they_come():
    quick, slow = Position.from_moves("1212121"), Position.from_moves("121213731")
    values = [-decided(p.own, p.occupied, RULES[p.rules]) for p in (quick, slow)]
    assert values[0] > values[1] >= WON_FROM
    assert plies_to_end(values[0], 4) == 3
    assert plies_to_end(123, 4) is None
    assert in_points(values[0], 0) == values[0]
    assert in_points(-1, 0) == -0.5
