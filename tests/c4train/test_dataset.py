"""Datasets: what is in them, what must not be, and that building can be interrupted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import c4agents
from c4agents.arena.exact import NO_SCORE
from c4agents.arena.labelled import evaluation_set
from c4env.position import Position
from c4env.symmetry import mirror
from c4train import dataset
from c4train.building import build
from c4train.dataset import (
    Boards,
    Dataset,
    Scores,
    boards_of,
    canonical_keys,
    flattened,
    forbidden_keys,
    outcomes_of,
    plies_of,
)
from c4train.reach import bots, families, reached_keys


class Guess:
    """Scores that are quick to make up and follow from the position: what mirrored positions must share."""

    def scores(self, own: Boards, occupied: Boards) -> Scores:
        made = (((own % 1009) * 31 + occupied % 997)[:, None] % np.arange(2, 9) - 1).astype(np.int8)
        full = (occupied[:, None] >> (7 * np.arange(7) + 5)) & 1
        made[full == 1] = NO_SCORE
        return made


GUESS = Guess()


def some_keys(seed: int, games: int = 100) -> Boards:
    """Positions that may be trained on."""
    return np.setdiff1d(reached_keys(bots()[:2], games, np.random.default_rng(seed)), forbidden_keys())


def test_keys_and_boards_are_the_same_positions() -> None:
    keys = some_keys(0)
    own, occupied = boards_of(keys)
    assert np.array_equal(canonical_keys(own, occupied), keys)
    for mine, filled in zip(own[::50].tolist(), occupied[::50].tolist(), strict=True):
        position = Position(mine, filled)
        assert not position.is_over
        assert position.key <= position.mirror().key


def test_reached_positions_are_of_all_plies_and_both_sides() -> None:
    keys = reached_keys(bots()[:2], 400, np.random.default_rng(1))
    plies = plies_of(boards_of(keys)[1])
    assert set(range(30)) <= set(plies.tolist())


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    data = Dataset(tmp_path / "d")
    keys = some_keys(2)
    assert data.add(keys[:300], GUESS) == 300
    assert data.add(keys[200:500], GUESS) == 200
    assert data.add(keys[:500], GUESS) == 0
    again = Dataset(tmp_path / "d")
    assert again.shards == 2
    assert np.array_equal(again.keys, data.keys)
    assert np.array_equal(again.scores, data.scores)
    assert np.array_equal(np.sort(again.keys), keys[:500])
    assert np.array_equal(again.scores, GUESS.scores(*boards_of(again.keys)))


def test_evaluation_positions_stay_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = some_keys(3)
    trained = Dataset(tmp_path / "before")
    trained.add(keys[:50], GUESS)
    monkeypatch.setattr(dataset, "forbidden_keys", lambda: keys[40:60])
    data = Dataset(tmp_path / "after")
    data.add(keys[:100], GUESS)
    assert len(data) == 80
    assert not np.isin(data.keys, keys[40:60]).any()
    with pytest.raises(ValueError, match="measured on"):
        Dataset(tmp_path / "before")


def test_the_shipped_evaluation_set_stays_out(tmp_path: Path) -> None:
    shipped = evaluation_set()
    image = mirror(position=shipped.batch).position
    for own, occupied in ((shipped.own, shipped.occupied), (image.own, image.occupied)):
        assert Dataset(tmp_path).add(canonical_keys(own, occupied), GUESS) == 0


def test_an_interrupted_build_ends_as_an_undisturbed_one(tmp_path: Path) -> None:
    whole = build(tmp_path / "whole", 900, shard=300, plies=(10, 30), labeller=GUESS)
    build(tmp_path / "cut", 600, shard=300, plies=(10, 30), labeller=GUESS)
    (tmp_path / "cut" / "00002.part").write_bytes(b"killed while writing")
    cut = build(tmp_path / "cut", 900, shard=300, plies=(10, 30), labeller=GUESS)
    assert np.array_equal(cut.keys, whole.keys)
    assert np.array_equal(cut.scores, whole.scores)
    assert len(np.unique(whole.keys)) == 900
    plies = plies_of(boards_of(whole.keys)[1])
    assert plies.min() >= 10
    assert plies.max() <= 30
    other = build(tmp_path / "other", 300, seed=1, plies=(10, 30), labeller=GUESS)
    assert not np.array_equal(other.keys, whole.keys[:300])


def test_families_are_what_their_roots_lead_to() -> None:
    """By the rules on a grid: each position follows from one of the ply before, and nobody wins at once."""
    keys = some_keys(5)
    roots = keys[plies_of(boards_of(keys)[1]) == 8][:6]
    largest = 0
    for root in roots:
        family = families(np.array([root]), 12, 20, np.random.default_rng(0))
        assert family[0] == root
        plies = plies_of(boards_of(family)[1])
        assert (np.diff(plies) >= 0).all()
        assert np.bincount(plies)[9:].max() <= 20
        assert len(np.unique(family)) == len(family) > 1
        largest = max(largest, len(family))
        for ply in range(9, 13):
            before = [Position(*map(int, boards)) for boards in zip(*boards_of(family[plies == ply - 1]), strict=True)]
            after = [one.play(column) for one in before for column in one.legal]
            possible = {min(one.key, one.mirror().key) for one in after if not one.is_over}
            assert set(family[plies == ply].tolist()) <= possible
        for own, occupied in zip(*boards_of(family[1:]), strict=True):
            position = Position(int(own), int(occupied))
            assert not any(position.play(column).winning_cells for column in position.legal)
    assert largest > 60


def test_a_dataset_of_families_is_resumable_and_apart(tmp_path: Path) -> None:
    whole = build(tmp_path / "whole", 900, shard=300, plies=(9, 14), family=15, labeller=GUESS)
    build(tmp_path / "cut", 300, shard=300, plies=(9, 14), family=15, labeller=GUESS)
    cut = build(tmp_path / "cut", 900, shard=300, plies=(9, 14), family=15, labeller=GUESS)
    assert np.array_equal(cut.keys, whole.keys)
    assert np.array_equal(whole.scores, GUESS.scores(*boards_of(whole.keys)))
    plies = plies_of(boards_of(whole.keys)[1])
    assert (plies.min(), plies.max()) == (9, 14)
    assert not np.isin(whole.keys, forbidden_keys()).any()


def test_flattened_draws_evenly_by_ply() -> None:
    keys = some_keys(4, 2000)
    drawn = flattened(keys, 2000, np.random.default_rng(0))
    assert len(np.unique(drawn)) == 2000
    there, taken = (np.bincount(plies_of(boards_of(some)[1]), minlength=42)[12:28] for some in (keys, drawn))
    assert there.max() > 4 * there.min()
    assert taken.max() < 3 * taken.min()


def test_outcomes_by_hand() -> None:
    scores = np.array(
        [[3, 1, 0, -2, NO_SCORE, 3, -1], [-5, -5, -2, NO_SCORE, -9, -9, -9], [0, 0, -1, -1, -1, -1, 0]], np.int8
    )
    preserving, best, result = outcomes_of(scores)
    assert [np.flatnonzero(row).tolist() for row in preserving] == [[0, 1, 5], [0, 1, 2, 4, 5, 6], [0, 1, 6]]
    assert [np.flatnonzero(row).tolist() for row in best] == [[0, 5], [2], [0, 1, 6]]
    assert result.tolist() == [0, 2, 1]


def test_labels_are_the_solvers(tmp_path: Path) -> None:
    """Late positions against a full search by another program."""
    data = build(tmp_path / "d", 40, plies=(30, 38))
    full = c4agents.make("alphabeta:eval=outcome,depth=42")
    for key, scores in zip(*(array[::2] for array in (data.keys, data.scores)), strict=True):
        own, occupied = (int(board[0]) for board in boards_of(np.array([key])))
        found = full.analyse(Position(own, occupied)).scores
        assert [None if s == NO_SCORE else int(np.sign(s)) for s in scores] == [
            None if s is None else int(np.sign(s)) for s in found
        ]


@pytest.mark.parametrize("content", [b"", b"hello", None])
def test_damaged_shards_are_named(tmp_path: Path, content: bytes | None) -> None:
    data = Dataset(tmp_path)
    data.add(some_keys(5)[:100], GUESS)
    shard = tmp_path / "00000.npz"
    shard.write_bytes(shard.read_bytes()[:200] if content is None else content)
    with pytest.raises(ValueError, match=r"00000\.npz is damaged"):
        Dataset(tmp_path)


def test_impossible_plies(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="plies are from 0 to 41"):
        build(tmp_path, 10, plies=(20, 50))


def test_what_will_be_measured_on_is_kept_out_for_good(tmp_path: Path) -> None:
    keys = some_keys(8)
    keys = keys[plies_of(boards_of(keys)[1]) > 5]
    files = tmp_path / "sets"
    files.mkdir()
    (files / "one").write_text("4453 0\n44531 1\n", encoding="utf-8")
    excluded = dataset.keys_of_files([files / "one"])
    assert len(excluded) == 2
    data = Dataset(tmp_path / "d", np.union1d(excluded, keys[:10]))
    data.add(keys[:100], GUESS)
    assert len(data) == 90
    again = Dataset(tmp_path / "d")
    assert again.add(np.union1d(keys[:10], excluded), GUESS) == 0
    with pytest.raises(ValueError, match="measured on"):
        Dataset(tmp_path / "d", keys[50:60])
    (tmp_path / "d" / dataset.EXCLUDED).write_bytes(b"junk")
    with pytest.raises(ValueError, match="damaged"):
        Dataset(tmp_path / "d")
