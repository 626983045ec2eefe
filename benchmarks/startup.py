"""How long until something happens: imports, commands, and the first compilation.

    python benchmarks/startup.py
    python benchmarks/startup.py --quick

Every figure is of new processes that take turns, after one that is not counted: *warm* with compiled code and files in
the cache, *cold* with an empty cache of compiled code (once each). Wall time is what a user waits on a quiet machine;
CPU time, of the process and its children, says the same on a busy one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import installed, parser, show, spread, take_turns, write

C4 = str(Path(sys.executable).with_name("c4"))
WARM = {
    "python itself": [sys.executable, "-c", "pass"],
    "c4 --help": [C4, "--help"],
    "import c4env": [sys.executable, "-c", "import c4env"],
    "c4 play, to the first question": [C4, "play"],
    "c4 play hard, to the first move": [C4, "play", "hard"],
    "c4 play policy, to the first move": [C4, "play", "policy"],
    "c4 solve 4453": [C4, "solve", "4453"],
    "first step of an environment": [
        sys.executable,
        "-c",
        "import gymnasium, c4env; e = gymnasium.make(c4env.ENV_ID); e.reset(seed=0); e.step(3)",
    ],
}
"""Commands; their input is empty, which ends a game at its first question."""
GOALS = {"c4 --help": 0.3, "import c4env": 0.5, "c4 play, to the first question": 1.0}
COLD = ("first step of an environment", "c4 play hard, to the first move", "c4 solve 4453")
NEEDS_TORCH = "c4 play policy, to the first move"


def run(command: list[str], cache: str | None = None) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    environment = os.environ | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    before, started = os.times(), time.perf_counter()
    quiet = subprocess.DEVNULL
    subprocess.run(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet, check=True)
    wall, after = time.perf_counter() - started, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    arguments = parser(__doc__).parse_args()
    rounds = 3 if arguments.quick else 11
    commands = dict(WARM)
    if not all(installed("torch", "safetensors").values()):
        del commands[NEEDS_TORCH]
    walls: dict[str, list[float]] = {name: [] for name in commands}

    def turn(name: str) -> Callable[[], float]:
        run(commands[name])

        def measured() -> float:
            wall, cpu = run(commands[name])
            walls[name].append(wall)
            return cpu

        return measured

    cpus = take_turns(rounds, {name: turn(name) for name in commands})
    warm = {name: {"wall": spread(walls[name]), "cpu": spread(cpus[name])} for name in commands}
    show("warm, CPU seconds", {name: figure["cpu"] for name, figure in warm.items()})
    show("warm, wall seconds", {name: figure["wall"] for name, figure in warm.items()})
    cold = {}
    for name in COLD[: 1 if arguments.quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            wall, cpu = run(commands[name], cache)
        cold[name] = {"wall": wall, "cpu": cpu}
        print(f"cold: {name}: {wall:.1f} s, of CPU time {cpu:.1f} s", flush=True)
    write(arguments.json, {"seconds": warm, "goals": GOALS, "cold_seconds": cold}, ("torch", "rich"))


if __name__ == "__main__":
    main()
