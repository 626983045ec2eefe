"""Random position sets."""

from __future__ import annotations

import pytest

from c4agents.solver import Solver
from c4agents.solver.sampling import sample
from c4env.bitboard import canonical_key
from c4env.position import Position


@pytest.fixture(scope="module")
def solver():
    return Solver(table_bits=20, book=None)


@pytest.mark.parametrize("balanced", [False, True])
def test_sets_are_as_asked(solver, balanced):
    found = list(sample(10, [16, 25, 34], 1, solver, balanced=balanced))
    assert [labelled.position.ply for labelled in found] == [16] * 10 + [25] * 10 + [34] * 10
    keys = {canonical_key(labelled.position.own, labelled.position.occupied) for labelled in found}
    assert len(keys) == 30
    for labelled in found:
        assert Position.from_moves(labelled.moves) == labelled.position
        assert solver.score(labelled.position) == labelled.score
    if balanced:
        for start in (0, 10, 20):
            signs = [(labelled.score > 0) - (labelled.score < 0) for labelled in found[start : start + 10]]
            assert min(signs.count(sign) for sign in (-1, 0, 1)) == 3


def test_the_seed_decides(solver):
    first, again, other = (list(sample(5, [20, 30], seed, solver)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_ply_that_has_not_enough(solver):
    assert len(list(sample(4, [1], 0, Known()))) == 4
    with pytest.raises(ValueError, match="only 4 of 5"):
        list(sample(5, [1], 0, Known()))


class Known:
    """A solver for positions whose scores are not the point."""

    def score_batch(self, own, occupied):
        return own * 0
