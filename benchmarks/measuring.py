"""What the benchmarks share: turns, medians with their range, and result files that say how they were made."""

from __future__ import annotations

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

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("c4env", "numba", "numpy", "gymnasium")


def machine() -> dict[str, Any]:
    """Processor, cores, and how much else was running (the load when the figures were written)."""
    info = Path("/proc/cpuinfo")
    models = [line for line in info.read_text().splitlines() if line.startswith("model name")] if info.exists() else []
    return {
        "processor": models[0].partition(": ")[2] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
    }


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


def write(path: Path | None, results: Mapping[str, Any], packages: tuple[str, ...] = ()) -> None:
    """Writes ``results`` with command, machine and versions before them; does nothing without a path."""
    if path is None:
        return
    made = {"command": " ".join(["python", *sys.argv]), "machine": machine(), "versions": versions(PACKAGES + packages)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made | dict(results), indent=1) + "\n", encoding="utf-8")


def take_turns(rounds: int, contestants: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each contestant measured in each round; in a round all have one turn, so that no one has the quiet hour."""
    found: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, measure in contestants.items():
            found[name].append(measure())
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
