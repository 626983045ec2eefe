"""``c4 agents``: the agents there are."""

from __future__ import annotations

import argparse
import json

from c4agents import registry
from c4agents.registry import Entry, Option

EXAMPLES = """examples:
  c4 agents                 one line each
  c4 agents alphabeta       its options and their values
  c4 agents --json          for a program to read

an agent is written NAME or NAME:key=value,key=value
  alphabeta:eval=windows,depth=6
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 agents``."""
    parser.epilog = EXAMPLES
    parser.add_argument("name", nargs="?", metavar="AGENT", help="show the options of this agent only")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print the agents, or one agent's options."""
    entries = registry.entries()
    if args.name is not None:
        entries = {args.name: registry.entry(args.name)}
    if args.json:
        print(json.dumps([_as_dict(entry) for entry in entries.values()], indent=2))
        return 0
    if args.name is not None:
        _print_options(entries[args.name])
        return 0
    others = registry.installed()
    width = max(len(name) for name in [*entries, *others])
    for name, entry in entries.items():
        print(f"{name:{width}}  {entry.help}")
    for name, point in others.items():
        print(f"{name:{width}}  from {point.value}")
    return 0


def _print_options(entry: Entry) -> None:
    print(f"{entry.name}: {entry.help}")
    for option in entry.options:
        default = "" if option.default is None else f" (default {_written(option)})"
        print(f"  {option.name:12} {option.help}: {option.values}{default}")


def _written(option: Option) -> str:
    if option.kind is bool:
        return "on" if option.default else "off"
    return str(option.default)


def _as_dict(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "help": entry.help,
        "options": [
            {"name": option.name, "help": option.help, "values": option.values, "default": option.default}
            for option in entry.options
        ],
    }
