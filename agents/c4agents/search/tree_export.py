"""A search tree as indented text, JSON, Graphviz DOT or SVG. Columns are written 1 to 7."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from html import escape
from typing import Any, Final

from c4agents.evaluations import plies_to_end
from c4agents.search.tree import SearchTree, TreeNode

MAX_DRAWN: Final = 50_000
"""Nodes that a picture may have."""

_BOUND_SIGNS: Final = {"exact": "", "at least": "≥ ", "at most": "≤ "}


def label(node: TreeNode, ply: int) -> str:
    """A node's value as people read it; ``ply`` is the number of stones at the root."""
    plies = plies_to_end(node.value, ply)
    if plies is None:
        text = f"{node.value:g}"
    else:
        text = f"{'won' if node.value > 0 else 'lost'} in {plies}"
    return _BOUND_SIGNS[node.bound] + text


def to_text(tree: SearchTree) -> str:
    """One line per node, indented by depth; ``max`` and ``min`` say who chooses, ``cut`` what was left out."""
    method = "alpha-beta" if tree.pruned else "minimax"
    lines = [f"{method}, evaluation {tree.evaluation}, depth {tree.depth}, {tree.nodes:,} nodes, best {tree.best + 1}"]
    lines.extend(_text_lines(tree.root, 0, tree.position.ply))
    return "\n".join(lines) + "\n"


def _text_lines(node: TreeNode, level: int, ply: int) -> Iterator[str]:
    indent = "  " * level
    name = "root" if node.column is None else str(node.column + 1)
    role = {"inner": " min" if level & 1 else " max", "leaf": "", "end": " end"}[node.kind]
    yield f"{indent}{name}{role} {label(node, ply)}"
    for child in node.children:
        yield from _text_lines(child, level + 1, ply)
    if node.cut:
        yield f"{indent}  cut: {' '.join(str(column + 1) for column in node.cut)}"


def to_json(tree: SearchTree) -> str:
    """The tree as nested objects, columns 0 to 6; values are for the side that searches."""
    return json.dumps(
        {
            "board": tree.position.to_array().tolist(),
            "rules": tree.position.rules,
            "evaluation": tree.evaluation,
            "depth": tree.depth,
            "pruned": tree.pruned,
            "nodes": tree.nodes,
            "best": tree.best,
            "root": _as_dict(tree.root),
        }
    )


def _as_dict(node: TreeNode) -> dict[str, Any]:
    return {
        "column": node.column,
        "value": node.value,
        "bound": node.bound,
        "kind": node.kind,
        "cut": list(node.cut),
        "children": [_as_dict(child) for child in node.children],
    }


def to_dot(tree: SearchTree) -> str:
    """The tree for Graphviz: boxes where the searching side chooses, ellipses where the other does."""
    _check_drawable(tree)
    lines = ["digraph search {", "  rankdir=LR;", '  node [fontname="sans-serif", fontsize=10];']
    numbers = {id(node): number for number, node in enumerate(tree.root.walk())}

    def emit(node: TreeNode, level: int) -> None:
        name = f"n{numbers[id(node)]}"
        shape = "ellipse" if level & 1 else "box"
        lines.append(f'  {name} [label="{label(node, tree.position.ply)}", shape={shape}];')
        for child in node.children:
            assert child.column is not None
            lines.append(f'  {name} -> n{numbers[id(child)]} [label="{child.column + 1}"];')
            emit(child, level + 1)
        for column in node.cut:
            lines.append(f'  {name}c{column} [label="cut", shape=plaintext, fontcolor=gray];')
            lines.append(f'  {name} -> {name}c{column} [label="{column + 1}", style=dashed, color=gray];')

    emit(tree.root, 0)
    lines.append("}")
    return "\n".join(lines) + "\n"


_ROW, _STEP, _MARGIN = 16, 150, 12


def to_svg(tree: SearchTree) -> str:
    """The tree as a picture: the root on the left, leaves below each other, cut branches dashed."""
    _check_drawable(tree)
    shapes: list[str] = []
    rows = 0

    def place(node: TreeNode, level: int) -> float:
        """Draw the node and all below it; returns its height on the page."""
        nonlocal rows
        x = _MARGIN + level * _STEP
        ends: list[tuple[float, int, bool]] = []
        for child in node.children:
            assert child.column is not None
            ends.append((place(child, level + 1), child.column, False))
        if node.cut:
            ends.extend((_MARGIN + _ROW * (rows + 0.5), column, True) for column in node.cut[:1])
            names = " ".join(str(column + 1) for column in node.cut)
            shapes.append(f'<text class="cut" x="{x + _STEP}" y="{ends[-1][0] + 4:g}">cut {names}</text>')
            rows += 1
        if not ends:
            y = _MARGIN + _ROW * (rows + 0.5)
            rows += 1
        else:
            y = (ends[0][0] + ends[-1][0]) / 2
        for end, column, cut in ends:
            style = ' class="cut"' if cut else ""
            shapes.append(f'<path{style} d="M{x + 76} {y:g}L{x + _STEP - 4} {end:g}"/>')
            if not cut:
                shapes.append(f'<text class="move" x="{x + _STEP - 16}" y="{end - 2:g}">{column + 1}</text>')
        role = "min" if level & 1 else "max"
        text = escape(label(node, tree.position.ply))
        shapes.append(f'<text class="{role}" x="{x}" y="{y + 4:g}">{text}</text>')
        return y

    place(tree.root, 0)
    width, height = 2 * _MARGIN + _STEP * tree.depth + 120, 2 * _MARGIN + _ROW * rows
    style = (
        "text{font:11px sans-serif}.max{fill:#b3261e}.min{fill:#1a56b0}.move{fill:#444;font-size:9px}"
        "text.cut{fill:#888}path{stroke:#999;fill:none}path.cut{stroke-dasharray:3 3}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _check_drawable(tree: SearchTree) -> None:
    if tree.nodes > MAX_DRAWN:
        raise ValueError(
            f"a picture of {tree.nodes:,} nodes is too large (at most {MAX_DRAWN:,}); take a smaller depth, or text"
        )


FORMATS: Final[dict[str, Callable[[SearchTree], str]]] = {
    "text": to_text,
    "json": to_json,
    "dot": to_dot,
    "svg": to_svg,
}
"""How to write a tree, by name of the format."""
