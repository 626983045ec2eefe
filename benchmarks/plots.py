"""The plots of the docs, from result files. No background and grey letters, so that they suit light pages and dark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from blocks import Results
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

GREY = "#808080"
COLOURS = ("#2f81f7", "#e8730c", "#2da44e", "#bf5af2")
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "c4env",
    "font.family": "sans-serif",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), GREY),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
TITLES = {
    "env": "Environments: plies per second over games",
    "solver": "Solver: milliseconds over ply",
    "certify": "Certification: positions per second over ply",
    "training": "Training: positions per second over batch",
}


def save(figure: Figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas = FigureCanvasSVG(figure)  # type: ignore[no-untyped-call]
    canvas.print_svg(str(path), metadata={"Date": None})  # type: ignore[no-untyped-call]
    return path


def draw_line(axes: Axes, name: str, points: dict[str, Any], colour: str) -> None:
    """A line through the medians, with the range around it where there is one."""
    at = [float(key) for key in points]
    if all(isinstance(value, dict) for value in points.values()):
        axes.plot(at, [value["median"] for value in points.values()], marker=".", label=name, color=colour)
        low, high = ([value[end] for value in points.values()] for end in ("low", "high"))
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
    else:
        axes.plot(at, list(points.values()), marker=".", label=name, color=colour)


def curve(name: str, found: dict[str, Any]) -> Figure:
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axes = figure.subplots()
    for (line, points), colour in zip(found["lines"].items(), COLOURS, strict=False):
        draw_line(axes, line, points, colour)
    axes.set_yscale("log")
    if found["over"] != "ply":
        axes.set_xscale("log", base=2)
    axes.set(title=TITLES[name], xlabel=found["over"], ylabel=found["unit"])
    axes.grid(alpha=0.25, color=GREY)
    if len(found["lines"]) > 1:
        axes.legend()
    return figure


def learning(curves: dict[str, list[dict[str, Any]]]) -> Figure:
    bots = list(next(iter(curves.values()))[0]["points"])
    figure = Figure(figsize=(9, 6), layout="constrained")
    for axes, bot in zip(figure.subplots(2, 2, sharex=True, sharey=True).flat, bots, strict=True):
        for (name, points), colour in zip(curves.items(), COLOURS, strict=False):
            minutes = [point["cpu_seconds"] / 60 for point in points]
            axes.plot(minutes, [100 * point["points"][bot] for point in points], marker=".", label=name, color=colour)
        axes.set(title=f"against {bot}", ylim=(-2, 102))
        axes.grid(alpha=0.25, color=GREY)
    figure.supxlabel("minutes of CPU time, one thread")
    figure.supylabel("points, % (a draw counts half)")
    figure.axes[0].legend()
    return figure


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Draw what there are results for."""
    with matplotlib.rc_context(STYLE):
        made = [
            save(curve(name, found), folder / f"bench-{name}.svg")
            for name, found in results.get("curves", {}).get("curves", {}).items()
        ]
        if "learning" in results:
            made.append(save(learning(results["learning"]["curves"]), folder / "learning.svg"))
    return made
