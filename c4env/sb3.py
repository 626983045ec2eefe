"""The vector environment for Stable-Baselines3 and sb3-contrib, masks included.

Example::

    from sb3_contrib import MaskablePPO
    from c4env.sb3 import SB3VecEnv

    model = MaskablePPO("MlpPolicy", SB3VecEnv(64, opponent="rules"))
    model.learn(100_000)
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from c4env.vector import ConnectFourVectorEnv

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise ImportError('c4env.sb3 needs Stable-Baselines3: pip install "c4env[sb3]"') from error

Indices = int | Sequence[int] | None
Step = tuple[npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class SB3VecEnv(VecEnv):  # type: ignore[misc]
    """N games of the compiled vector environment as a Stable-Baselines3 ``VecEnv``.

    Observations are int8 [N, 2, 6, 7]; a finished game begins again in the same step. The info of a game that ended
    has ``terminal_observation``, ``TimeLimit.truncated`` (always False), ``episode`` with return ``r``, length ``l``
    and seconds ``t`` as a ``Monitor`` gives it, ``winner``, ``winning_cells``, ``moves`` and ``illegal_move``; other
    infos are empty. Masks are asked for with ``env_method("action_masks")``, as MaskablePPO does.

    Args:
        num_envs: Number of games.
        **arguments: Those of :class:`c4env.vector.ConnectFourVectorEnv`, without ``autoreset_mode``.

    Attributes:
        games: The vector environment underneath.
    """

    def __init__(self, num_envs: int, **arguments: Any) -> None:
        if "autoreset_mode" in arguments:
            raise ValueError("autoreset_mode cannot be chosen: Stable-Baselines3 needs 'same_step'")
        self.games = ConnectFourVectorEnv(num_envs, autoreset_mode="same_step", **arguments)
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self._masks = np.ones((num_envs, 7), np.int8)
        self._lengths = np.zeros(num_envs, np.int64)
        self._actions: npt.ArrayLike = ()
        self._started = time.time()

    def reset(self) -> npt.NDArray[np.int8]:
        """Begin all games with the seeds and options set before, which are then forgotten."""
        observations, infos = self.games.reset(seed=self._seeds[0], options=self._merged_options())
        self._reset_seeds()
        self._reset_options()
        self._masks = infos["action_mask"]
        self._lengths[:] = 0
        self.reset_infos = [{"action_mask": mask} for mask in self._masks]
        return observations

    def step_async(self, actions: npt.ArrayLike) -> None:
        """Take the actions [N] of the step that :meth:`step_wait` makes."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Play the actions; return observations, rewards, dones and infos."""
        observations, rewards, dones, _, batched = self.games.step(self._actions)
        self._masks = batched["action_mask"]
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(dones).tolist():
            infos[game] = self._end_info(game, float(rewards[game]), batched)
            self.reset_infos[game] = {"action_mask": self._masks[game]}
            self._lengths[game] = 0
        return observations, rewards.astype(np.float32), dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which columns may be played, bool [N, 7]."""
        return self._masks.astype(np.bool_)

    def close(self) -> None:
        """Release the vector environment."""
        self.games.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8]]:
        """A picture of each game; needs ``render_mode="rgb_array"``."""
        if self.render_mode != "rgb_array":
            raise ValueError(f"pictures need render_mode='rgb_array', not {self.render_mode!r}")
        return self.games.render() or ()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Of each game: what the single environment has (``position``, ``moves``, ``agent_player``), or else shared."""
        chosen = self._get_indices(indices)
        if attr_name in ("position", "moves"):
            return [getattr(self.games, attr_name)(game) for game in chosen]
        if attr_name == "agent_player":
            players = self.games.agent_players.tolist()
            return [players[game] for game in chosen]
        shared = getattr(self.games, attr_name)
        return [shared for _ in chosen]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refused: the games are one object, and none has attributes of its own."""
        raise NotImplementedError(f"cannot set {attr_name!r}: pass it to the constructor, or use set_options")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Of each game, ``action_masks`` (bool [7]) or ``render``; there are no other methods of one game."""
        if method_name not in ("action_masks", "render"):
            raise AttributeError(f"games have the methods action_masks and render, not {method_name!r}")
        owner = self if method_name == "action_masks" else self.games
        answers = getattr(owner, method_name)(*method_args, **method_kwargs)
        return [answers[game] for game in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """True for ``Monitor``, whose infos are here already, and False for all other wrappers."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _end_info(self, game: int, reward: float, batched: dict[str, Any]) -> dict[str, Any]:
        final = batched["final_info"]
        seconds = round(time.time() - self._started, 6)
        return {
            "terminal_observation": batched["final_obs"][game],
            "TimeLimit.truncated": False,
            "episode": {"r": reward, "l": int(self._lengths[game]), "t": seconds},
            "winner": int(final["winner"][game]),
            "winning_cells": final["winning_cells"][game],
            "moves": str(final["moves"][game]),
            "illegal_move": bool(final["illegal_move"][game]),
        }

    def _merged_options(self) -> dict[str, Any]:
        """The options of all games as the vector environment takes them."""
        options: list[dict[str, Any]] = self._options
        if all(one == options[0] for one in options):
            return options[0]
        defaults = {"moves": "", "agent_plays": self.games.agent_plays}
        merged: dict[str, Any] = {}
        for name in {name for one in options for name in one}:
            if name not in defaults:
                raise ValueError(f"the option {name!r} must be the same for all games")
            merged[name] = [one.get(name, defaults[name]) for one in options]
        return merged


__all__ = ["SB3VecEnv"]
