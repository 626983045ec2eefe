"""The board as it appears in a terminal."""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.text import Text

from c4env.bitboard import COLUMNS, ROWS
from c4env.position import FIRST_SYMBOL, SECOND_SYMBOL, Position

SYMBOLS = (FIRST_SYMBOL, SECOND_SYMBOL)
STYLES = ("bold yellow", "bold red")
"""The first player is yellow, the second red, in every view."""
_DISCS = ("#ffc93c", "#ff5a48")
_BOARD, _HOLE, _FOUR = "on #2149ae", "#12296b", "bold #ffffff"


def draw_board(console: Console, position: Position, last_column: int | None = None) -> RenderableType:
    """The board with column and row numbers, the last move pointed at, every four in brackets.

    In colour it is a blue board with discs; without colour the stones are the letters O and X.
    """
    discs = _discs(console)
    cells = position.to_array()
    winning = set(position.winning_cells)
    text = Text()
    pointer = ["   "] * COLUMNS
    if last_column is not None:
        pointer[last_column] = " v "
    text.append("   " + "".join(pointer).rstrip() + "\n", "bold" if discs else "dim")
    board = f" {_BOARD}" if discs else ""
    for row in range(ROWS):
        text.append(f" {ROWS - row} ", "dim")
        for column in range(COLUMNS):
            player = int(cells[row, column]) - 1
            left, right = "[]" if (row, column) in winning else "  "
            text.append(left, _FOUR + board)
            if player < 0:
                text.append("●" if discs else ".", _HOLE + board if discs else "dim")
            else:
                text.append("●" if discs else SYMBOLS[player], _DISCS[player] + board if discs else STYLES[player])
            text.append(right, _FOUR + board)
        text.append("\n")
    text.append("   " + "".join(f" {column + 1} " for column in range(COLUMNS)), "dim")
    return text


def stone_name(console: Console, player: int) -> Text:
    """The player's stone, for use in a sentence."""
    return Text("●" if _discs(console) else SYMBOLS[player], STYLES[player])


def side_name(console: Console, player: int) -> str:
    """The player by the look of their stones: a colour, or a letter where there are no colours."""
    return ("Yellow", "Red")[player] if _discs(console) else SYMBOLS[player]


def _discs(console: Console) -> bool:
    """Whether stones can be told apart by colour alone."""
    return console.color_system is not None and not console.legacy_windows and console.encoding.startswith("utf")
