"""The panels of the page in a real Chromium: analysis, games of others, trees, counterexamples."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

import c4agents
from c4env.position import Position
from c4play.cli import main
from c4play.gamefiles import RecordedGame, read_games, save_game
from c4play.verdicts import describe_score, judge
from tests.c4play.web.browser import column, moves_of, outlined, winning


@pytest.mark.parametrize("moves", ["44444325", "475467565175466623"])
def test_analysis_shows_the_solver_s_numbers_and_marks_the_moves(open_page, solver, moves):
    page = open_page(f"#moves={moves}")
    page.click("#tab-analysis")
    position = Position.from_moves(moves)
    for index, score in enumerate(solver.scores(position)):
        text = "" if score is None else describe_score(score, position.ply)
        expect(page.locator(".chip").nth(index)).to_have_attribute("data-text", text)
    expect(page.locator("#exact")).to_contain_text(
        "draw" if solver.score(position) == 0 else describe_score(solver.score(position), position.ply)
    )
    expect(page.locator("#graph .dot")).to_have_count(len(moves) + 1)
    for ply, move in enumerate(moves):
        before = Position.from_moves(moves[:ply])
        grade = judge(solver.scores(before), int(move) - 1).grade
        expect(page.locator("#moves .move").nth(ply)).to_have_class(re.compile(rf"\b{grade}\b"))
    page.locator("#moves .move").nth(1).click()
    expect(page.locator("#moves .move.after")).to_have_count(len(moves) - 2)
    assert page.url.endswith(f"#moves={moves[:2]}")
    page.locator("#graph .hit").nth(5).click(position={"x": 2, "y": 40})
    expect(page.locator("#moves .move.after")).to_have_count(len(moves) - 5)
    assert page.url.endswith(f"#moves={moves[:5]}")


def test_opinions_show_the_agent_s_numbers(open_page):
    page = open_page("#moves=4453")
    page.click("#tab-analysis")
    card = page.locator(".opinion").nth(1)
    expect(card.locator(".bar.best span")).to_be_visible()
    found = c4agents.make("alphabeta:eval=windows,depth=8").analyse(Position.from_moves("4453"))
    expect(card.locator(".bar.best span")).to_have_text(str(found.column + 1))
    assert card.locator(".bar b").all_inner_texts() == [f"{score:g}" for score in found.scores]
    expect(card.locator(".facts").last).to_contain_text(f"{found.nodes:,} nodes")
    card.locator("select").first.select_option("mcts")
    expect(card.locator(".facts").last).to_contain_text("1,000 playouts")


def test_a_game_is_pasted_downloaded_and_opened(open_page, tmp_path):
    page = open_page()
    page.click("#tab-analysis")
    page.fill("#line", "44 53 8")
    page.click("#paste button")
    expect(page.locator("#toast")).to_contain_text("“8” is not a column")
    page.fill("#line", "4, 4, 5, 3")
    page.click("#paste button")
    expect(page.locator("#moves .move")).to_have_count(4)
    with page.expect_download() as download:
        page.click("#download")
    saved = tmp_path / "game.txt"
    download.value.save_as(saved)
    assert [game.moves for game in read_games(saved)] == ["4453"]
    page.click("#new")
    page.set_input_files("#open", saved)
    expect(page.locator("#moves .move")).to_have_count(4)
    page.evaluate("location.hash = 'moves=71'")
    expect(page.locator("#moves .move")).to_have_count(2)


def test_a_match_is_watched_live_and_from_a_file(open_page, tmp_path):
    page = open_page()
    page.click("#tab-watch")
    page.select_option("#watch0 select >> nth=0", "easy")
    page.select_option("#watch1 select >> nth=0", "random")
    page.fill("#speed", "5")
    page.click("#start")
    expect(page.locator("#status")).to_contain_text(re.compile("wins|draw"))
    assert Position.from_moves(moves_of(page)).is_over
    games = tmp_path / "games.txt"
    assert main(["match", "rules", "random", "--games", "2", "--save", str(games)]) == 0
    page.set_input_files("#open-match", games)
    expect(page.locator("#match button")).to_have_count(2)
    for number, game in enumerate(read_games(games)):
        page.locator("#match button").nth(number).click()
        expect(page.locator("#plate0 b")).to_have_text(("rules", "random")[number])
        expect(page.locator("#plate1 b")).to_have_text(("random", "rules")[number])
        expect(page.locator("#status")).to_have_text("rules wins.")
        assert moves_of(page) == game.moves
        assert outlined(page) == winning(game.moves)
    page.click("#undo")
    expect(page.locator("#moves .move.after")).to_have_count(1)


def test_a_game_of_the_other_rules_is_opened_and_downloaded_with_them(open_page, tmp_path):
    page = open_page()
    page.click("#tab-analysis")
    saved = tmp_path / "game.txt"
    save_game(saved, RecordedGame("1212121212", "Ann (first) against Ben", "most-fours"))
    page.set_input_files("#open", saved)
    expect(page.locator("#plate0 output")).to_have_text("2")
    expect(page.locator("#plate1 output")).to_have_text("2")
    expect(page.locator("#plate1 b")).to_have_text("Ben")
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "again.txt")
    assert read_games(tmp_path / "again.txt") == read_games(saved)


def test_the_tree_opens_node_by_node_and_marks_what_was_cut(open_page):
    page = open_page("#moves=4453")
    page.click("#tab-tree")
    expect(page.locator("#tree-view > details > details")).to_have_count(7)
    expect(page.locator("#tree-note")).to_contain_text("nodes, best is column")
    page.locator("#tree-view details[data-level='1'] summary").nth(1).click()
    expect(page.locator("#tree-view .cut").first).to_be_visible()
    nodes = page.locator("#tree-note").inner_text()
    page.uncheck("#tree-pruning")
    expect(page.locator("#tree-note")).not_to_have_text(nodes)
    expect(page.locator("#tree-note")).to_contain_text("400 nodes")
    page.fill("#tree-depth", "9")
    page.locator("#tree-depth").blur()
    expect(page.locator("#tree-note")).to_have_text("The depth is from 1 to 5.")


def test_counterexamples_are_played_through(open_page, tmp_path):
    page = open_page()
    page.click("#tab-leaks")
    certificate = tmp_path / "certificate.json"
    certificate.write_text("{}")
    page.set_input_files("#open-certificate", certificate)
    expect(page.locator("#toast")).to_contain_text("no certificate")
    assert main(["certify", "easy", "--first", "--output", str(certificate)]) == 1
    content = json.loads(certificate.read_text())
    (found,) = content["counterexamples"]
    page.set_input_files("#open-certificate", certificate)
    expect(page.locator("#certificate")).to_have_text(content["verdict"])
    page.locator("#counterexamples button").click()
    expect(page.locator("#plate0 b")).to_have_text("easy")
    expect(page.locator("#plate1 b")).to_have_text("Opponent")
    assert moves_of(page) == found["game"]
    expect(page.locator("#moves .move.after")).to_have_count(len(found["game"]) - len(found["moves"]))
    expect(page.locator("#moves .move[aria-current]")).to_have_class(re.compile("blunder"))
    page.evaluate(
        "document.getElementById('speed').value = 5; document.getElementById('speed').dispatchEvent(new Event('input'))"
    )
    page.click("#go")
    expect(page.locator("#moves .move.after")).to_have_count(0)
    assert outlined(page) == winning(found["game"])
    page.locator("#moves .move").nth(len(found["moves"]) - 2).click()
    column(page, 7).click()  # another move than the agent's, from here on a game of one's own
    expect(page.locator("#plate0 b")).to_have_text("You")
