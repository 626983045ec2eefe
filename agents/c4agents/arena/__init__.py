"""How good is this agent? Matches, ratings, exact accuracy, and proof.

``play_match``, ``play_ladder``, ``evaluate_agent`` and ``certify`` take agents in any form: a spec string, a function
``Position -> column``, an object with ``act``, or ``"module:attribute"``. Names are loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from c4agents.arena.accuracy import Accuracy, Judgement, judge
    from c4agents.arena.certificate import Certificate, Counterexample, read_certificate
    from c4agents.arena.certification import Leaks, certify
    from c4agents.arena.evaluation import Evaluation, evaluate_agent
    from c4agents.arena.games import Game, play_game
    from c4agents.arena.labelled import LabelledPositions, evaluation_set, read_positions
    from c4agents.arena.ladder import LadderResult, play_ladder
    from c4agents.arena.match import MatchResult, play_match
    from c4agents.arena.periodic import ModelAgent, PeriodicEvaluation, sb3_callback
    from c4agents.arena.players import load_player
    from c4agents.arena.ratings import Rating, rate
    from c4agents.arena.report import write_report

_HOMES = {
    "accuracy": ("Accuracy", "Judgement", "judge"),
    "certificate": ("Certificate", "Counterexample", "read_certificate"),
    "certification": ("Leaks", "certify"),
    "evaluation": ("Evaluation", "evaluate_agent"),
    "games": ("Game", "play_game"),
    "labelled": ("LabelledPositions", "evaluation_set", "read_positions"),
    "ladder": ("LadderResult", "play_ladder"),
    "match": ("MatchResult", "play_match"),
    "periodic": ("ModelAgent", "PeriodicEvaluation", "sb3_callback"),
    "players": ("load_player",),
    "ratings": ("Rating", "rate"),
    "report": ("write_report",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"c4agents.arena.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Accuracy",
    "Certificate",
    "Counterexample",
    "Evaluation",
    "Game",
    "Judgement",
    "LabelledPositions",
    "LadderResult",
    "Leaks",
    "MatchResult",
    "ModelAgent",
    "PeriodicEvaluation",
    "Rating",
    "certify",
    "evaluate_agent",
    "evaluation_set",
    "judge",
    "load_player",
    "play_game",
    "play_ladder",
    "play_match",
    "rate",
    "read_certificate",
    "read_positions",
    "sb3_callback",
    "write_report",
]
