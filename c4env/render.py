"""Pictures of a position: text, pixels and a window. Pure functions but for :class:`Window`.

The first player is yellow (``O`` in text), the second red (``X``). Cells that are part of a four
are outlined, the last move is marked. Text and pixels need numpy only; the window needs pygame.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from c4env import bitboard
from c4env.bitboard import COLUMNS, ROWS, STRIDE
from c4env.position import EMPTY_SYMBOL, FIRST_SYMBOL, SECOND_SYMBOL, Position, cells_of

Frame = npt.NDArray[np.uint8]
"""A picture, shape [H, W, 3], RGB."""
Color = tuple[int, int, int]
_Field = npt.NDArray[np.float32]

PAGE: Final[Color] = (238, 242, 248)
BOARD_TOP: Final[Color] = (52, 116, 224)
BOARD_BOTTOM: Final[Color] = (27, 78, 176)
FIRST: Final[Color] = (255, 205, 52)
SECOND: Final[Color] = (224, 44, 48)
OUTLINE: Final[Color] = (255, 255, 255)
INK: Final[Color] = (16, 30, 66)

_ANSI_COLORS: Final = {FIRST_SYMBOL: "\x1b[1;93m", SECOND_SYMBOL: "\x1b[1;91m", EMPTY_SYMBOL: "\x1b[2m"}
_ANSI_RESET: Final = "\x1b[0m"

# A sheet is the whole board with every cell filled alike; a frame is cut together from sheets.
_EMPTY: Final = 0
_STONES: Final = (1, 5)
_LAST: Final = 1
_IN_FOUR: Final = 2


def ansi(position: Position, last_column: int | None = None, *, color: bool = False) -> str:
    """The board as text: a ``v`` above the last move, ``[ ]`` around every stone of a four.

    Args:
        position: What to show.
        last_column: Column (0 to 6) of the last move, None to mark none.
        color: Whether to colour it with terminal escape codes.

    Returns:
        Lines without a newline at the end; the last one says who is to move or how it ended.

    Raises:
        ValueError: ``last_column`` holds no stone.
    """
    marked = _last_cell(position, last_column)
    in_four = frozenset(position.winning_cells)
    symbols = (EMPTY_SYMBOL, FIRST_SYMBOL, SECOND_SYMBOL)
    lines = ["" if marked is None else " " * (2 + 3 * marked[1]) + "v"]
    for row, values in enumerate(position.to_array().tolist()):
        cells = []
        for column, value in enumerate(values):
            symbol = symbols[value]
            painted = f"{_ANSI_COLORS[symbol]}{symbol}{_ANSI_RESET}" if color else symbol
            cells.append(f"[{painted}]" if (row, column) in in_four else f" {painted} ")
        lines.append("|" + "".join(cells) + "|")
    lines.append("+" + "-" * (3 * COLUMNS) + "+")
    lines.append(" " + "".join(f" {column + 1} " for column in range(COLUMNS)).rstrip())
    lines.append(_status(position))
    return "\n".join(lines)


def rgb_array(position: Position, last_column: int | None = None, cell_size: int = 64) -> Frame:
    """The board as pixels: a dot on the last move, a ring around every stone of a four.

    Args:
        position: What to show.
        last_column: Column (0 to 6) of the last move, None to mark none.
        cell_size: Pixels per cell, at least 8; an even number makes the width and height even, as
            video encoders ask.

    Returns:
        A picture of its own, shape [H, W, 3].

    Raises:
        ValueError: ``last_column`` holds no stone, or the cells are too small to draw.
    """
    if cell_size < 8:
        raise ValueError(f"cells of {cell_size} pixels are too small; 8 is the least")
    marked = _last_cell(position, last_column)
    in_four = frozenset(position.winning_cells)
    sheets = _sheets(cell_size)
    frame: Frame = sheets[_EMPTY].copy()
    margin = _margin(cell_size)
    for base, stones in zip(_STONES, position.stones, strict=True):
        for cell in cells_of(stones):
            sheet = sheets[base + (_LAST if cell == marked else 0) + (_IN_FOUR if cell in in_four else 0)]
            y, x = (margin + cell_size * index for index in cell)
            frame[y : y + cell_size, x : x + cell_size] = sheet[y : y + cell_size, x : x + cell_size]
    return frame


class Window:
    """The window of ``render_mode="human"``, opened when there is something to show.

    pygame has one window per process: the last one shown has it, and closing any closes it. A copy
    or a pickle is a window that is not open yet.

    Raises:
        DependencyNotInstalled: Without pygame.
    """

    def __init__(self, title: str = "Connect Four") -> None:
        try:
            import pygame
        except ImportError as error:
            raise DependencyNotInstalled('a window needs pygame: pip install "c4env[render]"') from error
        self._pygame: Any = pygame
        self._title = title
        self._screen: Any = None
        self._clock: Any = None

    def show(self, frame: Frame, fps: float = 0) -> None:
        """Show ``frame`` [H, W, 3], then wait until 1/``fps`` seconds after the last one (0: don't wait)."""
        pygame = self._pygame
        size = (frame.shape[1], frame.shape[0])
        current = pygame.display.get_surface()
        if current is None or current is not self._screen or current.get_size() != size:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode(size)
            self._clock = pygame.time.Clock()
        pygame.event.pump()
        pygame.surfarray.blit_array(self._screen, frame.swapaxes(0, 1))
        pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close it, if it is open."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = self._clock = None

    def __reduce__(self) -> tuple[type[Window], tuple[str]]:
        return Window, (self._title,)


def _last_cell(position: Position, column: int | None) -> tuple[int, int] | None:
    """The topmost stone of ``column`` as (row, column), row 0 on top."""
    if column is None:
        return None
    filled = (position.occupied >> (STRIDE * column)) & bitboard.COLUMN if 0 <= column < COLUMNS else 0
    if filled == 0:
        raise ValueError(f"column {column + 1} holds no stone that could be the last move")
    return ROWS - filled.bit_length(), column


def _status(position: Position) -> str:
    names = (FIRST_SYMBOL, SECOND_SYMBOL)
    if position.winner is not None:
        text = f"{names[position.winner]} wins"
    else:
        text = "draw" if position.is_over else f"{names[position.player]} to move"
    if position.rules == "most-fours":
        first, second = position.fours
        text += f", fours {FIRST_SYMBOL} {first} : {second} {SECOND_SYMBOL}"
    return text


def _margin(cell_size: int) -> int:
    return cell_size // 4


@lru_cache(maxsize=2)
def _sheets(cell_size: int) -> Frame:
    """All sheets, shape [9, H, W, 3]: empty, then plain / last / in a four / both for each player.

    Edges are smooth because each shape is painted with its coverage of the pixel, computed from the
    distance of the pixel's centre to the shape's edge.
    """
    margin = _margin(cell_size)
    height, width = (cells * cell_size + 2 * margin for cells in (ROWS, COLUMNS))
    y, x = np.mgrid[:height, :width].astype(np.float32) + 0.5
    cell_x = (x - margin) / cell_size % 1 - 0.5
    cell_y = (y - margin) / cell_size % 1 - 0.5
    inside = (np.abs(x - width / 2) < width / 2 - margin) & (np.abs(y - height / 2) < height / 2 - margin)
    radius = np.where(inside, np.hypot(cell_x, cell_y), np.float32(1))

    def disc(size: float) -> _Field:
        return np.clip((size - radius) * cell_size + 0.5, 0, 1)

    def ring(outer: float, inner: float) -> _Field:
        return disc(outer) - disc(inner)

    board = _board(x, y, width, height, margin)
    # The edge of each hole catches light from above.
    board = _paint(board, OUTLINE, ring(0.43, 0.4) * np.clip(cell_y, 0, 1) * 0.7)
    board = _paint(board, INK, ring(0.43, 0.4) * np.clip(-cell_y, 0, 1) * 0.7)
    empty = _paint(board, PAGE, disc(0.4))
    shadow = np.clip((np.hypot(cell_x, cell_y - 0.05) - 0.32) / 0.1, 0, 1)
    empty = _paint(empty, INK, disc(0.4) * shadow * 0.35)

    sheets = [empty]
    for color in (FIRST, SECOND):
        stone = _paint(board, color, disc(0.4))
        light = np.clip(0.5 - (cell_x + 1.6 * cell_y), 0, 1)
        stone = _paint(stone, OUTLINE, disc(0.4) * light * 0.15)
        stone = _paint(stone, INK, disc(0.4) * (1 - light) * 0.1)
        stone = _paint(stone, INK, ring(0.4, 0.37) * 0.25)
        stone = _paint(stone, INK, ring(0.28, 0.255) * 0.16)
        stone = _paint(stone, OUTLINE, ring(0.255, 0.235) * 0.18)
        dot = _paint(_paint(stone, INK, disc(0.115) * 0.8), OUTLINE, disc(0.085))
        sheets += [stone, dot]
        sheets += [
            _paint(_paint(face, INK, ring(0.46, 0.34) * 0.55), OUTLINE, ring(0.44, 0.36)) for face in (stone, dot)
        ]
    stacked = np.rint(np.stack(sheets)).astype(np.uint8)
    stacked.flags.writeable = False
    return stacked


def _board(x: _Field, y: _Field, width: int, height: int, margin: int) -> _Field:
    """The body of the board on the page: a rounded slab, lighter on top."""
    inset, corner = margin * 0.3, margin * 1.2
    beyond_x = np.abs(x - width / 2) - (width / 2 - inset - corner)
    beyond_y = np.abs(y - height / 2) - (height / 2 - inset - corner)
    distance = np.hypot(np.maximum(beyond_x, 0), np.maximum(beyond_y, 0)) - corner
    slope = (y / height)[..., np.newaxis]
    slab = (1 - slope) * np.array(BOARD_TOP, np.float32) + slope * np.array(BOARD_BOTTOM, np.float32)
    page = np.broadcast_to(np.array(PAGE, np.float32), slab.shape)
    cover = np.clip(0.5 - distance, 0, 1)[..., np.newaxis]
    body: _Field = page * (1 - cover) + slab * cover
    return body


def _paint(picture: _Field, color: Color, cover: _Field) -> _Field:
    """``picture`` [H, W, 3] with ``color`` over it, as opaque as ``cover`` [H, W] says."""
    alpha = cover[..., np.newaxis]
    painted: _Field = picture * (1 - alpha) + np.array(color, np.float32) * alpha
    return painted


__all__ = ["Frame", "Window", "ansi", "rgb_array"]
