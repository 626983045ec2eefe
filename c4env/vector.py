"""`ConnectFourVectorEnv`: thousands of learner-against-opponent games in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import error, spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from c4env import games
from c4env.arguments import (
    ILLEGAL_CHOICES,
    OPTIONS,
    SEATS,
    AgentPlays,
    Illegal,
    check_choice,
    check_options,
    describe_illegal,
    per_game,
    starting_position,
)
from c4env.bitboard import CELLS, COLUMNS, ONGOING, ROWS, RULES, Rules
from c4env.games import LEARNER, OCCUPIED, OVER, OWN, STREAM
from c4env.lineup import Lineup
from c4env.opponents import OpponentLike
from c4env.position import Position, PositionBatch, check_rules
from c4env.slices import SlicedRunner

Observations = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]
Infos = dict[str, Any]


class ConnectFourVectorEnv(VectorEnv[Observations, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """N games of :class:`c4env.env.ConnectFourEnv` advanced together.

    Observations are int8 [N, 2, 6, 7], masks ``infos["action_mask"]`` int8 [N, 7], and everything else as in
    Gymnasium's own vector environments: what N single environments seeded ``seed``, ``seed + 1``, … would return,
    step for step. All arrays are new at every step and never change afterwards.

    Args:
        num_envs: Number of games.
        opponent: As in the single environment. ``random``, ``rules`` and others with compiled moves answer in
            compiled code; one with ``act_batch`` is asked once per step; any other once per game.
        agent_plays: ``"first"``, ``"second"`` or ``"random"``, drawn for each episode.
        rules: ``"first-four"`` or ``"most-fours"``.
        illegal: An illegal action loses (``"lose"``), or raises and changes nothing (``"raise"``).
        render_mode: ``None``, ``"ansi"`` or ``"rgb_array"``: a tuple with one frame a game.
        autoreset_mode: When a finished game begins again: ``"next_step"`` (its next action is ignored),
            ``"same_step"`` (with ``infos["final_obs"]`` and ``infos["final_info"]``) or ``"disabled"`` (by
            ``reset(options={"reset_mask": …})``).
        threads: Threads that share a step. One is best unless cores are idle and games many.

    Reset options: ``reset_mask`` (bool [N], which games), and the single environment's ``moves``, ``agent_plays``
    (each one value, or a list of N) and ``opponent``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        opponent: OpponentLike | Sequence[OpponentLike] = "rules",
        agent_plays: AgentPlays = "random",
        rules: Rules = "first-four",
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
    ) -> None:
        self.num_envs = num_envs
        self.single_observation_space = spaces.Box(0, 1, (2, ROWS, COLUMNS), np.int8)
        self.single_action_space = spaces.Discrete(COLUMNS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        # On the instance, because every environment may choose its own.
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.render_mode = render_mode
        self.rules: Rules = check_rules(rules)
        self.illegal = check_choice("illegal", illegal, ILLEGAL_CHOICES)
        self.agent_plays = check_choice("agent_plays", agent_plays, SEATS)
        self._rules = RULES[rules]
        self._opponent = opponent
        self._lineup = Lineup(opponent)
        self._base_count = len(self._lineup.kinds)
        self._seats = np.full(num_envs, SEATS[agent_plays], np.int64)
        self._state = np.zeros((games.STATE_ROWS, num_envs), np.int64)
        self._state[OVER] = 1
        self._history = np.zeros((num_envs, CELLS), np.uint8)
        self._codes = np.full(num_envs, games.SKIPPED, np.int8)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._seeded = False
        self._run = SlicedRunner(num_envs, threads)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Infos | None = None
    ) -> tuple[Observations, Infos]:
        """Begin all games, or those of ``options["reset_mask"]``. See the class for the options."""
        options = check_options(options, (*OPTIONS, "reset_mask"))
        chosen = self._chosen(options)
        moves = per_game("moves", options.get("moves", ""), self.num_envs)
        starts = {start: starting_position(start, self.rules) for start in set(moves)}
        seats = self._episode_seats(options)
        self._seed(seed, chosen)
        if chosen.all():
            self._lineup = Lineup(self._opponent)
        first, count = self._lineup.extend(options["opponent"]) if "opponent" in options else (0, self._base_count)
        if seed is not None:
            self._lineup.seed_all(self.np_random)
        self._run(games.clear_games, self._state, self._history, chosen)
        if "moves" in options:
            self._set_up(chosen, moves, starts)
        self._codes[chosen] = ONGOING
        self._begin(chosen, seats, first, count)
        if (self._codes[chosen] != ONGOING).any():
            raise ValueError(
                f"moves {options.get('moves')!r}: the opponent's answer ends the game before the learner can move"
            )
        return self._observe()

    def step(self, actions: npt.ArrayLike) -> tuple[Observations, npt.NDArray[np.float64], Flags, Flags, Infos]:
        """Play one column per game, shape [N], and let the opponents answer."""
        columns = np.ascontiguousarray(actions, dtype=np.int64)
        if columns.shape != (self.num_envs,):
            raise ValueError(f"actions must have shape ({self.num_envs},), not {columns.shape}")
        state, codes = self._state, self._codes
        if self.illegal == "raise":
            wrong = games.first_illegal(state, columns)
            if wrong >= 0:
                raise ValueError(f"game {wrong}: {describe_illegal(self.position(wrong), int(columns[wrong]))}")
        finished = state[OVER] != 0
        if self.autoreset_mode is AutoresetMode.DISABLED and finished.any():
            raise error.ResetNeeded("a game is over: reset it with reset(options={'reset_mask': ...}) before step()")
        self._run(games.step_games, state, self._history, columns, self._lineup.kinds, self._rules, codes)
        self._lineup.answer(state, self._history, codes, self.rules)
        rewards = np.empty(self.num_envs, np.float64)
        terminated = np.empty(self.num_envs, np.bool_)
        self._run(games.judge_games, codes, rewards, terminated)
        ended = self._end_infos(terminated) if terminated.any() else {}
        self._restart(finished)
        observations, infos = self._observe()
        if ended and self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = _final_infos(observations, terminated, ended)
            self._restart(terminated)
            observations, infos = self._observe()
            infos.update(final)
        else:
            infos.update(ended)
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), infos

    def position(self, game: int) -> Position:
        """The position on the board of one game."""
        return Position(int(self._state[OWN, game]), int(self._state[OCCUPIED, game]), self.rules)

    def positions(self) -> PositionBatch:
        """The positions of all games."""
        return PositionBatch(self._state[OWN].copy(), self._state[OCCUPIED].copy(), self.rules)

    def moves(self, game: int) -> str:
        """The moves of one game so far, as columns 1 to 7."""
        return bytes(self._history[game]).rstrip(b"\0").decode()

    @property
    def agent_players(self) -> npt.NDArray[np.int64]:
        """The player the learner is in each game, shape [N]: 0 moves first, 1 second."""
        return np.array(self._state[LEARNER])

    def action_masks(self) -> Flags:
        """Which columns may be played, bool [N, 7]; all where the game is over."""
        mask: npt.NDArray[np.int8] = self._observe()[1]["action_mask"]
        return mask.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """A frame or a text per game."""
        if self.render_mode is None:
            return None
        from c4env import render

        draw = render.ansi if self.render_mode == "ansi" else render.rgb_array
        frames: list[Any] = []
        for game in range(self.num_envs):
            moves = self.moves(game)
            frames.append(draw(self.position(game), int(moves[-1]) - 1 if moves else None))
        return tuple(frames)

    def close_extras(self, **_kwargs: Any) -> None:
        """End the threads."""
        self._run.close()

    def _begin(self, chosen: Flags, seats: npt.NDArray[np.int64], first: int, count: int) -> None:
        arguments = (chosen, seats, self._lineup.kinds, first, count, self._rules, self._codes)
        self._run(games.begin_games, self._state, self._history, *arguments)
        self._lineup.answer(self._state, self._history, self._codes, self.rules)

    def _restart(self, chosen: Flags) -> None:
        """Begin the ``chosen`` games again from the empty board."""
        if chosen.any():
            self._run(games.clear_games, self._state, self._history, chosen)
            self._begin(chosen, self._seats, 0, self._base_count)

    def _observe(self) -> tuple[Observations, Infos]:
        planes = np.empty((self.num_envs, 2 * CELLS), np.int8)
        masks = np.empty((self.num_envs, COLUMNS), np.int8)
        self._run(games.observe_games, self._state, planes, masks)
        observations = planes.reshape(self.num_envs, 2, ROWS, COLUMNS)
        return observations, {"action_mask": masks, "_action_mask": self._everywhere.copy()}

    def _end_infos(self, ended: Flags) -> Infos:
        """Winner, winning cells, moves and illegality of the games that ended, with Gymnasium's ``_key`` masks."""
        winners = np.zeros(self.num_envs, np.int64)
        cells = np.zeros((self.num_envs, CELLS), np.int8)
        moves = np.zeros((self.num_envs, CELLS), np.uint32)
        games.write_end(self._state, self._history, self._codes, winners, cells, moves)
        infos = {
            "winner": winners,
            "winning_cells": cells.reshape(self.num_envs, ROWS, COLUMNS),
            "moves": games.move_strings(moves),
            "illegal_move": self._codes == games.ILLEGAL,
        }
        return {**infos, **{f"_{key}": ended.copy() for key in infos}}

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: Flags) -> None:
        """Give every chosen game the stream that a single environment with its seed would have.

        Without seeds, streams go on; at the very first reset they come from ``np_random``.
        """
        if isinstance(seed, int):
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            seeds: list[int | None] = [seed + game for game in range(self.num_envs)]
        else:
            seeds = [None] * self.num_envs if seed is None else list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"a list of seeds must have length {self.num_envs}, not {len(seeds)}")
        if not self._seeded:
            self._state[STREAM] = self.np_random.integers(2**63, size=self.num_envs)
            self._seeded = True
        for game in np.flatnonzero(chosen):
            one = seeds[game]
            if one is not None:
                self._state[STREAM, game] = seeding.np_random(one)[0].integers(2**63)

    def _chosen(self, options: Infos) -> Flags:
        if "reset_mask" not in options:
            return self._everywhere.copy()
        mask = np.asarray(options["reset_mask"])
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},) with at least one True")
        return mask.copy()

    def _set_up(self, chosen: Flags, moves: list[str], starts: dict[str, Position]) -> None:
        for game in np.flatnonzero(chosen):
            start = starts[moves[game]]
            self._state[OWN, game], self._state[OCCUPIED, game] = start.own, start.occupied
            games.move_bytes(self._history)[game] = moves[game]

    def _episode_seats(self, options: Infos) -> npt.NDArray[np.int64]:
        if "agent_plays" not in options:
            return self._seats
        names = per_game("agent_plays", options["agent_plays"], self.num_envs)
        return np.array([SEATS[check_choice("agent_plays", name, SEATS)] for name in names], np.int64)


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    names = {
        "next_step": AutoresetMode.NEXT_STEP,
        "same_step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }
    return names[check_choice("autoreset_mode", str(mode).lower(), names)]


def _final_infos(observations: Observations, ended: Flags, infos: Infos) -> Infos:
    """What Gymnasium's same-step mode adds: the last observation and info of the games that ended."""
    final_obs = np.full(len(ended), None, dtype=object)
    for game in np.flatnonzero(ended):
        final_obs[game] = observations[game]
    masks = np.repeat(ended.astype(np.int8)[:, None], COLUMNS, axis=1)
    final_info = {"action_mask": masks, "_action_mask": ended.copy(), **infos}
    return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": final_info, "_final_info": ended.copy()}
