"""Many games of a learner against an opponent, advanced by compiled code.

Both the single and the vector environment are thin faces of these functions (the single one with
one game), so they agree move by move. State is one ``int64`` array of shape [6, N], a row for each
of the names below; ``history`` is ``uint8`` [N, 42], the moves as digits, so that numpy can view each row as bytes.

Functions work on games ``start`` to ``stop``, so that threads can share a batch.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from c4env.bitboard import (
    BOTTOM,
    CELLS,
    COLUMNS,
    LOST,
    ONGOING,
    ROWS,
    STRIDE,
    WON,
    four_cells,
    is_legal,
    play,
    result,
)
from c4env.compiled import compiled, inlined, popcount, store_word
from c4env.opponents import EXTERNAL, built_in_move
from c4env.randomness import draw

State = npt.NDArray[np.int64]
History = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int8]

# Rows of the state.
OWN: Final = 0
"""Stones of the side to move."""
OCCUPIED: Final = 1
"""All stones."""
STREAM: Final = 2
"""Random stream of the game."""
LEARNER: Final = 3
"""Player the learner is: 0 moves first, 1 second."""
OPPONENT: Final = 4
"""Index of this episode's opponent."""
OVER: Final = 5
"""1 once the game has ended, until it begins again."""
STATE_ROWS: Final = 6

# What became of a game in a step, seen by the learner. LOST, DRAWN, WON and ONGOING are bitboard's.
WAITING: Final = 3
"""The learner has moved and an opponent outside compiled code must answer."""
ILLEGAL: Final = 4
"""The learner's move was illegal, which loses; the board is as before."""
SKIPPED: Final = 5
"""The game was over already; nothing happened."""

FIRST_DIGIT: Final = ord("1")
MOVE_STRING: Final = np.dtype(f"<U{CELLS}")
"""The moves of a game as numpy text."""

# Who moves first.
FIRST: Final = 0
SECOND: Final = 1
EITHER: Final = 2

BYTES: Final = sum(1 << (8 * column) for column in range(COLUMNS))
"""The lowest bit of each of seven bytes."""


@inlined
def _drop(state: State, history: History, game: int, own: int, occupied: int, column: int, rules: int) -> int:
    """Play ``column``, which is legal, on the board given; return the result for the side that now is to move.

    The board comes by value: read back from the state, it would wait for what was just written there.
    """
    history[game, popcount(occupied)] = FIRST_DIGIT + column
    own, occupied = play(own, occupied, column)
    state[OWN, game], state[OCCUPIED, game] = own, occupied
    return result(own, occupied, rules)


@inlined
def _opponent_turn(
    state: State, history: History, game: int, own: int, occupied: int, kinds: npt.NDArray[np.int64], rules: int
) -> int:
    """Let a built-in opponent answer; return the code of the game, ``WAITING`` for an external one."""
    kind = kinds[state[OPPONENT, game]]
    if kind == EXTERNAL:
        return WAITING
    column, state[STREAM, game] = built_in_move(kind, own, occupied, state[STREAM, game])
    code = _drop(state, history, game, own, occupied, column, rules)
    state[OVER, game] = code != ONGOING
    return code


@inlined
def step_game(state: State, history: History, game: int, action: int, kinds: npt.NDArray[np.int64], rules: int) -> int:
    """The learner's move ``action`` and, unless it ends the game, the opponent's answer.

    Returns:
        The code of the game, seen by the learner.
    """
    if state[OVER, game]:
        return SKIPPED
    own, occupied = state[OWN, game], state[OCCUPIED, game]
    if not is_legal(occupied, action):
        state[OVER, game] = 1
        return ILLEGAL
    code = _drop(state, history, game, own, occupied, action, rules)
    if code != ONGOING:
        state[OVER, game] = 1
        return -code
    own, occupied = play(own, occupied, action)
    return _opponent_turn(state, history, game, own, occupied, kinds, rules)


