"""The opening book: its file, what it refuses to answer, building and checking."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from c4agents.solver import Book, BookError, Solver
from c4agents.solver.book import SHIPPED, pack, reachable
from c4agents.solver.build import all_plies, build, check, score_path
from c4agents.solver.openings import ScoreFile, floors_below, opening_keys, scores_above
from c4agents.solver.score import UNSOLVED
from c4env.bitboard import canonical_key, from_key
from c4env.position import Position
from tests.c4agents.solver.positions import random_positions

shipped = pytest.mark.skipif(not SHIPPED.exists(), reason="no book is shipped")


def boards(keys) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array([from_key(int(key)) for key in keys], dtype=np.int64).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


@pytest.fixture(scope="module")
def made_up():
    """Keys and invented scores for plies 0 to 5."""
    generator = np.random.default_rng(0)
    keys = [opening_keys(ply) for ply in range(6)]
    return [(row, generator.integers(-20, 21, len(row)).astype(np.int8)) for row in keys]


@pytest.fixture
def path(made_up, tmp_path):
    path = tmp_path / "made-up.book"
    pack(made_up, path)
    return path


def test_openings_are_all_positions_up_to_mirror():
    found = {0: {canonical_key(0, 0)}}
    games = [Position()]
    for ply in range(1, 6):
        games = list({after for game in games for column in game.legal if not (after := game.play(column)).is_over})
        found[ply] = {canonical_key(game.own, game.occupied) for game in games}
    for ply, keys in found.items():
        assert opening_keys(ply).tolist() == sorted(keys)


def test_a_book_gives_back_every_score(made_up, path):
    book = Book(path)
    assert book.plies == 5
    for keys, scores in made_up:
        own, occupied = boards(keys)
        assert book.look_up(own, occupied, UNSOLVED).tolist() == scores.tolist()


def test_mirror_images_have_one_entry(path):
    book = Book(path)
    for position in random_positions(range(6), 20, seed=1):
        pair = [position, position.mirror()]
        own, occupied = (np.array([getattr(p, name) for p in pair]) for name in ("own", "occupied"))
        assert len(set(book.look_up(own, occupied, UNSOLVED).tolist())) == 1


def test_a_book_does_not_answer_what_it_cannot_know(path):
    deeper = random_positions(range(6, 9), 10, seed=2)
    impossible = Position.from_array([[0] * 7] * 4 + [[1, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0]])
    for position in [*deeper, impossible]:
        own, occupied = np.array([position.own]), np.array([position.occupied])
        assert Book(path).look_up(own, occupied, UNSOLVED).tolist() == [UNSOLVED]


def test_reachable_means_that_a_game_leads_there():
    for position in random_positions(range(11), 20, seed=3):
        assert reachable(position.own, position.occupied)
    three = {Position().play(a).play(b).play(c) for a in range(7) for b in range(7) for c in range(7)}
    for own in range(1 << 3):  # every colouring of three stones in column 1
        stacked = Position(own, 0b111)
        if bin(own).count("1") == 1:
            assert reachable(own, 0b111) == (stacked in three)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other"])
def test_damage_is_noticed(path, damage):
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[len(content) // 2] ^= 1
    elif damage == "cut":
        del content[-5:]
    elif damage == "empty":
        content.clear()
    else:
        content[:4] = b"nope"
    path.write_bytes(bytes(content))
    with pytest.raises(BookError):
        Book(path)


def test_a_book_that_cannot_be_used_is_said_once(tmp_path, capsys):
    position = Position.from_moves("445566")
    missing = tmp_path / "missing.book"
    assert Solver(table_bits=16, book=missing).score(position) == 18
    assert Solver(table_bits=16, book=missing).score(position) == 18
    error = capsys.readouterr().err
    assert error.count("there is no opening book at") == 1


def test_scores_follow_from_one_ply_deeper_and_bound_it(made_up):
    keys, scores = made_up[5]
    plies = all_plies(keys, scores, 5)
    for (above, above_scores), (below, below_scores) in itertools.pairwise(plies):
        assert scores_above(above, below, below_scores).tolist() == above_scores.tolist()
        by_key = dict(zip(below.tolist(), below_scores.tolist(), strict=True))
        for key, score in zip(above.tolist(), above_scores.tolist(), strict=True):
            position = Position.from_key(key)
            children = [position.play(column) for column in position.legal]
            assert score == max(-by_key[canonical_key(child.own, child.occupied)] for child in children)
        floors = floors_below(above, above_scores, below)
        assert (floors <= below_scores).all()
        assert (floors == below_scores).any()


@shipped
def test_the_shipped_book_knows_the_opening():
    assert Book(SHIPPED).plies >= 8
    solver = Solver(table_bits=16)
    assert solver.scores(Position()) == (-2, -1, 0, 1, 0, -1, -2)
    assert solver.nodes == 0


@shipped
def test_an_interrupted_build_is_resumed(tmp_path):
    book = Book(SHIPPED)
    keys = opening_keys(book.plies)
    scores = book.look_up(*boards(keys), UNSOLVED).astype(np.int8)
    easiest = np.argsort(-scores)[:5]
    path = score_path(tmp_path, book.plies)
    started = ScoreFile(path, book.plies)
    started.scores[:] = scores
    started.scores[easiest] = UNSOLVED
    started.save()
    output = tmp_path / "again.book"
    with pytest.raises(ValueError, match="--resume"):
        next(build(book.plies, tmp_path, output, resume=False))
    assert [*build(book.plies, tmp_path, output, resume=True, table_bits=18)][-1] == (len(keys), len(keys))
    assert output.read_bytes() == SHIPPED.read_bytes()


@shipped
def test_check_finds_a_wrong_entry(tmp_path):
    book, solver = Book(SHIPPED), Solver(table_bits=22, book=None)
    assert [*check(book, 2, 1, solver)] == [None, None]
    keys = opening_keys(book.plies)
    wrong = book.look_up(*boards(keys), UNSOLVED).astype(np.int8)
    quick = np.flatnonzero(wrong >= 16)
    wrong[quick] = 3
    pack(all_plies(keys, wrong, book.plies), tmp_path / "wrong.book")

    class Quick:
        """Answers at once, truly for entries that are quick to solve."""

        def score_batch(self, own, occupied):
            known = (own[0], occupied[0]) in quick_boards
            return solver.score_batch(own, occupied) if known else np.array([3])

    quick_boards = set(zip(*boards(keys[quick]), strict=True))
    mismatches = [entry for entry in check(Book(tmp_path / "wrong.book"), 300, 0, Quick()) if entry is not None]
    assert any(entry.booked == 3 and entry.solved >= 16 for entry in mismatches)
