"""An evaluation as ``report.md``, ``report.html`` (one file, no network) and ``report.json``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Final

from c4agents.arena import plots
from c4agents.arena.accuracy import Accuracy, Blunder, Judgement
from c4agents.arena.evaluation import Evaluation, describe_score
from c4agents.arena.storing import write_json, write_text

Table = tuple[Sequence[str], list[Sequence[str]]]
"""Headings, and rows of cells."""

_STYLE: Final = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2933; background: #fff; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: .9rem; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid #e4e7eb; white-space: nowrap; }
th { white-space: normal; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 11rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
.headline { display: flex; flex-wrap: wrap; gap: 1rem; }
.headline div { flex: 1 1 10rem; background: #f3f6fa; border-radius: .6rem; padding: .8rem 1rem; }
.headline b { display: block; font-size: 1.5rem; } .headline span { color: #52606d; font-size: .85rem; }
.boards { display: flex; flex-wrap: wrap; gap: 1.4rem; } .boards figure { margin: 0; width: 13rem; }
figcaption, .note { color: #52606d; font-size: .85rem; }
"""


def write_report(evaluation: Evaluation, folder: Path) -> list[Path]:
    """Write the three files into ``folder``; returns their paths.

    Raises:
        ValueError: They can't be written.
    """
    paths = [folder / "report.md", folder / "report.html", folder / "report.json"]
    write_text(paths[0], markdown(evaluation))
    write_text(paths[1], page(evaluation))
    write_json(paths[2], evaluation.summary())
    return paths


def markdown(evaluation: Evaluation) -> str:
    """The report as Markdown, boards as text."""
    lines = [f"# Report card: {evaluation.agent}", ""]
    if evaluation.fingerprint:
        lines += [f"sha256 `{evaluation.fingerprint}`", ""]
    for heading, note, table in _sections(evaluation):
        lines += [f"## {heading}", "", note, "", *_markdown_table(table), ""]
    blunders = evaluation.accuracy.blunders()
    lines += ["## Worst blunders", ""]
    lines += ["None: no move gave away the outcome.", ""] if not blunders else []
    for blunder in blunders:
        lines += [_caption(blunder), "", "```", str(blunder.position), "```", ""]
    failures = _failures(evaluation)
    if failures:
        lines += ["## Failures", "", *(f"- {failure}" for failure in failures), ""]
    return "\n".join([*lines, _footer(evaluation), ""])


def page(evaluation: Evaluation) -> str:
    """The report as one HTML page."""
    name = escape(evaluation.agent)
    parts = [f"<h1>Report card: {name}</h1>"]
    if evaluation.fingerprint:
        parts.append(f'<p class="note">sha256 {evaluation.fingerprint}</p>')
    parts.append(_headline(evaluation))
    pictures = {"Moves": plots.accuracy_by_ply(evaluation.accuracy)}
    if evaluation.rungs:
        pictures["Ladder"] = plots.score_by_rung(evaluation.rungs)
    for heading, note, table in _sections(evaluation):
        parts.append(f"<h2>{escape(heading)}</h2><p>{escape(note)}</p>")
        parts.append(pictures.get(heading, ""))
        parts.append(_html_table(table))
    parts.append("<h2>Worst blunders</h2>")
    blunders = evaluation.accuracy.blunders()
    if blunders:
        parts.append(
            "<p>Yellow is O and moves first. A cross marks the column played, a ring those that were right.</p>"
        )
        figures = (
            f"<figure>{plots.board(blunder)}<figcaption>{escape(_caption(blunder))}</figcaption></figure>"
            for blunder in blunders
        )
        parts.append(f'<div class="boards">{"".join(figures)}</div>')
    else:
        parts.append("<p>None: no move gave away the outcome.</p>")
    failures = _failures(evaluation)
    if failures:
        items = "".join(f"<li>{escape(failure)}</li>" for failure in failures)
        parts.append(f"<h2>Failures</h2><ul>{items}</ul>")
    parts.append(f'<p class="note">{escape(_footer(evaluation))}</p>')
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Report card: {name}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _sections(evaluation: Evaluation) -> Iterable[tuple[str, str, Table]]:
    judged = evaluation.accuracy
    yield (
        "Moves",
        f"Against exact scores on {len(judged.positions):,} positions of {judged.positions.name}. "
        "A position is decisive if some column would give away the outcome. "
        "Regret is in score points: one point is a win one move later, or a loss one move sooner.",
        _accuracy_table(judged),
    )
    for other in evaluation.others:
        yield f"Moves on {other.positions.name}", f"{len(other.positions):,} positions.", _accuracy_table(other)
    if evaluation.perfect:
        yield (
            "Perfect play",
            "From the empty board, where the first player can force a win. Perfect play draws equally good columns "
            "at random.",
            (
                ("opponent", "seat", "wins", "draws", "losses", "mean plies", "distinct games"),
                [
                    (
                        result.opponent,
                        result.seat,
                        *(str(count) for count in result.tally),
                        f"{result.mean_plies:.1f}",
                        str(len({game.moves for game in result.games})),
                    )
                    for result in evaluation.perfect
                ],
            ),
        )
    if evaluation.rungs:
        yield (
            "Ladder",
            "Each opening is played from both seats. The score counts a draw half; brackets are 95 % intervals.",
            (
                ("against", "score", "wins", "draws", "losses", "moving first", "moving second", "distinct", "ms/move"),
                [
                    (
                        match.names[1],
                        str(match.score()),
                        *(str(count) for count in match.tally()),
                        "-".join(map(str, match.tally(0, 0))),
                        "-".join(map(str, match.tally(0, 1))),
                        f"{match.distinct}/{len(match.games)}",
                        f"{1000 * match.seconds_per_move(0):.2f}",
                    )
                    for match in evaluation.rungs
                ],
            ),
        )