@inlined
def begin_game(
    state: State,
    history: History,
    game: int,
    seat: int,
    kinds: npt.NDArray[np.int64],
    first: int,
    count: int,
    rules: int,
) -> int:
    """Draw seat and opponent, and let the opponent move if it is its turn on the board as it is set up.

    The opponent is one of the ``count`` whose kinds start at ``kinds[first]``.

    Returns:
        ``ONGOING``, ``WAITING``, or a result if the opponent's first move ended the game.
    """
    stream = state[STREAM, game]
    if seat == EITHER:
        state[LEARNER, game], stream = draw(stream, 2)
    else:
        state[LEARNER, game] = seat
    state[OPPONENT, game] = first
    if count > 1:
        drawn, stream = draw(stream, count)
        state[OPPONENT, game] += drawn
    state[STREAM, game] = stream
    state[OVER, game] = 0
    if popcount(state[OCCUPIED, game]) & 1 == state[LEARNER, game]:
        return ONGOING
    return _opponent_turn(state, history, game, state[OWN, game], state[OCCUPIED, game], kinds, rules)


@compiled
def step_single(
    state: State,
    history: History,
    action: int,
    kinds: npt.NDArray[np.int64],
    rules: int,
    planes: npt.NDArray[np.int8],
    mask: npt.NDArray[np.int8],
) -> int:
    """:func:`step_game` and :func:`observe_single` in one call; returns the code."""
    code = step_game(state, history, 0, action, kinds, rules)
    observe_game(state, 0, planes, mask.reshape(1, COLUMNS))
    return code


@compiled
def observe_single(state: State, planes: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]) -> None:
    """:func:`observe_game` for game 0: ``planes`` [2, 6, 7], ``mask`` [7]."""
    observe_game(state, 0, planes, mask.reshape(1, COLUMNS))


@compiled
def step_games(
    state: State,
    history: History,
    actions: npt.NDArray[np.int64],
    kinds: npt.NDArray[np.int64],
    rules: int,
    codes: Codes,
    start: int,
    stop: int,
) -> None:
    """:func:`step_game` for each game; ``codes`` [N] takes what became of it."""
    for game in range(start, stop):
        codes[game] = step_game(state, history, game, actions[game], kinds, rules)


@compiled
def begin_games(
    state: State,
    history: History,
    chosen: npt.NDArray[np.bool_],
    seats: npt.NDArray[np.int64],
    kinds: npt.NDArray[np.int64],
    first: int,
    count: int,
    rules: int,
    codes: Codes,
    start: int,
    stop: int,
) -> None:
    """:func:`begin_game` for the ``chosen`` games on the boards they have; the codes of others stay."""
    for game in range(start, stop):
        if chosen[game]:
            codes[game] = begin_game(state, history, game, seats[game], kinds, first, count, rules)


@compiled
def clear_games(state: State, history: History, chosen: npt.NDArray[np.bool_], start: int, stop: int) -> None:
    """Empty the boards of the ``chosen`` games."""
    for game in range(start, stop):
        if chosen[game]:
            state[OWN, game] = 0
            state[OCCUPIED, game] = 0
            history[game, :] = 0


@compiled
def answer_games(
    state: State,
    history: History,
    columns: npt.NDArray[np.int8],
    rules: int,
    codes: Codes,
    start: int,
    stop: int,
) -> int:
    """Play the external opponents' ``columns`` in the games that are ``WAITING``.

    Returns:
        -1, or the first game whose answer is illegal; that game and those after it keep waiting.
    """
    for game in range(start, stop):
        if codes[game] == WAITING:
            own, occupied = state[OWN, game], state[OCCUPIED, game]
            if not is_legal(occupied, columns[game]):
                return game
            codes[game] = _drop(state, history, game, own, occupied, columns[game], rules)
            state[OVER, game] = codes[game] != ONGOING
    return -1


@compiled
def first_illegal(state: State, actions: npt.NDArray[np.int64]) -> int:
    """The first running game whose action is illegal, or -1."""
    for game in range(state.shape[1]):
        if not state[OVER, game] and not is_legal(state[OCCUPIED, game], actions[game]):
            return game
    return -1


@inlined
def _row_bytes(stones: int, row: int) -> int:
    """A row of the board, 0 on top, as seven bytes of a word, each 0 or 1, the left cell lowest.

    The row's bits lie at 7 * column; times 127 each fills its column, which reaches bit 8 * column.
    """
    bits = (stones >> (ROWS - 1 - row)) & BOTTOM
    return ((bits << 7) - bits) & BYTES


