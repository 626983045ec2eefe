"""The tables of README and docs, each made from result files alone.

A block is a function from the results (by file name without ``.json``) to Markdown; None if its files are missing. To
add one, write a function and name it in ``BLOCKS``; a page shows it between ``<!-- NAME:begin -->`` and ``<!-- NAME:end
-->``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Results = dict[str, dict[str, Any]]
Figure = dict[str, float]

POLICIES = {"policy": "`policy`", "policy-search": "`policy` with search", "policy-selfplay": "`policy-selfplay`"}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def number(value: float) -> str:
    """Three figures that count, with k or M."""
    for unit, size in ((" M", 1e6), (" k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}" if value / size < 1000 else f"{value / size:,.0f}{unit}"
    return f"{value:.3g}"


def ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def times(value: float) -> str:
    return f"{value:,.0f}x" if value >= 100 else f"{value:.1f}x"


def with_range(figure: Figure, shown: Callable[[float], str] = number) -> list[str]:
    return [shown(figure["median"]), f"{shown(figure['low'])} to {shown(figure['high'])}"]


def made_by(result: dict[str, Any]) -> str:
    """How a table was made, and whether the machine was busy with something else."""
    machine = result["machine"]
    busy = machine.get("busy_before")
    other = f", other programs using {busy:.1f} of its cores" if busy is not None and busy >= 0.2 else ""
    cores = f"{machine['cores']} cores of " if "cores" in machine else ""
    return f"Made by `{result['command']}` on {cores}{machine['processor']}{other}."


def starting(figures: dict[str, Figure], start: str) -> tuple[str, Figure] | None:
    return next(((name, figure) for name, figure in figures.items() if name.startswith(start)), None)


def env_speed(results: Results) -> str | None:
    if "env_speed" not in results:
        return None
    result = results["env_speed"]
    figures = result["plies_per_second"]
    ours = {
        "vector environment, 4096 games, opponent `random`": ("c4env vector env, 4096", ("pgx",)),
        "self-play batch, 4096 games": ("c4env self-play batch, 4096", ("pgx",)),
        "single environment through `gymnasium.make`": (
            "c4env single env",
            ("PettingZoo", "OpenSpiel", "gymnasium-connect-four"),
        ),
    }
    rows = []
    for what, (start, peers) in ours.items():
        found = starting(figures, start)
        assert found is not None
        median = found[1]["median"]
        beside = [peer for peer in (starting(figures, name) for name in peers) if peer is not None]
        against = [f"{times(median / f['median'])} {name.split(',')[0]} ({number(f['median'])})" for name, f in beside]
        rows.append([what, number(median), ", ".join(against)])
    return table(["what", "plies per second", "against"], rows) + f"\n\n{made_by(result)}"


def env_speed_all(results: Results) -> str | None:
    if "env_speed" not in results:
        return None
    result = results["env_speed"]
    figures = sorted(result["plies_per_second"].items(), key=lambda item: -item[1]["median"])
    rows = [[name, *with_range(figure)] for name, figure in figures]
    return table(["contestant", "plies per second", "range"], rows) + f"\n\n{made_by(result)}"


def search_speed(results: Results) -> str | None:
    if "search_speed" not in results:
        return None
    result = results["search_speed"]
    rows = []
    if kaggle := result.get("kaggle"):
        own, theirs = kaggle["ms"]["alphabeta depth 4"]["median"], kaggle["ms"]["kaggle negamax"]["median"]
        ratio = times(kaggle["ratios"]["alphabeta depth 4"])
        against = f"{ratio} Kaggle connectx's built-in negamax ({ms(theirs)} ms)"
        rows.append(["alpha-beta, depth 4, a move", f"{ms(own)} ms", against])
    deepest = next(row for row in result["minimax"] if row["what"].startswith("depth 7, windows"))
    against = f"{times(deepest['node_ratio'])} fewer nodes than plain minimax, {times(deepest['time_ratio'])} faster"
    rows.append(["alpha-beta, depth 7 after the first move", f"{deepest['alphabeta_nodes']:,} nodes", against])
    if mcts := result.get("mcts"):
        ratios = " and ".join(f"{times(ratio)} {name}'s" for name, ratio in mcts["ratios"].items())
        own = number(mcts["playouts_per_second"]["mcts"]["median"])
        rows.append(["`mcts`, playouts per second", own, f"{ratios} MCTS bot"])
    hard = result["levels"]["hard"]
    rows.append(["level `hard`, a move", f"{ms(hard['median_ms'])} ms median, {ms(hard['worst_ms'])} ms at most", ""])
    return table(["what", "ours", "against"], rows) + f"\n\n{made_by(result)}"


def native(results: Results) -> str | None:
    if "search_speed" not in results:
        return None
    result = results["search_speed"]
    rows = [[f"`{name}`", *with_range(figure)] for name, figure in result["native"].items()]
    return table(["opponent", "moves per second, 4096 games at once", "range"], rows) + f"\n\n{made_by(result)}"


def solver_speed(results: Results) -> str | None:
    if "solver_speed" not in results:
        return None
    result = results["solver_speed"]
    rows = []
    for row in result["rows"]:
        name = f"{row['name']}, {row['positions']:,} position{'s'[: row['positions'] - 1]}"
        low, high = row["ratio_range"] or (0.0, 0.0)
        ratio = times(row["ratio"]) + (f" ({low:.1f} to {high:.1f})" if high > low else "") if row["ratio"] else ""
        rows.append([name, ms(row["ours_ms"]), ms(row["peer_ms"]) if row["peer_ms"] else "", ratio])
    head = ["exact scores, no book, mean milliseconds", "ours", "bitbully (C++)", "ratio"]
    compared = [row for row in result["rows"] if row["ratio"]]
    differ = (
        f"{sum(row['differ'] for row in compared)} of {sum(row['positions'] for row in compared):,} answers differ. "
    )
    return table(head, rows) + f"\n\n{differ if compared else ''}{made_by(result)}"


def inference_speed(results: Results) -> str | None:
    if "inference_speed" not in results:
        return None
    result = results["inference_speed"]
    rows = [[name, *with_range(figure)] for name, figure in result["positions_per_second"].items()]
    flops = ", ".join(f"{name} {value:.0f}" for name, value in result["gigaflops"].items())
    made = table(["what", "positions per second", "range"], rows)
    return f"{made}\n\n10⁹ operations a second: {flops}.\n\n{made_by(result)}"


def certify_speed(results: Results) -> str | None:
    if "certify_speed" not in results:
        return None
    result = results["certify_speed"]
    counts = result["positions"]
    figures = result["positions_per_second"].items()
    rows = [[name, f"{counts[name]:,}", *with_range(figure)] for name, figure in figures]
    return table(["walk", "positions", "positions per second", "range"], rows) + f"\n\n{made_by(result)}"


def learning(results: Results) -> str | None:
    if "learning" not in results:
        return None
    result = results["learning"]
    rows = []
    bots: list[str] = []
    for name, curve in result["curves"].items():
        last = curve[-1]
        bots = list(last["points"])
        rows.append([name, f"{last['steps']:,}", *(f"{points:.0%}" for points in last["points"].values())])
    minutes = max(curve[-1]["cpu_seconds"] for curve in result["curves"].values()) / 60
    head = [f"after {minutes:.0f} min of CPU time", "steps", *(f"points against `{bot}`" for bot in bots)]
    return table(head, rows) + f"\n\n{made_by(result)}"


def startup(results: Results) -> str | None:
    if "startup" not in results:
        return None
    result = results["startup"]
    rows = []
    for name, figure in result["seconds"].items():
        goal = result["goals"].get(name)
        cold = result["cold_seconds"].get(name)
        first = f"{cold['cpu']:.1f}" if cold else ""
        shown = [f"{figure[clock]['median']:.2f}" for clock in ("wall", "cpu")]
        rows.append([name, *shown, f"{goal:g}" if goal else "", first])
    head = ["seconds", "wall, warm", "CPU, warm", "goal", "CPU, the first time of all (compiles)"]
    return table(head, rows) + f"\n\n{made_by(result)}"


PATHS = {
    "vector step": ("game and step", ("rules of a ply", "rules of a ply", "100 bytes written")),
    "self-play step": ("game and ply", ("rules of a ply", "100 bytes written")),
    "single step": ("step", ("Gymnasium around nothing", "call into compiled code", "two new arrays")),
    "alpha-beta node": ("node", ("minimax node",)),
    "MCTS playout": ("playout", ("random game from there",)),
    "solver node": ("node", ()),
    "certify position": ("position", ("sorting a key",)),
    "planes": ("position", ("504 bytes written",)),
    "network answer": ("position", ("its operations as a matrix product",)),
    "PUCT leaf, without the network": ("leaf", ()),
    "PPO sample": ("sample and epoch", ("its operations as a matrix product, three passes",)),
}
"""Hot paths: what is counted, and what limits them."""


def limits(results: Results) -> str | None:
    if "limits" not in results:
        return None
    result = results["limits"]
    found = result["nanoseconds"]
    rows = []
    for path, (per, bounds) in PATHS.items():
        if path not in found:
            continue
        own, least = found[path]["median"], sum(found[bound]["median"] for bound in bounds)
        named = ", ".join(f"{'2 x ' * (bounds.count(b) > 1)}{b}" for b in dict.fromkeys(bounds))
        share = f"{least / own:.0%}" if bounds else ""
        rows.append([path, f"{ms(own)} ns a {per}", named, f"{ms(least)} ns" if bounds else "", share])
    head = ["hot path", "takes", "can't do without", "which takes", "share"]
    return table(head, rows) + f"\n\n{made_by(result)}"


def curves(results: Results) -> str | None:
    if "curves" not in results:
        return None
    result = results["curves"]
    rows = []
    for name, curve in result["curves"].items():
        points = next(iter(curve["lines"].values()))
        reach = list(points)
        memory = f"{curve['megabytes_before']:,.0f} MB", f"{curve['megabytes_peak']:,.0f} MB"
        rows.append([name, f"{curve['unit']} over {curve['over']}, {reach[0]} to {reach[-1]}", *memory])
    return table(["curve", "what", "memory after imports", "peak"], rows) + f"\n\n{made_by(result)}"


def interval(share: dict[str, float]) -> str:
    """A share with its 95 % interval, in percent."""
    return f"{100 * share['share']:.1f} % [{100 * share['low']:.1f}, {100 * share['high']:.1f}]"


def hardest(matches: dict[str, Any]) -> dict[str, Any]:
    """Of the matches against depth 8 the one with the fewest points."""
    deep: list[dict[str, Any]] = [match for rung, match in matches.items() if rung.endswith("depth=8")]
    return min(deep, key=lambda match: match["points"]["share"])


def strength(results: Results) -> str | None:
    """What the shipped policies are worth; columns for the parts that were measured."""
    found = {name: results[name] for name in POLICIES if name in results}
    if not found:
        return None
    columns: dict[str, Callable[[dict[str, Any]], str]] = {
        "right moves": lambda r: interval(r["evaluation_set"]["all"]),
        "where it matters": lambda r: interval(r["evaluation_set"]["decisive"]),
        "moving first against perfect play: won / drawn / lost": lambda r: "{wins} / {draws} / {losses}".format(
            **r["moving_first_against_perfect_play"]
        ),
        "points against `alphabeta:depth=4`": lambda r: interval(r["matches"]["alphabeta:depth=4"]["points"]),
        "against depth 8, its best evaluation": lambda r: interval(hardest(r["matches"])["points"]),
        "leaks of positions reached, moving first": lambda r: (
            f"{r['certificate']['leaks']:,} of {r['certificate']['positions']:,}"
        ),
        "errors on begin-hard": lambda r: f"{r['published_sets']['begin-hard']['share']:.1%}",
    }

    def cell(read: Callable[[dict[str, Any]], str], result: dict[str, Any]) -> str:
        try:
            return read(result)
        except (KeyError, TypeError):
            return ""

    rows = {name: [cell(read, result) for read in columns.values()] for name, result in found.items()}
    kept = [index for index in range(len(columns)) if any(row[index] for row in rows.values())]
    head = ["agent", *(list(columns)[index] for index in kept)]
    made = table(head, [[POLICIES[name], *(row[index] for index in kept)] for name, row in rows.items()])
    return f"{made}\n\nMade by " + ", ".join(f"`{result['command']}`" for result in found.values()) + "."


BLOCKS: dict[str, Callable[[Results], str | None]] = {
    made.__name__: made
    for made in (
        env_speed,
        env_speed_all,
        search_speed,
        native,
        solver_speed,
        inference_speed,
        certify_speed,
        learning,
        startup,
        limits,
        curves,
        strength,
    )
}
