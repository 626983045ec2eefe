"""The rules on bitboards against the naive grid, the known counts, and the laws of the game."""

from __future__ import annotations

import random

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c4env import bitboard
from c4env.bitboard import BOARD, MOST_FOURS, ONGOING
from c4env.position import Position, PositionBatch, cells_of
from tests.c4env.oracle import COLUMNS, ROWS, WINDOWS, Grid

RULE_SETS = ["first-four", "most-fours"]
GAMES = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234, 39394572]
POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186]


def bit(cell: tuple[int, int]) -> int:
    row, column = cell
    return 1 << (7 * column + ROWS - 1 - row)


def board(cells: list[tuple[int, int]]) -> int:
    return sum(bit(cell) for cell in cells)


def agree(position: Position, grid: Grid) -> None:
    assert np.array_equal(position.to_array(), grid.array())
    assert position.legal == grid.legal
    assert position.winner == grid.winner
    assert position.is_over == grid.over
    assert position.is_draw == (grid.over and grid.winner is None)
    assert position.ply == len(grid.moves)
    fours = [grid.fours(1), grid.fours(2)]
    assert position.fours == (len(fours[0]), len(fours[1]))
    assert set(position.winning_cells) == {cell for who in fours for window in who for cell in window}
    own, other = position.own, position.own ^ position.occupied
    assert set(cells_of(bitboard.threats(own, position.occupied))) == grid.threats(grid.mover)
    assert set(cells_of(bitboard.threats(other, position.occupied))) == grid.threats(3 - grid.mover)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_random_games_agree_with_the_grid_in_everything(rules: bitboard.Rules) -> None:
    rng = random.Random(1)
    for _ in range(25):
        grid, position = Grid(rules), Position(rules=rules)
        agree(position, grid)
        while not grid.over:
            column = rng.choice(grid.legal)
            grid.play(column)
            position = position.play(column)
            agree(position, grid)


@numba.njit(cache=True)
def naive_games(plies: int, seed: int) -> int:
    """Play random games on a plain grid and on bitboards side by side; return where they first differ, or -1."""
    np.random.seed(seed)
    grid = np.zeros((6, 7), np.int64)
    height = np.zeros(7, np.int64)
    own, occupied, who = 0, 0, 1
    for ply in range(plies):
        column = np.random.randint(7)
        while height[column] == 6:
            column = np.random.randint(7)
        row = height[column]
        grid[row, column] = who
        height[column] += 1
        own, occupied = bitboard.play(own, occupied, column)
        won, fours = False, 0
        for r in range(6):
            for c in range(7):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    if r + 3 * dr < 6 and 0 <= c + 3 * dc < 7:
                        same = True
                        for k in range(4):
                            same = same and grid[r + k * dr, c + k * dc] == who
                        if same:
                            won = True
                            fours += 1
        full = height.sum() == 42
        for c in range(7):
            if bitboard.is_legal(occupied, c) != (height[c] < 6):
                return ply
        mover = own ^ occupied
        if bitboard.has_four(mover) != won or bitboard.count_fours(mover) != fours:
            return ply
        expected = -1 if won else (0 if full else ONGOING)
        if bitboard.result(own, occupied, 0) != expected:
            return ply
        if bitboard.ply(occupied) != height.sum():
            return ply
        who = 3 - who
        if won or full:
            grid[:], height[:] = 0, 0
            own, occupied, who = 0, 0, 1
    return -1


def test_half_a_million_plies_agree_with_a_grid() -> None:
    assert naive_games(500_000, 7) == -1


@given(st.lists(st.integers(0, 6), max_size=42), st.sampled_from(RULE_SETS))
@settings(max_examples=150, deadline=None)
def test_any_sequence_agrees_with_the_grid(columns: list[int], rules: bitboard.Rules) -> None:
    grid, position = Grid(rules), Position(rules=rules)
    for column in columns:
        if column in grid.legal:
            grid.play(column)
            position = position.play(column)
        else:
            with pytest.raises(ValueError, match=r"full|over"):
                position.play(column)
    agree(position, grid)
    notation = "".join(str(column + 1) for column in grid.moves)
    assert Position.from_moves(notation, rules) == Position.from_moves(grid.moves, rules) == position
    assert Position.from_array(grid.array(), rules) == position
    assert Position.from_key(position.key, rules) == position


