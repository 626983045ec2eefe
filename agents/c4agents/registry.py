"""Agents by name: spec strings such as ``alphabeta:eval=windows,depth=5``.

A spec is ``name``, or ``name:`` and options separated by commas, each ``key=value``; an agent may
take its first option without the key (``policy:PATH,search=200``). What exists is a table from
name to :class:`Entry`; an entry names its module, which is imported only when the agent is made,
so listing agents loads neither numba nor torch.

Other packages add agents through the entry-point group ``c4env.opponents`` (a function that is
given the whole spec string); a program adds its own with :func:`register`.
"""

from __future__ import annotations

import difflib
import importlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from c4agents.agent import Agent

GROUP = "c4env.opponents"
_OWN_FACTORY = "c4agents:make"

OptionValue = str | int | float | bool | None
_SWITCH = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an agent.

    Attributes:
        name: The key in the spec string, and the factory's keyword.
        kind: ``str``, ``int``, ``float`` or ``bool`` (written on or off).
        default: Its value if the spec does not give it; None if there is none.
        help: What it does, in a few words.
        choices: The values there are, for a ``str``; empty if any will do.
        least: Smallest value of a number.
        most: Largest value of a number; None if there is no limit.
    """

    name: str
    kind: type[str] | type[int] | type[float] | type[bool]
    default: OptionValue
    help: str
    choices: tuple[str, ...] = ()
    least: float = 0
    most: float | None = None

    @property
    def values(self) -> str:
        """What may be written for it."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind is bool:
            return "on or off"
        if self.kind is str:
            return "text"
        noun = "a whole number" if self.kind is int else "a number"
        return (
            f"{noun} from {self.least:g} to {self.most:g}"
            if self.most is not None
            else f"{noun} of at least {self.least:g}"
        )

    def parse(self, text: str) -> OptionValue:
        """The value of ``text``.

        Raises:
            ValueError: It is none of :attr:`values`.
        """
        if self.choices:
            if text not in self.choices:
                raise ValueError(f"{self.name} is {self.values}, not {text!r}{_nearest(text, self.choices)}")
            return text
        if self.kind is bool:
            if text.lower() in _SWITCH:
                return _SWITCH[text.lower()]
        elif self.kind is str:
            if text:
                return text
        else:
            try:
                number: int | float = int(text) if self.kind is int else float(text)
            except ValueError:
                number = math.nan
            if self.least <= number <= (math.inf if self.most is None else self.most):
                return number
        raise ValueError(f"{self.name} is {self.values}, not {text!r}")


@dataclass(frozen=True, slots=True)
class Entry:
    """An agent that can be made by name.

    Attributes:
        name: The first part of the spec string.
        help: One line on what it is.
        factory: ``"module:function"``, called with ``name`` (the spec string) and every option as
            a keyword.
        options: The options it takes.
        positional: The option that may be given without its key, first in the list.
    """

    name: str
    help: str
    factory: str
    options: tuple[Option, ...] = ()
    positional: str | None = None

    def parse(self, text: str) -> dict[str, OptionValue]:
        """All options, from the part of a spec string after the colon.

        Raises:
            ValueError: An unknown option, a wrong value, or one given twice.
        """
        known = {option.name: option for option in self.options}
        given: dict[str, OptionValue] = {}
        for index, item in enumerate(text.split(",") if text else ()):
            key, equals, value = (part.strip() for part in item.partition("="))
            if not equals and index == 0 and self.positional is not None:
                key, value = self.positional, key
            elif not equals:
                raise ValueError(f"{self.name}: write options as key=value, not {item!r}; {self._options_there_are()}")
            if key not in known:
                raise ValueError(
                    f"{self.name} has no option {key!r}{_nearest(key, known)}; {self._options_there_are()}"
                )
            if key in given:
                raise ValueError(f"{self.name}: {key} is given twice")
            try:
                given[key] = known[key].parse(value)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from None
        return {option.name: given.get(option.name, option.default) for option in self.options}

    def make(self, spec: str) -> Agent:
        """The agent of ``spec``, whose name is this entry's."""
        options = self.parse(spec.partition(":")[2])
        module, _, attribute = self.factory.partition(":")
        factory: Callable[..., Agent] = getattr(importlib.import_module(module), attribute)
        return factory(name=spec, **options)

    def _options_there_are(self) -> str:
        if not self.options:
            return "it takes none"
        return f"its options are {', '.join(option.name for option in self.options)}"


_registered: dict[str, Entry] = {}


def register(entry: Entry) -> None:
    """Let :func:`make` build ``entry`` by its name, in place of any agent that had it."""
    _registered[entry.name] = entry


def entries() -> dict[str, Entry]:
    """The agents of this package and those given to :func:`register`, by name."""
    from c4agents.catalogue import CATALOGUE

    return {entry.name: entry for entry in CATALOGUE} | _registered


def installed() -> dict[str, EntryPoint]:
    """Agents that other installed packages offer, by name."""
    own = entries()
    return {
        point.name: point
        for point in entry_points(group=GROUP)
        if point.value.replace(" ", "") != _OWN_FACTORY and point.name not in own
    }


def entry(name: str) -> Entry:
    """The entry of one agent.

    Raises:
        ValueError: There is none of that name here; says which there are.
    """
    known = entries()
    if name not in known:
        raise _no_such_agent(name)
    return known[name]


def make(spec: str) -> Agent:
    """The agent that ``spec`` describes.

    Raises:
        ValueError: There is no such agent, option or value; says which there are.

    Example:
        >>> make("alphabeta:eval=windows,depth=4").name
        'alphabeta:eval=windows,depth=4'
    """
    name = spec.partition(":")[0].strip()
    known = entries()
    if name in known:
        return known[name].make(spec)
    others = installed()
    if name in others:
        from c4agents.adapter import as_agent

        opponent: Any = others[name].load()(spec)
        return as_agent(opponent, spec)
    raise _no_such_agent(name)


def _no_such_agent(name: str) -> ValueError:
    names = sorted([*entries(), *installed()])
    return ValueError(f"there is no agent {name!r}{_nearest(name, names)}; agents are {', '.join(names)}")


def _nearest(word: str, words: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(words), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""
