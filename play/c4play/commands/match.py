"""``c4 match``: two agents against each other."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from c4agents.arena.extra import require
from c4agents.arena.games import games_text
from c4agents.arena.match import MatchResult, play_match
from c4agents.arena.openings import KINDS
from c4agents.arena.storing import write_text
from c4play.crews import add_crew_options, crew_of
from c4play.progress import progress_bar

EXAMPLES = """examples:
  c4 match hard medium                         100 games, both seats, 50 openings
  c4 match solver alphabeta:depth=8 --games 40 --save games.txt
  c4 match my_bot.py:play rules --seconds 1    your own function Position -> column
  c4 match mcts hard --workers 2 --json
  c4 match mcts hard --games 10000 --ray auto --folder games     on a cluster; interrupt and repeat to go on

an agent is a spec (c4 agents lists them), module:attribute or file.py:attribute
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 match``."""
    parser.epilog = EXAMPLES
    parser.add_argument("agents", nargs=2, metavar="AGENT", help="two of them; see below how they are written")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="games to play, even (default 100)")
    add_match_options(parser)
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the games, one move string per line")
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that matches and ladders share."""
    parser.add_argument("--seed", type=int, default=0, help="decides openings and randomness (default 0)")
    parser.add_argument(
        "--openings", choices=KINDS, default="all", help="all, or balanced: those that perfect play draws (default all)"
    )
    parser.add_argument(
        "--opening-plies", type=int, metavar="N", help="length of the openings (default: as short as will do)"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit per move; whoever takes longer loses")
    parser.add_argument("--folder", type=Path, help="keep games here as they are finished, and don't play them again")
    add_crew_options(parser)


def check_match_options(args: argparse.Namespace) -> None:
    """Raise ValueError for numbers that can't be."""
    if args.seconds is not None and not args.seconds > 0:
        raise ValueError(f"seconds is a time above 0, not {args.seconds:g}")


def run(args: argparse.Namespace) -> int:
    """Play the match and print its result."""
    check_match_options(args)
    require("scipy")
    first, second = args.agents
    with crew_of(args, "games") as crew, progress_bar("games", detail=crew.brief) as bar:
        result = play_match(
            first,
            second,
            args.games,
            seed=args.seed,
            openings=args.openings,
            opening_plies=args.opening_plies,
            seconds=args.seconds,
            workers=crew,
            folder=args.folder,
            progress=lambda done, total: bar(f"{first} - {second}", done, total),
        )
    if args.save is not None:
        write_text(args.save, games_text(result.names, result.games))
    print(json.dumps(result.summary(), indent=2) if args.json else describe(result))
    return 130 if result.interrupted else 0


def describe(result: MatchResult) -> str:
    """The result as a small table."""
    first, second = result.names
    width = max(len(first), len(second), 5) + 2
    lines = [f"{'':{width}}{'wins':>7}{'draws':>7}{'losses':>8}   moving first   moving second   ms/move"]
    for agent, name in enumerate(result.names):
        wins, draws, losses = result.tally(agent)
        by_seat = ["-".join(map(str, result.tally(agent, seat))) for seat in (0, 1)]
        lines.append(
            f"{name:{width}}{wins:>7}{draws:>7}{losses:>8}{by_seat[0]:>15}{by_seat[1]:>16}"
            f"{1000 * result.seconds_per_move(agent):>10.3f}"
        )
    played = f"{len(result.games):,} games"
    if result.interrupted:
        played += f" of {result.asked:,}, interrupted"
    plies = sum(len(game.moves) for game in result.games) / max(len(result.games), 1)
    lines.append(f"{played}, {result.distinct:,} distinct, {plies:.1f} plies on average, seed {result.seed}")
    lines.append(f"{first} scores {result.score()}, a draw counting half")
    failures = result.failures
    if failures:
        lines.append(f"{len(failures)} lost by failing:")
        lines += [f"  {failure}" for failure in failures[:10]]
    return "\n".join(lines)
