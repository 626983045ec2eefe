"""What a walk found: the layers, the counterexamples, the verdict, and the file that says so."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

from c4env.position import Position

Seat = Literal["first", "second"]
FORMAT: Final = "c4env certificate 1"
OUTCOMES: Final = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of which agent; two walks with equal questions must find the same.

    Attributes:
        agent: Its name.
        fingerprint: sha256 of its weights or source file; None if its name says all.
        seat: Whether it moves first or second.
        opening: The moves the game starts from.
        mirrored: Whether mirror images were counted as one position (the agent answers them alike).
        exact: Whether every move was compared with the exact values, and the walk cut at leaks.
        plies: Ply at which the walk was to stop; None for the end of the game.
        frozen: The seed that decided the agent's randomness; None if it has none.
    """

    agent: str
    fingerprint: str | None
    seat: Seat
    opening: str
    mirrored: bool
    exact: bool
    plies: int | None
    frozen: int | None = None


@dataclass(frozen=True, slots=True)
class Layer:
    """The positions with the agent to move after ``ply`` plies.

    Attributes:
        ply: Stones on the board.
        positions: Distinct positions.
        wins: Positions in which the agent's move wins.
        draws: Positions after whose move the game can end drawn at once.
        losses: Positions after whose move the opponent can win at once, or in which the agent fails.
        leaks: Positions in which the agent's move gives away the exact outcome.
        worst_leak: The worst outcome a leak of this layer led to; 1 if there is none.
        digest: sha256 of positions and moves.
    """

    ply: int
    positions: int
    wins: int
    draws: int
    losses: int
    leaks: int
    worst_leak: int
    digest: str


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A game that the agent does not end as well as it should.

    Attributes:
        kind: ``loss``, ``draw``, ``leak`` (its last given move gives the outcome away) or ``failure``.
        moves: The game up to the loss, draw, leak (the bad move included) or failure.
        game: The same game played to its end, after a leak by perfect play against the agent.
        note: What happened, in one line.
    """

    kind: Literal["loss", "draw", "leak", "failure"]
    moves: str
    game: str
    note: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """The result of a walk.

    Attributes:
        question: What was asked.
        layers: What was found, by ply.
        complete: Whether every game was followed to its end, its leak or the ply asked for.
        worst: The worst outcome for the agent over all that was seen: 1, 0, -1; None if no game was decided.
        counterexamples: The shortest ones.
        seconds: Time taken, interruptions not counted.
        made_with: Version of this package.
    """

    question: Question
    layers: tuple[Layer, ...]
    complete: bool
    worst: int | None
    counterexamples: tuple[Counterexample, ...]
    seconds: float
    made_with: str = dataclasses.field(default_factory=lambda: f"c4env {version('c4env')}")

    @property
    def positions(self) -> int:
        """Positions checked."""
        return sum(layer.positions for layer in self.layers)

    @property
    def leaks(self) -> int:
        """Positions in which the agent gave away the outcome; 0 also if exact values were not asked for."""
        return sum(layer.leaks for layer in self.layers)

    @property
    def proven(self) -> bool:
        """Whether the verdict is a proof about all games from the start: nothing was left out and no branch cut."""
        return self.complete and self.question.plies is None and not self.leaks

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        asked = self.question
        where = f"moving {asked.seat}" + (f" after {asked.opening}" if asked.opening else "")
        checked = f"{self.positions:,} positions checked"
        if self.leaks:
            plural = "leak" if self.leaks == 1 else "leaks"
            scope = "" if self.complete and asked.plies is None else " so far"
            return f"{asked.agent} {where}: {self.leaks:,} {plural}{scope}, {checked}"
        if any(layer.losses for layer in self.layers):
            return f"{asked.agent} {where} can be beaten: {checked}"
        if not self.proven:
            found = "no leak" if asked.exact else "no loss"
            return f"{asked.agent} {where}: {found} up to ply {self.layers[-1].ply if self.layers else 0}, {checked}"
        promise = (
            "wins against every possible opponent" if self.worst == 1 else "never loses, whatever the opponent does"
        )
        return f"{asked.agent} {where} {promise}: {checked}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "format": FORMAT,
            "verdict": self.verdict,
            "proven": self.proven,
            "positions": self.positions,
            "leaks": self.leaks,
            **dataclasses.asdict(self),
            "worst": None if self.worst is None else OUTCOMES[self.worst],
        }


def read_certificate(path: Path) -> Certificate:
    """The certificate in a file.

    Raises:
        ValueError: There is none in it.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(f"{path}: this version reads {FORMAT!r}, not {content['format']!r}")
        question = Question(**content["question"])
        layers = tuple(Layer(**layer) for layer in content["layers"])
        examples = tuple(Counterexample(**example) for example in content["counterexamples"])
        values = {name: value for value, name in OUTCOMES.items()}
        worst = None if content["worst"] is None else values[content["worst"]]
        for example in examples:
            Position.from_moves(example.game)
        return Certificate(
            question, layers, content["complete"], worst, examples, content["seconds"], content["made_with"]
        )
    except OSError as error:
        raise ValueError(f"can't read {path}: {error.strerror}") from None
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"{path} is not a certificate") from None


def differences(old: Certificate, new: Certificate) -> list[str]:
    """Where two certificates disagree, in words; what depends on the run (time, version) does not count."""
    found = []
    for field in dataclasses.fields(Question):
        before, after = getattr(old.question, field.name), getattr(new.question, field.name)
        if before != after:
            found.append(f"{field.name}: {before} in the certificate, {after} now")
    if old.question.seat == new.question.seat:
        for was, now in zip(old.layers, new.layers, strict=False):
            if was != now:
                found.append(f"ply {was.ply}: {_brief(was)} in the certificate, {_brief(now)} now")
                break
        if len(old.layers) != len(new.layers):
            found.append(f"layers: {len(old.layers)} in the certificate, {len(new.layers)} now")
    if old.complete != new.complete:
        found.append(f"complete: {old.complete} in the certificate, {new.complete} now")
    if old.worst != new.worst:
        found.append(f"worst outcome: {old.worst} in the certificate, {new.worst} now")
    if old.counterexamples != new.counterexamples:
        found.append("the counterexamples are not the same")
    return found


def _brief(layer: Layer) -> str:
    return f"{layer.positions:,} positions, {layer.losses:,} losses, {layer.leaks:,} leaks, moves {layer.digest[:8]}"
