"""Moves against perfect play: which preserve the outcome, which are best, what the others cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from c4agents.arena.asking import ILLEGAL, ask_batch
from c4agents.arena.exact import Oracle
from c4agents.arena.intervals import Share, share
from c4agents.arena.labelled import LabelledPositions
from c4agents.arena.players import PlayerLike, load_player
from c4agents.arena.walk import OPEN, after_moves
from c4env.bitboard import BOTTOM, CELLS
from c4env.position import Position, PositionBatch

PHASES: Final = {"opening": (0, 14), "middle": (14, 28), "endgame": (28, 42)}
"""First ply of each phase, and the first ply after it."""

_BATCH: Final = 256


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How good a set of moves is.

    Attributes:
        positions: Number of moves judged.
        preserving: Share that keep the outcome perfect play would have.
        best: Share that win as fast, or lose as late, as perfect play.
        regret: Mean difference between the best score and the score after the move.
    """

    positions: int
    preserving: Share
    best: Share
    regret: float


@dataclass(frozen=True, slots=True)
class Blunder:
    """A move that costs much.

    Attributes:
        position: Where.
        column: What was played; -1 if the agent failed.
        right: The columns that are best; empty if not known.
        best: The exact score of the position.
        got: The exact score after the move.
        note: What the agent did, if it failed.
    """

    position: Position
    column: int
    right: tuple[int, ...]
    best: int
    got: int
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """An agent's moves on a set of labelled positions, each with its exact score.

    Attributes:
        positions: The set.
        columns: Its moves, int8 [N], ``ILLEGAL`` where it failed.
        got: Exact score of each move for the mover, int8 [N]; a failure counts as losing at once.
        failures: What went wrong, by index.
    """

    positions: LabelledPositions
    columns: npt.NDArray[np.int8]
    got: npt.NDArray[np.int8]
    failures: dict[int, str]

    @property
    def preserving(self) -> npt.NDArray[np.bool_]:
        """Where the outcome is kept, bool [N]."""
        return np.asarray((np.sign(self.got) >= np.sign(self.positions.best)) & (self.columns != ILLEGAL))

    @property
    def regret(self) -> npt.NDArray[np.int64]:
        """What each move costs in score, int64 [N], 0 if it is best."""
        return self.positions.best.astype(np.int64) - self.got

    def accuracy(self, where: npt.NDArray[np.bool_] | None = None) -> Accuracy:
        """The accuracy, of all moves or of those ``where`` is true."""
        chosen = np.ones(len(self.columns), np.bool_) if where is None else where
        total = int(chosen.sum())
        best = (self.regret == 0) & (self.columns != ILLEGAL)
        return Accuracy(
            total,
            share(int((self.preserving & chosen).sum()), total),
            share(int((best & chosen).sum()), total),
            float(self.regret[chosen].mean()) if total else float("nan"),
        )

    def by_phase(self, where: npt.NDArray[np.bool_] | None = None) -> dict[str, Accuracy]:
        """The accuracy by phase of the game, phases without positions left out."""
        ply = self.positions.ply
        masks = {name: (ply >= begin) & (ply < end) for name, (begin, end) in PHASES.items()}
        chosen = {name: mask if where is None else mask & where for name, mask in masks.items()}
        return {name: self.accuracy(mask) for name, mask in chosen.items() if mask.any()}

    def by_ply(self, where: npt.NDArray[np.bool_] | None = None) -> dict[int, Accuracy]:
        """The accuracy by ply, plies without positions left out."""
        ply = self.positions.ply
        chosen = np.ones(len(ply), np.bool_) if where is None else where
        return {int(at): self.accuracy((ply == at) & chosen) for at in np.unique(ply[chosen])}

    def blunders(self, count: int = 10) -> list[Blunder]:
        """The worst moves: those that turn a win into a loss first, then by regret."""
        drop = np.sign(self.positions.best).astype(np.int64) - np.sign(self.got)
        order = np.lexsort((self.positions.ply, -self.regret, -drop))
        worst = [int(index) for index in order if drop[index] > 0 or index in self.failures][:count]
        return [self._blunder(index) for index in worst]

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        decisive = self.positions.decisive
        out: dict[str, Any] = {
            "set": self.positions.name,
            "all": _plain(self.accuracy()),
            "by_phase": {name: _plain(one) for name, one in self.by_phase().items()},
            "by_ply": {str(ply): _plain(one) for ply, one in self.by_ply().items()},
            "failures": list(self.failures.values())[:10],
        }
        if decisive is not None:
            out["decisive"] = _plain(self.accuracy(decisive))
            out["decisive_by_phase"] = {name: _plain(one) for name, one in self.by_phase(decisive).items()}
            out["decisive_by_ply"] = {str(ply): _plain(one) for ply, one in self.by_ply(decisive).items()}
        return out

    def _blunder(self, index: int) -> Blunder:
        best = int(self.positions.best[index])
        scores = self.positions.scores
        right = () if scores is None else tuple(np.flatnonzero(scores[index] == best).tolist())
        position = self.positions.batch[index]
        got, note = int(self.got[index]), self.failures.get(index)
        return Blunder(position, int(self.columns[index]), right, best, got, note)


def judge(
    player: PlayerLike,
    positions: LabelledPositions,
    *,
    oracle: Oracle | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Judgement:
    """Ask an agent for its moves in labelled positions and look up what they are worth.

    Args:
        player: The agent.
        positions: The positions.
        oracle: Exact values, needed if the positions have no scores by column.
        seed: Start of the agent's randomness.
        progress: Told how many positions of how many are done.
    """
    agent = load_player(player)
    agent.seed(seed)
    columns = np.empty(len(positions), np.int8)
    got = np.empty(len(positions), np.int8)
    failures: dict[int, str] = {}
    for begin in range(0, len(positions), _BATCH):
        part = slice(begin, min(begin + _BATCH, len(positions)))
        batch = PositionBatch(positions.own[part], positions.occupied[part])
        columns[part], wrong = ask_batch(agent, batch)
        failures |= {begin + index: reason for index, reason in wrong.items()}
        got[part] = _scores_of(positions, part, columns[part], oracle)
        if progress:
            progress(part.stop, len(positions))
    lost = columns == ILLEGAL
    got[lost] = -((CELLS - positions.ply[lost]) // 2)
    return Judgement(positions, columns, got, failures)


def _scores_of(
    positions: LabelledPositions, part: slice, columns: npt.NDArray[np.int8], oracle: Oracle | None
) -> npt.NDArray[np.int8]:
    """The exact scores of moves; of illegal ones anything."""
    if positions.scores is not None:
        return np.take_along_axis(positions.scores[part], np.maximum(columns, 0)[:, None].astype(np.int64), 1)[:, 0]
    if oracle is None:
        raise ValueError(f"{positions.name} gives no score by column, so judging moves needs the solver")
    own, occupied = positions.own[part], positions.occupied[part]
    keys = own | (occupied + BOTTOM)
    own, occupied, ends = after_moves(keys, columns)
    scores = np.zeros(len(columns), np.int8)
    going = ends == OPEN
    scores[going] = -oracle.score_batch(own[going], occupied[going])
    won = ends == 1
    scores[won] = (CELLS + 1 - positions.ply[part][won]) // 2
    return scores


def _plain(accuracy: Accuracy) -> dict[str, Any]:
    return {
        "positions": accuracy.positions,
        "preserving": accuracy.preserving.share,
        "preserving_interval": [accuracy.preserving.low, accuracy.preserving.high],
        "best": accuracy.best.share,
        "best_interval": [accuracy.best.low, accuracy.best.high],
        "regret": accuracy.regret,
    }
