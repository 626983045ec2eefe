"""Speed of the solver beside the PyPI package ``bitbully``, and what each technique gives.

    python benchmarks/solver_speed.py                           random positions
    python benchmarks/solver_speed.py --sets FOLDER --empty     the published sets, and the empty board
    python benchmarks/solver_speed.py --quick                   half a minute
    python benchmarks/solver_speed.py --ablate                  without each technique in turn

Both search without a book, on one thread, position by position in turn, with a table cleared before
each (*warm*: kept, and ours in one batch). Times are CPU time, except with two threads. Answers are
compared as well. ``--sets`` is a folder with the published files Test_L1_R1 and so on (lines MOVES SCORE).
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import installed, parser, seconds_of, write
from positions import random_positions

from c4agents.solver import Solver
from c4agents.solver.sampling import sample
from c4env.position import Position, PositionBatch

WARM = {"end-easy": ("Test_L3_R1", 1000), "middle-easy": ("Test_L2_R1", 1000), "begin-easy": ("Test_L1_R1", 1000)}
COLD = {"middle-medium": ("Test_L2_R2", 1000), "begin-medium": ("Test_L1_R2", 200), "begin-hard": ("Test_L1_R3", 50)}
"""The published sets by name: file and how many of its positions are used."""
LONG = {"begin-hard", "empty board"}
"""Minutes by themselves, so measured once; position by position in turn is fair enough."""
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
    """Mean milliseconds per position; over rounds their median, and the range of the ratio."""

    name: str
    positions: int
    ours_ms: float
    peer_ms: float | None
    ratio: float | None
    ratio_range: tuple[float, float] | None
    differ: int
    nodes: float


Round = tuple[float, float, int, int]
"""Seconds of ours and of the peer, answers that differ, nodes."""


def peer_board(core: Any, position: Position) -> Any:
    board = core.BoardCore()
    assert board.setBoard(position.to_array()[::-1].T.astype(int).tolist())
    return board


def cold(positions: list[Position], core: Any, solver: Solver) -> Round:
    """Each position by both, one after the other, tables cleared."""
    peer = core.BitBullyCore() if core else None
    ours = theirs = 0.0
    differ, before = 0, solver.nodes
    for position in positions:
        solver.clear()
        started = time.process_time()
        score = solver.score(position)
        ours += time.process_time() - started
        if peer:
            board = peer_board(core, position)
            peer.resetTranspositionTable()
            started = time.process_time()
            differ += peer.mtdf(board, 0) != score
            theirs += time.process_time() - started
    return ours, theirs, differ, solver.nodes - before


def warm(positions: list[Position], core: Any, solver: Solver) -> Round:
    """All positions in one go: a batch for us, a loop for the peer, which has no batches."""
    batch, before = PositionBatch.of(positions), solver.nodes
    solver.clear()
    started = time.process_time()
    scores = solver.score_batch(batch.own, batch.occupied)
    ours = time.process_time() - started
    if not core:
        return ours, 0.0, 0, solver.nodes - before
    peer, boards = core.BitBullyCore(), [peer_board(core, position) for position in positions]
    started = time.process_time()
    answers = [peer.mtdf(board, 0) for board in boards]
    theirs = time.process_time() - started
    return ours, theirs, int((scores != np.array(answers)).sum()), solver.nodes - before


def row(name: str, count: int, rounds: list[Round]) -> Row:
    ours, theirs = (statistics.median(one[part] for one in rounds) for part in (0, 1))
    ratios = [one[1] / one[0] for one in rounds]
    compared = theirs > 0
    made = Row(
        name,
        count,
        ours / count * 1e3,
        theirs / count * 1e3 if compared else None,
        theirs / ours if compared else None,
        (min(ratios), max(ratios)) if compared else None,
        max(one[2] for one in rounds),
        rounds[0][3] / count,
    )
    beside = f"bitbully {made.peer_ms:11.4f} ms  {made.ratio:6.2f}x  {made.differ} differ" if made.ratio else ""
    print(f"{name:22} {count:5} positions  ours {made.ours_ms:11.4f} ms  {beside}", flush=True)
    return made


def versus_peer(sets: Path | None, empty: bool, quick: bool) -> list[Row]:
    core = importlib.import_module("bitbully.bitbully_core") if installed("bitbully")["bitbully"] else None
    solver = Solver(book=None)
    solver.score(Position.from_moves("44444333333"))  # compiles
    tasks: list[tuple[str, Callable[..., Round], list[Position]]]
    if sets is None:
        shapes = [(warm, 24, 33, 300, 30), (cold, 16, 19, 200, 20), (cold, 12, 12, 50, 5), (cold, 8, 9, 20, 0)]
        tasks = [
            (f"random, {low}-{high} plies", how, random_positions(few if quick else many, 0, low, high))
            for how, low, high, many, few in shapes
            if few or not quick
        ]
    else:
        tasks = [
            (name, how, [Position.from_moves(line.split()[0]) for line in lines])
            for how, chosen in ((warm, WARM), (cold, COLD))
            for name, (file, count) in chosen.items()
            for lines in [(sets / file).read_text().splitlines()[: count // 100 + 1 if quick else count]]
        ]
    if empty:
        tasks.append(("empty board", cold, [Position()]))
    rows = []
    for name, how, positions in tasks:
        rounds = 1 if quick or name in LONG else 3
        shown = f"{name}, warm" if how is warm else name
        rows.append(row(shown, len(positions), [how(positions, core, solver) for _ in range(rounds)]))
    if empty:
        pair = Solver(book=None, threads=2)
        seconds = seconds_of(lambda: pair.score(Position()), time.perf_counter)
        rows.append(row("empty board, 2 threads", 1, [(seconds, (rows[-1].peer_ms or 0) / 1e3, 0, pair.nodes)]))
    return rows


def ablate() -> list[dict[str, Any]]:
    """Each variant in a process of its own, because compiled code keeps the constants it was made with."""
    results = []
    for name, changes in ABLATIONS.items():
        with tempfile.TemporaryDirectory() as cache:
            environment = os.environ | {"NUMBA_CACHE_DIR": cache}
            command = [sys.executable, __file__, "--variant", json.dumps(changes)]
            output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        result = {"variant": name, **json.loads(output)}
        results.append(result)
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
    asked = parser(__doc__)
    asked.add_argument("--sets", type=Path, help="folder of the published sets")
    asked.add_argument("--empty", action="store_true", help="the empty board too (minutes)")
    asked.add_argument("--ablate", action="store_true", help="leave out one technique at a time")
    asked.add_argument("--variant", help="for --ablate: constants to change, as JSON")
    args = asked.parse_args()
    if args.variant is not None:
        variant(json.loads(args.variant))
    elif args.ablate:
        write(args.json, {"ablation": ablate()})
    else:
        rows = [asdict(one) for one in versus_peer(args.sets, args.empty, args.quick)]
        write(args.json, {"sets": args.sets is not None, "rows": rows}, ("bitbully",))


if __name__ == "__main__":
    main()
