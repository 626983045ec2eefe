"""Building a dataset: play, draw, label, write, until there are enough positions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from c4agents.arena.exact import solver
from c4agents.jobs import Crew
from c4env.bitboard import CELLS
from c4train.dataset import Dataset, among, boards_of, flattened, plies_of
from c4train.labels import Boards, Labeller
from c4train.reach import bots, families, reached_keys

GAMES = 2048
"""Games of a round."""


def build(
    folder: Path,
    positions: int,
    *,
    seed: int = 0,
    plies: tuple[int, int] = (8, 38),
    shard: int = 10_000,
    family: int = 0,
    exclude: Boards | None = None,
    labeller: Labeller | None = None,
    workers: int | Crew = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Dataset:
    """Extend the dataset in ``folder`` to ``positions`` positions, a shard at a time.

    Interrupted and called again it goes on: the same arguments lead to the same shards.

    Args:
        folder: Where it is, or will be.
        positions: How many it shall hold.
        seed: Decides all randomness.
        plies: Fewest and most stones.
        shard: Positions of a shard.
        family: Draw relatives: positions of the fewest stones from games, and for each up to so many of the positions
            with one stone more, two more and so on that it leads to. 0 draws all positions from games.
        exclude: Canonical keys that it may not hold, besides the evaluation set's.
        labeller: Who scores them; the solver if not given.
        workers: Processes that label, or a crew; the games are played here.
        progress: Called with positions so far and positions asked for.

    Raises:
        ValueError: Impossible plies, or games lead to no more new positions.
    """
    first, last = plies
    if not 0 <= first <= last < CELLS:
        raise ValueError(f"plies are from 0 to {CELLS - 1}, the first not above the last, not {first} to {last}")
    exact = labeller or solver()
    data = Dataset(folder, exclude)
    players = bots()
    while len(data) < positions:
        rng = np.random.default_rng((seed, data.shards))
        wanted = min(shard, positions - len(data))
        keys = np.zeros(0, np.int64)
        for _ in range(20):
            reached = reached_keys(players, GAMES, rng)
            stones = plies_of(boards_of(reached)[1])
            within = reached[(stones >= first) & (stones <= (first if family else last))]
            keys = data.missing(np.union1d(keys, within))
            if len(keys) >= (1 if family else 3 * wanted):
                break
        if len(keys) == 0:
            raise ValueError(f"{folder}: games lead to no new positions of {first} to {last} stones; widen the plies")
        report = partial(_report, progress, len(data), positions)
        if family:
            drawn = _relatives(data, rng.permutation(keys), last, family, wanted, rng)
        else:
            drawn = np.sort(flattened(keys, wanted, rng))
        data.add(drawn, exact, report, workers)
    return data


def _relatives(data: Dataset, roots: Boards, last: int, family: int, wanted: int, rng: np.random.Generator) -> Boards:
    """Families of some of ``roots``, family by family, at most ``wanted`` positions that are not in ``data`` yet."""
    parts: list[Boards] = []
    there = 0
    for root in roots:
        drawn = families(np.array([root]), last, family, rng)
        parts.append(drawn[among(drawn, data.missing(drawn))])
        there += len(parts[-1])
        if there >= wanted:
            break
    return np.concatenate(parts)[:wanted]


def _report(progress: Callable[[int, int], None] | None, before: int, positions: int, done: int) -> None:
    if progress:
        progress(before + done, positions)
