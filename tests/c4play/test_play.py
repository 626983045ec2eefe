"""The real terminal program, driven through a pseudo-terminal and through pipes."""

from __future__ import annotations

import re
from pathlib import Path

import pexpect
import pytest

from c4agents.solver import Solver
from c4env.bitboard import CELLS
from c4env.position import Position
from c4play.gamefiles import RecordedGame, read_games
from c4play.verdicts import describe_score
from tests.c4play.terminal import PROMPT, finish, piped, spawn


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
    child.sendline("me")
    child.expect("'me' is none of 1, 2")
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
    assert position.is_over


def test_two_agents_chosen_by_questions_play_to_the_end() -> None:
    child = spawn("--seed", "1")
    child.expect("Who plays")
    child.sendline("3")
    child.expect("Agent that moves first")
    child.sendline("alphabeta:depth=x")
    child.expect("depth")
    child.expect("Agent that moves first")
    child.sendline("rules")
    child.expect("Agent that moves second")
    child.sendline("policy:/nowhere")
    child.expect("/nowhere")
    child.expect("Agent that moves second")
    child.sendline("1")
    text, code = finish(child)
    assert code == 0
    moves = "".join(re.findall(r"(?:rules|easy) chose (\d)", text))
    position = Position.from_moves(moves)
    assert position.is_over
    assert {0: "rules wins!", 1: "easy wins!", None: "A draw."}[position.winner] in text


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


def test_a_hint_is_the_solver_s_word_on_every_column() -> None:
    moves = "475467565175466623"
    done = piped("--first", "human", "--second", "human", "--moves", moves, text="h\nq\n")
    position = Position.from_moves(moves)
    words = [describe_score(score, position.ply) for score in Solver().scores(position) if score is not None]
    rows = [re.split(r"\s*│\s*", line)[1:-1] for line in done.stdout.splitlines() if line.startswith("│")]
    table = {name: cells for name, *cells in rows}
    assert [
        f"{word} in {n}" if n else word for word, n in zip(table["result"], table["in moves"], strict=True)
    ] == words


def test_the_board_is_coloured_on_a_terminal_unless_told_otherwise() -> None:
    for arguments, coloured in (((), True), (("--no-color",), False)):
        child = spawn("--first", "human", "--second", "human", "--moves", "121212", *arguments)
        child.expect(PROMPT)
        child.sendline("1")
        text = finish(child)[0]
        assert ("\x1b[" in text) == coloured
        assert text.count("●" if coloured else "[O]") >= 4


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_agents_play_each_other_and_the_record_is_a_finished_game(rules: str, tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    arguments = ["--first", "rules", "--second", "1", "--rules", rules, "--seed", "3", "--save", str(path)]
    done = piped(*arguments)
    assert done.returncode == 0
    (game,) = read_games(path)
    assert game.rules == rules
    position = Position.from_moves(game.moves, game.rules)
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


PEOPLE = ("--first", "human", "--second", "human")


@pytest.mark.parametrize(
    ("arguments", "answers", "prompt"),
    [
        ((), [], r"computer\) \[1\]: "),
        ((), ["2"], "Name of player 1"),
        ((), ["3"], "Agent that moves first"),
        ((), ["1", ""], "Opponent"),
        ((), ["1", "", "easy"], "Who starts"),
        (PEOPLE, [], PROMPT),
        (("--first", "rules", "--second", "rules", "--step"), [], "Enter lets rules move"),
        (("--first", "rules", "--second", "rules", "--delay", "3600"), [], "chose 4"),
        (("--replay", "4453"), [], "next move"),
    ],
)
def test_interrupt_and_end_of_input_leave_cleanly(arguments: tuple[str, ...], answers: list[str], prompt: str) -> None:
    for end, code in ((pexpect.spawn.sendintr, 130), (pexpect.spawn.sendeof, 0)):
        if "--delay" in arguments and code == 0:
            continue  # nothing is read there
        child = spawn(*arguments)
        for answer in answers:
            child.expect(r"\]: ")
            child.sendline(answer)
        child.expect(prompt)
        end(child)
        text, left = finish(child)
        assert left == code
        assert "goodbye" in text


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
        (["easy", "--save", "/nowhere/game.txt"], "there is no folder /nowhere"),
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
