"""The options of commands whose work is shared out: ``--workers`` and ``--ray``."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator

from c4agents.jobs import Crew


def add_crew_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--workers`` and ``--ray``."""
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes, 0 for one per core (default 1; with --ray all processors of the cluster)",
    )
    parser.add_argument(
        "--ray",
        metavar="WHERE",
        help="work on a Ray cluster: auto for the one this machine is part of, its address, or local to start one",
    )


@contextlib.contextmanager
def crew_of(args: argparse.Namespace, unit: str) -> Iterator[Crew]:
    """The crew that the options ask for; says at the end what each worker did, if there were any.

    Args:
        args: With ``workers`` and ``ray``.
        unit: What the work is counted in (``games``).
    """
    with Crew(args.workers, ray=args.ray) as crew:
        try:
            yield crew
        finally:
            for line in [] if crew.local else crew.describe(unit):
                print(f"c4: {line}", file=sys.stderr)
