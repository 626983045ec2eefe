"""``c4 dataset``: labelled positions to train on."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from c4play.crews import add_crew_options, crew_of
from c4play.progress import progress_bar

EXAMPLES = """examples:
  c4 dataset build data/positions --positions 100000     go on with the same line after an interruption
  c4 dataset build data/openings --first-ply 7 --last-ply 15 --family 40     many early positions, quickly labelled
  c4 dataset build data/positions --positions 10000000 --shard 200000 --ray auto     on a Ray cluster
  c4 dataset info data/positions

positions come from games between bots of all strengths with random moves strewn in, plies as even as possible; the
solver scores all columns. Positions of the evaluation set are left out, and no position comes twice up to mirror.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 dataset``."""
    parser.epilog = EXAMPLES
    parser.add_argument("action", choices=("build", "info"), help="make or extend a dataset, or describe one")
    parser.add_argument("folder", type=Path, help="where it is")
    parser.add_argument("--positions", type=int, default=100_000, help="build: how many in all (default 100000)")
    parser.add_argument("--seed", type=int, default=0, help="build: start of the random numbers (default 0)")
    parser.add_argument("--first-ply", type=int, default=8, help="build: fewest stones (default 8)")
    parser.add_argument("--last-ply", type=int, default=38, help="build: most stones (default 38)")
    parser.add_argument("--shard", type=int, default=10_000, help="build: positions written at a time (default 10000)")
    parser.add_argument(
        "--family",
        type=int,
        default=0,
        metavar="N",
        help="build: positions of the fewest stones come from games, and for each of them up to N with every number of "
        "stones above are drawn from what it leads to: relatives take the solver half the time (default 0: no)",
    )
    parser.add_argument(
        "--exclude",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="build: files of positions to measure on later, which must not be in it (text or .npz, as c4 eval takes)",
    )
    add_crew_options(parser)
    parser.add_argument("--json", action="store_true", help="info: print JSON")


def run(args: argparse.Namespace) -> int:
    """Build or describe a dataset."""
    try:
        from c4agents.arena.exact import NO_SCORE
        from c4train import dataset
        from c4train.building import build
    except ImportError as error:
        raise ValueError(f'datasets need {error.name}: pip install "c4env[train]"') from None
    if args.action == "build":
        for option, least in (("positions", 1), ("shard", 1), ("family", 0)):
            if getattr(args, option) < least:
                raise ValueError(f"--{option} is a whole number of at least {least}, not {getattr(args, option)}")
        with crew_of(args, "positions") as crew, progress_bar("positions", detail=crew.brief) as report:
            data = build(
                args.folder,
                args.positions,
                seed=args.seed,
                plies=(args.first_ply, args.last_ply),
                shard=args.shard,
                family=args.family,
                workers=crew,
                exclude=dataset.keys_of_files(args.exclude),
                progress=lambda done, total: report("labelling", done, total),
            )
        print(f"{args.folder}: {len(data):,} positions")
        return 0
    if not args.folder.is_dir():
        raise ValueError(f"there is no dataset in {args.folder}")
    data = dataset.Dataset(args.folder)
    plies = dataset.plies_of(dataset.boards_of(data.keys)[1])
    preserving, _, result = dataset.outcomes_of(data.scores)
    decisive = int((preserving != (data.scores != NO_SCORE)).any(axis=1).sum())
    won, drawn, lost = (int((result == outcome).sum()) for outcome in range(3))
    by_ply = {ply: int((plies == ply).sum()) for ply in sorted(set(plies.tolist()))}
    if args.json:
        facts = {"positions": len(data), "shards": data.shards, "decisive": decisive}
        print(json.dumps({**facts, "won_drawn_lost": [won, drawn, lost], "by_ply": by_ply}, indent=2))
        return 0
    print(f"{len(data):,} positions in {data.shards} shards, {decisive:,} of them decisive")
    print(f"for the side to move {won:,} won, {drawn:,} drawn, {lost:,} lost")
    for ply, count in by_ply.items():
        print(f"ply {ply:2} {count:9,} {'#' * math.ceil(40 * count / max(by_ply.values()))}")
    return 0
