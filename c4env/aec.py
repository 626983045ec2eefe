"""The two-player game as a PettingZoo environment, in the spaces and names of PettingZoo's own connect_four.

Importing this module registers it::

    import c4env.aec, pettingzoo
    env = pettingzoo.make("aec", "c4env/connect_four-v0")

``c4env.aec.env()`` makes the same without the registry, ``raw_env`` is the class without wrappers.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from c4env.arguments import ILLEGAL_CHOICES, Illegal, check_choice, describe_illegal, starting_position
from c4env.bitboard import COLUMNS, ROWS, STRIDE, Rules, is_legal
from c4env.compiled import compiled
from c4env.position import Position, check_rules

try:
    import pettingzoo
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError('c4env.aec needs PettingZoo: pip install "c4env[pettingzoo]"') from error

AEC_ID = "c4env/connect_four-v0"


class ConnectFourAEC(pettingzoo.AECEnv):  # type: ignore[misc]
    """Connect Four for two agents, ``player_0`` (moves first) and ``player_1``, who take turns.

    ## Action Space
    ``Discrete(7)``: the column to drop a stone into, 0 on the left.

    ## Observation Space
    A dict. ``observation`` is int8 (6, 7, 2), row 0 on top, plane 0 the observing agent's stones. ``action_mask``
    is int8 (7,): 1 where a column has room if the agent is the one selected, else all zeros.

    ## Rewards
    +1 for the winner and -1 for the loser, 0 for both in a draw.

    ## Illegal moves
    The class itself raises ``ValueError`` and changes nothing. In :func:`env` that is the choice ``illegal="raise"``;
    by default an illegal move ends the game with -1 for its author and 0 for the other agent.

    ## Arguments
    Args:
        rules: ``"first-four"`` ends with the first four in a row; under ``"most-fours"`` the board is filled and more
            fours win.
        render_mode: ``None``, ``"ansi"``, ``"rgb_array"`` or ``"human"``.

    ## Reset options
    ``moves``: the moves to start from, such as ``"4453"``; other options are ignored, as PettingZoo's tests ask.
    There is nothing random, so ``seed`` changes nothing.

    ``position`` and ``moves`` hold the game; a copy or a pickle keeps it.

    ## Version History
    * v0: first version
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "c4env_connect_four_v0",
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
        "is_parallelizable": False,
    }
    position: Position
    moves: str
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]

    def __init__(self, rules: Rules = "first-four", render_mode: str | None = None) -> None:
        super().__init__()
        self.rules: Rules = check_rules(rules)
        self.render_mode = render_mode
        if render_mode is not None:
            check_choice("render_mode", render_mode, self.metadata["render_modes"])
        self.possible_agents = ["player_0", "player_1"]
        self.action_spaces = {agent: spaces.Discrete(COLUMNS) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (ROWS, COLUMNS, 2), np.int8),
                    "action_mask": spaces.Box(0, 1, (COLUMNS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._window: Any = None
        self._begin("")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. See the class for ``options``."""
        del seed
        self._begin((options or {}).get("moves", ""))
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Drop the selected agent's stone into column ``action``; None for an agent that is done."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        column = index(action)  # type: ignore[arg-type]
        if not is_legal(self.position.occupied, column):
            raise ValueError(describe_illegal(self.position, column))
        self.position = self.position.play(column)
        self.moves += str(column + 1)
        self.agent_selection = self.possible_agents[self.position.player]
        if self.position.is_over:
            winner = self.position.winner
            for player, name in enumerate(self.possible_agents):
                self.rewards[name] = 0 if winner is None else (1 if winner == player else -1)
                self.terminations[name] = True
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, npt.NDArray[np.int8]]:
        """The dict described in the class, seen by ``agent``; the arrays are the caller's own."""
        board = np.empty((ROWS, COLUMNS, 2), np.int8)
        mask = np.empty(COLUMNS, np.int8)
        player = self.possible_agents.index(agent)
        stones = self.position.stones
        _write_view(stones[player], stones[1 - player], agent == self.agent_selection, board, mask)
        return {"observation": board, "action_mask": mask}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same object each time."""
        return self.action_spaces[agent]

    def render(self) -> Any:
        """The board as text (``ansi``), as an image (``rgb_array``), or in a window (``human``)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode, for example env(render_mode='ansi')")
            return None
        from c4env import render

        last_column = int(self.moves[-1]) - 1 if self.moves else None
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

    def _begin(self, moves: str) -> None:
        position = starting_position(moves, self.rules)
        self.position = position
        self.moves = moves
        self.agents = self.possible_agents.copy()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[position.player]
        self._skip_agent_selection = None


@compiled
def _write_view(
    mine: int, theirs: int, selected: bool, board: npt.NDArray[np.int8], mask: npt.NDArray[np.int8]
) -> None:
    """Fill ``board`` [6, 7, 2] with two bit sets, row 0 on top, and ``mask`` [7]."""
    for column in range(COLUMNS):
        mask[column] = selected and is_legal(mine | theirs, column)
        for row in range(ROWS):
            cell = STRIDE * column + ROWS - 1 - row
            board[row, column, 0] = (mine >> cell) & 1
            board[row, column, 1] = (theirs >> cell) & 1


raw_env = ConnectFourAEC
"""PettingZoo's name for an environment without wrappers."""


def env(rules: Rules = "first-four", illegal: Illegal = "lose", render_mode: str | None = None) -> Any:
    """The environment in PettingZoo's usual wrappers, which check actions and the order of calls.

    Args:
        rules: As in :class:`ConnectFourAEC`.
        illegal: An illegal move loses (``"lose"``), or raises and changes nothing (``"raise"``).
        render_mode: As in :class:`ConnectFourAEC`.
    """
    check_choice("illegal", illegal, ILLEGAL_CHOICES)
    wrapped = ConnectFourAEC(rules, render_mode)
    if illegal == "lose":
        wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


pettingzoo.register("aec", AEC_ID, entry_point="c4env.aec:env")

__all__ = ["AEC_ID", "ConnectFourAEC", "env", "raw_env"]
