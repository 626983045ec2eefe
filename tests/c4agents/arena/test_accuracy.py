"""Exact accuracy, labelled sets, perfect opponents, reports and the periodic hook."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
import pytest

from c4agents.arena.accuracy import judge
from c4agents.arena.evaluation import describe_score, evaluate_agent
from c4agents.arena.exact import NO_SCORE
from c4agents.arena.labelled import LabelledPositions, from_scores, read_positions, write_positions
from c4agents.arena.make_evaluation_set import sample_positions
from c4agents.arena.perfect import PerfectPlayer, against_perfect
from c4agents.arena.periodic import ModelAgent, PeriodicEvaluation, sb3_callback
from c4agents.arena.report import write_report
from c4env.bitboard import canonical_key
from c4env.position import Position, PositionBatch

from .helpers import BruteForce, Scripted, hashed, late_games, lowest


@pytest.fixture(scope="module")
def oracle() -> BruteForce:
    return BruteForce()


@pytest.fixture(scope="module")
def late(oracle) -> LabelledPositions:
    games = late_games(30, 40, 1) + late_games(31, 40, 2) + late_games(34, 40, 3)
    batch = PositionBatch.of(Position.from_moves(moves) for moves in games)
    return from_scores(batch.own, batch.occupied, oracle.scores(batch.own, batch.occupied), "late positions")


def test_perfect_play_is_exactly_right(oracle, late):
    judged = judge(PerfectPlayer(oracle), late)
    for accuracy in (judged.accuracy(), *judged.by_phase().values(), *judged.by_ply().values()):
        assert accuracy.preserving.share == accuracy.best.share == 1.0
        assert accuracy.regret == 0
    assert judged.blunders() == []


def test_random_play_meets_its_expectation(late):
    legal = late.scores != NO_SCORE
    keeps = legal & (np.sign(late.scores) == np.sign(late.best)[:, None])
    is_best = legal & (late.scores == late.best[:, None])
    judged = [judge("random", late, seed=seed).accuracy() for seed in range(40)]
    tries = 40 * len(late)
    for measured, expected in (
        (np.mean([one.preserving.share for one in judged]), (keeps.sum(1) / legal.sum(1)).mean()),
        (np.mean([one.best.share for one in judged]), (is_best.sum(1) / legal.sum(1)).mean()),
    ):
        assert abs(measured - expected) < 4 * np.sqrt(0.25 / tries)
    regret = np.where(legal, late.best[:, None] - late.scores.astype(int), 0).sum(1) / legal.sum(1)
    assert np.mean([one.regret for one in judged]) == pytest.approx(regret.mean(), rel=0.05)


def test_moves_are_judged_one_by_one(oracle, late):
    judged = judge(Scripted(hashed), late)
    for index, position in enumerate(late.batch):
        scores = oracle.moves(position)
        best, got = max(scores.values()), scores[hashed(position)]
        assert judged.got[index] == got
        assert judged.regret[index] == best - got
        assert judged.preserving[index] == (np.sign(got) == np.sign(best))
        assert late.decisive[index] == (len({np.sign(score) for score in scores.values()}) > 1)
    blunders = judged.blunders(1000)
    assert len(blunders) == (~judged.preserving).sum()
    drops = [np.sign(blunder.best) - np.sign(blunder.got) for blunder in blunders]
    assert drops == sorted(drops, reverse=True)
    for blunder in blunders:
        assert blunder.column == hashed(blunder.position)
        assert {oracle.moves(blunder.position)[column] for column in blunder.right} == {blunder.best}


def test_failures_count_as_lost_at_once(late):
    def breaks(position):
        if position.ply == 31:
            raise RuntimeError("odd")
        return 7 if position.ply == 34 else lowest(position)

    judged = judge(Scripted(breaks), late)
    assert len(judged.failures) == 80
    ply = late.ply
    assert not judged.preserving[ply > 30].any()
    assert (judged.got[ply == 31] == -5).all()
    assert judged.accuracy(ply == 34).best.share == 0
    assert "raised RuntimeError: odd" in str(judged.summary()["failures"])


def test_text_sets_are_judged_through_the_oracle(oracle, tmp_path):
    games = late_games(30, 60, 7)
    lines = [f"{moves} {oracle.value(Position.from_moves(moves))}" for moves in games]
    path = tmp_path / "Test_L3"
    path.write_text("\n".join(lines) + "\n")
    positions = read_positions(path)
    assert positions.scores is None
    judged = judge(Scripted(hashed), positions, oracle=oracle)
    for index, position in enumerate(positions.batch):
        assert judged.got[index] == oracle.moves(position)[hashed(position)]
    assert judge(PerfectPlayer(oracle), positions, oracle=oracle).accuracy().best.share == 1.0
    with pytest.raises(ValueError, match="needs the solver"):
        judge(Scripted(hashed), positions)
    for text, message in (
        ("44 x", "line 1"),
        ("44", "a line is moves, a space and a score"),
        ("4444444 1", "ply 7: column 4 is full"),
        ("1212121 3", "the game is over"),
        ("", "has no positions"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_positions(path)


def test_sets_survive_their_file_and_bad_files_are_refused(late, tmp_path):
    path = tmp_path / "set.npz"
    write_positions(path, late)
    again = read_positions(path)
    assert (again.own == late.own).all()
    assert (again.occupied == late.occupied).all()
    assert (again.scores == late.scores).all()
    wrong = late.scores.copy()
    wrong[0, :] = NO_SCORE
    for arrays, message in (
        ({"own": late.own}, "is not a set of positions"),
        ({"own": late.own, "occupied": late.occupied, "scores": late.scores[:-1]}, "own and occupied are int64"),
        ({"own": late.own, "occupied": late.own & 1, "scores": late.scores}, "can't be"),
        ({"own": late.own, "occupied": late.occupied, "scores": wrong}, "exactly the columns that have room"),
    ):
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=message):
            read_positions(path)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is not a set of positions"):
        read_positions(path)
    with pytest.raises(ValueError, match="can't read"):
        read_positions(tmp_path / "missing.npz")


def test_samples_are_stratified_without_repeats_and_by_seed():
    one = sample_positions(4, 1, 0, 12)
    assert np.bincount([position.ply for position in one]).tolist() == [1, 4, *[4] * 11]
    assert len({canonical_key(position.own, position.occupied) for position in one}) == len(one)
    assert not any(position.is_over for position in one)
    same, other = sample_positions(4, 1, 0, 12), sample_positions(4, 2, 0, 12)
    assert (one.own == same.own).all()
    assert (one.own != other.own).any()


def test_perfect_player_keeps_the_outcome_and_varies(oracle):
    for moves in late_games(30, 15, 4):
        position = Position.from_moves(moves)
        scores = oracle.moves(position)
        player = PerfectPlayer(oracle)
        played = set()
        for seed in range(30):
            player.seed(seed)
            played.add(player.act(position))
        assert played == {column for column in scores if scores[column] == max(scores.values())}
    noisy = PerfectPlayer(oracle, epsilon=1.0)
    assert {noisy.act(position) for _ in range(200)} == set(position.legal)


def test_scores_in_words():
    position = Position.from_moves(
        "4141"
    )  # both have two; the first player wins with its fourth stone, the second next
    assert describe_score(18, position) == "win in 2 moves"
    assert describe_score(-18, position) == "loss in 2 moves"
    assert describe_score(0, position) == "draw"
    assert describe_score(1, Position()) == "win in 21 moves"


class Stub:
    """Stands for the exact values from the empty board, where brute force takes too long."""

    def scores(self, own, occupied):
        rows = [
            [4 if column in position.legal else NO_SCORE for column in range(7)]
            for position in PositionBatch(own, occupied)
        ]
        return np.array(rows, np.int8)


class Balanced(HTMLParser):
    """Counts tags that are opened and not closed."""

    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_reports_are_whole_and_self_contained(late, tmp_path):
    agent = Scripted(hashed, "<hashed> & co")
    evaluation = evaluate_agent(agent, games=4, rungs=("random",), perfect_games=2, positions=late, oracle=Stub())
    markdown, page, data = write_report(evaluation, tmp_path / "report")
    html = page.read_text()
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert parser.links == []
    assert "<hashed>" not in html
    assert html.count("<svg") == 2 + len(evaluation.accuracy.blunders())
    content = json.loads(data.read_text())
    accuracy = evaluation.accuracy.accuracy()
    assert content["accuracy"]["all"]["best"] == accuracy.best.share
    assert content["rungs"][0]["games"] == 4
    assert [result["games"] for result in content["perfect_play"]] == [2, 2, 2, 2]
    text = markdown.read_text()
    assert str(accuracy.preserving) in text
    assert str(evaluation.accuracy.blunders()[0].position) in text


def test_against_perfect_plays_both_seats_from_the_empty_board():
    results = against_perfect(Scripted(hashed), Stub(), 3, epsilons=(0.0,))
    assert [result.seat for result in results] == ["first", "second"]
    for result, first in zip(results, (0, 1), strict=True):
        assert {game.first for game in result.games} == {first}
        assert sum(result.tally) == 3


def test_the_hook_measures_when_it_is_due(late):
    told = []
    hook = PeriodicEvaluation(100, ("random",), 4, late, report=lambda steps, figures: told.append(steps))
    answers = {steps: hook(steps, Scripted(hashed)) for steps in range(0, 301, 30)}
    assert [steps for steps, figures in answers.items() if figures] == told == [120, 240]
    assert set(hook.history[120]) == {
        "accuracy/preserving",
        "accuracy/decisive",
        "accuracy/best",
        "accuracy/regret",
        "score/random",
    }
    assert hook.history[120] == hook.history[240]


def test_sb3_models_are_measured_while_they_learn(late):
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO

    from c4env.sb3 import SB3VecEnv

    hook = PeriodicEvaluation(64, ("random",), 2, late)
    model = MaskablePPO("MlpPolicy", SB3VecEnv(4, opponent="random"), n_steps=16, batch_size=32, n_epochs=1, seed=0)
    model.learn(128, callback=sb3_callback(hook))
    assert list(hook.history) == [64, 128]
    agent = ModelAgent(model)
    batch = late.batch
    columns = agent.act_batch(batch)
    assert all(column in position.legal for column, position in zip(columns, batch, strict=True))
    assert agent.act(batch[0]) == columns[0]
