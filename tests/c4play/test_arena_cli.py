"""The commands ``match``, ``ladder``, ``eval`` and ``certify``."""

from __future__ import annotations

import json

import pytest

from c4env.position import Position
from c4play import cli


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = cli.main(list(arguments))
    except SystemExit as stop:  # argparse leaves this way
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "random"], "the following arguments are required"),
        (["match", "random", "rules", "--games", "3"], "games is an even number"),
        (["match", "random", "rulse"], "did you mean 'rules'?"),
        (["match", "random", "nowhere:agent"], "neither an agent nor a Python module"),
        (["match", "random", "nowhere.py:agent"], "there is no file nowhere.py"),
        (["match", "random", "rules", "--openings", "odd"], "invalid choice"),
        (["match", "random", "rules", "--opening-plies", "9"], "openings are 0 to 8 plies long"),
        (["match", "random", "rules", "--opening-plies", "1"], "there are only 4 all openings of 1 plies, not 50"),
        (["match", "random", "rules", "--seconds", "0"], "seconds is a time above 0"),
        (["match", "random", "rules", "--workers", "-1"], "workers is a number of processes"),
        (["match", "random", "rules", "--seed", "-1"], "seed is a whole number"),
        (["match", "random", "rules", "--games", "2", "--save", "/proc/nothing/games.txt"], "can't write"),
        (["ladder", "random"], "at least two agents"),
        (["ladder", "random", "random"], "each given once"),
        (["eval", "random", "--games", "-2"], "games are numbers of at least 0"),
        (["eval", "random", "--positions", "missing.txt"], "can't read missing.txt"),
        (["certify"], "which agent?"),
        (["certify", "random", "--plain"], "random is not deterministic"),
        (["certify", "easy", "--plain", "--leaks", "leaks.npz"], "leave out --plain"),
        (["certify", "easy", "--leaks", "leaks.txt"], "leaks are written as .npz"),
        (["certify", "easy", "--plain", "--opening", "48"], "ply 2: '8' is not a column"),
        (["certify", "easy", "--plain", "--max-positions", "0"], "max-positions is a whole number of at least 1"),
        (["certify", "easy", "--plain", "--seat", "third"], "invalid choice"),
        (["certify", "--verify", "missing.json"], "can't read missing.json"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", ["match", "ladder", "eval", "certify"])
def test_help_has_examples(capsys, name):
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert f"examples:\n  c4 {name}" in out


def test_match_prints_saves_and_is_the_same_in_json(capsys, tmp_path):
    save = tmp_path / "games.txt"
    code, out, err = run(capsys, "match", "easy", "random", "--games", "8", "--save", str(save))
    assert (code, err) == (0, "")
    assert "8 games, 8 distinct" in out
    games = [line for line in save.read_text().splitlines() if not line.startswith("#")]
    assert len(games) == 8
    assert all(Position.from_moves(moves).is_over for moves in games)
    code, out, _ = run(capsys, "match", "easy", "random", "--games", "8", "--json")
    result = json.loads(out)
    assert result["wins"] + result["draws"] + result["losses"] == 8
    assert result["score_interval"][0] <= result["score"] <= result["score_interval"][1]


def test_a_users_own_file_plays_and_its_failures_are_told(capsys, tmp_path, monkeypatch):
    (tmp_path / "bot.py").write_text("def play(position):\n    return position.legal[9]\n")
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "match", "bot.py:play", "random", "--games", "4")
    assert code == 0
    assert "bot.py:play raised IndexError: tuple index out of range (after" in out


def test_ladder_prints_ratings_and_goes_on(capsys, tmp_path):
    arguments = ("ladder", "random", "rules", "--games", "6", "--folder", str(tmp_path))
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert out.splitlines()[1].split()[1] == "rules"
    assert run(capsys, *arguments)[1] == out
    result = json.loads(run(capsys, *arguments, "--json")[1])
    assert [rating["name"] for rating in result["ratings"]] == ["rules", "random"]


def test_certify_finds_writes_and_verifies(capsys, tmp_path):
    path = tmp_path / "certificate.json"
    code, out, _ = run(capsys, "certify", "alphabeta:depth=3", "--plain", "--first", "--output", str(path))
    assert code == 1
    assert "alphabeta:depth=3 moving first can be beaten" in out
    content = json.loads(path.read_text())
    assert content["worst"] == "loss"
    assert all(Position.from_moves(example["game"]).winner == 1 for example in content["counterexamples"])
    code, out, _ = run(capsys, "certify", "--verify", str(path))
    assert code == 0
    assert out.startswith(f"{path} holds: alphabeta:depth=3 moving first can be beaten")
    content["layers"][3]["positions"] += 1
    path.write_text(json.dumps(content))
    code, out, _ = run(capsys, "certify", "--verify", str(path))
    assert code == 1
    assert "does not hold:" in out
    assert "ply 6:" in out
    code, out, _ = run(capsys, "certify", "alphabeta:depth=2", "--verify", str(path), "--json")
    assert code == 1
    assert any(line.startswith("agent: ") for line in json.loads(out)["differences"])


def test_certify_is_resumed_from_its_folder(capsys, tmp_path):
    folder = ("--folder", str(tmp_path / "walk"))
    arguments = ("certify", "alphabeta:depth=2", "--plain", "--plies", "8", *folder)
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "no loss up to ply 8" in out
    again = run(capsys, *arguments)[1]
    assert again.splitlines()[:6] == out.splitlines()[:6]
    assert "another agent" in run(capsys, "certify", "alphabeta:depth=1", "--plain", "--plies", "8", *folder)[2]


def test_certify_saves_leaks_that_eval_can_read(capsys, tmp_path):
    path = tmp_path / "leaks.npz"
    code, out, _ = run(capsys, "certify", "hard", "--first", "--plies", "8", "--leaks", str(path))
    assert code == 1
    assert "leak: 4" in out
    assert "turns a win into a" in out
    code, out, _ = run(
        capsys, "eval", "hard", "--games", "0", "--perfect-games", "0", "--positions", str(path), "--json"
    )
    assert code == 0
    (judged,) = json.loads(out)["other_sets"]
    assert judged["all"]["positions"] > 0
    assert judged["all"]["preserving"] == 0


def test_eval_writes_its_report(capsys, tmp_path):
    folder = tmp_path / "report"
    code, out, _ = run(
        capsys, "eval", "easy", "--games", "4", "--rung", "random", "--perfect-games", "1", "--output", str(folder)
    )
    assert code == 0
    assert "moves on evaluation_set.npz" in out
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.json", "report.md"]
    result = json.loads((folder / "report.json").read_text())
    assert result["agent"] == "easy"
    assert result["rungs"][0]["games"] == 4
    assert [game["seat"] for game in result["perfect_play"]] == ["first", "second", "first", "second"]
