"""Writes the model card of a shipped policy from what ``policy_strength.py`` measured.

``python benchmarks/model_card.py policy`` reads ``benchmarks/results/policy.json`` (and ``policy-search.json``, if it
is there) and ``docs/models/policy-training.md``, and writes ``agents/c4agents/policy/shipped/policy.md``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from c4agents.policy.weights import shipped_path

RESULTS = Path("benchmarks/results")


def percent(share: dict[str, float], digits: int = 1) -> str:
    value, low, high = (f"{100 * share[key]:.{digits}f}" for key in ("share", "low", "high"))
    return f"{value} % [{low}, {high}]"


def best_depth_8(matches: dict[str, Any]) -> str:
    """The evaluation against which the policy takes fewest points at depth 8."""
    return min(
        (rung for rung in matches if rung.endswith("depth=8")), key=lambda rung: matches[rung]["points"]["share"]
    )


def rows(found: dict[str, Any]) -> dict[str, str]:
    """The lines of the card's table."""
    table = {}
    for part, share in found["evaluation_set"].items():
        table[f"evaluation set, moves that preserve the outcome: {part} ({share['total']:,})"] = percent(share, 2)
    for name, share in found.get("published_sets", {}).items():
        table[f"published set {name}, moves that give the outcome away ({share['total']:,})"] = percent(share, 2)
    games = found["moving_first_against_perfect_play"]
    table[f"moving first against perfect play, ties at random, {games['games']} games from the empty board"] = (
        f"{games['wins']} won, {games['draws']} drawn, {games['losses']} lost ({games['distinct_games']} distinct)"
    )
    matches = found["matches"]
    for rung in ("alphabeta:depth=4", best_depth_8(matches)):
        match = matches[rung]
        table[f"points against `{rung}`, {match['games']} games ({match['distinct_games']} distinct)"] = percent(
            match["points"]
        )
    if "certificate" in found:
        table["certificate from the first seat"] = found["certificate"]["verdict"]
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="policy or policy-selfplay")
    args = parser.parse_args()
    found = json.loads((RESULTS / f"{args.name}.json").read_text(encoding="utf-8"))
    searching = RESULTS / f"{args.name}-search.json"
    columns = [("without search", rows(found))]
    commands = [found["command"]]
    if searching.exists():
        other = json.loads(searching.read_text(encoding="utf-8"))
        columns.append((f"`{other['spec']}`", rows(other)))
        commands.append(other["command"])
    names = list(dict.fromkeys(name for _, table in columns for name in table))
    weights = found["weights"]
    training = Path("docs/models") / f"{args.name}-training.md"
    lines = [
        f"# Model card: `{args.name}`",
        "",
        f"{weights['parameters']:,} parameters, {weights['bytes']:,} bytes, sha256 `{weights['sha256']}`.",
        "",
        training.read_text(encoding="utf-8").strip(),
        "",
        "## What was measured",
        "",
        f"| measure | {' | '.join(name for name, _ in columns)} |",
        f"|---|{'---|' * len(columns)}",
        *(f"| {name} | {' | '.join(table.get(name, '-') for _, table in columns)} |" for name in names),
        "",
        "Both seats with paired openings unless said; a draw counts half; intervals are Wilson's at 95 %. Depth 8 is",
        "shown with the evaluation that takes most points off it. Made by:",
        "",
        "```",
        *commands,
        "```",
        "",
    ]
    path = shipped_path(args.name).with_suffix(".md")
    path.write_text("\n".join(lines), encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
