import copy
import pickle
import random
import re
import subprocess
import sys

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled

from c4env import render
from c4env.position import Position

CELL = 32
MARGIN = CELL // 4


def random_game(seed, rules="first-four", plies=42):
    """A position after at most ``plies`` random moves, and the last column."""
    rng = random.Random(seed)
    position, last = Position(rules=rules), None
    while not position.is_over and position.ply < plies:
        last = rng.choice(position.legal)
        position = position.play(last)
    return position, last


def cell_pixels(frame, row, column):
    y, x = MARGIN + CELL * row, MARGIN + CELL * column
    return frame[y : y + CELL, x : x + CELL].astype(int)


def read_text(text):
    """(array, bracketed cells, column under the v or None), read back from the drawing."""
    lines = text.split("\n")
    array, bracketed = np.zeros((6, 7), int), set()
    for row, line in enumerate(lines[1:7]):
        for column in range(7):
            cell = line[1 + 3 * column : 4 + 3 * column]
            array[row, column] = ".OX".index(cell[1])
            if cell[0] == "[":
                bracketed.add((row, column))
    return array, bracketed, (lines[0].index("v") - 2) // 3 if "v" in lines[0] else None


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_text_shows_board_fours_and_last_move(rules):
    for seed in range(60):
        position, last = random_game(seed, rules, plies=random.Random(seed).randint(1, 42))
        array, bracketed, marked = read_text(render.ansi(position, last))
        assert (array == position.to_array()).all()
        assert bracketed == set(position.winning_cells)
        assert marked == last


def test_text_says_how_it_stands():
    assert render.ansi(Position()).endswith("O to move")
    assert render.ansi(Position.from_moves("4")).endswith("X to move")
    assert render.ansi(Position.from_moves("1212121")).endswith("O wins")
    assert render.ansi(Position.from_moves("41212121")).endswith("X wins")
    # Six columns that never hold four of a kind, whatever the direction.
    rows = ["1122112", "2211221", "1122112", "2211221", "1122112", "2211221"]
    drawn = Position.from_array([[int(cell) for cell in row] for row in rows])
    assert render.ansi(drawn).endswith("draw")
    assert render.ansi(Position.from_moves("1212121", "most-fours")).endswith("X to move, fours O 1 : 0 X")


def test_text_has_escape_codes_only_when_asked():
    position, last = random_game(1)
    plain, colored = render.ansi(position, last), render.ansi(position, last, color=True)
    assert "\x1b" not in plain
    assert colored != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


@pytest.mark.parametrize("draw", [render.ansi, render.rgb_array])
@pytest.mark.parametrize("column", [-1, 0, 7])
def test_a_last_move_that_was_not_made_is_refused(draw, column):
    with pytest.raises(ValueError, match="holds no stone"):
        draw(Position.from_moves("4"), column)


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
def test_pixels_show_board_fours_and_last_move(rules):
    for seed in range(30):
        position, last = random_game(seed, rules, plies=random.Random(seed).randint(1, 42))
        frame = render.rgb_array(position, last, CELL)
        bare = render.rgb_array(position, None, CELL)
        for (row, column), value in np.ndenumerate(position.to_array()):
            pixels = cell_pixels(frame, row, column)
            face = pixels[CELL // 2, CELL // 4]  # between the mark in the middle and the edge
            color = (render.PAGE, render.FIRST, render.SECOND)[value]
            assert np.abs(face - color).max() < 40, (row, column)
            # The outline is a ring in white that crosses the cell's middle row near the hole's edge.
            outlined = pixels[CELL // 2, round(0.1 * CELL)].min() > 230
            assert outlined == ((row, column) in position.winning_cells)
        changed = np.argwhere((frame != bare).any(axis=2))
        cells = {tuple(cell) for cell in (changed - MARGIN) // CELL}
        height = int((position.to_array()[:, last] != 0).sum())
        assert cells == {(6 - height, last)}


def test_edges_are_smooth():
    frame = cell_pixels(render.rgb_array(Position.from_moves("4"), None, CELL), 5, 3)
    row = frame[CELL // 2 - CELL // 5]
    assert len(np.unique(row, axis=0)) > 10


@pytest.mark.parametrize("cell_size", [8, 24, 33, 64])
def test_size_follows_the_cells(cell_size):
    frame = render.rgb_array(Position(), cell_size=cell_size)
    margin = cell_size // 4
    assert frame.shape == (6 * cell_size + 2 * margin, 7 * cell_size + 2 * margin, 3)
    assert frame.dtype == np.uint8


def test_cells_too_small_are_refused():
    with pytest.raises(ValueError, match="too small"):
        render.rgb_array(Position(), cell_size=7)


def test_a_frame_is_the_callers_own():
    position = Position.from_moves("44")
    frame = render.rgb_array(position)
    before = frame.copy()
    frame[:] = 0
    assert (render.rgb_array(position) == before).all()


def test_a_mirrored_position_has_the_mirrored_stones():
    position, last = random_game(5, plies=20)
    centres = np.s_[MARGIN + CELL // 2 :: CELL, MARGIN + CELL // 2 :: CELL]
    left = render.rgb_array(position, last, CELL)[centres]
    right = render.rgb_array(position.mirror(), 6 - last, CELL)[centres]
    assert np.abs(left.astype(int) - right[:, ::-1].astype(int)).max() < 12


def test_window_shows_the_frame(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = render.Window()
    window.close()  # nothing is open yet
    frame = render.rgb_array(Position.from_moves("4455667"), 6)
    window.show(frame)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    assert (shown == frame).all()
    window.show(frame[:100, :200])
    assert pygame.display.get_surface().get_size() == (200, 100)
    for twin in (copy.deepcopy(window), pickle.loads(pickle.dumps(window))):
        twin.show(frame)
        twin.close()
        window.show(frame)
    window.close()
    assert not pygame.display.get_init()


def test_window_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r"c4env\[render\]"):
        render.Window()


def test_text_and_pixels_do_without_pygame():
    program = (
        "import sys; from c4env import render; from c4env.position import Position;"
        "render.ansi(Position()); render.rgb_array(Position()); print('pygame' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"
