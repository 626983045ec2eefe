"""What the server answers, against the Python API."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import c4agents
from c4agents import registry
from c4agents.registry import Entry
from c4agents.search.tree import build_tree
from c4agents.solver import Solver
from c4env.position import Position
from c4play.verdicts import describe_score, judge
from c4play.web import specs
from c4play.web.app import create_app
from tests.c4play.web.asgi import post, request


def random_moves(generator: random.Random, plies: int, rules: str = "first-four") -> str:
    """A game of ``plies`` moves that is not over."""
    while True:
        moves, position = "", Position(rules=rules)
        while position.ply < plies and not position.is_over:
            column = generator.choice(position.legal)
            moves, position = moves + str(column + 1), position.play(column)
        if not position.is_over:
            return moves


def test_exact_scores_words_and_grades_are_those_of_the_solver(app):
    generator, solver = random.Random(1), Solver()
    for moves in ["", *(random_moves(generator, generator.randint(12, 40)) for _ in range(40))]:
        position = Position.from_moves(moves)
        scores = solver.scores(position)
        for _ in range(2):  # the second answer is remembered
            answer = post(app, "solve", moves=moves).json
            assert answer["score"] == solver.score(position)
            assert answer["text"] == describe_score(answer["score"], position.ply)
            for column, found in enumerate(answer["columns"]):
                if scores[column] is None:
                    assert found is None
                else:
                    text = describe_score(scores[column], position.ply)
                    assert found == {
                        "score": scores[column],
                        "text": text,
                        "grade": judge(scores, column).grade,
                    }


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
@pytest.mark.parametrize("spec", ["hard", "minimax:depth=3", "alphabeta:eval=chains,depth=5", "mcts:simulations=300"])
def test_an_opinion_is_the_agent_s(app, spec, rules):
    generator = random.Random(2)
    for _ in range(3):
        moves = random_moves(generator, generator.randint(0, 30), rules)
        expected = c4agents.make(spec).analyse(Position.from_moves(moves, rules))
        found = post(app, "analyse", agent=spec, moves=moves, rules=rules).json
        assert found["column"] == expected.column
        assert tuple(found["scores"]) == expected.scores
        assert (found["nodes"], found["depth"]) == (expected.nodes, expected.depth)
        assert tuple(found["line"]) == expected.line
        assert len(found["texts"]) == 7


def test_every_agent_that_can_be_made_moves_and_those_that_cannot_say_why(app):
    listed = request(app, "GET", "/api/agents").json["agents"]
    assert {agent["name"] for agent in listed} >= set(registry.entries())
    for agent in listed:
        answer = post(app, "move", agent=agent["name"], moves="4453")
        if agent["problem"] is None:
            assert answer.status == 200
            assert answer.json["column"] in range(7)
        else:
            assert answer.status == 400
            assert answer.json["error"] == agent["problem"]


def test_an_agent_that_cannot_be_made_is_listed_with_a_sentence(app, monkeypatch):
    monkeypatch.setitem(registry._registered, "broken", Entry("broken", "for a test", f"{__name__}:refuse"))
    listed = {agent["name"]: agent for agent in request(app, "GET", "/api/agents").json["agents"]}
    assert listed["broken"]["problem"] == "it has no weights"
    assert listed["hard"]["problem"] is None


def refuse(**_options: Any) -> Any:
    raise ValueError("it has no weights")


def test_an_agent_that_fails_while_it_plays_is_answered_with_a_sentence(app, monkeypatch):
    monkeypatch.setitem(registry._registered, "fragile", Entry("fragile", "for a test", f"{__name__}:Fragile"))
    for question in ("move", "analyse"):
        answer = post(app, question, agent="fragile")
        assert answer.status == 400
        assert answer.json["error"] == "fragile can't go on: out of ideas"


class Fragile:
    def __init__(self, name: str) -> None:
        self.name = name

    def seed(self, _seed: int) -> None: ...

    def act(self, _position: Position) -> int:
        raise RuntimeError("out of ideas")

    analyse = act


def test_randomness_starts_anew_unless_the_spec_says_where(app):
    free = {post(app, "move", agent="random").json["column"] for _ in range(40)}
    held = {post(app, "move", agent="random:seed=5").json["column"] for _ in range(20)}
    assert len(free) > 1
    assert len(held) <= len(free)


def test_perfect_play_is_perfect_here_too(app):
    generator, solver = random.Random(3), Solver()
    for _ in range(10):
        position = Position.from_moves(moves := random_moves(generator, 20))
        column = post(app, "move", agent="solver", moves=moves).json["column"]
        assert column in solver.best_columns(position)


@pytest.mark.parametrize("pruning", [True, False])
@pytest.mark.parametrize("depth", [1, 3, 4])
def test_the_tree_has_the_nodes_and_cuts_of_the_search(app, pruning, depth):
    tree = build_tree(Position.from_moves("4453"), evaluation="chains", depth=depth, pruning=pruning)
    found = post(app, "tree", moves="4453", evaluation="chains", depth=depth, pruning=pruning).json
    assert (found["nodes"], found["best"]) == (tree.nodes, tree.best)

    def walk(node: list[Any]) -> Any:
        yield node
        for child in node[4]:
            yield from walk(child)

    ours = [(column, kind, tuple(cut)) for column, _, kind, cut, _ in walk(found["root"])]
    assert ours == [(node.column, node.kind, node.cut) for node in tree.root.walk()]
    assert any(cut for _, _, cut in ours) == (pruning and depth > 1)


@pytest.mark.parametrize(
    ("question", "fields", "sentence"),
    [
        ("solve", {"moves": "48"}, "ply 2: '8' is not a column"),
        ("solve", {"moves": "4444444"}, "column 4 is full"),
        ("solve", {"moves": "1212121"}, "the game is over"),
        ("solve", {"moves": "1" * 43}, "at most 42 moves"),
        ("solve", {"moves": 4453}, "moves is text"),
        ("solve", {"rules": "most-fours"}, "first-four"),
        ("solve", {"rules": "five"}, "rules are"),
        ("solve", {"depth": 3}, "no field 'depth'"),
        ("move", {"moves": "4"}, "agent is missing"),
        ("move", {"agent": "hrd"}, "did you mean 'hard'?"),
        ("move", {"agent": "minimax:depth=12"}, "at most 8"),
        ("move", {"agent": "mcts:seconds=60"}, "at most 5"),
        ("move", {"agent": "x" * 500}, "at most 200 characters"),
        ("analyse", {"agent": "mcts:simulations=2000000"}, "at most 1e+06"),
        ("tree", {"depth": 9}, "from 1 to 5"),
        ("tree", {"depth": True}, "depth is a whole number"),
        ("tree", {"depth": 2.0}, "depth is a whole number"),
        ("tree", {"evaluation": "magic"}, "evaluations are outcome"),
    ],
)
def test_a_mistake_is_answered_with_a_sentence(app, question, fields, sentence):
    answer = post(app, question, **fields)
    assert answer.status == 400
    assert sentence in answer.json["error"]


def test_deep_alphabeta_gets_a_time_limit_and_what_takes_long_is_heavy():
    agents = specs.Agents()
    assert "seconds=5" in agents.check("alphabeta:depth=30").made_from
    assert agents.check("alphabeta:depth=8,eval=windows").made_from == "alphabeta:eval=windows,depth=8"
    for heavy in ("alphabeta:depth=12", "minimax:depth=8", "mcts:simulations=100000", "mcts:seconds=1"):
        assert agents.check(heavy).heavy
    for light in ("random", "hard", "solver", "minimax:depth=5", "mcts", "policy", "alphabeta:depth=10"):
        assert not agents.check(light).heavy


def test_models_of_the_folder_play_by_name_and_no_other_file_does(tmp_path: Path):
    from tests.c4play.web.models import write_model

    write_model(tmp_path / "models" / "mine" / "policy.safetensors")
    write_model(tmp_path / "secret.safetensors")
    (tmp_path / "models" / "link.safetensors").symlink_to(tmp_path / "secret.safetensors")
    app = create_app(tmp_path / "models")
    listed = {agent["name"]: agent for agent in request(app, "GET", "/api/agents").json["agents"]}
    path = next(option for option in listed["policy"]["options"] if option["name"] == "path")
    assert path["choices"] == ["mine/policy"]
    for spec in ("policy:mine/policy", "policy:path=mine/policy,search=20"):
        found = post(app, "analyse", agent=spec, moves="4453")
        assert found.status == 200, found.json
        assert found.json["value"] is not None
    for spec in (
        "policy:link",
        "policy:../secret",
        f"policy:{tmp_path}/secret.safetensors",
        "policy:mine/../../secret",
    ):
        refused = post(app, "move", agent=spec)
        assert refused.status == 400
        assert "there is no model" in refused.json["error"]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(ValueError, match="there is no folder"):
        create_app(tmp_path / "nowhere")
