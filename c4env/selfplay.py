"""`SelfPlay`: thousands of games in which the caller moves for both sides, one compiled call per ply."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from c4env.arguments import ILLEGAL_CHOICES, Illegal, check_choice, describe_illegal, per_game, starting_position
from c4env.bitboard import CELLS, COLUMNS, ONGOING, ROWS, RULES, Rules, is_legal, play, result
from c4env.compiled import compiled, popcount
from c4env.games import write_mask, write_planes
from c4env.position import PositionBatch, check_rules
from c4env.slices import SlicedRunner

Boards = npt.NDArray[np.int64]


class View(NamedTuple):
    """What the sides to move see.

    Attributes:
        observation: int8 [N, 2, 6, 7], the stones of the side to move first, row 0 on top.
        action_mask: int8 [N, 7], 1 where a column has room.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]


class Step(NamedTuple):
    """What a ply did, and what the next sides to move see; finished games have begun again.

    Attributes:
        observation: int8 [N, 2, 6, 7], the stones of the side to move first, row 0 on top.
        action_mask: int8 [N, 7], 1 where a column has room.
        reward: float32 [N], for the side that has just moved: +1 it won, -1 it moved illegally or (under
            most-fours) lost, 0 otherwise. The other side's is the negative.
        done: bool [N], whether that move ended the game; the observation is then a new game's.
        illegal: bool [N], whether the move was illegal.
    """

    observation: npt.NDArray[np.int8]
    action_mask: npt.NDArray[np.int8]
    reward: npt.NDArray[np.float32]
    done: npt.NDArray[np.bool_]
    illegal: npt.NDArray[np.bool_]


class SelfPlay:
    """N games, both sides played by the caller: what self-play training needs.

    There is no randomness here: the games are what the caller's moves make them. All returned arrays are new and
    never change afterwards. Copies and pickles keep the games.

    Args:
        num_games: Number of games.
        rules: ``"first-four"`` or ``"most-fours"``.
        illegal: An illegal move loses (``"lose"``), or raises and changes nothing (``"raise"``).
        threads: Threads that share a step.

    Example:
        >>> games = SelfPlay(2)
        >>> view = games.reset()
        >>> for column in (0, 1, 0, 1, 0, 1, 0):
        ...     step = games.step([column, 3])
        >>> step.reward.tolist(), step.done.tolist()
        ([1.0, -1.0], [True, True])
    """

    def __init__(
        self, num_games: int, rules: Rules = "first-four", illegal: Illegal = "lose", threads: int = 1
    ) -> None:
        self.num_games = num_games
        self.rules: Rules = check_rules(rules)
        self.illegal = check_choice("illegal", illegal, ILLEGAL_CHOICES)
        self._rules = RULES[rules]
        self._run = SlicedRunner(num_games, threads)
        self._own = np.zeros(num_games, np.int64)
        self._occupied = np.zeros(num_games, np.int64)

    def reset(self, moves: str | Sequence[str] = "") -> View:
        """Begin all games from the position after ``moves``: one move string, or one for each game."""
        starts = per_game("moves", moves, self.num_games)
        made = {start: starting_position(start, self.rules) for start in set(starts)}
        self._own[:] = [made[start].own for start in starts]
        self._occupied[:] = [made[start].occupied for start in starts]
        return self.view()

    def restore(self, positions: PositionBatch) -> View:
        """Go on from ``positions``, one for each game, as :meth:`positions` gave them; none may be over."""
        if len(positions) != self.num_games or positions.rules != self.rules:
            raise ValueError(f"positions must be {self.num_games} under {self.rules}, one for each game")
        self._own[:] = positions.own
        self._occupied[:] = positions.occupied
        return self.view()

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play one column per game, shape [N]; games that end begin again from the empty board."""
        columns = np.ascontiguousarray(actions, dtype=np.int64)
        n = self.num_games
        if columns.shape != (n,):
            raise ValueError(f"actions must have shape ({n},), not {columns.shape}")
        if self.illegal == "raise":
            wrong = _first_illegal(self._occupied, columns)
            if wrong >= 0:
                raise ValueError(f"game {wrong}: {describe_illegal(self.positions()[wrong], int(columns[wrong]))}")
        planes, masks = np.empty((n, 2 * CELLS), np.int8), np.empty((n, COLUMNS), np.int8)
        reward, done, illegal = np.empty(n, np.float32), np.empty(n, np.bool_), np.empty(n, np.bool_)
        self._run(_step, self._own, self._occupied, columns, self._rules, planes, masks, reward, done, illegal)
        return Step(planes.reshape(n, 2, ROWS, COLUMNS), masks, reward, done, illegal)

    def view(self) -> View:
        """What the sides to move see now."""
        planes, masks = np.empty((self.num_games, 2 * CELLS), np.int8), np.empty((self.num_games, COLUMNS), np.int8)
        self._run(_view, self._own, self._occupied, planes, masks)
        return View(planes.reshape(self.num_games, 2, ROWS, COLUMNS), masks)

    def positions(self) -> PositionBatch:
        """The positions of all games, for search or for labels."""
        return PositionBatch(self._own.copy(), self._occupied.copy(), self.rules)

    @property
    def players(self) -> npt.NDArray[np.int64]:
        """The player to move in each game, shape [N]: 0 the first, 1 the second."""
        return _players(self._occupied)


@compiled
def _step(
    own: Boards,
    occupied: Boards,
    columns: npt.NDArray[np.int64],
    rules: int,
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    reward: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    illegal: npt.NDArray[np.bool_],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        mine, stones, column = own[game], occupied[game], columns[game]
        legal = is_legal(stones, column)
        outcome = 1
        if legal:
            mine, stones = play(mine, stones, column)
            outcome = result(mine, stones, rules)
        over = outcome != ONGOING
        illegal[game] = not legal
        done[game] = over
        reward[game] = 0 if outcome == ONGOING else -outcome
        if over:
            mine, stones = 0, 0
        own[game], occupied[game] = mine, stones
        write_planes(mine, mine ^ stones, planes, game)
        write_mask(stones, False, masks, game)


@compiled
def _view(
    own: Boards,
    occupied: Boards,
    planes: npt.NDArray[np.int8],
    masks: npt.NDArray[np.int8],
    start: int,
    stop: int,
) -> None:
    for game in range(start, stop):
        write_planes(own[game], own[game] ^ occupied[game], planes, game)
        write_mask(occupied[game], False, masks, game)


@compiled
def _first_illegal(occupied: Boards, columns: npt.NDArray[np.int64]) -> int:
    for game in range(len(occupied)):
        if not is_legal(occupied[game], columns[game]):
            return game
    return -1


@compiled
def _players(occupied: Boards) -> Boards:
    players = np.empty(len(occupied), np.int64)
    for game in range(len(occupied)):
        players[game] = popcount(occupied[game]) & 1
    return players
