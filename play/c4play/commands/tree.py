"""``c4 tree``: the search tree of a position, and plain against pruned search."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Final

from c4agents.catalogue import EVALUATION_NAMES
from c4agents.search.agents import AlphaBetaAgent, MinimaxAgent, SearchReport
from c4agents.search.tree import build_tree
from c4agents.search.tree_export import FORMATS
from c4env.bitboard import RULES
from c4env.position import Position

EXAMPLES = """examples:
  c4 tree 4453 --depth 3                      the tree after 4, 4, 5, 3, with pruning
  c4 tree 4453 --depth 3 --no-pruning         all of it
  c4 tree 4 --eval chains -o tree.svg -o tree.json
  c4 tree --compare                           nodes and time, plain against pruned

values are for the side that searches; max and min say whose choice a node is
"""

SUFFIXES: Final = {".txt": "text", ".json": "json", ".dot": "dot", ".gv": "dot", ".svg": "svg"}

ORIGINAL: Final = {3: (400, 234, 51, 10), 5: (19_608, 4_290, 223, 39), 6: (137_256, 15_415, 772, 190)}
"""By depth, after a first move in the centre under most-fours: nodes and microseconds, plain and
pruned, as the Java program printed that this comparison is taken from."""

_REPEATS = 15


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 tree``."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "moves", nargs="?", metavar="MOVES", default="", help="moves played so far, columns 1 to 7 (default: none)"
    )
    parser.add_argument("--depth", type=int, default=3, metavar="N", help="plies to search (default 3)")
    parser.add_argument(
        "--eval",
        default="windows",
        metavar="NAME",
        help=f"evaluation at the leaves, one of {', '.join(EVALUATION_NAMES)} (default windows)",
    )
    parser.add_argument("--rules", default="first-four", help=f"{' or '.join(RULES)} (default first-four)")
    parser.add_argument("--no-pruning", action="store_true", help="plain minimax: search every branch")
    parser.add_argument("--format", choices=FORMATS, default="text", help="what to print (default text)")
    parser.add_argument(
        "-o", "--output", action="append", type=Path, metavar="FILE", help="write to FILE instead; may be repeated"
    )
    parser.add_argument("--compare", action="store_true", help="print nodes and time at depths 3, 5 and 6")
    parser.add_argument("--json", action="store_true", help="JSON: short for --format json, or for the comparison")


def run(args: argparse.Namespace) -> int:
    """Print or write the tree, or print the comparison."""
    if args.compare:
        return _compare(args.json)
    formats = [_format_of(path) for path in args.output or ()]
    position = Position.from_moves(args.moves, args.rules)
    tree = build_tree(position, evaluation=args.eval, depth=args.depth, pruning=not args.no_pruning)
    if not args.output:
        sys.stdout.write(FORMATS["json" if args.json else args.format](tree))
        return 0
    for path, name in zip(args.output, formats, strict=True):
        try:
            path.write_text(FORMATS[name](tree), encoding="utf-8")
        except OSError as error:
            raise ValueError(f"can't write {path}: {error.strerror}") from None
        print(f"{path}: {tree.nodes:,} nodes")
    return 0


def _format_of(path: Path) -> str:
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: the ending says the format; endings are {', '.join(SUFFIXES)}")
    return SUFFIXES[path.suffix]


def _compare(as_json: bool) -> int:
    position = Position.from_moves("4", "most-fours")
    measured = {}
    for depth in ORIGINAL:
        plain, plain_time = _measure(MinimaxAgent(eval="chains", depth=depth), position)
        pruned, pruned_time = _measure(AlphaBetaAgent(eval="chains", depth=depth), position)
        assert plain.value == pruned.value
        measured[depth] = (plain.nodes, pruned.nodes, plain_time, pruned_time)
    names = ("plain_nodes", "pruned_nodes", "plain_microseconds", "pruned_microseconds")
    if as_json:
        rows = [
            {"depth": depth, "ours": dict(zip(names, ours, strict=True))}
            | {"original": dict(zip(names, ORIGINAL[depth], strict=True))}
            for depth, ours in measured.items()
        ]
        print(json.dumps(rows, indent=2))
        return 0
    print("after a first move in column 4, most-fours, evaluation chains; the original's figures in brackets")
    print(f"{'K':>2} {'plain nodes':>20} {'alpha-beta nodes':>20} {'plain µs':>20} {'alpha-beta µs':>20}")
    for depth, ours in measured.items():
        pairs = (f"{mine:,.0f} ({theirs:,})" for mine, theirs in zip(ours, ORIGINAL[depth], strict=True))
        print(f"{depth:>2} " + " ".join(f"{pair:>20}" for pair in pairs))
    return 0


def _measure(agent: MinimaxAgent | AlphaBetaAgent, position: Position) -> tuple[SearchReport, float]:
    """The agent's report, and its median microseconds over repeated searches once compiled."""
    report = agent.search(position)
    return report, 1e6 * statistics.median(agent.search(position).seconds for _ in range(_REPEATS))
