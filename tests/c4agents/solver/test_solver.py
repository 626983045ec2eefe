"""`Solver`: laws of scores, published sets, a second opinion, threads, limits and wrong input."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from c4agents.solver import NO_SCORE, SearchLimit, Solver
from c4env.position import Position, PositionBatch
from tests.c4agents.solver.positions import published, random_positions

MIDGAME = random_positions(range(14, 42), 6, seed=4)


@pytest.fixture(scope="module")
def solver():
    return Solver(table_bits=20, book=None)


@pytest.fixture(scope="module")
def batch():
    return PositionBatch.of(MIDGAME)


def test_a_position_scores_as_its_best_child(solver, batch):
    scores = solver.score_batch(batch.own, batch.occupied)
    for position, score, row in zip(MIDGAME, scores, solver.scores(batch.own, batch.occupied), strict=True):
        expected = []
        for column in range(7):
            if column not in position.legal:
                expected.append(NO_SCORE)
            elif (after := position.play(column)).is_over:
                expected.append(0 if after.is_draw else (43 - position.ply) // 2)
            else:
                expected.append(-solver.score(after))
        assert row.tolist() == expected
        assert score == max(expected)
        assert solver.scores(position) == tuple(None if value == NO_SCORE else value for value in expected)


def test_mirror_images_score_alike(solver):
    for position in MIDGAME:
        assert solver.scores(position.mirror()) == solver.scores(position)[::-1]
        mirrored = tuple(6 - column for column in solver.best_columns(position.mirror()))
        if position != position.mirror():
            assert mirrored == solver.best_columns(position)


def test_outcomes_are_the_signs_of_scores(batch, solver):
    outcomes = Solver(table_bits=18, book=None).outcomes(batch.own, batch.occupied)
    assert outcomes.tolist() == np.sign(solver.score_batch(batch.own, batch.occupied)).tolist()
    assert solver.outcome(MIDGAME[0]) == outcomes[0]


def test_best_columns_have_the_best_score_and_the_first_is_played_in_bulk(solver, batch):
    columns = solver.best_batch(batch.own, batch.occupied)
    for position, column in zip(MIDGAME, columns, strict=True):
        scores = solver.scores(position)
        best = solver.best_columns(position)
        top = max(score for score in scores if score is not None)
        assert sorted(best) == [column for column in range(7) if scores[column] == top]
        assert [abs(column - 3) for column in best] == sorted(abs(column - 3) for column in best)
        assert column == best[0]


def test_a_line_ends_as_the_score_says(solver):
    for position in MIDGAME[::3]:
        score, end = solver.score(position), position
        for column in solver.line(position):
            end = end.play(column)
        assert end.is_over
        if score == 0:
            assert end.is_draw
        else:
            assert end.winner == (position.player if score > 0 else 1 - position.player)
            winning_stone = end.ply - 1
            assert (43 - winning_stone) // 2 == abs(score)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("Test_L3_R1", 1000),
        ("Test_L2_R1", 1000),
        ("Test_L2_R2", 1000),
        ("Test_L1_R1", 1000),
        ("Test_L1_R2", 100),
        ("Test_L1_R3", 5),
    ],
)
def test_published_scores(name, count):
    batch, scores = published(name, count)
    assert Solver(table_bits=22, book=None).score_batch(batch.own, batch.occupied).tolist() == scores.tolist()


def test_another_solver_agrees():
    bitbully_core = pytest.importorskip("bitbully.bitbully_core")
    other, solver = bitbully_core.BitBullyCore(), Solver(table_bits=22, book=None)
    positions = random_positions(range(14, 40), 80, seed=5)
    batch = PositionBatch.of(positions)
    for position, score in zip(positions, solver.score_batch(batch.own, batch.occupied), strict=True):
        board = bitbully_core.BoardCore()
        # bitbully's arrays run by column, bottom first.
        assert board.setBoard(position.to_array()[::-1].T.astype(int).tolist())
        assert other.mtdf(board, 0) == score


def test_threads_give_the_same_scores(batch, solver):
    expected = solver.score_batch(batch.own, batch.occupied).tolist()
    assert Solver(table_bits=18, book=None, threads=3).score_batch(batch.own, batch.occupied).tolist() == expected
    together = Solver(table_bits=18, book=None, threads=2)
    assert [together.score(position) for position in MIDGAME[:30]] == expected[:30]


def test_one_solver_in_many_threads(batch, solver):
    expected = solver.score_batch(batch.own, batch.occupied).tolist()
    shared, found = Solver(table_bits=16, book=None), {}

    def job(number: int) -> None:
        found[number] = shared.score_batch(batch.own, batch.occupied).tolist()

    threads = [threading.Thread(target=job, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [expected] * 4


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_raise_and_leave_a_working_solver(threads):
    for limits in ({"nodes": 20_000}, {"seconds": 0.05}):
        solver = Solver(table_bits=16, book=None, threads=threads, **limits)
        with pytest.raises(SearchLimit, match="not solved within"):
            solver.score(Position())
        assert solver.score(Position.from_moves("445566")) == 18


def test_a_node_limit_is_kept():
    solver = Solver(table_bits=16, book=None, nodes=20_000)
    with pytest.raises(SearchLimit, match="20,000 nodes"):
        solver.score(Position())
    assert 20_000 <= solver.nodes < 21_000


def test_an_interrupt_leaves_a_working_solver(monkeypatch, solver):
    from c4agents.solver import engine

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    victim = Solver(table_bits=16, book=None)
    with monkeypatch.context() as patch:
        patch.setattr(engine._Run, "count", interrupted)
        with pytest.raises(KeyboardInterrupt):
            victim.score(Position.from_moves("4444"))
    assert [victim.score(position) for position in MIDGAME[:20]] == [solver.score(p) for p in MIDGAME[:20]]


@pytest.mark.parametrize(
    ("position", "message"),
    [
        (Position.from_moves("1212121"), "the game is over"),
        (Position.from_moves("44", rules="most-fours"), "first-four"),
    ],
)
def test_positions_that_cannot_be_solved(solver, position, message):
    for method in (solver.score, solver.scores, solver.outcome, solver.best_columns, solver.line):
        with pytest.raises(ValueError, match=message):
            method(position)


FLOATING, FOUR, EXTRA = 0b10, 0b1111, 0b111
FULL = sum(0x3F << (7 * column) for column in range(7))


@pytest.mark.parametrize(
    ("own", "occupied"),
    [
        ([0, 0], [0, FLOATING]),
        ([0, FOUR], [0, FOUR | 0b1111 << 7]),
        ([0, EXTRA], [0, EXTRA]),
        ([0, 1], [0, 0]),
        ([0, 0], [0, 1 << 6]),
        ([0, 0], [0, -1]),
        ([0, 0], [0, FULL]),
    ],
)
def test_impossible_boards_are_named(solver, own, occupied):
    with pytest.raises(ValueError, match="position 1 of the batch"):
        solver.score_batch(np.array(own), np.array(occupied))


def test_wrong_arrays(solver):
    for own, occupied in (([0.0], [0.0]), ([[0]], [[0]]), ([0], [0, 0])):
        with pytest.raises(ValueError, match="own and occupied are arrays"):
            solver.outcomes(np.array(own), np.array(occupied))
    with pytest.raises(ValueError, match="give both"):
        solver.scores(np.array([0]))
    assert solver.score_batch(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).shape == (0,)


@pytest.mark.parametrize("options", [{"table_bits": 8}, {"threads": 0}, {"nodes": 0}, {"seconds": 0.0}])
def test_settings_out_of_range(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Solver(**options)
