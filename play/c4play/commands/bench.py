"""``c4 bench``: all measurements of speed, side by side with what a user would pick instead."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

EXAMPLES = """examples:
  c4 bench --quick                     everything in a couple of minutes; result files stay as they are
  c4 bench --only env search           two of them, in full; tables and plots follow
  c4 bench --sets FOLDER               everything, on the solver's published sets too, with the empty board
  c4 bench --list                      what there is

benchmarks run one after the other, each in a process of its own, contestants in turns; those that are not installed
are named and left out (pip install -c constraints.txt -e '.[bench,pettingzoo,sb3,train]'). Results go to
benchmarks/results, and from there into the tables of README.md and docs and the plots in docs/images.
"""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A script of the folder ``benchmarks``.

    Attributes:
        script: Its name, without ``.py``; that of its result file, too.
        what: One line about it.
        minutes: About how long it takes on a quiet machine.
        arguments: What to give it, unless it is to be quick.
        needs: Module without which it can't run.
    """

    script: str
    what: str
    minutes: int
    arguments: tuple[str, ...] = ()
    needs: str | None = None


BENCHMARKS = {
    "env": Benchmark("env_speed", "environments beside PettingZoo, OpenSpiel, pgx, gymnasium-connect-four", 2),
    "search": Benchmark("search_speed", "alpha-beta beside minimax and Kaggle's negamax, MCTS beside OpenSpiel's", 2),
    "solver": Benchmark("solver_speed", "exact scores beside bitbully", 2),
    "inference": Benchmark("inference_speed", "the policy network, alone and with search", 1, needs="torch"),
    "certify": Benchmark("certify_speed", "the certifying walk beside a plain one", 1),
    "learning": Benchmark(
        "learning",
        "PPO beside MaskablePPO, in equal CPU time",
        5,
        ("--minutes", "1", "--points", "6", "--games", "100"),
        needs="torch",
    ),
    "curves": Benchmark("curves", "speed over batch size, threads and ply, with memory", 4),
    "limits": Benchmark("limits", "each hot path beside what limits it", 2),
    "startup": Benchmark("startup", "imports, commands, first compilation", 2),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 bench``."""
    parser.epilog = EXAMPLES
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds, to see that all is well")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"of {', '.join(BENCHMARKS)} (default all)")
    parser.add_argument(
        "--sets",
        type=Path,
        metavar="FOLDER",
        help="measure the solver on the published sets Test_L1_R1 and so on, which takes ten minutes more",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="write result files here (default benchmarks/results, with --quick nowhere)",
    )
    parser.add_argument("--list", action="store_true", help="list the benchmarks and exit")


def run(args: argparse.Namespace) -> int:
    """Run the benchmarks, then make tables and plots; exit code 1 if one failed."""
    if args.list:
        width = max(map(len, BENCHMARKS))
        print("\n".join(f"{name:{width}}  {one.what}; {one.minutes} min" for name, one in BENCHMARKS.items()))
        return 0
    names = list(args.only or BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            raise ValueError(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    if args.sets is not None and not (args.sets / "Test_L1_R1").is_file():
        raise ValueError(f"{args.sets} does not hold the published sets Test_L1_R1 to Test_L3_R1")
    root = repository()
    if args.output is not None:
        return _run_all(root, names, args, args.output.resolve())
    if not args.quick:
        failed = _run_all(root, names, args, Path("benchmarks", "results"))
        _say("tables and plots")
        return max(failed, subprocess.run([sys.executable, "benchmarks/render.py"], cwd=root).returncode)
    with tempfile.TemporaryDirectory() as folder:
        return _run_all(root, names, args, Path(folder))


def repository() -> Path:
    """The copy of the repository that this code, or the current folder, is in.

    Raises:
        ValueError: There is none: benchmarks are not installed with the package.
    """
    for folder in (Path(__file__).resolve().parents[3], Path.cwd()):
        if (folder / "benchmarks" / "measuring.py").is_file():
            return folder
    raise ValueError("benchmarks are not installed with the package: run this in a copy of the repository")


def _run_all(root: Path, names: list[str], args: argparse.Namespace, output: Path) -> int:
    failed, began = [], time.monotonic()
    for number, name in enumerate(names, start=1):
        one = BENCHMARKS[name]
        if one.needs is not None and importlib.util.find_spec(one.needs) is None:
            _say(f"{name}: left out, it needs {one.needs}")
            continue
        _say(f"{number} of {len(names)}: {name}, {one.what}" + ("" if args.quick else f"; about {one.minutes} min"))
        given = ["--quick"] if args.quick else list(one.arguments)
        if name == "solver" and args.sets is not None:
            given += ["--sets", str(args.sets.resolve()), *([] if args.quick else ["--empty"])]
        command = [sys.executable, f"benchmarks/{one.script}.py", *given, "--json", str(output / f"{one.script}.json")]
        started = time.monotonic()
        if subprocess.run(command, cwd=root, env={**os.environ, "PYTHONUNBUFFERED": "1"}).returncode:
            failed.append(name)
        _say(f"{name}: {time.monotonic() - started:.0f} s")
    _say(f"{len(names)} benchmarks in {(time.monotonic() - began) / 60:.1f} min")
    if failed:
        print(f"c4 bench: failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def _say(text: str) -> None:
    print(f"== {text}", flush=True)