@given(st.lists(st.integers(0, 6), max_size=42))
@settings(max_examples=150, deadline=None)
def test_mirror_commutes_with_play(columns: list[int]) -> None:
    position = mirrored = Position()
    for column in columns:
        if column in position.legal:
            position, mirrored = position.play(column), mirrored.play(6 - column)
    assert position.mirror() == mirrored
    assert mirrored.mirror() == position
    assert position.legal == tuple(6 - column for column in reversed(mirrored.legal))
    assert position.result == mirrored.result
    keys = (
        bitboard.canonical_key(position.own, position.occupied),
        bitboard.canonical_key(mirrored.own, mirrored.occupied),
    )
    assert keys[0] == keys[1] == min(position.key, mirrored.key)


def test_sixty_nine_lines_win_for_both_and_nothing_else_does() -> None:
    assert len(WINDOWS) == 69
    for window in WINDOWS:
        stones = board(window)
        assert bitboard.has_four(stones)
        assert bitboard.count_fours(stones) == 1
        assert set(cells_of(bitboard.four_cells(stones))) == set(window)
        for cell in window:
            three = stones ^ bit(cell)
            assert not bitboard.has_four(three)
            upright = len({column for _, column in window}) == 1
            if not upright or cell == min(window):  # a gap in an upright line can't come about
                assert bit(cell) & bitboard.threats(three, three)
        for others in (0, bit(next(cell for cell in cells_of(BOARD) if cell not in window))):
            assert bitboard.result(others, stones | others, 0) == bitboard.LOST


def test_no_four_cells_outside_the_lines_count() -> None:
    rng = random.Random(0)
    cells = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    for _ in range(20_000):
        chosen = rng.sample(cells, rng.randint(4, 16))
        stones = board(chosen)
        expected = [window for window in WINDOWS if set(window) <= set(chosen)]
        assert bitboard.has_four(stones) == bool(expected)
        assert bitboard.count_fours(stones) == len(expected)
    # What would be lines if columns ran into each other.
    for stones in (0b1111 << 4, 0b1111 << 5, 0b1111 << 12):
        assert not bitboard.has_four(stones & BOARD)


def test_a_full_board_without_four_is_a_draw_and_the_last_stone_can_win() -> None:
    rng = random.Random(3)
    draws = last_stone_wins = 0
    while not (draws and last_stone_wins):
        position = Position()
        while not position.is_over:
            safe = [c for c in position.legal if position.ply == 41 or position.play(c).winner is None]
            position = position.play(rng.choice(safe or list(position.legal)))
        if position.ply == 42:
            draws += position.is_draw
            last_stone_wins += position.winner == 1
            assert position.is_draw != (position.winner is not None)
            assert position.legal == ()


@numba.njit(cache=True)
def count_games(own: int, occupied: int, plies: int, rules: int) -> int:
    """Games of exactly ``plies`` more plies; a finished game has no successors."""
    if plies == 0:
        return 1
    if bitboard.result(own, occupied, rules) != ONGOING:
        return 0
    games = 0
    for column in range(7):
        if bitboard.is_legal(occupied, column):
            next_own, next_occupied = bitboard.play(own, occupied, column)
            games += count_games(next_own, next_occupied, plies - 1, rules)
    return games


@numba.njit(cache=True)
def successors(keys: np.ndarray) -> np.ndarray:
    """Keys, with repeats, of all positions one ply on."""
    found = np.empty(7 * len(keys), np.int64)
    n = 0
    for k in range(len(keys)):
        own, occupied = bitboard.from_key(keys[k])
        if bitboard.result(own, occupied, 0) == ONGOING:
            for column in range(7):
                if bitboard.is_legal(occupied, column):
                    next_own, next_occupied = bitboard.play(own, occupied, column)
                    found[n] = bitboard.key(next_own, next_occupied)
                    n += 1
    return found[:n]


