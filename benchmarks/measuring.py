"""What the benchmarks share: turns, medians with their range, and result files that say how they were made."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PACKAGES = ("c4env", "numba", "numpy", "gymnasium")
console = Console(soft_wrap=True)


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with the options that every benchmark has."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--quick", action="store_true", help="fewer, shorter and smaller rounds")
    made.add_argument("--json", type=Path, metavar="FILE", help="also write the results here")
    return made


def busy_cores(seconds: float = 0.3) -> float | None:
    """How many cores other programs use, looked at while this one sleeps; None where the system does not say."""

    def times() -> tuple[int, int]:
        fields = [int(field) for field in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return sum(fields), fields[3] + fields[4]

    if not Path("/proc/stat").exists():
        return None
    all_before, idle_before = times()
    time.sleep(seconds)
    all_after, idle_after = times()
    busy = 1 - (idle_after - idle_before) / max(all_after - all_before, 1)
    return round(busy * (os.cpu_count() or 1), 1)


_BUSY_BEFORE = busy_cores()


def machine() -> dict[str, Any]:
    """Processor, cores, and how many of them other programs used before the measurement."""
    info = Path("/proc/cpuinfo")
    models = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return {
        "processor": models[0].partition(": ")[2] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "busy_before": _BUSY_BEFORE,
    }


def one_core() -> None:
    """Stay on one core, if the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Versions of those that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def installed(*modules: str) -> dict[str, bool]:
    """Which peers can be imported; those that cannot are named."""
    found = {module: importlib.util.find_spec(module) is not None for module in modules}
    absent = [module for module in modules if not found[module]]
    if absent:
        print(f"not installed, so not measured: {', '.join(absent)}", flush=True)
    return found


def command() -> str:
    """The command line of this process, from the repository's root; of folders elsewhere only the name."""
    script, *arguments = sys.argv
    shown = [Path(part).name if Path(part).is_absolute() else part for part in arguments]
    return " ".join(["python", f"benchmarks/{Path(script).name}", *shown])


def write(path: Path | None, results: Mapping[str, Any], packages: tuple[str, ...] = ()) -> None:
    """Writes ``results`` with command, machine and versions before them; does nothing without a path."""
    if path is None:
        return
    made = {"command": command(), "machine": machine(), "versions": versions(PACKAGES + packages)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made | dict(results), indent=1) + "\n", encoding="utf-8")


def take_turns(rounds: int, contestants: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each contestant measured in each round; in a round all have one turn, so that no one has the quiet hour."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    errors = Console(stderr=True)
    with Progress(console=errors, transient=True, auto_refresh=False, disable=not errors.is_terminal) as progress:
        task = progress.add_task("", total=rounds * len(contestants))
        for number in range(rounds):
            for name, measure in contestants.items():
                progress.update(task, description=f"round {number + 1} of {rounds}: {name}")
                progress.refresh()
                found[name].append(measure())
                progress.advance(task)
    return found


def rate(work: Callable[[], int], seconds: float, clock: Callable[[], float] = time.process_time) -> float:
    """Items a second of ``work``, which does some and returns how many, over at least ``seconds`` of ``clock``."""
    done, started = 0, clock()
    while (passed := clock() - started) < seconds:
        done += work()
    return done / passed


def seconds_of(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds that one call takes."""
    started = clock()
    work()
    return clock() - started


def spread(values: list[float]) -> dict[str, float]:
    """Median and range."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def spreads(measured: Mapping[str, list[float]]) -> dict[str, dict[str, float]]:
    """Median and range of each contestant."""
    return {name: spread(values) for name, values in measured.items()}


def show(unit: str, figures: Mapping[str, Mapping[str, float]]) -> None:
    """Print medians with their ranges."""
    table = Table("", f"{unit}, median", "range")
    for name, figure in figures.items():
        median, low, high = (f"{figure[part]:,.{2 if figure['median'] < 1000 else 0}f}" for part in figure)
        table.add_row(name, median, f"{low} to {high}")
    console.print(table)
