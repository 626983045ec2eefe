"""`ConnectFourEnv`: one learner against an opponent, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from c4env import games
from c4env.arguments import (
    ILLEGAL_CHOICES,
    SEATS,
    AgentPlays,
    Illegal,
    check_choice,
    check_options,
    describe_illegal,
    starting_position,
)
from c4env.bitboard import CELLS, COLUMNS, ONGOING, ROWS, RULES, Rules, is_legal
from c4env.games import LEARNER, OCCUPIED, OVER, OWN, STREAM, WAITING
from c4env.lineup import Lineup
from c4env.opponents import OpponentLike
from c4env.position import Position, check_rules

Observation = npt.NDArray[np.int8]

_PLANES = (2, ROWS, COLUMNS)
_INT8 = np.dtype(np.int8)


class ConnectFourEnv(gym.Env[Observation, np.int64]):
    """Connect Four, one learner against an opponent that answers inside ``step``.

    ## Action Space
    ``Discrete(7)``: the column to drop a stone into, 0 on the left. ``info["action_mask"]`` (int8, 1 where a
    column has room) comes with every observation; ``action_masks()`` returns the same as bool. Once the game
    is over the mask is all ones.

    ## Observation Space
    ``Box(0, 1, (2, 6, 7), int8)``: plane 0 the learner's stones, plane 1 the opponent's; row 0 is the top row.

    ## Rewards
    +1 for a win, -1 for a loss, 0 for a draw, given on the step that ends the game, whoever made the last move.
    An illegal action loses (``illegal="lose"``) or raises ``ValueError`` and changes nothing (``"raise"``).

    ## Starting State
    The empty board, or ``options["moves"]``. If the opponent is to move, it has moved when ``reset`` returns.

    ## Episode End
    Terminates when the game is over; never truncates. The last ``info`` also has ``winner`` (0 first player, 1
    second, -1 draw), ``winning_cells`` (int8 (6, 7), 1 in each four), ``moves`` (a string of columns 1 to 7) and
    ``illegal_move``.

    ## Arguments
    Args:
        opponent: ``"random"``, ``"rules"``, any spec of an installed package such as
            ``"alphabeta:eval=windows,depth=4"``, an object with ``act(position)``, a function ``Position ->
            column``, or a list of these, one of which is drawn for each episode.
        agent_plays: Whether the learner moves ``"first"``, ``"second"``, or either at random.
        rules: ``"first-four"`` ends with the first four in a row; under ``"most-fours"`` the board is filled
            and more fours win.
        illegal: ``"lose"`` or ``"raise"``.
        render_mode: ``None``, ``"ansi"``, ``"rgb_array"`` or ``"human"``.

    ## Reset options
    ``moves``: a move string such as ``"4453"`` to start from; ``agent_plays`` and ``opponent``: for this episode.

    ## Randomness
    Everything random comes from ``np_random``: the same seed gives the same seats, opponents and answers.

    ## Version History
    * v0: first version
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
    }

    def __init__(
        self,
        opponent: OpponentLike | Sequence[OpponentLike] = "rules",
        agent_plays: AgentPlays = "random",
        rules: Rules = "first-four",
        illegal: Illegal = "lose",
        render_mode: str | None = None,
    ) -> None:
        self.observation_space = spaces.Box(0, 1, _PLANES, np.int8)
        self.action_space = spaces.Discrete(COLUMNS)
        self.rules: Rules = check_rules(rules)
        self.illegal = check_choice("illegal", illegal, ILLEGAL_CHOICES)
        self.agent_plays = check_choice("agent_plays", agent_plays, SEATS)
        self.render_mode = render_mode
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self._rules = RULES[rules]
        self._lineup = Lineup(opponent)
        self._episode_lineup = self._lineup
        self._state = np.zeros((games.STATE_ROWS, 1), np.int64)
        self._state[OVER] = 1
        self._history = np.zeros((1, CELLS), np.uint8)
        self._stream_source: np.random.Generator | None = None
        self._window: Any = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game. See the class for ``options``."""
        super().reset(seed=seed)
        options = check_options(options)
        moves = options.get("moves", "")
        start = starting_position(moves, self.rules)
        seat = SEATS[check_choice("agent_plays", options.get("agent_plays", self.agent_plays), SEATS)]
        lineup = Lineup(options["opponent"]) if "opponent" in options else self._lineup
        if self._stream_source is not self.np_random:
            self._stream_source = self.np_random
            self._state[STREAM] = self.np_random.integers(2**63)
        state, history = self._state, self._history
        state[OWN], state[OCCUPIED] = start.own, start.occupied
        games.move_bytes(history)[0] = moves
        self._episode_lineup = lineup
        code = games.begin_game(state, history, 0, seat, lineup.kinds, 0, len(lineup.kinds), self._rules)
        lineup.seed_game(state, 0)
        if code == WAITING:
            code = self._answer()
        if code != ONGOING:
            raise ValueError(f"moves {moves!r}: the opponent's answer ends the game before the learner can move")
        if self.render_mode == "human":
            self.render()
        return self._observe()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Drop a stone into column ``action`` and let the opponent answer."""
        state = self._state
        column = index(action)
        if self.illegal == "raise" and not state[OVER, 0] and not is_legal(int(state[OCCUPIED, 0]), column):
            raise ValueError(describe_illegal(self.position, column))
        planes, mask = np.empty(_PLANES, _INT8), np.empty(COLUMNS, _INT8)
        kinds = self._episode_lineup.kinds
        code = games.step_single(state, self._history, column, kinds, self._rules, planes, mask)
        if code == WAITING:
            code = self._answer()
            games.observe_single(state, planes, mask)
        if code == games.SKIPPED:
            raise gym.error.ResetNeeded("the game is over: call reset() before step()")
        info: dict[str, Any] = {"action_mask": mask}
        if self.render_mode == "human":
            self.render()
        if code == ONGOING:
            return planes, 0.0, False, False, info
        info.update(self._end_info(code))
        return planes, -1.0 if code == games.ILLEGAL else float(code), True, False, info

    @property
    def position(self) -> Position:
        """The position on the board."""
        return Position(int(self._state[OWN, 0]), int(self._state[OCCUPIED, 0]), self.rules)

    @property
    def moves(self) -> str:
        """The moves so far, as columns 1 to 7."""
        return self._history.tobytes().rstrip(b"\0").decode()

    @property
    def agent_player(self) -> int:
        """The player the learner is in this game: 0 moves first, 1 second."""
        return int(self._state[LEARNER, 0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which columns may be played, bool [7]; all once the game is over."""
        mask: npt.NDArray[np.int8] = self._observe()[1]["action_mask"]
        return mask.astype(np.bool_)

    def render(self) -> Any:
        """The board as text (``ansi``), as an image (``rgb_array``), or in a window (``human``)."""
        if self.render_mode is None:
            gym.logger.warn("render() needs a render_mode, for example gymnasium.make(..., render_mode='ansi')")
            return None
        from c4env import render

        moves = self.moves
        last_column = int(moves[-1]) - 1 if moves else None
        if self.render_mode == "ansi":
            return render.ansi(self.position, last_column)
        frame = render.rgb_array(self.position, last_column)
        if self.render_mode == "rgb_array":
            return frame
        if self._window is None:
            self._window = render.Window()
        self._window.show(frame, self.metadata["render_fps"])
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_window": None}

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        planes, mask = np.empty(_PLANES, _INT8), np.empty(COLUMNS, _INT8)
        games.observe_single(self._state, planes, mask)
        return planes, {"action_mask": mask}

    def _answer(self) -> int:
        """Let an opponent outside compiled code move; return the code of the game."""
        codes = np.full(1, WAITING, np.int8)
        self._episode_lineup.answer(self._state, self._history, codes, self.rules)
        return int(codes[0])

    def _end_info(self, code: int) -> dict[str, Any]:
        winners = np.empty(1, np.int64)
        cells, moves = np.empty((1, CELLS), np.int8), np.empty((1, CELLS), np.uint32)
        games.write_end(self._state, self._history, np.array([code], np.int8), winners, cells, moves)
        return {
            "winner": int(winners[0]),
            "winning_cells": cells.reshape(ROWS, COLUMNS),
            "moves": str(games.move_strings(moves)[0]),
            "illegal_move": code == games.ILLEGAL,
        }
