"""The report card of an agent: against the ladder, against perfect play, and move by move."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from c4agents.arena.accuracy import Blunder, Judgement, judge
from c4agents.arena.exact import Oracle, solver
from c4agents.arena.labelled import LabelledPositions, evaluation_set
from c4agents.arena.ladder import RUNGS
from c4agents.arena.match import MatchResult, play_match
from c4agents.arena.perfect import PerfectResult, against_perfect
from c4agents.arena.players import PlayerLike, fingerprint, load_player, player_name
from c4env.position import Position

EvaluationProgress = Callable[[str, int, int], None]
"""Told what is being done, and how many of how many of it are done."""

DEFAULT_RUNGS: Final = tuple(rung for rung in RUNGS if rung != "solver")
"""The ladder without perfect play, which has a section of its own."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Everything that was measured about an agent.

    Attributes:
        agent: Its name.
        fingerprint: sha256 of its weights or source, if it has any.
        accuracy: Its moves on the evaluation set.
        others: Its moves on other sets of positions.
        rungs: Its matches against the ladder; it is agent 0.
        perfect: Its games against perfect play.
        seed: What all randomness came from.
        seconds: Time taken.
    """

    agent: str
    fingerprint: str | None
    accuracy: Judgement
    others: tuple[Judgement, ...]
    rungs: tuple[MatchResult, ...]
    perfect: tuple[PerfectResult, ...]
    seed: int
    seconds: float

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "agent": self.agent,
            "fingerprint": self.fingerprint,
            "made_with": f"c4env {version('c4env')}",
            "seed": self.seed,
            "seconds": self.seconds,
            "accuracy": self.accuracy.summary(),
            "other_sets": [judgement.summary() for judgement in self.others],
            "blunders": [blunder_summary(blunder) for blunder in self.accuracy.blunders()],
            "rungs": [match.summary() for match in self.rungs],
            "perfect_play": [result.summary() for result in self.perfect],
        }


def evaluate_agent(
    player: PlayerLike,
    *,
    games: int = 40,
    rungs: Sequence[PlayerLike] = DEFAULT_RUNGS,
    perfect_games: int = 20,
    sets: Sequence[LabelledPositions] = (),
    positions: LabelledPositions | None = None,
    oracle: Oracle | None = None,
    seed: int = 0,
    seconds: float | None = None,
    workers: int = 1,
    progress: EvaluationProgress | None = None,
) -> Evaluation:
    """Measure an agent.

    Args:
        player: The agent.
        games: Games against each rung, even; 0 for none.
        rungs: The opponents.
        perfect_games: Games from each seat against each kind of perfect play; 0 for none.
        sets: More labelled positions to judge its moves on.
        positions: The evaluation set; the shipped one if not given.
        oracle: Exact values; the solver if not given.
        seed: Decides all randomness.
        seconds: Limit per move in games.
        workers: Processes for the matches.
        progress: Told what is being done.
    """
    started = time.monotonic()

    def tell(what: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(what, done, total) if progress else None

    agent = load_player(player)
    accuracy = judge(player, positions or evaluation_set(), seed=seed, progress=tell("moves on the evaluation set"))
    exact = oracle or (solver() if sets or perfect_games else None)
    others = tuple(judge(player, one, oracle=exact, seed=seed, progress=tell(f"moves on {one.name}")) for one in sets)
    matches = tuple(
        play_match(
            player,
            rung,
            games,
            seed=seed,
            seconds=seconds,
            workers=workers,
            progress=tell(f"games against {player_name(rung)}"),
        )
        for rung in (rungs if games else ())
    )
    perfect: list[PerfectResult] = []
    if perfect_games:
        assert exact is not None
        perfect = against_perfect(
            player, exact, perfect_games, seed=seed, seconds=seconds, progress=tell("games against perfect play")
        )
    return Evaluation(
        player_name(player),
        fingerprint(player, agent),
        accuracy,
        others,
        matches,
        tuple(perfect),
        seed,
        time.monotonic() - started,
    )


def blunder_summary(blunder: Blunder) -> dict[str, Any]:
    """Plain values of a blunder; columns 1 to 7."""
    return {
        "board": str(blunder.position).splitlines()[:-1],
        "to_move": "OX"[blunder.position.player],
        "played": None if blunder.column < 0 else blunder.column + 1,
        "right": [column + 1 for column in blunder.right],
        "best_score": blunder.best,
        "score": blunder.got,
        "note": blunder.note,
    }


def describe_score(score: int, position: Position) -> str:
    """What an exact score means in ``position``, in words."""
    if score == 0:
        return "draw"
    stone = 22 - abs(score)  # each side has 21 stones; +1 wins with the last of them
    mover = position.player if score > 0 else 1 - position.player
    placed = (position.ply + (1 - mover)) // 2
    return f"{'win' if score > 0 else 'loss'} in {stone - placed} moves"
