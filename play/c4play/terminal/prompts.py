"""Questions that are asked again until the answer can be used. End of input is ``EOFError``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

Answer = TypeVar("Answer")


def ask(console: Console, question: str, parse: Callable[[str], Answer]) -> Answer:
    """The parsed answer to ``question``; a ``ValueError`` of ``parse`` is shown, and the question comes again."""
    while True:
        given = console.input(f"{question} ", markup=False).strip()
        try:
            return parse(given)
        except ValueError as error:
            console.print(str(error), style="red", markup=False, highlight=False)


def ask_choice(console: Console, question: str, choices: dict[str, str], default: str) -> str:
    """One of the keys of ``choices``, whose values say what they mean; an empty answer is ``default``."""
    listed = ", ".join(f"{key} {meaning}" for key, meaning in choices.items())

    def parse(text: str) -> str:
        if (text or default) not in choices:
            raise ValueError(f"{text!r} is none of {', '.join(choices)}")
        return text or default

    return ask(console, f"{question} ({listed}) [{default}]:", parse)


def ask_text(console: Console, question: str, default: str) -> str:
    """A line of text; an empty answer is ``default``."""
    return ask(console, f"{question} [{default}]:", lambda text: text[:40] or default)
