"""The agents of this package: names, options, and where each is made.

To add one: write a class that has what :class:`c4agents.agent.Agent` asks for, and an
:class:`~c4agents.registry.Entry` here. This module imports none of them.
"""

from __future__ import annotations

from typing import Final

from c4agents.registry import Entry, Option

EVALUATION_NAMES: Final = ("outcome", "lines", "squares", "windows", "powers", "chains")
LEVELS: Final = {"easy": 4, "medium": 7, "hard": 8}
"""Difficulty levels 1, 2 and 3: names and search depths."""

_SEED = Option("seed", int, 0, "start of its random numbers")
_EVALUATION = Option("eval", str, "powers", "evaluation at the depth limit", choices=EVALUATION_NAMES)
_DEPTH = Option("depth", int, 4, "plies to look ahead", least=1, most=42)
_TIES = Option("ties", str, "centre", "which of equally good columns", choices=("centre", "random"))
_SECONDS = Option("seconds", float, None, "time limit per move; none if not given", least=0.001)
_POLICY = (
    Option("search", int, 0, "positions to search per move; 0 plays the network's favourite", most=1_000_000),
    Option("temperature", float, 0.0, "0 plays the favourite; higher draws more freely"),
    Option("exploration", float, 4.0, "with search: weight of the network against what was found"),
    _SEED,
)

CATALOGUE: Final = (
    Entry("random", "a random column with room", "c4agents.simple:RandomAgent", (_SEED,)),
    Entry("rules", "wins at once if it can, else blocks, else random", "c4agents.simple:RulesAgent", (_SEED,)),
    Entry(
        "minimax",
        "plain minimax to a fixed depth, without pruning on purpose",
        "c4agents.search.agents:MinimaxAgent",
        (_EVALUATION, _DEPTH, _TIES, _SEED),
    ),
    Entry(
        "alphabeta",
        "minimax with alpha-beta pruning: the same values from fewer nodes",
        "c4agents.search.agents:make_alphabeta",
        (
            _EVALUATION,
            _DEPTH,
            _SECONDS,
            Option("ordering", bool, True, "search promising columns first"),
            Option("table", bool, True, "remember positions reached before"),
            Option("threats", bool, True, "see wins of one and two plies without searching them"),
            Option("deepening", bool, False, "search depth 1, 2, ... in turn; always on with seconds"),
            _TIES,
            _SEED,
        ),
    ),
    Entry(
        "mcts",
        "Monte Carlo tree search (UCT) with random playouts",
        "c4agents.mcts:make_mcts",
        (
            Option("simulations", int, 1000, "playouts per move", least=1, most=10_000_000),
            Option("seconds", float, None, "time limit per move, instead of simulations", least=0.001),
            Option("exploration", float, 1.0, "weight of rarely tried moves"),
            _SEED,
        ),
    ),
    *(
        Entry(
            name,
            f"level {level}: alpha-beta to depth {depth}",
            "c4agents.search.agents:make_level",
            (_EVALUATION, _TIES, _SEED),
        )
        for level, (name, depth) in enumerate(LEVELS.items(), start=1)
    ),
    Entry(
        "policy",
        "a neural network taught by the solver, or one of your own, without search or with some",
        "c4agents.policy:make_agent",
        (Option("path", str, None, "weights file, as c4 train writes it; the shipped one if not given"), *_POLICY),
        positional="path",
    ),
    Entry(
        "policy-selfplay",
        "a neural network that learned from games, its own and against bots, without search or with some",
        "c4agents.policy:make_selfplay",
        _POLICY,
    ),
    Entry(
        "solver",
        "perfect play: the fastest win, else a draw, else the longest defence",
        "c4agents.solver:SolverAgent",
        (_TIES, Option("noise", float, 0.0, "chance of a random move instead", most=1), _SEED),
    ),
)
