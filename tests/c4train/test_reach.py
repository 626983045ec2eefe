"""Openings are all there, and perfect play gives nothing away."""

from __future__ import annotations

import numpy as np
import pytest

from c4agents.arena.exact import solver
from c4env.bitboard import canonical_key
from c4env.position import PositionBatch
from c4train.dataset import boards_of, outcomes_of, plies_of
from c4train.labels import Boards
from c4train.reach import Preserving, bots, opening_keys, reached_keys


@pytest.fixture(scope="module")
def keys() -> Boards:
    found = reached_keys(bots()[:2], 60, np.random.default_rng(0))
    plies = plies_of(boards_of(found)[1])
    return np.concatenate([found[plies < 8][:40], found[plies > 14][:400]])


def test_openings_are_all_positions() -> None:
    """Distinct positions after n plies, mirror images counted as two: 1, 7, 49, 238, 1120, 4263."""
    keys = opening_keys(5)
    own, occupied = boards_of(keys)
    plies = plies_of(occupied)
    image = [PositionBatch(own, occupied)[index].mirror().key for index in range(len(keys))]
    twice = np.where(np.array(image) == keys, 1, 2)
    assert [int(twice[plies == ply].sum()) for ply in range(6)] == [1, 7, 49, 238, 1120, 4263]
    assert all(canonical_key(*pair) == key for *pair, key in zip(own.tolist(), occupied.tolist(), keys, strict=True))


def test_perfect_play_preserves_and_noise_does_not(keys: Boards) -> None:
    own, occupied = boards_of(keys)
    batch, oracle = PositionBatch(own, occupied), solver()
    preserving = outcomes_of(oracle.scores(own, occupied))[0]
    rows = np.arange(len(keys))
    careful, noisy = Preserving(oracle), Preserving(oracle, noise=1.0)
    assert preserving[rows, careful.act_batch(batch)].all()
    assert not preserving[rows, noisy.act_batch(batch)].all()
    assert len({tuple(careful.act_batch(batch)) for _ in range(3)}) == 3
