"""Which agents the page may name, and how much they may compute.

What the page sends is text from outside. A spec can name a registered agent and give it options; an option that is a
file can only be one of the models of a given folder, by the name they are listed under. So there are no paths and no
modules, and every agent's work for one answer is bounded before it begins.
"""

from __future__ import annotations

import math
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from c4agents import registry
from c4agents.agent import Agent
from c4agents.registry import Option, OptionValue

T = TypeVar("T")

LONGEST_SPEC: Final = 200
SECONDS: Final = 5.0
"""Most thinking time an agent may be given."""
MOST: Final = {"minimax depth": 8, "simulations": 1_000_000, "search": 2_000, "seconds": SECONDS}
"""Largest value of an option on the page, where the option itself allows more than an answer can wait for."""
LIGHT: Final = {"minimax depth": 6, "depth": 10, "simulations": 50_000, "search": 200, "seconds": 0}
"""Largest value of an option with which an answer is a matter of milliseconds."""
_TIMED_FROM: Final = 12
"""Alpha-beta deeper than this is given a time limit, and goes as deep as that allows."""

_MODEL_NAME: Final = re.compile(r"[\w./-]{1,100}", re.ASCII)
_MOST_MODELS: Final = 200
_KEPT: Final = 32


@dataclass(frozen=True, slots=True)
class Spec:
    """A spec that was checked.

    Attributes:
        shown: As the page wrote it.
        made_from: What the registry is given: model names replaced by their files.
        heavy: Whether an answer may take seconds.
        seeded: Whether it states the start of its random numbers.
        written: When its model's file was written, in nanoseconds; 0 if it has none.
    """

    shown: str
    made_from: str
    heavy: bool
    seeded: bool
    written: int = 0


class Agents:
    """The agents the page may ask.

    Args:
        models: Folder with the weights (``.safetensors``) that it may use too; None for none.

    Raises:
        ValueError: There is no such folder.
    """

    def __init__(self, models: Path | None = None) -> None:
        if models is not None and not models.is_dir():
            raise ValueError(f"there is no folder {models}")
        self._folder = None if models is None else models.resolve()
        self._made: OrderedDict[tuple[str, int], tuple[Agent, threading.Lock]] = OrderedDict()
        self._lock = threading.Lock()

    def models(self) -> dict[str, Path]:
        """The weights files under the folder, by their path in it without the ending."""
        if self._folder is None:
            return {}
        found = {}
        for path in sorted(self._folder.rglob("*.safetensors"))[:_MOST_MODELS]:
            name = path.relative_to(self._folder).with_suffix("").as_posix()
            if _MODEL_NAME.fullmatch(name) and path.resolve().is_relative_to(self._folder) and path.is_file():
                found[name] = path.resolve()
        return found

    def check(self, text: str) -> Spec:
        """The spec that the page wrote.

        Raises:
            ValueError: It names no registered agent, or an option or value that may not be given here.
        """
        if len(text) > LONGEST_SPEC or not text.isprintable():
            raise ValueError(f"an agent is text of at most {LONGEST_SPEC} characters, such as alphabeta:depth=6")
        name, colon, rest = text.partition(":")
        if name in registry.installed():
            if colon:
                raise ValueError(f"{name} comes from another package; on the page it takes no options")
            return Spec(text, text, heavy=True, seeded=True)
        entry = registry.entry(name)
        options = entry.parse(rest)
        defaults = entry.parse("")
        given = {option: value for option, value in options.items() if value != defaults[option]}
        files = []
        for option in entry.options:
            if option.name in given and _is_file(option):
                files.append(self._model(name, given[option.name]))
                given[option.name] = str(files[-1])
            elif option.name in given and _number(given[option.name]) > (most := _limit(MOST, name, option.name)):
                raise ValueError(f"{name}: on the page {option.name} is at most {most:g}, not {given[option.name]}")
        written = max((path.stat().st_mtime_ns for path in files), default=0)
        heavy = any(_number(value) > _limit(LIGHT, name, key) for key, value in options.items())
        if name == "alphabeta" and _number(options.get("depth")) > _TIMED_FROM and "seconds" not in given:
            given["seconds"] = SECONDS
        listed = ",".join(f"{key}={_written(value)}" for key, value in given.items())
        seeded = "seed" not in options or "seed=" in rest
        return Spec(text, f"{name}:{listed}" if listed else name, heavy, seeded, written)

    def ask(self, spec: Spec, question: Callable[[Agent], T]) -> T:
        """What ``question`` finds out from the agent; an agent is asked one question at a time.

        Raises:
            ValueError: The agent can't be made; says why.
        """
        key = spec.made_from, spec.written
        with self._lock:
            kept = self._made.get(key)
        if kept is None:
            kept = registry.make(spec.made_from), threading.Lock()
        with self._lock:
            kept = self._made.setdefault(key, kept)
            self._made.move_to_end(key)
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        agent, lock = kept
        with lock:
            return question(agent)

    def listing(self) -> list[dict[str, Any]]:
        """Every agent with its options, for the page; ``problem`` is a sentence if it can't be made as it stands."""
        models = list(self.models())
        listed: list[dict[str, Any]] = []
        for name, entry in registry.entries().items():
            options = [_described(name, option, models) for option in entry.options if option.name != "seed"]
            listed.append(
                {"name": name, "help": entry.help, "options": options, "problem": self._problem(name)}
                | ({"positional": entry.positional} if entry.positional else {})
            )
        for name, point in registry.installed().items():
            listed.append({"name": name, "help": f"from {point.value}", "options": [], "problem": None})
        return listed

    def _problem(self, name: str) -> str | None:
        try:
            self.ask(self.check(name), lambda agent: agent.name)
        except ValueError as error:
            return str(error)
        return None

    def _model(self, agent: str, name: OptionValue) -> Path:
        """The file of a model that the page names."""
        models = self.models()
        if name not in models:
            there_are = f"models are {', '.join(models)}" if models else "c4 web --models FOLDER offers models"
            raise ValueError(f"{agent}: there is no model {name!r}; {there_are}")
        path = models[str(name)]
        if any(sign in str(path) for sign in ",="):
            raise ValueError(f"{agent}: a model can't be used while its folder has a comma or = in its name")
        return path


def _is_file(option: Option) -> bool:
    return option.kind is str and not option.choices


def _described(name: str, option: Option, models: list[str]) -> dict[str, Any]:
    is_file = _is_file(option)
    most = min(_limit(MOST, name, option.name), math.inf if option.most is None else option.most)
    return {
        "name": option.name,
        "help": option.help,
        "kind": "model" if is_file else option.kind.__name__,
        "default": option.default,
        "choices": models if is_file else list(option.choices),
        "least": option.least,
        "most": None if most == math.inf else most,
    }


def _limit(table: Mapping[str, float], name: str, option: str) -> float:
    return table.get(f"{name} {option}", table.get(option, math.inf))


def _number(value: OptionValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _written(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
