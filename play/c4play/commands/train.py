"""``c4 train``: train a policy."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from typing import Any, Final

METHODS: Final = {
    "ppo": "masked PPO by self-play and against a ladder of bots, from scratch",
    "alphazero": "self-play with tree search, from scratch",
    "distill": "imitation of the solver, then of its answers to what the network itself runs into",
}

EXAMPLES = """methods:
{methods}

examples:
  c4 train                              a first policy, in about four minutes
  c4 train --smoke                      the same in seconds, to see that it works
  c4 train ppo --minutes 30 --name mine
  c4 train alphazero --minutes 120
  c4 train alphazero --workers 0        games by all cores; --ray auto by a Ray cluster; distill likewise
  c4 train ppo --help                   all settings of a method
  c4 train ppo --resume runs/mine       go on after an interruption

a run is a folder runs/NAME with its settings, curves, checkpoints and policy.safetensors
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 train``."""
    width = max(len(name) for name in METHODS)
    parser.usage = "c4 train [--smoke] [METHOD [options]]"
    parser.epilog = EXAMPLES.format(methods="\n".join(f"  {name:{width}}  {text}" for name, text in METHODS.items()))
    parser.add_argument("--smoke", action="store_true", help="do everything in seconds, to see that it works")
    parser.add_argument("method", nargs="?", metavar="METHOD", choices=METHODS, help="how to train (default ppo)")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="its settings; c4 train METHOD --help lists them")


def run(args: argparse.Namespace) -> int:
    """Train."""
    try:
        import tyro  # noqa: F401 - used below

        from c4train import methods
    except ImportError as error:
        raise ValueError(f'training needs {error.name}: pip install "c4env[train]"') from None
    options = [*args.options, *(["--smoke"] if args.smoke else [])]
    method = args.method or "ppo"
    return methods.run(method, _settings(method, methods.CONFIGS[method], options))


def _settings(method: str, kind: type[Any], options: list[str]) -> Any:
    """The settings that the command line gives; a mistake is answered in one line."""
    import tyro

    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            return tyro.cli(kind, prog=f"c4 train {method}", args=options)
    except SystemExit as end:
        if end.code in (0, None):
            raise
        words = " ".join(re.sub(r"[\u2500-\u257f]+", " ", said.getvalue()).split())
        raise ValueError(words or f"see c4 train {method} --help") from None
