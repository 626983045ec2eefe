"""The ``c4`` command: a table of commands, each a module that is imported only when it is asked for.

A command NAME is a module ``c4play.commands.NAME`` (a dash becomes an underscore) with
``configure(parser)``, which adds its arguments and examples, and ``run(args) -> exit code``. It
raises ``ValueError`` with one sentence for input that cannot be right.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

COMMANDS: Final = {
    "play": "play in the terminal, against any agent or another person",
    "web": "play in the browser",
    "agents": "list the agents there are, with their options",
    "analyse": "show what an agent thinks of a position, column by column",
    "tree": "write the search tree of a position, or compare plain and pruned search",
    "solve": "exact scores of positions: who wins, and how fast",
    "book": "make or inspect the solver's opening book",
    "positions": "make sets of labelled positions",
    "match": "play two agents against each other",
    "ladder": "rate agents by a round robin",
    "eval": "measure an agent's moves against perfect play",
    "certify": "prove that an agent cannot be beaten, or show how it can",
    "train": "train a policy",
    "dataset": "make or inspect labelled positions to train on",
    "export": "write a trained policy as an ONNX file",
    "bench": "measure speed on this machine",
}
"""Every command with one line of help. Those whose module is not installed are not shown."""

EXIT_BAD_INPUT: Final = 2
EXIT_INTERRUPTED: Final = 130


class _Parser(argparse.ArgumentParser):
    """An argument parser that answers a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")


def available() -> dict[str, str]:
    """The commands that are installed, with their one line of help."""
    return {name: text for name, text in COMMANDS.items() if importlib.util.find_spec(_module(name)) is not None}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``c4`` with ``arguments`` (default: the command line) and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not given or given[0].startswith("-"):
            return _general(given)
        return _run(given[0], given[1:])
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (head, less) has gone. Point stdout elsewhere so that the flush at exit is quiet.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _general(given: list[str]) -> int:
    commands = available()
    width = max(len(name) for name in commands)
    parser = _Parser(
        prog="c4",
        description="A Connect Four laboratory: play, search, solve, train, measure.",
        usage="c4 COMMAND [options]",
        epilog="commands:\n"
        + "\n".join(f"  {name:{width}}  {text}" for name, text in commands.items())
        + "\n\nc4 COMMAND --help shows a command's options, with examples.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    if not given:
        parser.print_help()
        return 0
    if parser.parse_args(given).version:
        from importlib.metadata import version

        print(f"c4env {version('c4env')}")
    return 0


def _run(name: str, given: list[str]) -> int:
    commands = available()
    if name not in commands:
        close = difflib.get_close_matches(name, commands, n=1)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        print(f"c4: there is no command {name!r}{hint}; commands are {', '.join(commands)}", file=sys.stderr)
        return EXIT_BAD_INPUT
    module = importlib.import_module(_module(name))
    parser = _Parser(
        prog=f"c4 {name}",
        description=f"{commands[name][:1].upper()}{commands[name][1:]}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.configure(parser)
    args = parser.parse_args(given)
    try:
        code = module.run(args)
        sys.stdout.flush()
    except ValueError as error:
        print(f"c4 {name}: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
    return int(code)


def _module(name: str) -> str:
    return f"c4play.commands.{name.replace('-', '_')}"
