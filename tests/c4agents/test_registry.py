"""Spec strings: what they build, and how mistakes are answered."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import EntryPoint

import gymnasium
import numpy as np
import pytest

import c4agents
import c4env  # noqa: F401 - registers the environment
from c4agents import registry
from c4agents.agent import Agent
from c4agents.registry import Entry, Option
from c4env.opponents import NativeOpponent, ask
from c4env.position import Position, PositionBatch

SPECS = [
    "random",
    "random:seed=3",
    "rules",
    "minimax:eval=lines,depth=2",
    "alphabeta",
    "alphabeta:eval=windows,depth=5",
    "alphabeta:depth=3,ordering=off,table=no,threats=false,deepening=on",
    "alphabeta:depth=9,seconds=0.01",
    "mcts:simulations=20",
    "mcts:seconds=0.01",
    "easy",
    "medium:eval=chains",
    "hard",
]


@pytest.mark.parametrize("spec", SPECS)
def test_every_agent_keeps_the_contract(spec):
    agent = c4agents.make(spec)
    assert isinstance(agent, Agent)
    assert agent.name == spec
    for rules in ("first-four", "most-fours"):
        positions = [Position.from_moves(moves, rules) for moves in ("", "4453", "1212", "44444433")]
        for position in positions:
            agent.seed(1)
            assert agent.act(position) in position.legal
            analysis = agent.analyse(position)
            assert analysis.column in position.legal
            assert len(analysis.scores) == 7
            assert [column for column in range(7) if analysis.scores[column] is not None] == [
                column for column in range(7) if column in position.legal
            ]
            for column in analysis.line:
                position = position.play(column)
        answers = agent.act_batch(PositionBatch.of(positions))
        assert answers.shape == (4,)
        assert all(column in position.legal for column, position in zip(answers, positions, strict=True))


def test_levels_are_the_three_depths():
    assert [c4agents.make(name).depth for name in ("easy", "medium", "hard")] == [4, 7, 8]


@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("alphabta", ["no agent 'alphabta'", "did you mean 'alphabeta'?", "easy, hard, mcts"]),
        ("", ["no agent ''", "alphabeta"]),
        ("alphabeta:dept=4", ["no option 'dept'", "did you mean 'depth'?", "eval, depth, seconds"]),
        ("alphabeta:eval=window", ["eval is one of outcome", "not 'window'", "did you mean 'windows'?"]),
        ("alphabeta:depth=-1", ["depth is a whole number from 1 to 42, not '-1'"]),
        ("alphabeta:depth=four", ["depth is a whole number from 1 to 42, not 'four'"]),
        ("alphabeta:depth=3,depth=4", ["depth is given twice"]),
        ("alphabeta:5", ["key=value, not '5'", "eval, depth"]),
        ("alphabeta:table=maybe", ["table is on or off, not 'maybe'"]),
        ("alphabeta:seconds=0", ["seconds is a number of at least 0.001, not '0'"]),
        ("alphabeta:seconds=nan", ["not 'nan'"]),
        ("mcts:simulations=0", ["simulations is a whole number from 1"]),
        ("random:colour=red", ["no option 'colour'", "its options are seed"]),
    ],
)
def test_mistakes_are_answered_with_what_would_be_right(spec, parts):
    with pytest.raises(ValueError, match=re.escape(parts[0])) as caught:
        c4agents.make(spec)
    for part in parts:
        assert part in str(caught.value)


def test_a_program_can_register_its_own_with_a_bare_first_option(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {})
    options = (Option("path", str, None, "where"), Option("search", int, 0, "how much"))
    registry.register(Entry("probe", "for this test", f"{__name__}:Probe", options, positional="path"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    agent = c4agents.make("probe:some/file.bin,search=200")
    assert agent.options == {"path": "some/file.bin", "search": 200}
    assert c4agents.make("probe").options == {"path": None, "search": 0}
    with pytest.raises(ValueError, match="path is given twice"):
        c4agents.make("probe:a,path=b")


class Probe:
    def __init__(self, name, **options):
        self.name = name
        self.options = options


def leftmost(spec: str):
    assert spec == "leftmost:x=1"
    return lambda position: position.legal[0]


def test_agents_of_other_packages_are_found_and_adapted(monkeypatch):
    monkeypatch.setitem(sys.modules, "other_package", sys.modules[__name__])
    points = (
        EntryPoint("leftmost", "other_package:leftmost", registry.GROUP),
        EntryPoint("alphabeta", "other_package:leftmost", registry.GROUP),
    )
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    agent = c4agents.make("leftmost:x=1")
    assert isinstance(agent, Agent)
    position = Position.from_moves("111111")
    assert agent.act(position) == 1
    assert agent.act_batch(PositionBatch.of([position, Position()])).tolist() == [1, 0]
    assert agent.analyse(position).column == 1
    assert c4agents.make("alphabeta").depth == 4, "a package cannot take over a name of ours"
    with pytest.raises(ValueError, match="did you mean 'leftmost'"):
        c4agents.make("leftmos")


@pytest.mark.parametrize("name", [entry for entry in registry.entries() if entry != "solver"])  # slow to start
def test_environments_know_every_agent_by_name(name):
    env = gymnasium.make("c4env/ConnectFour-v0", opponent=name, agent_plays="second")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))


@pytest.mark.parametrize("rules", ["first-four", "most-fours"])
@pytest.mark.parametrize("spec", ["alphabeta:depth=4,eval=powers", "rules", "mcts:simulations=10"])
def test_the_vector_environment_gets_its_answers_natively(spec, rules):
    agent = c4agents.make(spec)
    own, occupied, legal = [], [], []
    for moves in ("", "4453", "112233", "44444433", "121212"):
        position = Position.from_moves(moves, rules)
        own.append(position.own)
        occupied.append(position.occupied)
        legal.append(position.legal)
    batch = PositionBatch(np.array(own, dtype=np.int64), np.array(occupied, dtype=np.int64), rules)
    columns = np.full(5, -1, dtype=np.int8)
    streams = np.arange(5, dtype=np.int64)
    assert isinstance(agent, NativeOpponent)
    ask(agent, batch.own, batch.occupied, np.ones(5, dtype=np.bool_), streams, columns, rules)
    assert all(column in columns_with_room for column, columns_with_room in zip(columns, legal, strict=True))
    if agent.deterministic and spec.startswith("alphabeta"):
        assert columns.tolist() == [agent.act(position) for position in batch]


def test_naming_agents_loads_neither_numba_nor_torch():
    code = (
        "import sys, c4agents\n"
        "from c4agents.registry import entries\n"
        "entries()\n"
        "print([name for name in ('numba', 'numpy', 'torch', 'gymnasium') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
