"""The board as it appears in a terminal."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.text import Text

from c4env.bitboard import COLUMNS, ROWS
from c4env.position import FIRST_SYMBOL, SECOND_SYMBOL, Position

SYMBOLS = (FIRST_SYMBOL, SECOND_SYMBOL)
STYLES = ("bold yellow", "bold red")
"""The first player is yellow, the second red, in every view."""


def draw_board(console: Console, position: Position, last_column: int | None = None) -> RenderableType:
    """The board with column and row numbers, the last move pointed at, every four in brackets.

    In colour the stones are discs; without colour they are the letters O and X.
    """
    discs = console.color_system is not None and not console.legacy_windows and console.encoding.startswith("utf")
    cells = position.to_array()
    winning = set(position.winning_cells)
    text = Text()
    pointer = ["   "] * COLUMNS
    if last_column is not None:
        pointer[last_column] = " v "
    text.append("   " + "".join(pointer).rstrip() + "\n", "dim")
    for row in range(ROWS):
        text.append(f" {ROWS - row} ", "dim")
        for column in range(COLUMNS):
            player = int(cells[row, column]) - 1
            if player < 0:
                text.append(" . ", "dim")
                continue
            stone = "●" if discs else SYMBOLS[player]
            left, right = "[]" if (row, column) in winning else "  "
            text.append(left, "bold green")
            text.append(stone, STYLES[player])
            text.append(right, "bold green")
        text.append("\n")
    text.append("   " + "".join(f" {column + 1} " for column in range(COLUMNS)), "dim")
    return text


def stone_name(console: Console, player: int) -> Text:
    """The player's stone, for use in a sentence."""
    discs = console.color_system is not None and console.encoding.startswith("utf")
    return Text("●" if discs else SYMBOLS[player], STYLES[player])
