"""``c4 ladder``: ratings by a round robin."""

from __future__ import annotations

import argparse
import json

from c4agents.arena.extra import require
from c4agents.arena.ladder import RUNGS, LadderResult, play_ladder
from c4play.commands.match import add_match_options, check_match_options
from c4play.crews import crew_of
from c4play.progress import progress_bar

EXAMPLES = f"""examples:
  c4 ladder --folder ladder                    our whole range of bots; interrupt and repeat to go on
  c4 ladder random rules easy hard --games 100
  c4 ladder --folder ladder --ray auto         the same on a Ray cluster
  c4 ladder my_module:my_agent hard solver random

an agent is a spec (c4 agents lists them), module:attribute or file.py:attribute; without any:
  {" ".join(RUNGS[:-3])}
  {" ".join(RUNGS[-3:])}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 ladder``."""
    parser.epilog = EXAMPLES
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="the agents (default: our whole range)")
    parser.add_argument("--games", type=int, default=40, metavar="N", help="games of each pairing, even (default 40)")
    add_match_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Play the ladder and print ratings and cross table."""
    check_match_options(args)
    require("choix", "scipy")
    with crew_of(args, "games") as crew, progress_bar("games", detail=crew.brief) as bar:
        result = play_ladder(
            args.agents or RUNGS,
            args.games,
            seed=args.seed,
            openings=args.openings,
            opening_plies=args.opening_plies,
            seconds=args.seconds,
            workers=crew,
            folder=args.folder,
            progress=lambda first, second, done, total: bar(f"{first} - {second}", done, total),
        )
    print(json.dumps(result.summary(), indent=2) if args.json else describe(result))
    return 0 if result.complete else 130


def describe(result: LadderResult) -> str:
    """Ratings and cross table as text."""
    width = max(len(rating.name) for rating in result.ratings) + 2
    heads = "".join(f"{place:>5}" for place in range(1, len(result.ratings) + 1))
    lines = [f"    {'':{width}}{'Elo':>6}{'95 % interval':>17}{'score':>8}{'games':>7}  {heads}"]
    for place, (rating, row) in enumerate(zip(result.ratings, result.cross_table(), strict=True), start=1):
        interval = f"{rating.low:.0f} to {rating.high:.0f}"
        cells = "".join(f"{'-' if cell is None else f'{100 * cell:.0f}':>5}" for cell in row)
        figures = f"{rating.elo:>6.0f}{interval:>17}{rating.score:>8.1%}{rating.games:>7}"
        lines.append(f"{place:>3} {rating.name:{width}}{figures}  {cells}")
    lines.append("the right-hand columns are the points in per cent against each agent, a draw counting half")
    if not result.complete:
        lines.append("interrupted: not all pairings are in this table")
    failures = result.failures
    if failures:
        lines.append(f"{len(failures)} games lost by failing:")
        lines += [f"  {failure}" for failure in failures[:10]]
    return "\n".join(lines)
