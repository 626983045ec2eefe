"""The pictures of a report, as SVG text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

from c4agents.arena.accuracy import Blunder, Judgement
from c4agents.arena.extra import needs_extra
from c4agents.arena.match import MatchResult
from c4env.bitboard import COLUMNS, ROWS

INK: Final = "#1f2933"
MUTED: Final = "#7b8794"
BLUE: Final = "#2f6db3"
ORANGE: Final = "#d9772b"
FIRST: Final = "#f2c230"
SECOND: Final = "#d64545"
BOARD: Final = "#35508a"
HOLE: Final = "#eef2f8"


def accuracy_by_ply(judgement: Judgement) -> str:
    """Value-preserving and best moves by ply, with their intervals."""
    figure, axes = _figure(7.6, 3.2)
    decisive = judgement.positions.decisive
    series = {
        "keeps the outcome, decisive positions" if decisive is not None else "keeps the outcome": (
            BLUE,
            {ply: one.preserving for ply, one in judgement.by_ply(decisive).items()},
        ),
        "wins fastest or loses latest, all positions": (
            ORANGE,
            {ply: one.best for ply, one in judgement.by_ply().items()},
        ),
    }
    for label, (colour, shares) in series.items():
        plies = list(shares)
        axes.fill_between(
            plies,
            [100 * one.low for one in shares.values()],
            [100 * one.high for one in shares.values()],
            color=colour,
            alpha=0.15,
            linewidth=0,
        )
        axes.plot(plies, [100 * one.share for one in shares.values()], color=colour, label=label, linewidth=1.8)
    axes.set_xlabel("stones on the board")
    axes.set_ylabel("moves, %")
    axes.set_ylim(0, 102)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    return _svg(figure, "Share of right moves by number of stones on the board")


def score_by_rung(matches: Sequence[MatchResult]) -> str:
    """Share of the points against each rung, with intervals."""
    figure, axes = _figure(7.6, 0.9 + 0.34 * len(matches))
    for row, match in enumerate(matches):
        score = match.score()
        axes.barh(row, 100 * score.share, color=BLUE, height=0.62)
        axes.plot([100 * score.low, 100 * score.high], [row, row], color=INK, linewidth=1.2)
        axes.text(101.5, row, f"{100 * score.share:.0f} %", va="center", fontsize=8, color=INK)
    axes.set_yticks(range(len(matches)), [match.names[1] for match in matches])
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("points taken, %, a draw counting half")
    axes.grid(axis="y", visible=False)
    return _svg(figure, "Share of the points against each rung of the ladder")


def board(blunder: Blunder) -> str:
    """A board with the stones, the move played (crossed) and the right ones (ringed)."""
    cell, radius = 26, 10
    array = blunder.position.to_array()
    width, height = COLUMNS * cell + 8, (ROWS + 1) * cell + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{_spoken(blunder)}">',
        f'<rect x="2" y="{cell + 2}" width="{width - 4}" height="{height - cell - 4}" rx="8" fill="{BOARD}"/>',
    ]
    for row in range(ROWS):
        for column in range(COLUMNS):
            colour = (HOLE, FIRST, SECOND)[array[row, column]]
            x, y = 4 + cell * column + cell / 2, 4 + cell * (row + 1) + cell / 2
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{colour}"/>')
    for column in range(COLUMNS):
        x, y = 4 + cell * column + cell / 2, cell / 2 + 2
        if column in blunder.right:
            parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="6" fill="none" stroke="#2b8a3e" stroke-width="2.5"/>')
        if column == blunder.column:
            cross = f"M{x - 5:g} {y - 5:g} l10 10 m0 -10 l-10 10"
            parts.append(f'<path d="{cross}" stroke="{SECOND}" stroke-width="2.5" fill="none"/>')
    return "".join([*parts, "</svg>"])


def _spoken(blunder: Blunder) -> str:
    played = "failed" if blunder.column < 0 else f"played column {blunder.column + 1}"
    right = " or ".join(str(column + 1) for column in blunder.right)
    return f"Board with {blunder.position.ply} stones; {played}; right: {right or 'not known'}"


def _figure(width: float, height: float) -> tuple[Any, Any]:
    with needs_extra():
        import matplotlib as mpl
        from matplotlib.figure import Figure
    with mpl.rc_context({"font.family": "sans-serif", "font.size": 9}):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(MUTED)
    axes.tick_params(colors=INK, labelsize=8)
    axes.grid(color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def _svg(figure: Any, title: str) -> str:
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": title}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Title": title}, transparent=True)
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]