def _accuracy_table(judged: Judgement) -> Table:
    decisive = judged.positions.decisive
    rows: list[tuple[str, Accuracy]] = [("all", judged.accuracy())]
    rows += judged.by_phase().items()
    if decisive is not None:
        rows.append(("decisive", judged.accuracy(decisive)))
        rows += ((f"decisive, {phase}", one) for phase, one in judged.by_phase(decisive).items())
    cells = [
        (name, f"{one.positions:,}", str(one.preserving), str(one.best), f"{one.regret:.3f}") for name, one in rows
    ]
    return ("positions", "number", "keeps the outcome", "fastest win, latest loss", "mean regret"), list(cells)


def _headline(evaluation: Evaluation) -> str:
    judged = evaluation.accuracy
    decisive = judged.positions.decisive
    boxes = [(f"{judged.accuracy().best.share:.1%}", "of all moves are the best there is")]
    if decisive is not None:
        boxes.append((f"{judged.accuracy(decisive).preserving.share:.1%}", "keep the outcome where it is at stake"))
    boxes.append((f"{judged.accuracy().regret:.2f}", "points of mean regret"))
    if evaluation.rungs:
        best = evaluation.rungs[-1]
        boxes.append((f"{best.score().share:.0%}", f"of the points against {best.names[1]}"))
    inside = "".join(f"<div><b>{value}</b><span>{escape(text)}</span></div>" for value, text in boxes)
    return f'<div class="headline">{inside}</div>'


def _caption(blunder: Blunder) -> str:
    position = blunder.position
    who = "OX"[position.player]
    had = describe_score(blunder.best, position)
    if blunder.note:
        return f"{who} to move ({had}) {blunder.note}."
    right = " or ".join(str(column + 1) for column in blunder.right)
    instead = f", right was {right}" if right else ""
    got = describe_score(blunder.got, position)
    return f"{who} to move played {blunder.column + 1}{instead}: {had} became {got}."


def _failures(evaluation: Evaluation) -> list[str]:
    found = [f"{evaluation.agent} {reason}" for reason in list(evaluation.accuracy.failures.values())[:5]]
    games = [game for result in evaluation.perfect for game in result.games]
    games += [game for match in evaluation.rungs for game in match.games]
    return found + [str(game.failure) for game in games if game.failure][:20]


def _footer(evaluation: Evaluation) -> str:
    return f"{evaluation.summary()['made_with']}, seed {evaluation.seed}, {evaluation.seconds:.0f} s."


def _markdown_table(table: Table) -> list[str]:
    headings, rows = table
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def _html_table(table: Table) -> str:
    headings, rows = table
    head = "".join(f"<th>{escape(cell)}</th>" for cell in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
