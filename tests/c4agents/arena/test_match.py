"""Matches: openings, pairing, seeds, bad agents; and agents given as code."""

from __future__ import annotations

import time

import pytest

from c4agents.arena.asking import ask
from c4agents.arena.games import games_text, play_game
from c4agents.arena.match import play_match
from c4agents.arena.openings import all_openings, draw_openings
from c4agents.arena.players import load_player
from c4env.bitboard import canonical_key
from c4env.position import Position

from .helpers import Scripted, hashed, lowest


def test_openings_are_all_positions_up_to_mirror():
    # The number of distinct positions after 0 to 4 plies is known; each opening stands for one and its mirror image.
    for plies, distinct in enumerate((1, 7, 49, 238, 1120)):
        openings = all_openings(plies)
        keys = {Position.from_moves(moves).key for moves in openings}
        mirrored = {Position.from_moves(moves).mirror().key for moves in openings}
        assert len(keys) == len(openings)
        assert len(keys | mirrored) == distinct
        assert all(len(moves) == plies for moves in openings)


def test_openings_are_drawn_without_repeats_and_by_seed():
    drawn = draw_openings(100, seed=5)
    keys = {canonical_key(p.own, p.occupied) for p in map(Position.from_moves, drawn)}
    assert len(keys) == 100
    assert drawn == draw_openings(100, seed=5)
    assert drawn != draw_openings(100, seed=6)
    assert {len(moves) for moves in draw_openings(25)} == {2}
    assert {len(moves) for moves in draw_openings(26)} == {4}
    with pytest.raises(ValueError, match="only 25 all openings of 2 plies, not 26"):
        draw_openings(26, plies=2)


def test_every_opening_is_played_from_both_seats_and_games_replay():
    result = play_match("rules", "random", 20, seed=3)
    assert len(result.games) == 20
    for even, odd in zip(result.games[::2], result.games[1::2], strict=True):
        assert even.opening == odd.opening
        assert (even.first, odd.first) == (0, 1)
    for game in result.games:
        position = Position.from_moves(game.moves)
        assert game.moves.startswith(game.opening)
        assert position.is_over
        assert game.winner == (None if position.winner is None else (position.winner + game.first) % 2)
        assert sum(game.thought) == len(game.moves) - len(game.opening)
    assert [sum(tally) for tally in (result.tally(0, 0), result.tally(0, 1))] == [10, 10]
    first, second = result.tally(0), result.tally(1)
    assert first == second[::-1]
    assert result.score(0).share + result.score(1).share == pytest.approx(1)


def test_result_does_not_depend_on_the_number_of_workers():
    alone = play_match("random", "rules", 24, seed=11)
    shared = play_match("random", "rules", 24, seed=11, workers=2)
    assert [game.moves for game in alone.games] == [game.moves for game in shared.games]
    other = play_match("random", "rules", 24, seed=12)
    assert [game.moves for game in alone.games] != [game.moves for game in other.games]


def test_every_game_has_its_own_randomness():
    given: list[int] = []
    agents = Scripted(lowest), Scripted(hashed)
    for agent in agents:
        agent.seed = given.append
    play_match(*agents, 20)
    assert len(given) == len(set(given)) == 40


def test_openings_make_deterministic_agents_play_different_games():
    result = play_match(Scripted(lowest), Scripted(hashed), 30)
    assert result.distinct > 15


def raises(position: Position) -> int:
    raise RuntimeError("out of order")


def plays_full(position: Position) -> int:
    return 0


def answers_text(position: Position) -> int:
    return "4"  # type: ignore[return-value]


def answers_seven(position: Position) -> int:
    return 7


def never_answers(position: Position) -> int:
    while True:
        time.sleep(0.001)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (raises, "raises raised RuntimeError: out of order"),
        (plays_full, "plays_full played column 1, which is full"),
        (answers_text, "answered '4', which is not a column"),
        (answers_seven, "answered 7, which is not a column from 0 to 6"),
        (never_answers, "over the limit of 0.05 s"),
    ],
)
def test_a_bad_agent_is_named_loses_and_the_match_goes_on(bad, reason):
    agent = Scripted(bad, bad.__name__) if bad is answers_text else bad
    result = play_match(agent, Scripted(plays_full if bad is not plays_full else lowest, "other"), 4, seconds=0.05)
    assert len(result.games) == 4
    failures = [game for game in result.games if game.failure and game.failure.agent == bad.__name__]
    assert failures
    for game in failures:
        assert reason in str(game.failure)
        assert game.winner == 1
        assert Position.from_moves(game.moves).player == (0 if game.first == 0 else 1)
        assert game.failure.moves == game.moves


def test_an_agent_that_cannot_be_seeded_loses():
    agent = Scripted(lowest, "seedless")
    agent.seed = None
    game = play_game((Scripted(lowest), agent))
    assert game.winner == 0
    assert "seedless raised TypeError when it was seeded" in str(game.failure)


def test_interruption_keeps_what_was_played():
    calls = 0

    def interrupts(position: Position) -> int:
        nonlocal calls
        calls += 1
        if calls > 60:
            raise KeyboardInterrupt
        return hashed(position)

    result = play_match(Scripted(interrupts), "random", 100)
    assert result.interrupted
    assert 1 <= len(result.games) < 100
    assert all(Position.from_moves(game.moves).is_over for game in result.games)


def test_saved_games_are_comments_and_move_strings():
    result = play_match("random", "rules", 4)
    lines = games_text(result.names, result.games).splitlines()
    assert [line for line in lines if not line.startswith("#")] == [game.moves for game in result.games]
    assert lines[2].startswith("# game 2: rules (first) against random")


def test_agents_as_code(tmp_path, monkeypatch):
    (tmp_path / "my_bots.py").write_text(
        "from c4agents import make\n"
        "def lowest(position):\n    return position.legal[0]\n"
        "lowest.deterministic = True\n"
        "class Bot:\n    def act(self, position):\n        return position.legal[-1]\n"
        "def factory():\n    return make('rules')\n"
        "bot = Bot()\nbroken = 7\n"
        "def needs_more():\n    raise OSError('no weights')\n"
    )
    monkeypatch.chdir(tmp_path)
    position = Position.from_moves("44")
    by_path = load_player(f"{tmp_path}/my_bots.py:lowest")
    assert by_path.act(position) == 0
    assert by_path.deterministic
    assert not by_path.mirror_consistent
    assert load_player("my_bots:Bot").act(position) == 6
    assert load_player("my_bots:bot").act(position) == 6
    assert not load_player("my_bots:bot").deterministic
    assert load_player("my_bots:factory").name == "rules"
    for wrong, message in (
        ("my_bots:nothing", "my_bots has no 'nothing'"),
        ("my_bots:broken", "is not a function"),
        ("my_bots:needs_more", "can't be made: OSError: no weights"),
        ("no_such_module:x", "neither an agent nor a Python module"),
        ("nothing.py:x", "there is no file nothing.py"),
        ("alphbeta", "did you mean 'alphabeta'"),
    ):
        with pytest.raises(ValueError, match=message):
            load_player(wrong)
    assert len(play_match("my_bots.py:lowest", "my_bots:Bot", 16, workers=2).games) == 16


def test_a_limit_is_kept_and_costs_nothing_to_the_quick():
    assert ask(Scripted(lowest), Position(), seconds=5).failure is None
    assert "over the limit" in ask(Scripted(never_answers), Position(), seconds=0.02).failure
