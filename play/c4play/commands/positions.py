"""``c4 positions``: random position sets with exact scores."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable

from rich.console import Console
from rich.progress import track

from c4agents.solver import Solver
from c4agents.solver.sampling import Labelled, sample
from c4env.bitboard import CELLS

EXAMPLES = """examples:
  c4 positions --plies 8-30 --per-ply 100 > set.txt     lines MOVES SCORE, as c4 solve --check reads them
  c4 positions --plies 14,20,26 --balanced              as many won as drawn as lost
  c4 positions --plies 20 --columns                     and each column's score; . where it is full

positions come from random play, no two alike up to mirror; the same seed gives the same set
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 positions``."""
    parser.epilog = EXAMPLES
    parser.add_argument("--plies", default="8-32", help="stones on the board: 20, 8-32 or 14,20,26 (default 8-32)")
    parser.add_argument(
        "--per-ply", type=int, default=10, metavar="N", help="positions for each number of stones (default 10)"
    )
    parser.add_argument("--balanced", action="store_true", help="as many won as drawn as lost for the side to move")
    parser.add_argument("--columns", action="store_true", help="add each column's score")
    parser.add_argument("--seed", type=int, default=0, help="which positions (default 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")


def run(args: argparse.Namespace) -> int:
    """Print the set."""
    plies = _plies(args.plies)
    if args.per_ply < 1:
        raise ValueError(f"--per-ply is at least 1, not {args.per_ply}")
    if args.seed < 0:
        raise ValueError(f"--seed is not negative, as {args.seed} is")
    solver = Solver()
    found: Iterable[Labelled] = sample(args.per_ply, plies, args.seed, solver, balanced=args.balanced)
    console = Console(stderr=True)
    if console.is_terminal and not sys.stdout.isatty():
        found = track(found, "solving", total=args.per_ply * len(plies), console=console, transient=True)
    for labelled in found:
        columns = solver.scores(labelled.position) if args.columns else None
        if args.json:
            answer: dict[str, object] = {"moves": labelled.moves, "score": labelled.score}
            print(json.dumps(answer if columns is None else answer | {"columns": columns}))
        else:
            extra = () if columns is None else ("." if score is None else score for score in columns)
            print(labelled.moves, labelled.score, *extra)
    return 0


def _plies(text: str) -> list[int]:
    """The plies of ``8-32`` or ``14,20,26``."""
    try:
        ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
        plies = [ply for ends in ranges for ply in range(ends[0], ends[-1] + 1)]
    except ValueError:
        plies = []
    if not plies or not all(0 <= ply < CELLS for ply in plies) or len(set(plies)) < len(plies):
        raise ValueError(f"--plies is like 20, 8-32 or 14,20,26, each from 0 to {CELLS - 1} and once, not {text!r}")
    return plies
