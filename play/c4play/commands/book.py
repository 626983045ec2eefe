"""``c4 book``: make, check and describe the solver's opening book."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress, track

from c4agents.solver import Book, BookError, Solver
from c4agents.solver.book import SHIPPED
from c4agents.solver.build import Mismatch, build, check
from c4env.position import Position

EXAMPLES = """examples:
  c4 book info                          the shipped book
  c4 book build --plies 9               hours of work; interrupt it when you like, and
  c4 book build --plies 9 --resume      go on
  c4 book check --samples 200           solve random entries again, without the book

Solver(book="c4-book/openings.book") uses a book of your own.
"""

MOST_PLIES = 14


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 book``."""
    parser.epilog = EXAMPLES
    commands = parser.add_subparsers(dest="action", required=True, metavar="build|check|info")
    make = _part(commands, "build", "solve every position up to a depth and write the book", "--plies 9 --resume")
    make.add_argument("--plies", type=int, default=8, metavar="N", help="depth of the book (default 8)")
    make.add_argument("--resume", action="store_true", help="go on with an interrupted build")
    make.add_argument("--folder", type=Path, default=Path("c4-book"), help="where scores are kept (default c4-book)")
    make.add_argument("--output", type=Path, metavar="FILE", help="the book (default FOLDER/openings.book)")
    test = _part(commands, "check", "solve random entries of the book again, without it", "--samples 200")
    test.add_argument("--samples", type=int, default=100, metavar="N", help="number of entries (default 100)")
    test.add_argument("--seed", type=int, default=0, help="which entries (default 0)")
    for part in (test, _part(commands, "info", "say what the book holds", "--book c4-book/openings.book")):
        part.add_argument(
            "--book", type=Path, default=SHIPPED, metavar="FILE", help="another book than the shipped one"
        )


def _part(commands: Any, name: str, what: str, example: str) -> argparse.ArgumentParser:
    """The parser of one part of the command, with help and an example."""
    part: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"{what[:1].upper()}{what[1:]}.",
        epilog=f"example:\n  c4 book {name} {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return part


def run(args: argparse.Namespace) -> int:
    """Build, check or describe a book."""
    if args.action == "build":
        return _build(args)
    try:
        book = Book(args.book)
    except BookError as error:
        raise ValueError(str(error)) from None
    if args.action == "info":
        print(f"{book.path}\nevery position up to {book.plies} plies, {book.size:,} bytes, checksum right")
        return 0
    return _check(book, args.samples, args.seed)


def _build(args: argparse.Namespace) -> int:
    if not 0 <= args.plies <= MOST_PLIES:
        raise ValueError(f"--plies is from 0 to {MOST_PLIES}, not {args.plies}")
    output = args.output or args.folder / "openings.book"
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(f"{args.plies} plies", total=None)
        for solved, total in build(args.plies, args.folder, output, resume=args.resume):
            progress.update(task, completed=solved, total=total)
    print(f"wrote {output}, {output.stat().st_size:,} bytes")
    return 0


def _check(book: Book, samples: int, seed: int) -> int:
    if samples < 1:
        raise ValueError(f"--samples is at least 1, not {samples}")
    console = Console(stderr=True)
    entries: Iterable[Mismatch | None] = check(book, samples, seed, Solver(book=None))
    if console.is_terminal:
        entries = track(entries, "checking", total=samples, console=console, transient=True)
    checked = wrong = 0
    for mismatch in entries:
        checked += 1
        if mismatch is not None:
            wrong += 1
            print(f"{Position.from_key(mismatch.key)}\nbook {mismatch.booked}, solved {mismatch.solved}\n")
    print(f"{checked} entries solved again, {wrong} wrong")
    return 1 if wrong else 0
