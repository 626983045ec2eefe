"""``c4 analyse``: what agents think of a position, column by column."""

from __future__ import annotations

import argparse
import dataclasses
import json

import c4agents
from c4agents.agent import Analysis, check_not_over, warm_up
from c4agents.evaluations import plies_to_end
from c4env.bitboard import COLUMNS, RULES
from c4env.position import FIRST_SYMBOL, SECOND_SYMBOL, Position

EXAMPLES = """examples:
  c4 analyse 4453                                  what the hardest level thinks after 4, 4, 5, 3
  c4 analyse 4453 --agent alphabeta:eval=chains,depth=10
  c4 analyse 44 --agent mcts:simulations=20000 --agent hard
  c4 analyse 4453 --agent policy --agent solver    the network beside the exact scores
  c4 analyse 4453 --json                           for a program: columns are 0 to 6

scores are for the side to move, higher is better; c4 agents lists the agents
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 analyse``."""
    parser.epilog = EXAMPLES
    parser.add_argument(
        "moves", nargs="?", metavar="MOVES", default="", help="moves played so far, columns 1 to 7 (default: none)"
    )
    parser.add_argument("--agent", action="append", metavar="SPEC", help="agent to ask (default hard); may be repeated")
    parser.add_argument("--rules", default="first-four", help=f"{' or '.join(RULES)} (default first-four)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Print each agent's analysis."""
    position = Position.from_moves(args.moves, args.rules)
    check_not_over(position)
    agents = [c4agents.make(spec) for spec in args.agent or ["hard"]]
    for agent in agents:
        warm_up(agent, position.rules)
    analyses = [agent.analyse(position) for agent in agents]
    if args.json:
        print(json.dumps([dataclasses.asdict(analysis) for analysis in analyses], indent=2))
        return 0
    print(position)
    print(f"\n{(FIRST_SYMBOL, SECOND_SYMBOL)[position.player]} to move, {position.rules}")
    for analysis in analyses:
        print()
        print(describe(analysis, position.ply))
    return 0


def describe(analysis: Analysis, ply: int) -> str:
    """An analysis as a small table; ``ply`` is the number of stones on the board."""
    rows = {
        "column": [str(column + 1) for column in range(COLUMNS)],
        analysis.kind: [format_score(score, analysis.kind, ply) for score in analysis.scores],
    }
    if analysis.visits is not None:
        rows["visits"] = [f"{visits:,}" for visits in analysis.visits]
    width = max(len(cell) for cells in rows.values() for cell in cells) + 2
    lines = [f"{analysis.agent} plays {analysis.column + 1}"]
    lines += [f"{name:11}" + "".join(f"{cell:>{width}}" for cell in cells) for name, cells in rows.items()]
    if len(analysis.line) > 1:
        lines.append(f"{'line':13}" + " ".join(str(column + 1) for column in analysis.line))
    depth = f"depth {analysis.depth}, " if analysis.depth is not None else ""
    unit = "nodes" if analysis.visits is None else "playouts"
    lines.append(f"{depth}{analysis.nodes:,} {unit}, {analysis.seconds * 1000:.1f} ms")
    return "\n".join(lines)


def format_score(score: float | None, kind: str, ply: int) -> str:
    """One column's number as people read it; ``win 3`` is a win in three plies."""
    if score is None:
        return "-"
    if kind == "probability":
        return f"{score:.0%}"
    if kind == "score":
        return f"{score:+g}" if score else "0"
    plies = plies_to_end(score, ply)
    if plies is not None:
        return f"{'win' if score > 0 else 'loss'} {plies}"
    return f"{score:.3g}" if abs(score) < 1 and score else f"{score:g}"
