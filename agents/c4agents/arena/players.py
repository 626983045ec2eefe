"""Who takes part: agents by spec string, by ``module:attribute``, by file, or given as objects."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from c4agents import registry
from c4agents.adapter import as_agent
from c4agents.agent import Agent, Analysis
from c4env.opponents import Opponent
from c4env.position import Position, PositionBatch

PlayerLike = str | Agent | Opponent | Callable[[Position], int]
"""A spec string, ``module:attribute``, ``path/to/file.py:attribute``, an agent, or a function."""


def load_player(player: PlayerLike) -> Agent:
    """The agent that ``player`` stands for.

    A string whose part before the colon is the name of an agent is a spec; otherwise it names Python code,
    ``module:attribute`` or ``file.py:attribute``, which is imported. The attribute is an agent, a function
    ``Position -> column``, or a class or function without arguments that makes one of these. Code may declare itself
    by attributes ``deterministic`` and ``mirror_consistent``; what declares nothing counts as neither.

    Raises:
        ValueError: There is no such agent, module or attribute, or it can't play.
    """
    if not isinstance(player, str):
        return _declared(player, player_name(player))
    if is_spec(player):
        return registry.make(player)
    module, colon, attribute = player.rpartition(":")
    if not colon or "=" in attribute:
        return registry.make(player)
    try:
        found = getattr(_import(module), attribute)
    except AttributeError:
        raise ValueError(f"{player}: {module} has no {attribute!r}") from None
    return _declared(_made(found, player), player)


def is_spec(player: PlayerLike) -> bool:
    """Whether ``player`` is the spec string of a known agent."""
    name = player.partition(":")[0].strip() if isinstance(player, str) else None
    return name is not None and (name in registry.entries() or name in registry.installed())


class FrozenAgent:
    """An agent with its randomness decided by seed and position, so that it is deterministic.

    Attributes:
        name: What the agent is called.
    """

    deterministic = True
    mirror_consistent = False

    def __init__(self, agent: Agent, seed: int) -> None:
        self.name = agent.name
        self._agent = agent
        self._seed = seed

    def seed(self, seed: int) -> None:
        """Nothing: the randomness stays as it is."""

    def act(self, position: Position) -> int:
        """The agent's column, after seeding it."""
        self._agent.seed(hash((self._seed, position.own, position.occupied)) & (2**62 - 1))
        return self._agent.act(position)

    def act_batch(self, positions: PositionBatch) -> npt.NDArray[np.integer[Any]]:
        """The agent's columns, shape [B]."""
        return np.array([self.act(position) for position in positions], np.int8)

    def analyse(self, position: Position) -> Analysis:
        """What the agent thinks, after seeding it."""
        self._agent.seed(hash((self._seed, position.own, position.occupied)) & (2**62 - 1))
        return self._agent.analyse(position)


def player_name(player: PlayerLike) -> str:
    """What to call ``player`` before it is made."""
    if isinstance(player, str):
        return player
    return str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))


def fingerprint(player: PlayerLike, agent: Agent) -> str | None:
    """A sha256 that changes when the agent's weights or its source file do; None if it has neither.

    An agent with weights says it in ``weights_sha256``.
    """
    weights = getattr(agent, "weights_sha256", None)
    if weights is not None:
        return str(weights)
    if is_spec(player):
        return None
    if isinstance(player, str):
        source = getattr(_import(player.rpartition(":")[0]), "__file__", None)
    else:
        source = inspect.getsourcefile(player if inspect.isroutine(player) else type(player))
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if source and Path(source).is_file() else None


def _import(module: str) -> Any:
    """The module of that name, or of that ``.py`` file; the current folder comes first, as for ``python``."""
    if module.endswith(".py"):
        path = Path(module).resolve()
        if not path.is_file():
            raise ValueError(f"there is no file {module}")
        name = f"c4_player_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
        if name in sys.modules:
            return sys.modules[name]
        found = importlib.util.spec_from_file_location(name, path)
        assert found is not None
        assert found.loader is not None
        made = importlib.util.module_from_spec(found)
        sys.modules[name] = made
        try:
            found.loader.exec_module(made)
        except Exception as error:
            del sys.modules[name]
            raise ValueError(f"{module} can't be imported: {type(error).__name__}: {error}") from error
        return made
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            names = ", ".join(sorted(registry.entries()))
            raise ValueError(
                f"{module!r} is neither an agent nor a Python module; agents are {names}; "
                "your own is written module:attribute or file.py:attribute"
            ) from None
        raise ValueError(f"{module} can't be imported: {error}") from error
    except Exception as error:
        raise ValueError(f"{module} can't be imported: {type(error).__name__}: {error}") from error


def _made(found: Any, name: str) -> Any:
    """The player itself, from a class or function without arguments that makes it."""
    makes = inspect.isclass(found) or (inspect.isroutine(found) and not _required(found))
    if not makes:
        return found
    try:
        return found()
    except Exception as error:
        raise ValueError(f"{name} can't be made: {type(error).__name__}: {error}") from error


def _required(function: Any) -> bool:
    """Whether ``function`` has a parameter that must be given."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        parameter.kind in kinds and parameter.default is inspect.Parameter.empty
        for parameter in inspect.signature(function).parameters.values()
    )


def _declared(player: Any, name: str) -> Agent:
    """``player`` as an agent, with what it declares of itself."""
    agent = as_agent(player, name)
    if agent is not player:
        for promise in ("deterministic", "mirror_consistent"):
            setattr(agent, promise, bool(getattr(player, promise, False)))
    return agent
