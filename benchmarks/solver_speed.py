"""Speed of the solver against the PyPI package ``bitbully``, and what each technique gives.

Both search without a book, on one thread, position by position in turn, with a table cleared before
each (on the easy sets: kept warm, and ours in one batch). Times are CPU time, except with two
threads. Answers are compared as well.

    python benchmarks/solver_speed.py --sets FOLDER             the published sets, and the empty board
    python benchmarks/solver_speed.py --quick                   a minute, on random positions
    python benchmarks/solver_speed.py --ablate                  without each technique in turn

``--sets`` is a folder with the published files Test_L1_R1 and so on (lines MOVES SCORE).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from c4agents.solver import Solver
from c4agents.solver.sampling import sample
from c4env.position import Position, PositionBatch

HARD = {"Test_L2_R2": 1000, "Test_L1_R2": 200, "Test_L1_R3": 50}
EASY = {"Test_L3_R1": 1000, "Test_L2_R1": 1000, "Test_L1_R1": 1000}
ABLATIONS = {
    "all techniques": {},
    "no mirrored keys": {"search.MIRROR_PLY": 0},
    "no open twos in the order": {"search.TWOS_PLY": 0},
    "no weight on stacked threats": {"search.STACKED_WEIGHT": 0},
    "no transposition cut-off": {"search.CUTOFF_PLY": 0},
    "leaves as other nodes": {"search.LEAF_PLY": 42},
    "no near table": {"search.NEAR_PLY": 24},
    "all in the far table": {"search.FAR_PLY": 34, "search.FAR_BELOW_HORIZON": 2},
}
"""Constants of the solver's modules, set before anything is compiled."""


@dataclass(frozen=True)
class Row:
    name: str
    positions: int
    ours_ms: float
    peer_ms: float
    ratio: float
    differ: int
    nodes: float


def peer_board(core, position: Position):
    board = core.BoardCore()
    assert board.setBoard(position.to_array()[::-1].T.astype(int).tolist())
    return board


def read_set(folder: Path, name: str, count: int) -> list[Position]:
    return [Position.from_moves(line.split()[0]) for line in (folder / name).read_text().splitlines()[:count]]


def compare(name: str, positions: list[Position], core, solver: Solver) -> Row:
    """Each position by both, one after the other, tables cleared."""
    peer = core.BitBullyCore()
    ours_seconds = peer_seconds = 0.0
    differ, before = 0, solver.nodes
    for position in positions:
        solver.clear()
        started = time.process_time()
        score = solver.score(position)
        ours_seconds += time.process_time() - started
        board = peer_board(core, position)
        peer.resetTranspositionTable()
        started = time.process_time()
        differ += peer.mtdf(board, 0) != score
        peer_seconds += time.process_time() - started
    return row(name, len(positions), ours_seconds, peer_seconds, differ, solver.nodes - before)


def compare_warm(name: str, positions: list[Position], core, solver: Solver) -> Row:
    """All positions in one go: a batch for us, a loop for the peer, which has no batches."""
    peer, boards = core.BitBullyCore(), [peer_board(core, position) for position in positions]
    batch, before = PositionBatch.of(positions), solver.nodes
    solver.clear()
    started = time.process_time()
    scores = solver.score_batch(batch.own, batch.occupied)
    ours_seconds = time.process_time() - started
    started = time.process_time()
    theirs = [peer.mtdf(board, 0) for board in boards]
    peer_seconds = time.process_time() - started
    differ = int((scores != np.array(theirs)).sum())
    return row(name + " warm", len(positions), ours_seconds, peer_seconds, differ, solver.nodes - before)


def row(name: str, count: int, ours: float, peer: float, differ: int, nodes: int) -> Row:
    return Row(name, count, ours / count * 1e3, peer / count * 1e3, peer / ours, differ, nodes / count)


def versus_peer(args: argparse.Namespace) -> list[Row]:
    core = importlib.import_module("bitbully.bitbully_core")
    solver = Solver(book=None)
    solver.score(Position.from_moves("44444333333"))  # compiles
    rows: list[Row] = []

    def add(result: Row) -> None:
        rows.append(result)
        if not args.json:
            print(
                f"{result.name:18} {result.positions:5} positions  ours {result.ours_ms:10.4f} ms"
                f"  bitbully {result.peer_ms:10.4f} ms  {result.ratio:6.2f}x  {result.differ} differ"
                f"  {result.nodes:14,.0f} nodes",
                flush=True,
            )

    if args.quick or args.sets is None:
        for plies, count, how in (
            (range(24, 34), 30, compare_warm),
            (range(16, 20), 30, compare),
            (range(12, 13), 12, compare),
        ):
            positions = [one.position for one in sample(count, list(plies), 0, solver)]
            add(how(f"random {plies.start}-{plies.stop - 1}", positions, core, solver))
        return rows
    for name, count in EASY.items():
        add(compare_warm(name, read_set(args.sets, name, count), core, solver))
    for name, count in HARD.items():
        add(compare(name, read_set(args.sets, name, count), core, solver))
    if args.empty:
        add(compare("empty board", [Position()], core, solver))
        pair = Solver(book=None, threads=2)
        started = time.perf_counter()
        pair.score(Position())
        seconds = time.perf_counter() - started
        add(row("empty, 2 threads", 1, seconds, rows[-1].peer_ms / 1e3, 0, pair.nodes))
    return rows


def ablate(args: argparse.Namespace) -> list[dict[str, object]]:
    """Each variant in a process of its own, because compiled code keeps the constants it was made with."""
    results = []
    for name, changes in ABLATIONS.items():
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"NUMBA_CACHE_DIR": cache}
            command = [sys.executable, __file__, "--variant", json.dumps(changes)]
            output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        result = {"variant": name, **json.loads(output)}
        results.append(result)
        if not args.json:
            first = results[0]
            print(
                f"{name:30} {result['ms']:9.2f} ms ({result['ms'] / first['ms']:.2f})"
                f"  {result['nodes']:12,.0f} nodes ({result['nodes'] / first['nodes']:.2f})",
                flush=True,
            )
    return results


def variant(changes: dict[str, int]) -> None:
    """Mean time and nodes, cold, over random positions after 8 to 10 plies, with constants changed."""
    for target, value in changes.items():
        module, _, constant = target.partition(".")
        setattr(importlib.import_module(f"c4agents.solver.{module}"), constant, value)
    solver = Solver(book=None)
    positions = [one.position for one in sample(12, [8, 9, 10], 0, solver)]
    before, seconds = solver.nodes, 0.0
    for position in positions:
        solver.clear()
        started = time.process_time()
        solver.score(position)
        seconds += time.process_time() - started
    result = {"ms": seconds / len(positions) * 1e3, "nodes": (solver.nodes - before) / len(positions)}
    print(json.dumps(result))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, help="folder of the published sets")
    parser.add_argument("--quick", action="store_true", help="random positions only")
    parser.add_argument("--empty", action="store_true", help="the empty board too (minutes)")
    parser.add_argument("--ablate", action="store_true", help="leave out one technique at a time")
    parser.add_argument("--variant", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print JSON")
    args = parser.parse_args()
    if args.variant is not None:
        variant(json.loads(args.variant))
        return
    results = ablate(args) if args.ablate else [asdict(result) for result in versus_peer(args)]
    if args.json:
        print(json.dumps({"machine": platform.processor() or platform.machine(), "results": results}, indent=2))


if __name__ == "__main__":
    main()
