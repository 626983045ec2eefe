"""What the page is told: moves, exact scores, opinions and search trees, as JSON objects. Columns are 0 to 6."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from typing import Any, Final

from c4agents.agent import Agent, warm_up
from c4agents.evaluations import plies_to_end
from c4agents.search.tree import SearchTree, TreeNode, build_tree
from c4agents.solver import SearchLimit, Solver, SolverAgent
from c4env.position import Position
from c4play.commands.analyse import format_score
from c4play.verdicts import describe_score, judge
from c4play.web.specs import Agents, Spec

log = logging.getLogger(__name__)

SOLVER_SECONDS: Final = 10.0
_REMEMBERED: Final = 20_000
_SIGNS: Final = {"exact": "", "at least": "≥ ", "at most": "≤ "}


class Answers:
    """Answers to the page's questions. All methods may be called from several threads.

    Args:
        agents: Who may be asked.
    """

    def __init__(self, agents: Agents) -> None:
        self._agents = agents
        self._solver = Solver(seconds=SOLVER_SECONDS)
        self._scores: OrderedDict[int, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Load the compiled code of the solver and of a search, so that the first answers don't wait for it."""
        self._solver.scores(Position.from_moves("44444"))
        for spec in ("solver", "hard", "rules"):
            self._agents.ask(self._agents.check(spec), lambda agent: warm_up(self._limited(agent)))

    def solved(self, position: Position) -> dict[str, Any] | None:
        """The exact scores if they were asked for before, else None."""
        with self._lock:
            return self._scores.get(position.key) if position.rules == "first-four" else None

    def solve(self, position: Position) -> dict[str, Any]:
        """The exact score of every column.

        Returns:
            ``score`` of the position and ``text`` that says it; ``columns``: for each column its ``score``, ``text``
            and what playing it would be (``grade``), None if it is full. All for the side to move.

        Raises:
            ValueError: The rules are not first-four, or it took too long.
        """
        known = self.solved(position)
        if known is not None:
            return known
        try:
            scores = self._solver.scores(position)
        except SearchLimit:
            raise ValueError(f"not solved within {SOLVER_SECONDS:g} s; it is quicker a few moves later") from None
        best = max(score for score in scores if score is not None)
        answer = {
            "score": best,
            "text": describe_score(best, position.ply),
            "columns": [
                None
                if score is None
                else {
                    "score": score,
                    "text": describe_score(score, position.ply),
                    "grade": judge(scores, column).grade,
                }
                for column, score in enumerate(scores)
            ],
        }
        with self._lock:
            self._scores[position.key] = answer
            if len(self._scores) > _REMEMBERED:
                self._scores.popitem(last=False)
        return answer

    def move(self, spec: Spec, position: Position) -> dict[str, Any]:
        """The column an agent plays. Unless its spec gives a seed, its randomness starts anew each time."""

        def ask(agent: Agent) -> int:
            if not spec.seeded:
                agent.seed(secrets.randbits(62))
            return int(self._limited(agent).act(position))

        column = self._asked(spec, ask)
        if column not in position.legal:
            raise ValueError(f"{spec.shown} chose a column that can't be played")
        return {"column": column}

    def analyse(self, spec: Spec, position: Position) -> dict[str, Any]:
        """What an agent thinks: the fields of an Analysis, and its scores as people read them (``texts``)."""
        found = self._asked(spec, lambda agent: self._limited(agent).analyse(position))
        return {
            "agent": spec.shown,
            "column": found.column,
            "kind": found.kind,
            "scores": found.scores,
            "texts": [_opinion(score, found.kind, position.ply) for score in found.scores],
            "line": found.line,
            "nodes": found.nodes,
            "seconds": found.seconds,
            "visits": found.visits,
            "depth": found.depth,
            "value": found.value,
        }

    def _asked(self, spec: Spec, question: Any) -> Any:
        try:
            return self._agents.ask(spec, question)
        except SearchLimit:
            raise ValueError(f"not solved within {SOLVER_SECONDS:g} s; it is quicker a few moves later") from None
        except ValueError:
            raise
        except Exception as error:  # it may be anybody's code
            log.exception("%s failed", spec.shown)
            raise ValueError(f"{spec.shown} can't go on: {error}") from None

    def _limited(self, agent: Agent) -> Agent:
        """The agent, told to give up in time if it is one that solves."""
        if isinstance(agent, SolverAgent):
            agent.solver = self._solver
        return agent


def search_tree(position: Position, evaluation: str, depth: int, pruning: bool) -> dict[str, Any]:
    """The search tree of a position; a node is [column, value as text, kind, columns cut, children]."""
    tree = build_tree(position, evaluation=evaluation, depth=depth, pruning=pruning)
    return {"nodes": tree.nodes, "best": tree.best, "root": _node(tree.root, tree)}


def _node(node: TreeNode, tree: SearchTree) -> list[Any]:
    children = [_node(child, tree) for child in node.children]
    text = _SIGNS[node.bound] + _opinion(node.value, "value", tree.position.ply)
    return [node.column, text, node.kind, list(node.cut), children]


def _opinion(score: float | None, kind: str, ply: int) -> str:
    """A column's number as the page shows it: ends of the game counted as in :func:`describe_score`."""
    if score is not None and kind == "score":
        return describe_score(int(score), ply)
    plies = None if score is None or kind == "probability" else plies_to_end(score, ply)
    if score is None or plies is None:
        return format_score(score, kind, ply)
    return f"{'win' if score > 0 else 'loss'} in {(plies + 1) // 2}"
