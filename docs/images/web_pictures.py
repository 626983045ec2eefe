"""Makes the pictures of the page: a game as an animation, and screenshots of its panels.

Starts ``c4 web`` on a free port and drives Chromium, so that they show what the page shows. Needs the extra ``dev``
and a chromium.

    python docs/images/web_pictures.py
    python docs/images/web_pictures.py --first policy --second alphabeta:eval=chains,depth=8 --moves 2
"""

from __future__ import annotations

import argparse
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

import c4agents
from c4env.position import Position

COMMAND = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "web"]
HERE = Path(__file__).parent
MID_GAME, ANALYSED = "444443252655", "475467565175466623"
FALL = (0.5, 0.8, 1.0)
"""Moments of a fall that become frames, as shares of its duration."""


def play(first: str, second: str, moves: str) -> str:
    """A game of two agents after ``moves``, as a move string."""
    agents, position = (c4agents.make(first), c4agents.make(second)), Position.from_moves(moves)
    while not position.is_over:
        column = agents[position.player].act(position)
        position, moves = position.play(column), moves + str(column + 1)
    return moves


def open_page(browser: Browser, address: str, width: int, height: int, *, dark: bool = False, scale: int = 1) -> Page:
    """The page at an address, once it knows the agents."""
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        device_scale_factor=scale,
    )
    page.set_default_timeout(120_000)
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    return page


def analysed(page: Page, plies: int) -> None:
    """Open the analysis and wait until all of it has arrived."""
    page.click("#tab-analysis")
    expect(page.locator("#graph .dot")).to_have_count(plies + 1, timeout=120_000)
    expect(page.locator(".opinion .bars")).to_have_count(2, timeout=120_000)


def save(page: Page, name: str) -> None:
    """A screenshot in 256 colours, without the pointer, with all motion at its end."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    palette = taken.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=1)
    taken.quantize(palette=palette).save(HERE / name, optimize=True)
    print(HERE / name, f"{(HERE / name).stat().st_size // 1000} kB")


def animation(page: Page, title: str, moves: str) -> None:
    """The game on the page as an animation, every fall in a few frames."""
    with tempfile.TemporaryDirectory() as folder:
        games = Path(folder) / "games.txt"
        games.write_text(f"# {title}\n{moves}\n", encoding="utf-8")
        page.click("#tab-analysis")
        page.set_input_files("#open", games)
    page.click("#hints")
    page.locator("#moves .move").first.click()
    page.click("#undo")
    plates, board = page.locator(".plates").bounding_box(), page.locator("#board").bounding_box()
    assert plates is not None
    assert board is not None
    clip = {"x": 4, "y": plates["y"] - 6, "width": 392, "height": board["y"] + board["height"] + 14 - plates["y"]}

    def frame() -> Image.Image:
        return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")  # type: ignore[arg-type]

    frames, times = [frame()], [900]
    for _ in moves:
        page.keyboard.press("r")
        for share in FALL:
            page.evaluate(
                """share => document.getAnimations().forEach(one => {
                    const { duration, delay } = one.effect.getComputedTiming();
                    one.pause();
                    one.currentTime = one.animationName === "drop" ? share * duration : share < 1 ? 0 : delay + 200;
                })""",
                share,
            )
            frames.append(frame())
            times.append(50)
        times[-1] = 420
    times[-1] = 3500
    palette = frames[-1].quantize(64, Image.Quantize.MAXCOVERAGE, kmeans=1)
    flat = [each.quantize(palette=palette, dither=Image.Dither.NONE) for each in frames]
    path = HERE / "game.gif"
    flat[0].save(path, save_all=True, append_images=flat[1:], duration=times, loop=0, optimize=True)
    print(path, f"{path.stat().st_size // 1000} kB, {title}: {moves}")


def main() -> int:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", default="policy")
    parser.add_argument("--second", default="alphabeta:eval=windows,depth=6")
    parser.add_argument("--moves", default="", help="opening of the animated game")
    args = parser.parse_args()
    moves = play(args.first, args.second, args.moves)
    server = subprocess.Popen([*COMMAND, "--port", "0", "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[2]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = open_page(browser, address, 400, 760)
            animation(page, f"{args.first} (first) against {args.second}", moves)
            page = open_page(browser, f"{address}#moves={MID_GAME}", 1240, 900)
            page.click("#hints")
            expect(page.locator(".chip.best").first).to_be_visible()
            save(page, "play.png")
            page = open_page(browser, f"{address}#moves={ANALYSED}", 1240, 1070)
            analysed(page, len(ANALYSED))
            save(page, "web-analysis.png")
            page = open_page(browser, f"{address}#moves={moves}", 390, 800, dark=True, scale=2)
            save(page, "web-phone.png")
            page = open_page(browser, f"{address}#moves=4453", 1240, 880, dark=True)
            page.click("#tab-tree")
            page.locator("#tree-view details[data-level='1'] summary").nth(1).click()
            save(page, "web-tree.png")
            browser.close()
    finally:
        server.terminate()
        server.wait(20)
    return 0


if __name__ == "__main__":
    sys.exit(main())
