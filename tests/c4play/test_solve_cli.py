"""The commands ``solve``, ``book`` and ``positions``."""

from __future__ import annotations

import io
import json
import sys

import pytest

from c4agents.solver.book import SHIPPED
from c4play import cli

SOLVED = ["445566 18", "2252576253462244111563365343671351441 -1", "7422341735647741166133573473242566 1"]


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = cli.main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def typed(monkeypatch):
    return lambda text: monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_moves_on_the_command_line(capsys):
    moves = [line.split()[0] for line in SOLVED]
    code, out, _ = run(capsys, "solve", "--no-book", *moves)
    assert (code, out.splitlines()) == (0, SOLVED)


def test_columns_and_json(capsys):
    moves = SOLVED[1].split()[0]
    code, out, _ = run(capsys, "solve", "--no-book", moves, "--columns")
    words = out.split()
    assert (code, words[0], len(words)) == (0, moves, 8)
    assert "." in words
    _, out, _ = run(capsys, "solve", "--no-book", moves, "--columns", "--json")
    answer = json.loads(out)
    assert answer["score"] == -1
    assert ["." if score is None else str(score) for score in answer["columns"]] == words[1:]


def test_a_bad_line_is_named_and_the_rest_goes_on(capsys, typed):
    typed(f"{SOLVED[0]}\n\n49\n1212121\n{SOLVED[1]}\n")
    code, out, err = run(capsys, "solve", "--no-book")
    assert code == 1
    assert out.splitlines() == SOLVED[:2]
    assert [line.partition(": ")[2] for line in err.splitlines() if line.startswith("c4 solve")] == [
        "line 3: 49: ply 2: '9' is not a column; columns are 1 to 7",
        "line 4: 1212121: the game is over; there is nothing to solve",
    ]


def test_check_counts_differences(capsys, tmp_path):
    path = tmp_path / "set.txt"
    path.write_text("\n".join(SOLVED))
    code, out, _ = run(capsys, "solve", "--no-book", "--check", str(path))
    assert code == 0
    assert out.startswith("3 positions, 0 differ, ")
    path.write_text("\n".join([SOLVED[0], "445566 17", "4455", *SOLVED]))
    code, out, err = run(capsys, "solve", "--no-book", "--check", str(path), "--json")
    answer = json.loads(out)
    assert (code, answer["positions"], answer["differ"], answer["bad_lines"]) == (1, 5, 1, 1)
    assert "line 2: 445566 scores 18, not 17" in err
    assert "line 3: 4455: there is no score" in err


def test_positions_can_be_checked(capsys, tmp_path):
    code, out, _ = run(capsys, "positions", "--plies", "24,30-31", "--per-ply", "4")
    assert code == 0
    assert [len(line.split()[0]) for line in out.splitlines()] == [24] * 4 + [30] * 4 + [31] * 4
    path = tmp_path / "set.txt"
    path.write_text(out)
    assert run(capsys, "solve", "--no-book", "--check", str(path))[0] == 0


def test_positions_with_columns_as_json(capsys):
    _, out, _ = run(capsys, "positions", "--plies", "30", "--per-ply", "3", "--columns", "--json")
    for line in out.splitlines():
        answer = json.loads(line)
        assert answer["score"] == max(score for score in answer["columns"] if score is not None)


@pytest.mark.skipif(not SHIPPED.exists(), reason="no book is shipped")
def test_book_info(capsys):
    code, out, _ = run(capsys, "book", "info")
    assert code == 0
    assert "checksum right" in out


def test_a_small_book_is_built_and_checked(capsys, tmp_path, monkeypatch):
    from c4agents.solver import openings

    monkeypatch.setattr(openings, "advance", lambda *_: True)  # scores don't matter here, and take long
    folder = str(tmp_path / "work")
    code, out, _ = run(capsys, "book", "build", "--plies", "2", "--folder", folder)
    assert code == 0
    assert "wrote" in out
    assert run(capsys, "book", "build", "--plies", "2", "--folder", folder)[0] == 2
    assert run(capsys, "book", "build", "--plies", "2", "--folder", folder, "--resume")[0] == 0
    code, out, _ = run(capsys, "book", "info", "--book", f"{folder}/openings.book")
    assert "every position up to 2 plies" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "--check", "missing.txt"], "missing.txt cannot be read"),
        (["solve", "44", "--check", "x"], "leave out moves"),
        (["solve", "44", "--threads", "0"], "threads is at least 1"),
        (["solve", "44", "--seconds", "-1"], "seconds is more than 0"),
        (["book", "info", "--book", "missing.book"], "there is no opening book at missing.book"),
        (["book", "build", "--plies", "99"], "--plies is from 0 to 14"),
        (["book"], "required"),
        (["positions", "--plies", "50"], "--plies is like"),
        (["positions", "--plies", "a-b"], "--plies is like"),
        (["positions", "--plies", "9-8"], "--plies is like"),
        (["positions", "--per-ply", "0"], "--per-ply is at least 1"),
        (["positions", "--seed", "-1"], "--seed is not negative"),
    ],
)
def test_bad_input_is_answered_in_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
