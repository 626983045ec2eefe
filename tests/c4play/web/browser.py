"""What the browser tests do with the page."""

from __future__ import annotations

import re
import shutil
from typing import Any

from playwright.sync_api import Page

from c4env.position import Position

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
