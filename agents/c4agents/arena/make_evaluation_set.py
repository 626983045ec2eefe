"""Makes the shipped evaluation set: ``python -m c4agents.arena.make_evaluation_set evaluation_set.npz``.

For each ply from `FIRST_PLY` to `LAST_PLY` the same number of positions (all there are, early on), none twice up to
mirror, none with a single column left. Each comes from a game of its own, played by alpha-beta at depth 2 with ties
drawn at random, in which all moves, half of them, or every fifth are random: so there are wild positions and sensible
ones. Seed and solver decide every byte of the arrays.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import c4agents
from c4agents.arena.exact import Oracle, solver
from c4agents.arena.labelled import LabelledPositions, from_scores, write_positions
from c4agents.arena.openings import all_openings
from c4env.bitboard import FIRST_FOUR, canonical_key, playable
from c4env.opponents import NativeOpponent
from c4env.position import Position, PositionBatch
from c4env.selfplay import SelfPlay

FIRST_PLY: Final = 0
LAST_PLY: Final = 38
PER_PLY: Final = 120
SEED: Final = 20_240_229
_GAMES: Final = 4096
_SHARES_RANDOM: Final = (1.0, 0.5, 0.2)


def sample_positions(per_ply: int, seed: int, first_ply: int = FIRST_PLY, last_ply: int = LAST_PLY) -> PositionBatch:
    """Positions by ply, ``per_ply`` of each ply or all there are, in order of ply."""
    found: list[dict[int, Position]] = [{} for _ in range(last_ply + 1)]
    for ply in range(4):
        listed = [Position.from_moves(moves) for moves in all_openings(ply)]
        for index in np.random.default_rng((seed, ply)).permutation(len(listed))[:per_ply].tolist():
            found[ply][_canonical(listed[index])] = listed[index]
    few = {ply for ply in range(4) if len(all_openings(ply)) < per_ply}
    round_number = 0
    while any(len(some) < per_ply for ply, some in enumerate(found) if ply not in few):
        for ply, position in _harvest(seed, round_number, last_ply):
            if ply >= 4 and len(found[ply]) < per_ply:
                found[ply].setdefault(_canonical(position), position)
        round_number += 1
    return PositionBatch.of(position for some in found[first_ply:] for position in some.values())


def label(batch: PositionBatch, oracle: Oracle, name: str) -> LabelledPositions:
    """The positions with the exact score of every column."""
    scores = [oracle.scores(batch.own[at : at + 1], batch.occupied[at : at + 1]) for at in range(len(batch))]
    return from_scores(batch.own, batch.occupied, np.concatenate(scores), name)


def _harvest(seed: int, round_number: int, last_ply: int) -> list[tuple[int, Position]]:
    """Play many games at once and keep one position of each, at a ply that was chosen for the game before."""
    rng = np.random.default_rng((seed, 1000 + round_number))
    careful, wild = c4agents.make("alphabeta:eval=windows,depth=2,ties=random"), c4agents.make("random")
    assert isinstance(careful, NativeOpponent)
    assert isinstance(wild, NativeOpponent)
    # Late positions are rarely reached, so most games aim for them.
    aims = rng.integers(4, last_ply + 1, _GAMES)
    aims = np.maximum(aims, rng.integers(4, last_ply + 1, _GAMES))
    random_share = rng.choice(_SHARES_RANDOM, _GAMES)
    streams = rng.integers(0, 2**62, _GAMES)
    going = np.ones(_GAMES, np.bool_)
    games = SelfPlay(_GAMES)
    kept: list[tuple[int, Position]] = []
    for ply in range(last_ply + 1):
        batch = games.positions()
        for index in np.flatnonzero(going & (aims == ply)).tolist():
            cells = playable(int(batch.occupied[index]))
            if cells & (cells - 1):
                kept.append((ply, batch[index]))
        going &= aims > ply
        chance = rng.random(_GAMES) < random_share
        columns = np.zeros(_GAMES, np.int8)
        _choose(wild, batch, going & chance, streams, columns)
        _choose(careful, batch, going & ~chance, streams, columns)
        done = games.step(np.where(going, columns, _first_free(batch.occupied))).done
        going &= ~done
    return kept


def _choose(
    agent: NativeOpponent,
    batch: PositionBatch,
    waiting: npt.NDArray[np.bool_],
    streams: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int8],
) -> None:
    agent.choose(batch.own, batch.occupied, waiting, streams, columns, 0, len(batch), FIRST_FOUR)


def _first_free(occupied: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A column with room in each board, for games that no longer matter."""
    full = (occupied[:, None] >> (7 * np.arange(7) + 5)) & 1
    return np.asarray(np.argmin(full, axis=1))


def _canonical(position: Position) -> int:
    return canonical_key(position.own, position.occupied)


def main(arguments: list[str] | None = None) -> int:
    """Make the set and write it."""
    parser = argparse.ArgumentParser(prog="python -m c4agents.arena.make_evaluation_set", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write it")
    parser.add_argument("--per-ply", type=int, default=PER_PLY, help=f"positions of each ply (default {PER_PLY})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"start of the drawing (default {SEED})")
    args = parser.parse_args(arguments)
    made = label(sample_positions(args.per_ply, args.seed), solver(), args.file.name)
    write_positions(args.file, made)
    decisive = made.decisive
    assert decisive is not None
    print(f"{args.file}: {len(made):,} positions, {int(decisive.sum()):,} decisive", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
