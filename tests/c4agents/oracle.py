"""Slow, obviously right versions of the evaluations and of minimax, on a grid of rows and columns.

A board is a dict from (row, column), row 0 at the bottom, to 1 (the side to move) or -1.
"""

from __future__ import annotations

import random

from c4env.position import Position, Rules

ROWS, COLUMNS = 6, 7
CELLS = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (-1, 1)]
FOURS = [
    [(row + i * dr, column + i * dc) for i in range(4)]
    for row, column in CELLS
    for dr, dc in DIRECTIONS
    if (row + 3 * dr, column + 3 * dc) in CELLS
]
SQUARES = [  # from the bottom row up
    [3, 4, 5, 7, 5, 4, 3],
    [4, 6, 8, 10, 8, 6, 4],
    [5, 8, 11, 13, 11, 8, 5],
    [5, 8, 11, 13, 11, 8, 5],
    [4, 6, 8, 10, 8, 6, 4],
    [3, 4, 5, 7, 5, 4, 3],
]
WIN = 10_000_000

Board = dict[tuple[int, int], int]


def board_of(position: Position) -> Board:
    array = position.to_array()
    mine = position.player + 1
    return {
        (row, column): 1 if array[ROWS - 1 - row, column] == mine else -1
        for row, column in CELLS
        if array[ROWS - 1 - row, column]
    }


def random_position(rng: random.Random, rules: Rules = "first-four", plies: int = 36) -> Position:
    """A position that is not over, after up to ``plies`` random moves."""
    while True:
        position = Position(rules=rules)
        for _ in range(rng.randint(0, plies)):
            after = position.play(rng.choice(position.legal))
            if after.is_over:
                break
            position = after
        if not position.is_over:
            return position


def runs(board: Board, side: int, dr: int, dc: int) -> list[list[tuple[int, int]]]:
    """Maximal runs of one side's stones in one direction, every single stone included."""
    found = []
    for row, column in CELLS:
        if board.get((row, column)) != side or board.get((row - dr, column - dc)) == side:
            continue
        run = [(row, column)]
        while board.get((run[-1][0] + dr, run[-1][1] + dc)) == side:
            run.append((run[-1][0] + dr, run[-1][1] + dc))
        found.append(run)
    return found


def is_playable(board: Board, cell: tuple[int, int]) -> bool:
    row, column = cell
    return cell in CELLS and cell not in board and (row == 0 or (row - 1, column) in board)


def lines(board: Board, side: int) -> int:
    total = sum({3: 500, 2: 50}.get(len(run), 0) for run in runs(board, side, 0, 1))
    for run in runs(board, side, 1, 0):
        row, column = run[-1]
        above = [(row + 1, column), (row + 2, column)]
        if len(run) == 3 and above[0] in CELLS and above[0] not in board:
            total += 500
        if len(run) == 2 and all(cell in CELLS and cell not in board for cell in above):
            total += 50
    return total


def squares(board: Board, side: int) -> int:
    return sum(SQUARES[row][column] for (row, column), owner in board.items() if owner == side)


def windows(board: Board, side: int) -> int:
    bonus = {(3, 1): 50, (3, 0): 20, (2, 2): 10, (2, 1): 3, (2, 0): 1}
    total = 0
    for cells in FOURS:
        own = sum(board.get(cell) == side for cell in cells)
        free = sum(cell not in board for cell in cells)
        total += own + bonus.get((own, free), 0)
    return total


def powers(board: Board, side: int) -> int:
    total = 0
    for cells in FOURS:
        own = sum(board.get(cell) == side for cell in cells)
        if own and not any(board.get(cell) == -side for cell in cells):
            total += 10**own
    return total


def chains(board: Board, side: int, rules: Rules) -> int:
    total = squares(board, side)
    for dr, dc in DIRECTIONS:
        for run in runs(board, side, dr, dc):
            extensions = 0
            for (row, column), sign in ((run[-1], 1), (run[0], -1)):
                for distance in (1, 2):
                    if not is_playable(board, (row + sign * distance * dr, column + sign * distance * dc)):
                        break
                    extensions += 1
            multiplier = 10 if rules == "most-fours" and len(run) >= 4 else 1
            total += len(run) * extensions * multiplier
    return total


def evaluate(position: Position, name: str, searching: int) -> float:
    """The named evaluation in points for the side to move; ``searching`` as in the product."""
    if name == "outcome":
        return -0.5 * searching
    board = board_of(position)
    function = {"lines": lines, "squares": squares, "windows": windows, "powers": powers}.get(name)
    if function is None:
        return chains(board, 1, position.rules) - chains(board, -1, position.rules)
    return function(board, 1) - function(board, -1)


def minimax(position: Position, name: str, depth: int, searching: int = 1) -> float:
    """The value for the side to move in points; won and lost count WIN less the stones at the end."""
    if position.is_over:
        return position.result * (WIN - position.ply)
    if depth == 0:
        return evaluate(position, name, searching)
    return max(-minimax(position.play(column), name, depth - 1, -searching) for column in position.legal)
