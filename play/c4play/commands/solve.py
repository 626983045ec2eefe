"""``c4 solve``: exact scores of positions, and checks against files of known ones."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from c4agents.solver import SearchLimit, Solver
from c4env.position import Position

EXAMPLES = """examples:
  c4 solve 4453                    prints: 4453 SCORE
  c4 solve "" --columns            the empty board, each column's score
  c4 solve < games.txt             one line of moves each (what follows the moves is ignored)
  c4 solve --check positions.txt   lines MOVES SCORE: how many scores differ

a score is for the side to move: 0 draw, +1 it wins with its last stone, +2 with the last but one,
...; negative if the opponent wins
"""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of input: its number, moves, and the score it states, if any."""

    number: int
    moves: str
    stated: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 solve``."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "moves", nargs="*", metavar="MOVES", help="columns 1 to 7; without any, lines of standard input"
    )
    parser.add_argument("--columns", action="store_true", help="the score of each column; . where it is full")
    parser.add_argument(
        "--check", type=Path, metavar="FILE", help="compare with the scores of a file, MOVES SCORE a line"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--no-book", action="store_true", help="search only, without the opening book")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads that share the search (default 1)")
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit for each position; none if not given")


def run(args: argparse.Namespace) -> int:
    """Solve the positions; exit code 1 if a line was bad or a score differs."""
    options: dict[str, Any] = {"book": None} if args.no_book else {}
    solver = Solver(threads=args.threads, seconds=args.seconds, **options)
    if args.check is not None:
        if args.moves or args.columns:
            raise ValueError("--check reads moves and scores from its file; leave out moves and --columns")
        return _check(solver, args.check, args.json)
    lines = [Line(number, moves, None) for number, moves in enumerate(args.moves, start=1)]
    quiet = bool(args.moves) or not sys.stdin.seekable()
    source: Iterable[Line] = lines if args.moves else _parse(sys.stdin)
    if not args.moves and not quiet:
        source = _tracked(list(source))
    code = 0
    for line in source:
        try:
            _print(solver, line, args)
        except (ValueError, SearchLimit) as error:
            print(f"c4 solve: line {line.number}: {line.moves}: {error}", file=sys.stderr)
            code = 1
    return code


def _print(solver: Solver, line: Line, args: argparse.Namespace) -> None:
    position = Position.from_moves(line.moves)
    if args.columns:
        scores = solver.scores(position)
        score = max(value for value in scores if value is not None)
    else:
        scores, score = None, solver.score(position)
    if args.json:
        answer = {"moves": line.moves, "score": score}
        print(json.dumps(answer | ({} if scores is None else {"columns": scores})), flush=True)
    elif scores is None:
        print(f"{line.moves} {score}".strip(), flush=True)
    else:
        print(line.moves, *("." if value is None else value for value in scores), flush=True)


def _check(solver: Solver, path: Path, as_json: bool) -> int:
    try:
        with path.open(encoding="utf-8") as file:
            lines = list(_parse(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    solved = differing = bad = 0
    seconds = 0.0
    for line in _tracked(lines):
        try:
            position = Position.from_moves(line.moves)
            stated = int(line.stated or "")
            started = time.perf_counter()
            score = solver.score(position)
            seconds += time.perf_counter() - started
        except (ValueError, SearchLimit) as error:
            reason = error if line.stated else "there is no score after the moves"
            print(f"c4 solve: line {line.number}: {line.moves}: {reason}", file=sys.stderr)
            bad += 1
            continue
        solved += 1
        if score != stated:
            differing += 1
            print(f"c4 solve: line {line.number}: {line.moves} scores {score}, not {stated}", file=sys.stderr)
    mean_ms = seconds / max(1, solved) * 1000
    mean_nodes = solver.nodes / max(1, solved)
    if as_json:
        result = {"positions": solved, "differ": differing, "bad_lines": bad}
        print(json.dumps(result | {"mean_ms": round(mean_ms, 4), "mean_nodes": round(mean_nodes, 1)}))
    else:
        print(f"{solved} positions, {differing} differ, {mean_ms:.3f} ms and {mean_nodes:,.0f} nodes each on average")
    return 1 if differing or bad else 0


def _parse(file: Iterable[str]) -> Iterator[Line]:
    for number, text in enumerate(file, start=1):
        words = text.split()
        if words:
            yield Line(number, words[0], words[1] if len(words) > 1 else None)


def _tracked(lines: list[Line]) -> Iterable[Line]:
    console = Console(stderr=True)
    if len(lines) < 2 or not console.is_terminal:
        return lines
    return track(lines, description="solving", console=console, transient=True)
