"""``c4 eval``: the report card of an agent."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from c4agents.arena.evaluation import DEFAULT_RUNGS, Evaluation, evaluate_agent
from c4agents.arena.extra import require
from c4agents.arena.labelled import read_positions
from c4agents.arena.report import write_report
from c4play.progress import progress_bar

EXAMPLES = """examples:
  c4 eval policy --output report               moves, ladder, perfect play; writes report/report.html
  c4 eval alphabeta:depth=8 --games 0 --perfect-games 0     only its moves, in seconds
  c4 eval my_bot.py:play --positions Test_L3_R1 --positions Test_L2_R1
  c4 eval hard --json

a file of positions is .npz as c4 certify --leaks writes it, or text: moves, a space and the exact score on each line
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 eval``."""
    parser.epilog = EXAMPLES
    parser.add_argument("agent", metavar="AGENT", help="a spec, module:attribute or file.py:attribute")
    parser.add_argument(
        "--games", type=int, default=40, metavar="N", help="games against each rung, even, 0 for none (default 40)"
    )
    parser.add_argument(
        "--rung", action="append", metavar="AGENT", help="a rung of the ladder to play; may be repeated (default: all)"
    )
    parser.add_argument(
        "--perfect-games",
        type=int,
        default=20,
        metavar="N",
        help="games from each seat against perfect play, 0 for none (default 20)",
    )
    parser.add_argument(
        "--positions", action="append", type=Path, metavar="FILE", help="judge moves on these too; may be repeated"
    )
    parser.add_argument("--seed", type=int, default=0, help="decides openings and randomness (default 0)")
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit per move in games")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes, 0 for one per core (default 1)")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="write report.md, report.html and report.json")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Measure the agent, print the main figures, write the report."""
    if args.perfect_games < 0 or args.games < 0:
        raise ValueError("games are numbers of at least 0")
    require("scipy", *(["matplotlib"] if args.output is not None else []))
    sets = [read_positions(path) for path in args.positions or ()]
    with progress_bar("done") as bar:
        evaluation = evaluate_agent(
            args.agent,
            games=args.games,
            rungs=args.rung or DEFAULT_RUNGS,
            perfect_games=args.perfect_games,
            sets=sets,
            seed=args.seed,
            seconds=args.seconds,
            workers=args.workers,
            progress=bar,
        )
    written = write_report(evaluation, args.output) if args.output is not None else []
    print(json.dumps(evaluation.summary(), indent=2) if args.json else describe(evaluation))
    if written and not args.json:
        print("written: " + ", ".join(str(path) for path in written))
    return 0


def describe(evaluation: Evaluation) -> str:
    """The main figures as text."""
    lines = [evaluation.agent]
    for judged in (evaluation.accuracy, *evaluation.others):
        lines.append(f"\nmoves on {judged.positions.name}, 95 % intervals in brackets")
        lines.append(f"  {'':20}{'number':>8}   {'keeps the outcome':24}{'best move':24}{'regret':>7}")
        decisive = judged.positions.decisive
        rows = [("all", judged.accuracy()), *judged.by_phase().items()]
        if decisive is not None:
            rows.append(("decisive", judged.accuracy(decisive)))
            rows += ((f"decisive, {phase}", one) for phase, one in judged.by_phase(decisive).items())
        for name, one in rows:
            shares = f"{one.preserving!s:24}{one.best!s:24}"
            lines.append(f"  {name:20}{one.positions:>8,}   {shares}{one.regret:>7.3f}")
        if judged.failures:
            index, reason = next(iter(judged.failures.items()))
            lines.append(f"  failed {len(judged.failures)} times, first it {reason} in")
            lines.append(str(judged.positions.batch[index]))
    if evaluation.perfect:
        lines.append("\nagainst perfect play from the empty board: wins-draws-losses")
        for result in evaluation.perfect:
            tally = "-".join(map(str, result.tally))
            lines.append(
                f"  {result.opponent}, moving {result.seat}: {tally}, {result.mean_plies:.1f} plies on average"
            )
    if evaluation.rungs:
        lines.append("\nagainst the ladder")
        width = max(len(match.names[1]) for match in evaluation.rungs) + 2
        for match in evaluation.rungs:
            tally = "-".join(map(str, match.tally()))
            lines.append(f"  {match.names[1]:{width}}{tally:>12}   {match.score()}")
            lines += [f"    {failure}" for failure in match.failures[:3]]
    return "\n".join(lines)
