"""Draws certify.svg: the first plies of the walk that `c4 certify hard` makes.

python docs/images/certify_picture.py
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import c4agents
from c4agents.solver import Solver
from c4env.position import Position

WIDTH = 900
ROWS = {0: 70, 2: 230, 4: 390, 6: 490}
INK, PALE = "#33415c", "#9aa5b8"
AGENT, WIN, LEAK = "#2a6fdb", "#2e9e5b", "#d7263d"
STONES = ("#ffffff", "#f4b400", "#e0503b")


@dataclass(frozen=True)
class Node:
    """A position in which the agent is to move: the column it plays, and what comes of it."""

    column: int
    kind: str

    @property
    def color(self) -> str:
        """What it is drawn in."""
        return {"goes on": AGENT, "win": WIN, "leak": LEAK}[self.kind]


def walk(plies: int) -> tuple[dict[int, dict[str, Node]], list[tuple[str, str]]]:
    """The nodes of each even ply by their moves, and an edge for each reply, to the node that stands for it."""
    agent, solver = c4agents.make("hard"), Solver()
    layers: dict[int, dict[str, Node]] = {}
    edges: list[tuple[str, str]] = []
    names = [""]
    for ply in range(0, plies + 1, 2):
        layers[ply] = {}
        children: dict[int, str] = {}
        for moves in names:
            position = Position.from_moves(moves)
            column = agent.act(position)
            after = position.play(column)
            kind = "win"
            if not after.is_over:
                kind = "leak" if -solver.outcome(after) < solver.outcome(position) else "goes on"
            layers[ply][moves] = Node(column, kind)
            for reply in after.legal if kind == "goes on" and ply < plies else ():
                child = after.play(reply)
                name = children.setdefault(min(child.key, child.mirror().key), f"{moves}{column + 1}{reply + 1}")
                edges.append((moves, name))
        names = list(children.values())
    return layers, edges


def board(moves: str, x: float, y: float, node: Node) -> str:
    """A small board centred on (x, y), with the column the agent chooses marked above it."""
    size = 9
    left, top = x - 3.5 * size, y - 3 * size
    cells = Position.from_moves(moves).to_array().tolist()
    drawn = [
        f'<rect x="{left - 3}" y="{top - 3}" width="{7 * size + 6}" height="{6 * size + 6}" rx="4" '
        f'fill="#dfe7f5" stroke="{node.color}" stroke-width="2"/>'
    ]
    for row, values in enumerate(cells):
        for place, value in enumerate(values):
            centre = f'cx="{left + (place + 0.5) * size}" cy="{top + (row + 0.5) * size}"'
            drawn.append(f'<circle {centre} r="3.4" fill="{STONES[value]}"/>')
    arrow = left + (node.column + 0.5) * size
    drawn.append(f'<path d="M{arrow - 4} {top - 13}h8l-4 8z" fill="{node.color}"/>')
    return "".join(drawn)


def text(x: float, y: float, words: str, color: str = INK, anchor: str = "start") -> str:
    """A line of words."""
    return f'<text x="{x:.1f}" y="{y}" fill="{color}" text-anchor="{anchor}">{words}</text>'


def picture() -> str:
    """The whole picture as SVG."""
    layers, edges = walk(6)
    place = {
        moves: (20 + (WIDTH - 230) * (index + 0.5) / len(nodes), ROWS[ply])
        for ply, nodes in layers.items()
        for index, moves in enumerate(nodes)
    }
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 550" '
        'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#ffffff"/>'
    ]
    drawn_before: Counter[tuple[str, str]] = Counter()
    for parent, child in edges:
        (x1, y1), (x2, y2) = place[parent], place[child]
        start, end = y1 + (32 if len(parent) < 4 else 5), y2 - (44 if len(child) < 4 else 5)
        shift = 24 * drawn_before[parent, child]  # several replies that lead to one position lie side by side
        drawn_before[parent, child] += 1
        drawn.append(
            f'<path d="M{x1:.1f} {start}C{x1:.1f} {start + 40} {x2 + shift:.1f} {end - 40} {x2:.1f} {end}" '
            f'fill="none" stroke="{PALE}"/>'
        )
    for ply, nodes in layers.items():
        for moves, node in nodes.items():
            x, y = place[moves]
            dot = f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{node.color}"/>'
            drawn.append(board(moves, x, y, node) if ply < 4 else dot)
    side = WIDTH - 195
    for ply, nodes in layers.items():
        kinds = Counter(node.kind for node in nodes.values())
        lines = [f"{len(nodes)} positions" if ply else "1 position"]
        if kinds["leak"]:
            lines.append(f"{kinds['leak']} leaks, not followed")
        if kinds["win"]:
            lines.append(f"{kinds['win']} wins at once")
        drawn.append(text(side, ROWS[ply] - 8, f"ply {ply}", PALE))
        drawn += [text(side, ROWS[ply] + 10 + 17 * index, line) for index, line in enumerate(lines)]
    drawn.append(text(place[""][0] + 50, ROWS[0] + 4, "the agent plays one column: ▼"))
    drawn.append(text(20, ROWS[0] + 4, "the opponent has seven replies,"))
    drawn.append(text(20, ROWS[0] + 21, "of which mirror images are one"))
    leak = next(moves for moves, node in layers[2].items() if node.kind == "leak")
    drawn.append(text(place[leak][0], ROWS[2] + 50, "leak: a won game given away", LEAK, "middle"))
    drawn.append(text(20, ROWS[6] + 36, "positions that several games lead to are one"))
    return "".join(drawn) + "</svg>\n"


if __name__ == "__main__":
    Path(__file__).with_name("certify.svg").write_text(picture(), encoding="utf-8")
