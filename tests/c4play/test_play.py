"""The real terminal program, driven through a pseudo-terminal and through pipes."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

from c4env.bitboard import CELLS
from c4env.position import Position
from c4play.gamefiles import RecordedGame, read_games, save_game
from c4play.verdicts import describe_score, judge, moves_to_end

COMMAND = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "play"]
PROMPT = r"your column \(\? for help\): "


def spawn(*arguments: str) -> pexpect.spawn[str]:
    """``c4 play`` on a terminal; Ctrl-C reaches it even if this process was started with interrupts ignored."""
    return pexpect.spawn(
        COMMAND[0],
        [*COMMAND[1:], *arguments],
        encoding="utf-8",
        timeout=120,
        dimensions=(40, 100),
        echo=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def finish(child: pexpect.spawn[str]) -> tuple[str, int]:
    """What it printed to the end, and its exit code."""
    child.expect(pexpect.EOF)
    text = child.before or ""
    child.close()
    assert "Traceback" not in text
    return text, int(child.exitstatus)


def piped(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*COMMAND, *arguments], input=text, capture_output=True, text=True, check=False, timeout=120)
    assert "Traceback" not in done.stderr
    return done


def test_two_people_play_to_a_win_with_every_mistake_answered() -> None:
    child = spawn()
    child.expect("Who plays")
    child.sendline("4")
    child.expect("'4' is none of 1, 2, 3")
    child.sendline("2")
    child.expect("Name of player 1")
    child.sendline("Ann")
    child.expect("Name of player 2")
    child.sendline("")
    for answer, reply in [("0", "is not a column"), ("44", "is not a column"), ("column", "is not a column")]:
        child.expect(f"Ann, {PROMPT}")
        child.sendline(answer)
        child.expect(reply)
    child.expect(f"Ann, {PROMPT}")
    child.sendline("u")
    child.expect("nothing to take back")
    child.expect(f"Ann, {PROMPT}")
    child.sendline("a")
    child.expect("is a person")
    for move in "1212121":
        child.expect(PROMPT)
        child.sendline(move)
    text, code = finish(child)
    assert code == 0
    assert "Ann wins!" in text
    assert text.count("[") >= 4


def test_a_full_column_is_refused_and_the_game_goes_on() -> None:
    child = spawn("--first", "human", "--second", "human", "--moves", "444444")
    child.expect(PROMPT)
    child.sendline("4")
    child.expect("column 4 is full; choose another")
    child.expect(PROMPT)
    child.sendline("q")
    assert finish(child)[1] == 0


def test_a_person_against_the_computer_takes_back_and_saves(tmp_path: Path) -> None:
    child = spawn()
    child.expect("Who plays")
    child.sendline("1")
    child.expect("Your name")
    child.sendline("Ann")
    child.expect("Opponent")
    child.sendline("hardest")
    child.expect("there is no agent 'hardest'")
    child.expect("Opponent")
    child.sendline("1")
    child.expect("Who starts")
    child.sendline("2")
    child.expect("COMPUTER chose 4")
    child.expect(f"Ann, {PROMPT}")
    child.sendline("4")
    child.expect("COMPUTER chose")
    child.expect(PROMPT)
    child.sendline("a")
    child.expect("easy plays")
    child.expect(PROMPT)
    child.sendline("u")
    child.expect(PROMPT)
    child.sendline("u")
    child.expect("nothing to take back")
    child.expect(PROMPT)
    child.sendline(f"s {tmp_path}/game.txt")
    child.expect("saved as")
    child.expect(PROMPT)
    child.sendline("s /nowhere/game.txt")
    child.expect("can't write")
    child.expect(PROMPT)
    child.sendline("q")
    finish(child)
    assert read_games(tmp_path / "game.txt") == [RecordedGame("4", "COMPUTER (first) against Ann")]


def test_a_whole_game_against_the_trained_policy() -> None:
    """All defaults: a person moves first against the policy, here in the leftmost column with room."""
    child = spawn()
    for question in ("Who plays", "Your name", r"Opponent.*\[policy\]", "Who starts"):
        child.expect(question)
        child.sendline("")
    position = Position()
    while True:
        child.expect(PROMPT)
        column = position.legal[0]
        child.sendline(str(column + 1))
        position = position.play(column)
        if child.expect([r"COMPUTER chose (\d)", r"wins!|A draw"]) == 1:
            break
        position = position.play(int(child.match.group(1)) - 1)
        if position.is_over:
            child.expect(r"COMPUTER wins!|A draw")
            break
    assert finish(child)[1] == 0
    assert position.winner == 1


def test_an_opponent_by_itself_is_whom_you_play() -> None:
    child = spawn("easy")
    child.expect(f"You, {PROMPT}")
    child.sendline("4")
    child.expect("COMPUTER chose")
    child.expect(PROMPT)
    child.sendline("h")
    child.expect("result")
    child.expect(PROMPT)
    child.sendline("q")
    assert finish(child)[1] == 0


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_agents_play_each_other_and_the_record_is_a_finished_game(rules: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["--first", "rules", "--second", "1", "--rules", rules, "--seed", "3", "--save", str(path)]
    done = piped(*arguments)
    assert done.returncode == 0
    (game,) = read_games(path, rules)  # type: ignore[arg-type]
    position = Position.from_moves(game.moves, rules)  # type: ignore[arg-type]
    assert position.is_over
    assert done.stdout.count("chose") == len(game.moves)
    assert "\x1b" not in done.stdout
    assert "●" not in done.stdout
    if rules == "most-fours":
        assert len(game.moves) == CELLS
        assert f"{position.fours[0]} : {position.fours[1]}" in done.stdout
    assert piped(*arguments).stdout == done.stdout


def test_step_waits_for_a_key_before_each_move() -> None:
    child = spawn("--first", "rules", "--second", "rules", "--step", "--seed", "1")
    for _ in range(3):
        child.expect("Enter lets rules move")
        child.sendline("")
        child.expect("rules chose")
    child.expect("Enter lets rules move")
    child.sendline("q")
    assert finish(child)[1] == 0


@pytest.mark.parametrize(
    ("arguments", "prompt"), [((), r"computer\) \[1\]: "), (("--first", "human", "--second", "human"), PROMPT)]
)
def test_interrupt_and_end_of_input_leave_cleanly(arguments: tuple[str, ...], prompt: str) -> None:
    child = spawn(*arguments)
    child.expect(prompt)
    child.sendintr()
    assert finish(child)[1] == 130
    child = spawn(*arguments)
    child.expect(prompt)
    child.sendeof()
    assert finish(child)[1] == 0


def test_piped_input_that_ends_leaves_cleanly() -> None:
    assert piped().returncode == 0
    assert "goodbye" in piped("--first", "human", "--second", "human", text="4\n").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--first", "alphabeat"], "did you mean 'alphabeta'"),
        (["--first", "human", "--second", "hard", "--rules", "chess"], "'first-four' or 'most-fours'"),
        (["--first", "human", "--moves", "48"], "ply 2"),
        (["--first", "human", "--names", "Ann"], "two names"),
        (["easy", "--second", "hard"], "give the opponent once"),
        (["--first", "human", "--delay", "-1"], "--delay"),
        (["--replay", "/nowhere"], "can't read /nowhere"),
        (["--replay", "4453", "--game", "2"], "there is no game 2"),
        (["--replay", "48"], "ply 2"),
    ],
)
def test_bad_flags_are_one_line_and_exit_code_two(arguments: list[str], message: str) -> None:
    done = piped(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_files_of_games_round_trip_and_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    save_game(path, RecordedGame("4453", "a against b"))
    assert read_games(path) == [RecordedGame("4453", "a against b")]
    path.write_text("# one\n1212121\n\n44\n")
    assert [game.moves for game in read_games(path)] == ["1212121", "44"]
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
