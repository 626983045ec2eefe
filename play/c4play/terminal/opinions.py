"""Hints and opinions in the terminal: what exact play, or an agent, says of a position."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

import c4agents
from c4env.bitboard import COLUMNS
from c4env.position import Position
from c4play.commands.analyse import describe
from c4play.verdicts import describe_score

WITHOUT_SOLVER = "alphabeta:depth=10"
"""Who gives hints under most-fours, which the solver doesn't play."""


def exact_scores(position: Position) -> tuple[float | None, ...]:
    """The solver's score of every column, from the side to move."""
    return c4agents.make("solver").analyse(position).scores


def hint(console: Console, position: Position) -> None:
    """Show the exact score of every column; under most-fours a deep search's opinion."""
    if position.rules != "first-four":
        with console.status("searching ..."):
            analysis = c4agents.make(WITHOUT_SOLVER).analyse(position)
        console.print(describe(analysis, position.ply), markup=False, highlight=False)
        return
    with console.status("solving ..."):
        scores = exact_scores(position)
    words = [None if score is None else describe_score(int(score), position.ply).split(" in ") for score in scores]
    best = max(score for score in scores if score is not None)
    styles = ["bold green" if score == best else "" for score in scores]
    table = Table("column", *(str(column + 1) for column in range(COLUMNS)))
    table.add_row(
        "result", *(Text(word[0] if word else "full", style) for word, style in zip(words, styles, strict=True))
    )
    table.add_row("in moves", *(word[1] if word and len(word) > 1 else "" for word in words))
    table.add_row("score", *("" if score is None else f"{int(score):+d}" if score else "0" for score in scores))
    console.print(table)
