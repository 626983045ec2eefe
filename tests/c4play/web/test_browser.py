"""The page in a real Chromium: games by mouse, keyboard and touch, and every panel."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from c4agents.solver import Solver
from c4env.position import Position
from c4play.verdicts import describe_score, judge
from c4play.web.app import STATIC
from tests.c4play.web.conftest import Running

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium (apt-get install chromium)")

Opener = Callable[..., Page]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.fixture
def open_page(browser: Browser, server: Running) -> Iterator[Opener]:
    """Opens the page; afterwards nothing may have been written to the console."""
    said: list[str] = []
    contexts = []

    def open_(address: str = "", width: int = 1240, height: int = 860, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("requestfailed", lambda failed: said.append(f"{failed.url} {failed.failure}"))
        page.goto(server.address + address)
        page.wait_for_selector("body[data-ready]", timeout=120_000)
        page.set_default_timeout(120_000)  # other work may have the machine
        expect.set_options(timeout=60_000)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert [line for line in said if "ERR_ABORTED" not in line] == []  # questions the page itself took back


def column(page: Page, number: int) -> Any:
    return page.locator(f".column[data-column='{number}']")


def two_people(page: Page) -> None:
    for seat in ("#seat1", "#seat0"):  # the agent's first, which would move otherwise
        page.select_option(f"{seat} select >> nth=0", "you")


def outlined(page: Page) -> set[int]:
    return {int(cell) for cell in page.locator(".four").evaluate_all("all => all.map(each => each.dataset.cell)")}


def winning(moves: str, rules: Any = "first-four") -> set[int]:
    return {7 * row + column for row, column in Position.from_moves(moves, rules).winning_cells}


def moves_of(page: Page) -> str:
    return re.sub(r"\D", "", "".join(page.locator("#moves .move").all_inner_texts()))


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
    page.locator("#seat1 select >> nth=0").blur()
    for key in "1212":
        page.keyboard.press(key)
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


def test_opinions_show_the_agent_s_numbers(open_page):
    import c4agents

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
    from c4play.gamefiles import read_games

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
    games.write_text("# game 1: hard (first) against medium, hard wins\n4455667\n# game 2: a draw?\n4453\n")
    page.set_input_files("#open-match", games)
    expect(page.locator("#match button")).to_have_count(2)
    page.locator("#match button").first.click()
    expect(page.locator("#status")).to_contain_text("wins")
    assert outlined(page) == winning("4455667")
    page.locator("#match button").nth(1).click()
    expect(page.locator("#moves .move.after")).to_have_count(0)
    assert moves_of(page) == "4453"


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
    found = {
        "kind": "leak",
        "moves": "3",
        "game": "3454644424752673",
        "note": "move 1, column 3, turns a win into a draw",
    }
    content = {"format": "c4env certificate 1", "verdict": "rules moving first: 1 leak", "counterexamples": [found]}
    certificate.write_text(json.dumps(content))
    page.set_input_files("#open-certificate", certificate)
    expect(page.locator("#certificate")).to_have_text("rules moving first: 1 leak")
    page.locator("#counterexamples button").click()
    expect(page.locator("#moves .move")).to_have_count(16)
    expect(page.locator("#moves .move.after")).to_have_count(15)
    page.evaluate(
        "document.getElementById('speed').value = 5; document.getElementById('speed').dispatchEvent(new Event('input'))"
    )
    page.click("#go")
    expect(page.locator("#moves .move.after")).to_have_count(0)
    assert outlined(page) == winning(found["game"])


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


def test_screen_readers_are_told_what_lies_where(open_page):
    page = open_page("#moves=4453")
    labels = [label.get_attribute("aria-label") for label in page.locator(".column").all()]
    assert labels[3] == "Column 4, from the bottom yellow, red"
    assert labels[0] == "Column 1, empty"
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
