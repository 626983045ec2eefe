"""Proof about a deterministic agent: walk every game that any opponent can force it into.

Only the opponent chooses, so the games form a graph that is walked breadth first, one layer of positions with the
agent to move after another (:mod:`c4agents.arena.walk`). With exact values a move after which the outcome is worse
for the agent than before it is a *leak*; the walk does not go on behind one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from c4agents.arena.asking import ILLEGAL
from c4agents.arena.certificate import Certificate, Counterexample, Layer, Question, Seat
from c4agents.arena.counterexamples import finished, game_to, roots
from c4agents.arena.exact import Oracle
from c4agents.arena.players import PlayerLike, player_name
from c4agents.arena.storing import write_json
from c4agents.arena.walk import RUN_LIMIT, UNKNOWN, Frontier, Keys, Small, Store, boards, expand
from c4agents.arena.witness import Witness, moves, outcomes_after, outcomes_before
from c4agents.jobs import Crew
from c4env.position import Position

Batch = TypeVar("Batch")

EXAMPLES_KEPT: Final = 10
_CHUNK: Final = 1 << 18
"""Positions expanded in one compiled call."""


@dataclass(frozen=True, slots=True)
class WalkProgress:
    """Where a walk is.

    Attributes:
        ply: The layer.
        doing: ``asking`` the agent, ``checking`` exact values or ``expanding``.
        done: Positions of the layer done with that.
        total: Positions of the layer.
        before: Positions of all layers before.
    """

    ply: int
    doing: str
    done: int
    total: int
    before: int


@dataclass(frozen=True, slots=True)
class Leaks:
    """The leaks of a walk: positions with the agent to move, and what it did there.

    Attributes:
        own: Stones of the agent, int64 [L].
        occupied: All stones, int64 [L].
        column: What it played, int8 [L].
        before: The outcome it had, int8 [L].
        after: The outcome it was left with, int8 [L].
    """

    own: Keys
    occupied: Keys
    column: Small
    before: Small
    after: Small


def certify(
    player: PlayerLike,
    seat: Seat = "first",
    opening: str = "",
    *,
    oracle: Oracle | None = None,
    first: bool = False,
    plies: int | None = None,
    max_positions: int | None = None,
    both_orientations: bool = False,
    freeze: int | None = None,
    folder: Path | None = None,
    run_limit: int = RUN_LIMIT,
    workers: int | Crew = 1,
    progress: Callable[[WalkProgress], None] | None = None,
) -> tuple[Certificate, Leaks]:
    """Walk all games against a deterministic agent.

    Args:
        player: The agent, in any form that :func:`~c4agents.arena.players.load_player` takes.
        seat: Whether it moves ``"first"`` or ``"second"``.
        opening: Moves the games start from; whoever is then to move goes on.
        oracle: Exact values, to find leaks; None to look at the ends of games only.
        first: Stop after the layer with the first loss, failure or leak.
        plies: Do not ask beyond this ply.
        max_positions: Stop before a layer that would make more positions than this.
        both_orientations: Do not count mirror images as one even if the agent declares that it answers them alike.
        freeze: For an agent with randomness: a seed that decides it, position by position.
        folder: Where layers are kept, so that a walk that was interrupted goes on; by default a temporary one.
        run_limit: Children held in memory before they go to disk.
        workers: Processes that ask the agent and the oracle, each about a range of keys; or a crew.
        progress: Told where the walk is.

    Returns:
        The certificate, and the leaks with the agent to move.

    Raises:
        ValueError: The agent is not deterministic, breaks a promise it declares, or the folder holds another walk.
        KeyboardInterrupt: As usual; what was found is in ``folder``.
    """
    witness = Witness(player, oracle, freeze)
    agent = witness.agent
    if not agent.deterministic:
        raise ValueError(
            f"{agent.name} is not deterministic, or does not declare that it is (deterministic = True); "
            "only the position may decide its move, or freeze its randomness by a seed"
        )
    start = Position.from_moves(opening)
    if start.is_over:
        raise ValueError(f"the game is over after {opening}")
    question = Question(
        agent=player_name(player),
        fingerprint=witness.fingerprint,
        seat=seat,
        opening=opening,
        mirrored=agent.mirror_consistent and not both_orientations,
        exact=oracle is not None,
        plies=plies,
        frozen=freeze,
    )
    witness.mirrored = question.mirrored
    with contextlib.ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="c4-certify-")))
        crew = stack.enter_context(Crew.of(workers))
        walk = _Walk(witness, question, start, Store(folder), run_limit, crew, progress or (lambda _: None))
        return walk.run(first, max_positions)


class _Walk:
    """One walk: its layers so far, and what has been found."""

    def __init__(
        self,
        witness: Witness,
        question: Question,
        start: Position,
        store: Store,
        run_limit: int,
        crew: Crew,
        progress: Callable[[WalkProgress], None],
    ) -> None:
        self.witness, self.question, self.start = witness, question, start
        self.agent, self.oracle = witness.agent, witness.oracle
        self.store, self.run_limit, self.crew, self.progress = store, run_limit, crew, progress
        self.layers: list[Layer] = []
        self.seconds = 0.0

    def run(self, first: bool, max_positions: int | None) -> tuple[Certificate, Leaks]:
        """Walk layer by layer until there are no positions left or a limit is reached."""
        self._resume()
        ply = self.start.ply + (self.start.player != (self.question.seat == "second"))
        if not self.store.path("keys", ply).exists():
            keys = roots(self.start, ply, self.question.mirrored)
            self.store.write("parents", ply, np.full(len(keys), -1, np.int32))
            self.store.write("keys", ply, keys)
        ply += 2 * len(self.layers)
        complete = False
        clock = time.monotonic()
        while True:
            size = len(self.store.read("keys", ply))
            bad = sum(layer.losses + layer.leaks for layer in self.layers)
            if size == 0 or (self.question.plies is not None and ply > self.question.plies):
                complete = True
                break
            if (first and bad) or (max_positions is not None and self._count() + size > max_positions):
                break
            self.layers.append(self._layer(ply))
            self.seconds, clock = self.seconds + time.monotonic() - clock, time.monotonic()
            self._save()
            ply += 2
        examples = tuple(self._examples())
        worst = [1] * any(layer.wins for layer in self.layers)
        worst += [0] * any(layer.draws for layer in self.layers) + [-1] * any(layer.losses for layer in self.layers)
        worst += [layer.worst_leak for layer in self.layers if layer.leaks]
        ended = min(worst, default=None)
        certificate = Certificate(self.question, tuple(self.layers), complete, ended, examples, self.seconds)
        return certificate, self._leaks()

    def _layer(self, ply: int) -> Layer:
        keys = self.store.read("keys", ply)
        size = len(keys)
        columns = self.store.fillable("columns", ply, size)
        self._fill(ply, "asking", columns, moves, lambda part: np.array(keys[part]))
        cut = np.zeros(size, np.bool_)
        worst_leak = 1
        if self.oracle is not None:
            before, after = self._values(ply, keys, columns)
            cut = np.asarray(after < before)
            worst_leak = int(after[cut].min(initial=1))
        frontier = Frontier(self.store, ply + 2, self.run_limit)
        outcomes = np.empty(size, np.int8)
        digest = hashlib.sha256()
        for begin in range(0, size, _CHUNK):
            part = slice(begin, min(begin + _CHUNK, size))
            held, played = np.array(keys[part]), np.array(columns[part])
            children, parents = np.empty(7 * len(held), np.int64), np.empty(7 * len(held), np.int32)
            count = expand(held, played, cut[part], self.question.mirrored, begin, children, parents, outcomes[part])
            frontier.add(children[:count], parents[:count])
            digest.update(held.tobytes())
            digest.update(played.tobytes())
            self.progress(WalkProgress(ply, "expanding", part.stop, size, self._count()))
        frontier.finish()
        self.store.write("outcomes", ply, outcomes)
        return Layer(
            ply=ply,
            positions=size,
            wins=int((outcomes == 1).sum()),
            draws=int((outcomes == 0).sum()),
            losses=int((outcomes == -1).sum()),
            leaks=int(cut.sum()),
            worst_leak=worst_leak,
            digest=digest.hexdigest(),
        )

    def _fill(
        self,
        ply: int,
        doing: str,
        target: Small,
        answer: Callable[[Witness, Batch], Small],
        batch: Callable[[slice], Batch],
    ) -> None:
        """Fill in what is ``UNKNOWN`` in ``target``, range by range, so that it is known up to some key."""
        size = len(target)
        missing = np.flatnonzero(np.asarray(target) == UNKNOWN)
        begin = int(missing[0]) if len(missing) else size
        self.progress(WalkProgress(ply, doing, begin, size, self._count()))
        run = self.crew.map_range(answer, size, batch, shared=self.witness, start=begin)
        with contextlib.closing(run):
            for part, answers in run:
                target[part] = answers
                self.progress(WalkProgress(ply, doing, part.stop, size, self._count()))

    def _values(self, ply: int, keys: Keys, columns: Small) -> tuple[Small, Small]:
        """The exact outcome for the agent before and after its moves, int8 [B] each."""
        size = len(keys)
        after = self.store.fillable("after", ply, size)
        self._fill(ply, "checking", after, outcomes_after, lambda part: (np.array(keys[part]), np.array(columns[part])))
        before = self.store.fillable("before", ply, size)
        least = np.array(after)
        if self.layers:
            inherited = np.asarray(self.store.read("after", ply - 2))[np.asarray(self.store.read("parents", ply))]
            least = np.maximum(least, inherited)
        self._fill(ply, "checking", before, outcomes_before, lambda part: (np.array(keys[part]), least[part]))
        return before, after

    def _examples(self) -> list[Counterexample]:
        """The shortest ones of the gravest kind: leaks and failures; or else losses; or else draws.

        Without exact values a loss is as grave as a failure: it may have been given away anywhere before.
        """
        kinds: list[Callable[[int], npt.NDArray[np.bool_]]] = [
            lambda ply: np.asarray(self.store.read("outcomes", ply) == -1),
            lambda ply: np.asarray(self.store.read("outcomes", ply) == 0),
        ]
        if self.oracle is not None:
            kinds.insert(0, lambda ply: self._leaking(ply) | (self.store.read("columns", ply) == ILLEGAL))
        for kind in kinds:
            found: list[tuple[int, int]] = []
            for layer in self.layers:
                some = np.flatnonzero(kind(layer.ply))[: EXAMPLES_KEPT - len(found)]
                found += ((layer.ply, index) for index in some.tolist())
            if found:
                return [self._example(ply, index) for ply, index in found]
        return []

    def _example(self, ply: int, index: int) -> Counterexample:
        moves, column = game_to(self.store, self.start, self.question, ply, index)
        values: tuple[int, int] | None = None
        if self.oracle is not None and self._leaking(ply)[index]:
            values = int(self.store.read("before", ply)[index]), int(self.store.read("after", ply)[index])
        return finished(self.agent, moves, column, values, self.oracle)

    def _leaking(self, ply: int) -> npt.NDArray[np.bool_]:
        return np.asarray(self.store.read("after", ply) < self.store.read("before", ply))

    def _leaks(self) -> Leaks:
        parts: list[tuple[Any, ...]] = []
        for layer in self.layers if self.oracle is not None else ():
            where = np.flatnonzero(self._leaking(layer.ply))
            own, occupied = boards(np.array(self.store.read("keys", layer.ply)[where]))
            rest = (self.store.read(name, layer.ply)[where] for name in ("columns", "before", "after"))
            parts.append((own, occupied, *rest))
        if not parts:
            none, empty = np.empty(0, np.int64), np.empty(0, np.int8)
            return Leaks(none, none, empty, empty, empty)
        return Leaks(*(np.concatenate([part[field] for part in parts]) for field in range(5)))

    def _count(self) -> int:
        return sum(layer.positions for layer in self.layers)

    def _save(self) -> None:
        content = {"question": asdict(self.question), "layers": [asdict(layer) for layer in self.layers]}
        write_json(self.store.folder / "walk.json", content | {"seconds": self.seconds})

    def _resume(self) -> None:
        path = self.store.folder / "walk.json"
        if not path.exists():
            self._save()
            return
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            same = Question(**content["question"]) == self.question
            self.layers = [Layer(**layer) for layer in content["layers"]]
            self.seconds = float(content["seconds"])
        except (OSError, KeyError, TypeError, ValueError):
            raise ValueError(f"{path} can't be read; give another folder") from None
        if not same:
            raise ValueError(f"{self.store.folder} holds a walk of another agent or with other options; give another")