@inlined
def write_plane(stones: int, planes: npt.NDArray[np.int8], first: int) -> None:
    """Write the cells of a bit set in reading order, top row first, to 42 places of ``planes`` from ``first``."""
    for row in range(ROWS - 1):
        store_word(planes, first + COLUMNS * row, _row_bytes(stones, row))
    # A word is one byte longer than a row. What it spills is overwritten by the next row, except after the last:
    # that one is written together with the last byte of the row before it.
    ending = (_row_bytes(stones, ROWS - 1) << 8) | (_row_bytes(stones, ROWS - 2) >> 48)
    store_word(planes, first + CELLS - 8, ending)


@inlined
def write_planes(mine: int, theirs: int, planes: npt.NDArray[np.int8], game: int) -> None:
    """Write two bit sets as row ``game`` of ``planes`` [N, 84]."""
    write_plane(mine, planes, 2 * CELLS * game)
    write_plane(theirs, planes, 2 * CELLS * game + CELLS)


@inlined
def write_mask(occupied: int, over: bool, masks: npt.NDArray[np.int8], game: int) -> None:
    """Fill row ``game`` of ``masks`` [N, 7] with 1 for each column with room; all ones once the game is over.

    After the end any action does (it is ignored, or asks for a reset); ones keep a masked softmax defined.
    """
    full = 0 if over else occupied >> (ROWS - 1)
    for column in range(COLUMNS):
        masks[game, column] = 1 - ((full >> (STRIDE * column)) & 1)


@inlined
def observe_game(state: State, game: int, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> None:
    """Write the learner's view to row ``game`` of ``planes`` [N, 84], its stones first, and of ``masks`` [N, 7]."""
    occupied = state[OCCUPIED, game]
    mine = state[OWN, game]
    if popcount(occupied) & 1 != state[LEARNER, game]:
        mine ^= occupied
    write_planes(mine, mine ^ occupied, planes, game)
    write_mask(occupied, state[OVER, game] != 0, masks, game)


@compiled
def observe_games(
    state: State, planes: npt.NDArray[np.int8], masks: npt.NDArray[np.int8], start: int, stop: int
) -> None:
    """:func:`observe_game` for each game: ``planes`` [N, 84], ``masks`` [N, 7]."""
    for game in range(start, stop):
        observe_game(state, game, planes, masks)


@compiled
def judge_games(
    codes: Codes, rewards: npt.NDArray[np.float64], terminated: npt.NDArray[np.bool_], start: int, stop: int
) -> None:
    """Turn codes into the learner's rewards [N] and whether the game ended in this step [N]."""
    for game in range(start, stop):
        code = codes[game]
        terminated[game] = code < ONGOING or code == ILLEGAL
        rewards[game] = code if code < ONGOING else (-1 if code == ILLEGAL else 0)


@compiled
def write_end(
    state: State,
    history: History,
    codes: Codes,
    winners: npt.NDArray[np.int64],
    cells: npt.NDArray[np.int8],
    moves: npt.NDArray[np.uint32],
) -> None:
    """For games that ended in this step: ``winners`` [N] (0, 1, or -1 for a draw), cells [N, 42] of fours, moves.

    ``moves`` [N, 42] are code points of digits, which :func:`move_strings` views as text.
    """
    for game in range(len(codes)):
        code = codes[game]
        if code < ONGOING or code == ILLEGAL:
            learner = state[LEARNER, game]
            winners[game] = learner if code == WON else (1 - learner if code in (LOST, ILLEGAL) else -1)
            own, occupied = state[OWN, game], state[OCCUPIED, game]
            write_plane(four_cells(own) | four_cells(own ^ occupied), cells, CELLS * game)
            for ply in range(CELLS):
                moves[game, ply] = history[game, ply]


def move_strings(moves: npt.NDArray[np.uint32]) -> npt.NDArray[np.str_]:
    """Code points [N, 42] as strings of columns 1 to 7, shape [N]; shares memory with ``moves``."""
    return moves.view(MOVE_STRING).ravel()


def move_bytes(history: History) -> npt.NDArray[np.bytes_]:
    """The moves of each game as columns 1 to 7, shape [N]; shares memory with ``history``."""
    return history.view(f"S{CELLS}").ravel()
