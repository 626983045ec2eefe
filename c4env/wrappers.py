"""Wrappers that put the mask into the observation, for libraries that look for it there."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

DictObs = dict[str, npt.NDArray[Any]]


class DictObservation(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Observations become a dict of ``observation`` and ``action_mask``; ``info`` keeps its mask.

    Put it on the outside: wrappers such as ``FlattenObservation`` belong beneath it, where they see an array.

    Args:
        env: An environment with array observations and discrete actions that gives ``info["action_mask"]``.
    """

    observation_key = "observation"

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        if not isinstance(env.observation_space, spaces.Box) or not isinstance(env.action_space, spaces.Discrete):
            raise ValueError(
                f"{type(self).__name__} needs array observations and discrete actions, "
                f"not {env.observation_space} and {env.action_space}"
            )
        mask_space = spaces.Box(0, 1, (int(env.action_space.n),), np.int8)
        array_space = self._array_space(env.observation_space)
        self.observation_space = spaces.Dict({self.observation_key: array_space, "action_mask": mask_space})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[DictObs, dict[str, Any]]:
        """Begin a game."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observation, info), info

    def step(self, action: Any) -> tuple[DictObs, SupportsFloat, bool, bool, dict[str, Any]]:
        """Make a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._with_mask(observation, info), reward, terminated, truncated, info

    def _with_mask(self, observation: npt.NDArray[Any], info: dict[str, Any]) -> DictObs:
        return {self.observation_key: self._array(observation), "action_mask": info["action_mask"].copy()}

    def _array_space(self, space: spaces.Box) -> spaces.Box:
        return space

    def _array(self, observation: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return observation


class RLlibObservation(DictObservation):
    """The dict that RLlib's action-masking module takes: ``observations``, flat float32, and ``action_mask``."""

    observation_key = "observations"

    def _array_space(self, space: spaces.Box) -> spaces.Box:
        return spaces.Box(space.low.ravel().astype(np.float32), space.high.ravel().astype(np.float32), dtype=np.float32)

    def _array(self, observation: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return observation.ravel().astype(np.float32)


__all__ = ["DictObservation", "RLlibObservation"]
