"""The search's parts against plain versions of themselves, and its scores against exhaustive search."""

from __future__ import annotations

import pytest

from c4agents.solver.children import DONE, ORDER, REPLIES, can_force, expand, safe_cells, take_best, winning_cells
from c4agents.solver.memory import aligned_words
from c4agents.solver.score import LOWER, UPPER, advance, begin, narrow
from c4agents.solver.search import NODES, RANKED, TIES, new_workspace
from c4env.bitboard import landing, playable, threats
from c4env.compiled import compiled
from c4env.position import Position
from tests.c4agents.solver.positions import exhaustive, random_positions

BITS = 18
ANYWHERE = random_positions(range(42), 12, seed=1)
LATE = random_positions(range(30, 42), 250, seed=2)


@compiled
def _winning_cells(stones, occupied):
    return winning_cells(stones, occupied)


@compiled
def _expand(frames, own, occupied, moves, ties):
    return expand(frames, 0, own, occupied, moves, 0, ties)


@compiled
def _can_force(own, occupied, moves):
    return can_force(own, occupied, moves)


@compiled
def _take_best(frames, ranked):
    return take_best(frames, 0, ranked)


def solve(position: Position, work, table, budget: int = 1 << 40) -> int:
    begin(work, position.own, position.occupied)
    while not advance(table, 64 - BITS, work, False, budget):
        pass
    assert work[LOWER] == work[UPPER]
    return int(work[LOWER])


@pytest.fixture(scope="module")
def table():
    return aligned_words(1 << BITS)


def plainly_safe(position: Position) -> list[int]:
    """Columns after which the opponent cannot win at once."""
    safe = []
    for column in position.legal:
        after = position.play(column)
        if after.is_over or all(after.play(reply).winner is None for reply in after.legal):
            safe.append(column)
    return safe


def test_winning_cells_are_the_rules_threats():
    for position in ANYWHERE:
        for stones in (position.own, position.own ^ position.occupied):
            assert _winning_cells(stones, position.occupied) == threats(stones, position.occupied)


def can_win_now(position: Position) -> bool:
    return bool(threats(position.own, position.occupied) & playable(position.occupied))


def test_safe_cells_are_those_after_which_the_opponent_cannot_win():
    for position in ANYWHERE:
        if not can_win_now(position):
            cells = sum(landing(position.occupied, column) for column in plainly_safe(position))
            assert safe_cells(position.own, position.occupied) == cells


def test_children_and_the_forced_win_among_them():
    frames = aligned_words(64)
    ties, ranked = (int(new_workspace()[word]) for word in (TIES, RANKED))
    seen = {True: 0, False: 0}
    for position in ANYWHERE:
        moves = safe_cells(position.own, position.occupied)
        if position.ply > 39 or can_win_now(position) or not moves:
            continue
        columns = plainly_safe(position)
        replies = {column: plainly_safe(position.play(column)) for column in columns}
        forced = any(not columns for columns in replies.values())
        seen[forced] += 1
        assert _can_force(position.own, position.occupied, moves) == forced
        assert _expand(frames, position.own, position.occupied, moves, ties) == forced
        for column in range(7):
            assert (frames[ORDER + column] == DONE) == (column not in columns)
            if column in columns:
                occupied = position.play(column).occupied
                assert frames[REPLIES + column] == sum(landing(occupied, reply) for reply in replies[column])
        taken = [_take_best(frames, ranked) for _ in columns]
        assert sorted(taken) == columns
        assert _take_best(frames, ranked) == DONE
    assert min(seen.values()) > 10


def test_late_positions_score_as_in_exhaustive_search(table):
    work = new_workspace()
    for position in LATE:
        assert solve(position, work, table) == exhaustive(position.own, position.occupied, position.ply)


@pytest.mark.parametrize("budget", [1, 7, 1000])
def test_a_search_in_slices_finds_the_same(table, budget):
    work, sliced = new_workspace(), new_workspace(reverse_ties=True)
    fresh = aligned_words(1 << BITS)
    for position in random_positions(range(16, 34, 2), 4, seed=budget):
        assert solve(position, sliced, fresh, budget) == solve(position, work, table)


def test_a_slice_does_not_exceed_its_budget():
    work = new_workspace()
    begin(work, 0, 0)
    assert not advance(aligned_words(1 << BITS), 64 - BITS, work, False, 5000)
    assert 5000 <= work[NODES] < 5000 + 64


def test_scores_do_not_depend_on_what_the_tables_hold(table):
    cold, work = aligned_words(1 << BITS), new_workspace()
    for position in random_positions(range(14, 40, 2), 5, seed=3):
        warm = solve(position, work, table)
        cold.fill(0)
        assert solve(position, new_workspace(), cold) == warm


def test_bounds_from_elsewhere_are_used(table):
    work = new_workspace()
    for position in LATE[::20]:
        score = solve(position, work, table)
        begin(work, position.own, position.occupied)
        narrow(work, score, score)
        assert work[LOWER] == work[UPPER] == score
