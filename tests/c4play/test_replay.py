"""Recorded games: their files, stepping through them, and the verdict on every move."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from c4agents.solver import Solver
from c4env.bitboard import CELLS
from c4env.position import Position
from c4play.gamefiles import RecordedGame, read_games, save_game
from c4play.verdicts import describe_score, judge, moves_to_end
from tests.c4play.terminal import finish, piped, spawn

GAME = "475467565175466623"


def test_every_move_of_a_replay_gets_the_solver_s_verdict() -> None:
    text, solver = piped("--replay", GAME).stdout, Solver()
    for ply, move in enumerate(GAME):
        verdict = judge(solver.scores(Position.from_moves(GAME[:ply])), int(move) - 1)
        said = f"{ply + 1}. {'OX'[ply % 2]} plays {move}: {verdict.grade}, {describe_score(verdict.score, ply)}"
        assert said in text
    assert "\x1b" not in text
    assert text.count("blunder,") == 2


def test_a_replay_goes_on_back_and_out_on_a_terminal() -> None:
    child = spawn("--replay", "1212121")
    for answer, shown in [
        ("", "1. Yellow plays 1"),
        ("", "2. Red plays 2"),
        ("b", "1. Yellow plays 1"),
        ("b", "6  "),
        ("b", "6  "),
    ]:
        child.expect("q: quit ")
        child.sendline(answer)
        child.expect(shown)
    for _ in range(7):
        child.expect("q: quit ")
        child.sendline("")
    text, code = finish(child)
    assert code == 0
    assert "Yellow wins." in text
    assert "perfect" in text
    child = spawn("--replay", "1212121")
    child.expect("q: quit ")
    child.sendline("q")
    assert finish(child)[1] == 0


def test_a_saved_game_is_replayed_by_its_own_rules(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    save_game(path, RecordedGame("1212121212", "Ann (first) against Ben", "most-fours"))
    done = piped("--replay", str(path))
    assert done.returncode == 0
    assert "Ann (first) against Ben" in done.stdout
    assert "10. X plays 2" in done.stdout


def test_files_of_games_round_trip_and_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    save_game(path, RecordedGame("4453", "a against b"))
    assert read_games(path) == [RecordedGame("4453", "a against b")]
    path.write_text("# one\n1212121\n\n44\n")
    assert [game.moves for game in read_games(path)] == ["1212121", "44"]
    save_game(path, RecordedGame("12121212", "", "most-fours"))
    assert read_games(path) == [RecordedGame("12121212", "", "most-fours")]
    path.write_text("44\n# rules: chess\n44\n")
    with pytest.raises(ValueError, match="line 2: rules are"):
        read_games(path)
    path.write_text("44\n49\n")
    with pytest.raises(ValueError, match="line 2: ply 2"):
        read_games(path)
    path.write_text("# nothing\n")
    with pytest.raises(ValueError, match="holds no game"):
        read_games(path)
    path.write_bytes(b"\xff\xfe4")
    with pytest.raises(ValueError, match="not a text file"):
        read_games(path)


def test_verdicts_grade_by_result_first_and_by_speed_second() -> None:
    assert judge([None, 3, 5, 0, -1, 5, 3], 2).grade == "perfect"
    assert judge([None, 3, 5, 0, -1, 5, 3], 1).grade == "inaccuracy"
    assert judge([None, 3, 5, 0, -1, 5, 3], 3).grade == "blunder"
    assert judge([None, 3, 5, 0, -1, 5, 3], 1).better == (2, 5)
    assert judge([-3, -5], 1).grade == "inaccuracy"


def test_distance_to_the_end_counts_the_winners_stones() -> None:
    """Played out: a win in n is over after 2n - 1 plies, a loss in n after 2n."""
    for moves in ("121212", "717171", "12121234"[:6]):
        assert describe_score((CELLS - len(moves) + 1) // 2, len(moves)) == "win in 1"
    assert moves_to_end(-(CELLS - 7) // 2, 7) <= 1
    for ply in range(40):
        most = (CELLS - ply + 1) // 2
        assert [moves_to_end(score, ply) for score in range(1, most + 1)] == list(range(most, 0, -1))
        losses = (CELLS - ply) // 2
        assert [moves_to_end(-score, ply) for score in range(1, losses + 1)] == list(range(losses, 0, -1))
    assert re.fullmatch(r"draw", describe_score(0, 5))
