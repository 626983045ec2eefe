"""The arena with the real solver and the shipped evaluation set."""

from __future__ import annotations

import numpy as np
import pytest

import c4agents
from c4agents.arena.accuracy import judge
from c4agents.arena.certification import certify
from c4agents.arena.exact import NO_SCORE, solver
from c4agents.arena.labelled import LabelledPositions, evaluation_set, from_scores
from c4agents.arena.make_evaluation_set import FIRST_PLY, LAST_PLY, PER_PLY, SEED, sample_positions
from c4agents.arena.match import play_match
from c4agents.arena.openings import all_openings, balanced_openings
from c4agents.solver import SolverAgent
from c4env.bitboard import canonical_key
from c4env.position import Position

from .helpers import late_games


def where(positions: LabelledPositions, mask: np.ndarray) -> LabelledPositions:
    return from_scores(positions.own[mask], positions.occupied[mask], positions.scores[mask], positions.name)


def test_the_shipped_set_is_what_its_documentation_says():
    positions = evaluation_set()
    counts = np.bincount(positions.ply)
    assert counts.tolist() == [0] * FIRST_PLY + [1, 4, 25, *[PER_PLY] * (LAST_PLY - 2)][FIRST_PLY:]
    assert len({canonical_key(p.own, p.occupied) for p in positions.batch}) == len(positions)
    assert not any(position.is_over for position in positions.batch)
    assert ((positions.scores != NO_SCORE).sum(axis=1) > 1).all()
    assert 0.3 < positions.decisive.mean() < 0.8
    assert positions.scores[0].tolist() == [-2, -1, 0, 1, 0, -1, -2]


def test_the_shipped_set_can_be_made_again():
    positions = evaluation_set()
    again = sample_positions(PER_PLY, SEED)
    assert (again.own == positions.own).all()
    assert (again.occupied == positions.occupied).all()


def test_solver_is_exactly_right_everywhere():
    positions = evaluation_set()
    some = where(positions, (positions.ply <= 6) | (positions.ply >= 18))
    judged = judge("solver", some)
    for accuracy in (judged.accuracy(), judged.accuracy(some.decisive), *judged.by_phase().values()):
        assert accuracy.preserving.share == accuracy.best.share == 1.0
        assert accuracy.regret == 0
    again = solver().scores(some.own, some.occupied)
    assert (again == some.scores).all()


def test_random_meets_its_expectation_on_the_shipped_set():
    positions = evaluation_set()
    legal = positions.scores != NO_SCORE
    keeps = legal & (np.sign(positions.scores) == np.sign(positions.best)[:, None])
    expected = (keeps.sum(axis=1) / legal.sum(axis=1)).mean()
    preserving = judge("random", positions, seed=1).accuracy().preserving
    assert preserving.low <= expected <= preserving.high


@pytest.mark.parametrize("depth", range(1, 9))
def test_every_alphabeta_gives_the_win_away(depth):
    agent = c4agents.make(f"alphabeta:depth={depth}")
    certificate, leaks = certify(agent, oracle=solver(), first=True, plies=8)
    assert certificate.leaks == len(leaks.own) > 0
    for example in certificate.counterexamples[:3]:
        position = Position()
        for move in example.game:
            if position.player == 0:
                assert agent.act(position) == int(move) - 1
            position = position.play(int(move) - 1)
        assert position.is_over
        assert position.winner != 0


@pytest.mark.parametrize(
    ("opening", "outcome"), [("1", 1), ("2", 1), ("3", 0), ("4", -1), ("5", 0), ("6", 1), ("7", 1)]
)
def test_solver_moving_second(opening, outcome):
    certificate, leaks = certify("solver", "second", opening, oracle=solver(), plies=5)
    assert certificate.leaks == len(leaks.own) == 0
    assert certificate.complete
    assert solver().outcomes(leaks.own, leaks.occupied).size == 0
    start = Position.from_moves(opening)
    assert solver().outcomes(np.array([start.own]), np.array([start.occupied])).tolist() == [outcome]


def test_solver_moving_first_keeps_the_win_through_the_opening():
    certificate, _ = certify("solver", oracle=solver(), plies=6)
    assert certificate.leaks == 0
    assert [layer.positions for layer in certificate.layers][:3] == [1, 4, 25]


def test_a_single_planted_blunder_is_found_and_named():
    perfect = SolverAgent()
    planted = 0
    for opening in late_games(18, 6, 21):
        start = Position.from_moves(opening)
        seat = "first" if start.player == 0 else "second"
        clean, leaks = certify(perfect, seat, opening, oracle=solver())
        assert clean.proven
        assert len(leaks.own) == 0
        target = reached(perfect, start, 8)
        if target is None:
            continue
        planted += 1
        position, wrong = target
        agent = Blunderer(perfect, position, wrong)
        certificate, leaks = certify(agent, seat, opening, oracle=solver())
        assert certificate.leaks == 1
        found = Position(int(leaks.own[0]), int(leaks.occupied[0]))
        assert found in (position, position.mirror())
        (example,) = certificate.counterexamples
        assert Position.from_moves(example.moves[:-1]) in (position, position.mirror())
        assert "turns a" in example.note
    assert planted >= 2


class Blunderer(SolverAgent):
    """Perfect but for one position."""

    def __init__(self, perfect: SolverAgent, position: Position, wrong: int) -> None:
        super().__init__(name="blunderer", solver=perfect.solver)
        self.mirror_consistent = False
        self.position, self.wrong = position, wrong

    def act_batch(self, positions):
        columns = np.array(super().act_batch(positions))
        columns[(positions.own == self.position.own) & (positions.occupied == self.position.occupied)] = self.wrong
        return columns


def reached(agent: SolverAgent, start: Position, plies: int) -> tuple[Position, int] | None:
    """A position that ``agent`` can be brought to after ``plies`` plies, and a column there that spoils the outcome."""
    stack = [start]
    while stack:
        position = stack.pop()
        if position.is_over:
            continue
        if position.player != start.player:
            stack += [position.play(answer) for answer in position.legal]
        elif position.ply < start.ply + plies:
            stack.append(position.play(agent.act(position)))
        else:
            scores = agent.solver.scores(position)
            best = max(score for score in scores if score is not None)
            wrong = [c for c, score in enumerate(scores) if score is not None and np.sign(score) < np.sign(best)]
            if wrong:
                return position, wrong[0]
    return None


def test_balanced_openings_are_those_that_perfect_play_draws():
    chosen = set(balanced_openings(2))
    for moves in all_openings(2):
        position = Position.from_moves(moves)
        assert (moves in chosen) == (solver().outcomes(*map(np.array, ([position.own], [position.occupied])))[0] == 0)
    result = play_match("solver", "random", 4, openings="balanced", opening_plies=4)
    assert result.tally() == (4, 0, 0)
