"""Playing on the page in a real Chromium: by mouse, keyboard and touch, in any light and at any width."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import expect

from c4env.position import Position
from c4play.verdicts import describe_score
from c4play.web.app import STATIC
from tests.c4play.web.browser import column, moves_of, outlined, two_people, winning


def test_a_game_by_clicks_to_a_win_with_the_four_outlined(open_page):
    page = open_page()
    two_people(page)
    for number, move in enumerate("4455667", start=1):
        column(page, int(move)).click()
        expect(page.locator(".disc:not(.ghost *)")).to_have_count(number)
    expect(page.locator("#status")).to_have_text("Yellow wins.")
    assert outlined(page) == winning("4455667")
    assert page.url.endswith("#moves=4455667")
    column(page, 1).click(force=True)  # nothing more can be played
    expect(page.locator(".disc:not(.ghost *)")).to_have_count(7)
    expect(page.locator("#announcer")).to_contain_text("Yellow played column 7. Yellow wins.")


def test_a_game_by_keyboard_with_digits_and_arrows(open_page):
    page = open_page()
    two_people(page)
    page.locator("#seat1 select >> nth=0").focus()  # digits play even from there
    for key in "1212":
        page.keyboard.press(key)
    page.locator("#seat1 select >> nth=0").blur()
    page.keyboard.press("ArrowLeft")  # from the middle: 4, 3, 2, 1
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.keyboard.press("1")
    expect(page.locator("#status")).to_have_text("Yellow wins.")
    assert moves_of(page) == "1212121"
    assert outlined(page) == winning("1212121")


def test_against_an_agent_to_the_end_with_undo_redo_and_swap(open_page, solver):
    page = open_page()
    page.select_option("#seat1 select >> nth=0", "rules")
    column(page, 4).click()
    expect(page.locator("#moves .move")).to_have_count(2)
    before = moves_of(page)
    page.click("#undo")  # takes back the answer too
    expect(page.locator("#moves .move.after")).to_have_count(2)
    expect(page.locator("#status")).to_have_text("Your turn")
    page.click("#redo")
    expect(page.locator("#moves .move.after")).to_have_count(0)
    assert moves_of(page) == before
    page.keyboard.press("s")  # now the agent is Yellow, and moves
    expect(page.locator("#moves .move")).to_have_count(3)
    expect(page.locator("#plate0 b")).to_have_text("rules")
    page.keyboard.press("n")
    expect(page.locator("#moves .move")).to_have_count(1)
    while not (position := Position.from_moves(moves_of(page))).is_over:
        column(page, solver.best_columns(position)[0] + 1).click()
        if not position.play(solver.best_columns(position)[0]).is_over:
            expect(page.locator("#moves .move")).to_have_count(position.ply + 2)
    expect(page.locator("#status")).to_contain_text({0: "rules wins", 1: "You win", None: "A draw"}[position.winner])


def test_a_stone_falls_from_above_the_board(open_page):
    page = open_page(motion="no-preference")
    two_people(page)
    column(page, 4).click()
    falling = page.locator(".disc.dropping .fall")
    expect(falling).to_have_count(1)
    assert "drop" in falling.evaluate("stone => getComputedStyle(stone).animationName")
    page.click("#undo")
    page.click("#hints")  # a stone that was there before does not fall again
    page.click("#redo")
    page.evaluate("location.hash = 'moves=44'")
    expect(page.locator("#moves .move")).to_have_count(2)
    expect(page.locator(".disc.dropping .fall")).to_have_count(1)


def test_touch_drops_a_stone_and_full_columns_refuse(open_page):
    page = open_page("#moves=444444", has_touch=True)
    two_people(page)
    column(page, 4).tap(force=True)
    expect(page.locator("#toast")).to_have_text("Column 4 is full.")
    column(page, 2).tap()
    expect(page.locator("#moves .move")).to_have_count(7)


def test_most_fours_plays_on_and_counts(open_page):
    page = open_page("#moves=4455667&rules=most-fours")
    expect(page.locator("#plate0 output")).to_have_text("1")
    expect(page.locator("#plate1 output")).to_have_text("0")
    two_people(page)
    column(page, 3).click()
    expect(page.locator("#moves .move")).to_have_count(8)
    column(page, 3).click()
    expect(page.locator("#plate0 output")).to_have_text("1")
    assert outlined(page) == winning("445566733", "most-fours")
    assert "rules=most-fours" in page.url
    page.click("#tab-analysis")
    expect(page.locator("#exact")).to_contain_text("first four wins")


def test_dark_follows_the_system_and_the_button_overrides_it(open_page):
    page = open_page(color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    assert sum(int(part) for part in re.findall(r"\d+", dark)) < 150
    page.click("#theme")  # light
    assert sum(int(part) for part in re.findall(r"\d+", page.evaluate(colour))) > 600
    page.reload()
    assert page.evaluate(colour) != dark


@pytest.mark.parametrize("width", [320, 360, 768])
def test_nothing_overflows_at_any_width(open_page, width):
    page = open_page("#moves=47546756517", width=width, height=740)
    for tab in ("play", "analysis", "watch", "tree", "leaks"):
        page.click(f"#tab-{tab}")
        if tab == "analysis":
            expect(page.locator("#graph .dot")).to_have_count(12)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, tab
    wide = page.locator("#board").bounding_box()
    assert wide["width"] >= 0.4 * width
    assert page.locator(".column").first.bounding_box()["width"] >= 32  # a finger's width


def test_screen_readers_are_told_what_lies_where(open_page, solver):
    page = open_page("#moves=4453")
    labels = [label.get_attribute("aria-label") for label in page.locator(".column").all()]
    assert labels[3] == "Column 4, from the bottom yellow, red"
    assert labels[0] == "Column 1, empty"
    page.keyboard.press("h")
    score = describe_score(solver.scores(Position.from_moves("4453"))[3], 4)
    expect(column(page, 4)).to_have_attribute("aria-label", f"Column 4, from the bottom yellow, red; {score}")
    unnamed = page.locator("button, select, input").evaluate_all(
        """all => all.filter(each => each.offsetParent && !(each.innerText || '').trim() && !each.ariaLabel
            && !(each.labels && each.labels.length)).map(each => each.outerHTML)"""
    )
    assert unnamed == []


def test_the_page_s_rules_are_the_real_ones(open_page):
    page = open_page()
    generator = random.Random(5)
    games = []
    for rules in ("first-four", "most-fours"):
        for _ in range(150):
            position, moves = Position(rules=rules), ""
            while not position.is_over:
                move = generator.choice(position.legal)
                position, moves = position.play(move), moves + str(move + 1)
            cut = moves[: generator.randint(0, len(moves))]
            games += [(moves, rules), (cut, rules)]
    found = page.evaluate(
        """async (games) => {
            const { positionOf } = await import('./rules.js');
            return games.map(([moves, rules]) => positionOf(moves, rules));
        }""",
        games,
    )
    for (moves, rules), ours in zip(games, found, strict=True):
        position = Position.from_moves(moves, rules)
        assert ours["cells"] == position.to_array().ravel().tolist()
        assert tuple(ours["legal"]) == position.legal
        assert (ours["over"], ours["winner"]) == (position.is_over, position.winner)
        assert tuple(ours["fours"]) == position.fours
        assert set(ours["winning"]) == winning(moves, rules)


def test_an_unplayable_address_is_explained(open_page):
    page = open_page("#moves=49")
    expect(page.locator("#toast")).to_contain_text("“9” is not a column")
    expect(page.locator(".disc:not(.ghost *)")).to_have_count(0)


def test_the_page_is_small():
    assert sum(path.stat().st_size for path in STATIC.iterdir()) < 100_000
    for path in STATIC.iterdir():
        assert "http://" not in path.read_text().replace("http://www.w3.org/2000/svg", ""), path
        assert "https://" not in path.read_text(), path
