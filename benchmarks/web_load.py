"""How long the page waits for exact scores while fifty clients ask at once.

Starts ``c4 web`` on a free port. Every client asks for mid-game positions of its own, one after the other; then all
ask for the same positions again, which the server remembers by then. Other work on the machine lengthens every time
but the last: the processor time of the server for one request.

    python benchmarks/web_load.py
    python benchmarks/web_load.py --clients 50 --requests 40 --json results.json
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from c4env.position import Position

COMMAND = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "web"]


def mid_game(generator: random.Random) -> str:
    """A game of 16 to 28 random moves that is not over."""
    while True:
        position, moves, plies = Position(), "", generator.randint(16, 28)
        while position.ply < plies and not position.is_over:
            column = generator.choice(position.legal)
            position, moves = position.play(column), moves + str(column + 1)
        if not position.is_over:
            return moves


def ask(port: int, positions: list[str]) -> list[tuple[int, float]]:
    """Status and seconds of each request of one client."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    headers = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
    got = []
    for moves in positions:
        started = time.perf_counter()
        connection.request("POST", "/api/solve", json.dumps({"moves": moves}), headers)
        answer = connection.getresponse()
        answer.read()
        got.append((answer.status, time.perf_counter() - started))
    connection.close()
    return got


def megabytes(pid: int) -> float:
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * 4096 / 2**20


def processor_seconds(pid: int) -> float:
    """Processor time a process has used, in all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def summary(got: list[tuple[int, float]], passed: float) -> dict[str, float]:
    times = sorted(1000 * seconds for status, seconds in got if status == 200)
    return {
        "requests": len(got),
        "answered": len(times),
        "refused_429": sum(status == 429 for status, _ in got),
        "server_errors": sum(status >= 500 for status, _ in got),
        "median_ms": round(statistics.median(times), 1),
        "p95_ms": round(times[int(0.95 * (len(times) - 1))], 1),
        "requests_per_second": round(len(got) / passed, 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--requests", type=int, default=20, help="positions each client asks for")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    generator = random.Random(1)
    asked = [[mid_game(generator) for _ in range(args.requests)] for _ in range(args.clients)]
    server = subprocess.Popen([*COMMAND, "--port", "0", "--no-open"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline().split("127.0.0.1:")[1].split("/")[0])
        ask(port, [mid_game(generator) for _ in range(20)])  # compiled code is loaded
        results: dict[str, dict[str, float]] = {}
        with ThreadPoolExecutor(args.clients) as pool:
            for name in ("solved", "remembered"):
                started, used = time.perf_counter(), processor_seconds(server.pid)
                got = [one for client in pool.map(lambda positions: ask(port, positions), asked) for one in client]
                results[name] = summary(got, time.perf_counter() - started)
                results[name]["server_mb"] = round(megabytes(server.pid), 1)
                used = processor_seconds(server.pid) - used
                results[name]["server_cpu_ms"] = round(1000 * used / results[name]["requests"], 2)
    finally:
        server.terminate()
        server.wait(20)
    for name, figures in results.items():
        print(f"{name:11}", "  ".join(f"{key} {value:g}" for key, value in figures.items()))
    if args.json is not None:
        args.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
