"""How good a shipped policy is: every figure of its model card.

``python benchmarks/policy_strength.py policy --sets FOLDER --certify --json benchmarks/results/policy.json``

FOLDER holds the published sets Test_L1_R1 to Test_L3_R1, which no policy is trained or tuned on. All games are from
both seats with paired openings unless said; a draw counts half; intervals are Wilson's at 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

import c4agents
from c4agents.arena.accuracy import judge
from c4agents.arena.certification import certify
from c4agents.arena.exact import solver
from c4agents.arena.intervals import Share, share
from c4agents.arena.labelled import evaluation_set, read_positions
from c4agents.arena.match import play_match
from c4agents.arena.perfect import against_perfect
from c4agents.arena.walk import OPEN, after_moves
from c4agents.catalogue import EVALUATION_NAMES
from c4agents.policy.weights import load_policy, shipped_path
from c4env.bitboard import BOTTOM

SETS = {
    "Test_L3_R1": "end-easy",
    "Test_L2_R1": "middle-easy",
    "Test_L1_R1": "begin-easy",
    "Test_L2_R2": "middle-medium",
    "Test_L1_R2": "begin-medium",
    "Test_L1_R3": "begin-hard",
}


def plain(one: Share) -> dict[str, float]:
    return {"count": one.count, "total": one.total, "share": one.share, "low": one.low, "high": one.high}


def about(name: str) -> dict[str, Any]:
    path = shipped_path(name)
    policy = load_policy(path)
    wanted = ("method", "command", "commands", "seed", "steps", "revision", "made_with")
    return {
        "parameters": sum(tensor.numel() for tensor in policy.network.parameters()),
        "bytes": path.stat().st_size,
        "sha256": policy.sha256,
        **{key: policy.about[key] for key in wanted if key in policy.about},
    }


def accuracy(spec: str) -> dict[str, Any]:
    judged = judge(spec, evaluation_set())
    decisive = judged.positions.decisive
    assert decisive is not None
    late = judged.positions.ply >= 8
    parts = {
        "all": late | True,
        "decisive": decisive,
        "from 8 stones": late,
        "decisive, from 8 stones": late & decisive,
    }
    return {name: plain(judged.accuracy(where).preserving) for name, where in parts.items()}


def error(spec: str, path: Path) -> dict[str, float]:
    """Share of the moves that give the outcome away."""
    positions = read_positions(path)
    columns = np.asarray(c4agents.make(spec).act_batch(positions.batch), np.int8)
    own, occupied, values = after_moves(positions.own | (positions.occupied + BOTTOM), columns)
    going = values == OPEN
    values[going] = -solver().outcomes(own[going], occupied[going])
    wrong = int((values < np.sign(positions.best)).sum())
    return plain(share(wrong, len(positions)))


def perfect(spec: str, games: int) -> dict[str, Any]:
    moving_first = against_perfect(spec, solver(), games, epsilons=(0.0,))[0]
    return moving_first.summary()


def matches(spec: str, games: int) -> dict[str, Any]:
    found = {}
    for rung in ("alphabeta:depth=4", *(f"alphabeta:eval={name},depth=8" for name in EVALUATION_NAMES)):
        result = play_match(spec, rung, games)
        found[rung] = {**result.summary(), "points": plain(result.score())}
    return found


def certificate(spec: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        made, _ = certify(spec, oracle=solver(), folder=Path(folder))
    return {"verdict": made.verdict, "proven": made.proven, "positions": made.positions, "leaks": made.leaks}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="policy or policy-selfplay")
    parser.add_argument("--search", type=int, default=0, help="positions to search per move (default 0: the network)")
    parser.add_argument("--sets", type=Path, help="folder of the published sets")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--certify", action="store_true", help="walk all games from the first seat")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    torch.set_num_threads(1)
    spec = f"{args.name}:search={args.search}" if args.search else args.name
    results: dict[str, Any] = {"spec": spec, "command": " ".join(["python", *sys.argv]), "weights": about(args.name)}

    def keep(part: str, found: Any) -> None:
        results[part] = found
        print(part, json.dumps(found, indent=1), flush=True)
        if args.json:
            args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    keep("evaluation_set", accuracy(spec))
    keep("matches", matches(spec, args.games))
    keep("moving_first_against_perfect_play", perfect(spec, args.games))
    if args.certify:
        keep("certificate", certificate(spec))
    if args.sets:
        keep("published_sets", {SETS[name]: error(spec, args.sets / name) for name in SETS})
    return 0


if __name__ == "__main__":
    sys.exit(main())
