"""Search trees: their values, what is cut, and each way of writing them."""

from __future__ import annotations

import json
import random
from xml.etree import ElementTree

import pytest

from c4agents.evaluations import EVALUATIONS
from c4agents.search.agents import MinimaxAgent
from c4agents.search.tree import TreeNode, build_tree
from c4agents.search.tree_export import to_dot, to_json, to_svg, to_text
from c4env.bitboard import RULES
from c4env.position import Position
from tests.c4agents import oracle


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("name", EVALUATIONS)
@pytest.mark.parametrize("pruning", [True, False])
def test_the_root_has_the_search_value_and_choice(name, rules, pruning):
    rng = random.Random(name)
    for depth in (1, 2, 3, 4):
        position = oracle.random_position(rng, rules)
        report = MinimaxAgent(eval=name, depth=depth).search(position)
        tree = build_tree(position, evaluation=name, depth=depth, pruning=pruning)
        assert (tree.root.value, tree.best) == (report.value, report.column)
        assert tree.nodes == sum(1 for _ in tree.root.walk())
        if pruning:
            assert tree.nodes <= report.nodes
        else:
            assert tree.nodes == report.nodes
            assert all(node.bound == "exact" and not node.cut for node in tree.root.walk())


def test_bounds_are_true_and_every_legal_column_is_searched_or_cut():
    rng = random.Random(2)
    cuts = 0

    def check(pruned: TreeNode, plain: TreeNode, position: Position) -> None:
        nonlocal cuts
        if pruned.bound == "exact":
            assert pruned.value == plain.value
        elif pruned.bound == "at least":
            assert pruned.value <= plain.value
        else:
            assert pruned.value >= plain.value
        if pruned.kind == "inner":
            assert sorted([child.column for child in pruned.children] + list(pruned.cut)) == list(position.legal)
        cuts += len(pruned.cut)
        twins = {child.column: child for child in plain.children}
        for child in pruned.children:
            check(child, twins[child.column], position.play(child.column))

    for _ in range(10):
        position = oracle.random_position(rng)
        trees = [build_tree(position, depth=4, pruning=pruning) for pruning in (True, False)]
        check(trees[0].root, trees[1].root, position)
    assert cuts > 100


def test_the_originals_counts():
    position = Position.from_moves("4", "most-fours")
    for depth, plain, pruned in ((3, 400, 234), (5, 19_608, 4_290)):
        assert build_tree(position, evaluation="chains", depth=depth, pruning=False).nodes == plain
        assert build_tree(position, evaluation="chains", depth=depth).nodes <= pruned


def test_text_shows_every_node_and_cut():
    tree = build_tree(Position.from_moves("121212"), depth=3)
    lines = to_text(tree).splitlines()
    cuts = sum(1 for node in tree.root.walk() if node.cut)
    assert len(lines) == 1 + tree.nodes + cuts
    assert lines[0].startswith("alpha-beta, evaluation windows, depth 3")
    assert lines[1] == "root max won in 1"
    assert "  1 end won in 1" in lines


def test_json_is_the_tree():
    tree = build_tree(Position.from_moves("4453"), depth=3)
    read = json.loads(to_json(tree))

    def count(node):
        return 1 + sum(count(child) for child in node["children"])

    assert count(read["root"]) == read["nodes"] == tree.nodes
    assert read["best"] == tree.best
    assert read["root"]["value"] == tree.root.value


def test_dot_has_an_edge_to_every_child_and_cut():
    tree = build_tree(Position.from_moves("4453"), depth=3)
    dot = to_dot(tree)
    cut = sum(len(node.cut) for node in tree.root.walk())
    assert dot.count("->") == tree.nodes - 1 + cut
    assert dot.count("style=dashed") == cut
    assert dot.startswith("digraph")
    assert dot.rstrip().endswith("}")


def test_svg_is_well_formed_and_draws_every_node():
    tree = build_tree(Position.from_moves("4453"), depth=3)
    root = ElementTree.fromstring(to_svg(tree))
    texts = [element for element in root.iter() if element.tag.endswith("text")]
    by_class = {name: [t for t in texts if t.get("class") == name] for name in ("max", "min", "cut")}
    assert len(by_class["max"]) + len(by_class["min"]) == tree.nodes
    assert len(by_class["cut"]) == sum(1 for node in tree.root.walk() if node.cut)
    # No two labels lie on one another.
    places = [(t.get("x"), t.get("y")) for name in by_class for t in by_class[name]]
    assert len(places) == len(set(places))


@pytest.mark.parametrize(
    ("moves", "options", "message"),
    [
        ("1212121", {}, "the game is over"),
        ("", {"depth": 0}, "from 1 to 42, not 0"),
        ("", {"evaluation": "lins"}, "evaluations are outcome, lines"),
    ],
)
def test_bad_input_is_refused(moves, options, message):
    with pytest.raises(ValueError, match=message):
        build_tree(Position.from_moves(moves), **options)


def test_too_large_a_picture_is_refused():
    with pytest.raises(ValueError, match="take a smaller depth"):
        to_svg(build_tree(Position(), depth=6, pruning=False))