def test_perft_games() -> None:
    assert [count_games(0, 0, plies, 0) for plies in range(10)] == GAMES


def test_perft_distinct_positions() -> None:
    keys = np.array([bitboard.key(0, 0)])
    counts = [1]
    for _ in range(9):
        keys = np.unique(successors(keys))
        counts.append(len(keys))
    assert counts == POSITIONS


@pytest.mark.parametrize(("depth", "nodes"), [(3, 400), (5, 19_608), (6, 137_256)])
def test_plain_tree_sizes_under_most_fours(depth: int, nodes: int) -> None:
    own, occupied = bitboard.play(0, 0, 3)
    assert sum(count_games(own, occupied, plies, MOST_FOURS) for plies in range(depth + 1)) == nodes


def test_winner_of_a_most_fours_game() -> None:
    """A run of five is two fours; the sum decides, not who was first."""
    rows = np.zeros((6, 7), np.int8)
    rows[5] = [1, 1, 1, 1, 1, 2, 2]
    rows[4] = [2, 2, 2, 1, 0, 0, 0]
    position = Position.from_array(rows, "most-fours")
    assert position.fours == (2, 0)
    assert position.winner is None
    assert len(position.winning_cells) == 5


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ("48", "ply 2: '8' is not a column"),
        ("4a", "ply 2: 'a'"),
        ("0", "ply 1: '0'"),
        ("4²", "ply 2"),
        ("44444444", "ply 7: column 4 is full"),
        ("12121212", "ply 8: the game is over"),
        ([0, 7], "ply 2: there is no column 8"),
        ([-1], "ply 1: there is no column 0"),
    ],
)
def test_bad_moves_name_the_ply(moves: str | list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Position.from_moves(moves)


def test_bad_rules_are_named() -> None:
    with pytest.raises(ValueError, match="'first-four' or 'most-fours', not 'least-fours'"):
        Position.from_moves("", "least-fours")  # type: ignore[arg-type]


def picture(text: str) -> np.ndarray:
    return np.array([[".OX".index(cell) for cell in row] for row in text.split()])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (". " * 5 + ".", r"shape \(6, 7\)"),
        ("....... " * 4 + "O...... .......", "column 1 has a stone above an empty cell"),
        ("....... " * 5 + "OO.....", "2 stones of the first player, 0"),
        ("....... " * 5 + "X......", "0 stones of the first player, 1"),
        ("....... " * 4 + "XXX.... OOOO...", None),
        ("....... " * 4 + "XXXX... OOOO...", "already has four"),
        ("....... " * 3 + "X...... XXX.... OOOO...", "already has four"),
        ("....... " * 2 + "O.....O O.....O OXX.X.O OXX.XXO", "over twice"),
    ],
)
def test_arrays_are_checked(rows: str, message: str | None) -> None:
    array = picture(rows)
    if message is None:
        assert Position.from_array(array).winner == 0
    else:
        with pytest.raises(ValueError, match=message):
            Position.from_array(array)


def test_array_values_are_checked() -> None:
    with pytest.raises(ValueError, match="cells are 0"):
        Position.from_array(np.full((6, 7), 3))


def test_str_shows_the_board_as_it_is_read() -> None:
    assert str(Position.from_moves("4453")).splitlines()[-3:] == [". . . X . . .", ". . X O O . .", "1 2 3 4 5 6 7"]


def test_batches_are_their_positions() -> None:
    positions = [Position.from_moves(moves) for moves in ("", "4", "4453")]
    batch = PositionBatch.of(positions)
    assert list(batch) == positions
    assert len(batch) == 3
    with pytest.raises(ValueError, match="same rules"):
        PositionBatch.of([Position(), Position(rules="most-fours")])
