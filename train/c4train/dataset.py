"""Positions with exact scores on disk: compact, growing, without repeats, and apart from what is evaluated on.

A dataset is a folder of shards ``00000.npz``, ``00001.npz``, ... each with ``keys`` (int64 [N], the smaller key of a
position and its mirror image) and ``scores`` (int8 [N, 7], the exact score of each column for the side to move, -128
where it is full): 15 bytes a position before compression.
Shards are written whole or not at all; no position is in two of them. Positions of the shipped evaluation set are
never taken in, nor those in ``excluded.npy``: other positions that somebody wants to measure on.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.arena.exact import NO_SCORE
from c4agents.arena.labelled import evaluation_set, read_positions
from c4agents.jobs import Crew
from c4env.bitboard import canonical_key, from_key
from c4env.compiled import compiled, popcount
from c4train.labels import Boards, Labeller, Scores

EXCLUDED: Final = "excluded.npy"


@compiled
def canonical_keys(own: Boards, occupied: Boards) -> Boards:
    """The smaller key of each position and its mirror image, [B]."""
    keys = np.empty(len(own), np.int64)
    for index in range(len(own)):
        keys[index] = canonical_key(own[index], occupied[index])
    return keys


@compiled
def _boards(keys: Boards, own: Boards, occupied: Boards) -> None:
    for index in range(len(keys)):
        own[index], occupied[index] = from_key(keys[index])


def boards_of(keys: Boards) -> tuple[Boards, Boards]:
    """The positions of keys [B], as stones of the side to move and all stones."""
    own, occupied = np.empty(len(keys), np.int64), np.empty(len(keys), np.int64)
    _boards(keys, own, occupied)
    return own, occupied


@compiled
def plies_of(occupied: Boards) -> Boards:
    """Stones on each board, [B]."""
    plies = np.empty(len(occupied), np.int64)
    for index in range(len(occupied)):
        plies[index] = popcount(occupied[index])
    return plies


def among(keys: Boards, ordered: Boards) -> npt.NDArray[np.bool_]:
    """Which of ``keys`` [B] are in ``ordered``, which is sorted and may be much longer."""
    if len(ordered) == 0:
        return np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found: npt.NDArray[np.bool_] = ordered[places] == keys
    return found


@cache
def forbidden_keys() -> Boards:
    """Keys that no dataset may hold, sorted: those of the shipped evaluation set."""
    shipped = evaluation_set()
    return np.unique(canonical_keys(shipped.own, shipped.occupied))


def keys_of_files(paths: Iterable[Path]) -> Boards:
    """Canonical keys of the positions in files that ``c4 eval`` takes, sorted.

    Raises:
        ValueError: A file can't be read.
    """
    read = [read_positions(path) for path in paths]
    keys = [canonical_keys(positions.own, positions.occupied) for positions in read]
    return np.unique(np.concatenate([np.zeros(0, np.int64), *keys]))


class Dataset:
    """A folder of labelled positions, read into memory.

    Attributes:
        folder: Where it is; made when the first shard is written.
        keys: Canonical keys in the order they were added, [N].
        scores: Scores of the columns of the canonical positions, [N, 7].
        shards: Number of shards.
        forbidden: Keys that it may not hold, sorted: those of the evaluation set and of ``excluded.npy``.
    """

    def __init__(self, folder: Path, exclude: Boards | None = None) -> None:
        """Read what is there.

        Args:
            folder: Where it is.
            exclude: Keys to keep out from now on, in addition to those it keeps out already.

        Raises:
            ValueError: A shard can't be read, or isn't one, or it holds what it may not.
        """
        self.folder = folder
        paths = sorted(folder.glob("*.npz"))
        read = [_read(path) for path in paths]
        self.keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in read)])
        self.scores = np.concatenate([np.zeros((0, 7), np.int8), *(scores for _, scores in read)])
        self.shards = len(paths)
        self._sorted = np.sort(self.keys)
        if len(self.keys) and (self._sorted[1:] == self._sorted[:-1]).any():
            raise ValueError(f"{folder} holds a position twice: its shards are not of one dataset")
        excluded = _excluded(folder)
        if exclude is not None and len(np.setdiff1d(exclude, excluded)):
            excluded = np.union1d(excluded, exclude)
            _write_excluded(folder, excluded)
        self.forbidden = np.union1d(forbidden_keys(), excluded)
        if np.isin(self.forbidden, self._sorted, assume_unique=True).any():
            raise ValueError(f"{folder} holds positions that are measured on, which must not be trained on")

    def __len__(self) -> int:
        return len(self.keys)

    def missing(self, keys: Boards) -> Boards:
        """Those of ``keys`` that may be added: each once, sorted, not here yet, and not evaluated on."""
        fresh = np.unique(keys)
        return fresh[~among(fresh, self._sorted) & ~among(fresh, self.forbidden)]

    def add(
        self, keys: Boards, solver: Labeller, progress: Callable[[int], None] | None = None, workers: int | Crew = 1
    ) -> int:
        """Label those of ``keys`` that are :meth:`missing`, and write them as a new shard.

        Args:
            keys: Canonical keys, [N]; labelled in this order, and quickest with relatives next to each other.
            solver: Who labels them, each by itself.
            progress: Called with the number of positions labelled.
            workers: Processes, or a crew.

        Returns:
            How many were added.
        """
        places = np.unique(keys, return_index=True)[1]
        listed = keys[np.sort(places)]
        fresh = listed[among(listed, self.missing(keys))]
        if len(fresh) == 0:
            return 0
        own, occupied = boards_of(fresh)
        scores = np.empty((len(fresh), 7), np.int8)
        with Crew.of(workers) as crew:
            for part, labels in crew.map_range(
                label, len(fresh), lambda part: (own[part], occupied[part]), shared=solver
            ):
                scores[part] = labels
                if progress:
                    progress(part.stop)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{self.shards:05}.npz"
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            np.savez_compressed(file, keys=fresh, scores=scores)
        unfinished.replace(path)
        self.shards += 1
        self.keys = np.concatenate([self.keys, fresh])
        self.scores = np.concatenate([self.scores, scores])
        self._sorted = np.sort(self.keys)
        return len(fresh)


def label(labeller: Labeller, positions: tuple[Boards, Boards]) -> Scores:
    """The labels of a batch, in any process."""
    return labeller.scores(*positions)


def _excluded(folder: Path) -> Boards:
    path = folder / EXCLUDED
    if not path.exists():
        return np.zeros(0, np.int64)
    try:
        keys = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        keys = None
    if keys is None or keys.ndim != 1 or keys.dtype != np.int64:
        raise ValueError(f"{path} is damaged: without it nobody knows what the dataset must not hold")
    return np.unique(keys)


def _write_excluded(folder: Path, keys: Boards) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{EXCLUDED}.part"
    with unfinished.open("wb") as file:
        np.save(file, keys, allow_pickle=False)
    unfinished.replace(folder / EXCLUDED)


def _read(path: Path) -> tuple[Boards, Scores]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            keys, scores = arrays["keys"], arrays["scores"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise ValueError(f"{path} is damaged or no shard of a dataset") from None
    if keys.ndim != 1 or keys.dtype != np.int64 or scores.dtype != np.int8 or scores.shape != (len(keys), 7):
        raise ValueError(f"{path} is no shard of a dataset: keys are int64 [N], scores int8 [N, 7]")
    return keys, scores


def outcomes_of(scores: Scores) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """What to learn from scores [N, 7].

    Returns:
        Which columns preserve the outcome [N, 7]; which of them are best, that is win fastest or lose latest [N, 7];
        and the outcome for the side to move as 0 win, 1 draw, 2 loss [N].
    """
    best = scores.max(axis=1, keepdims=True)
    legal = scores != NO_SCORE
    preserving = legal & (np.sign(scores) == np.sign(best))
    return preserving, scores == best, 1 - np.sign(best[:, 0]).astype(np.int64)


def flattened(keys: Iterable[int] | Boards, count: int, rng: np.random.Generator) -> Boards:
    """Up to ``count`` of ``keys``, drawn so that all plies are as equally frequent as they can be."""
    listed = np.asarray(keys, np.int64)
    plies = plies_of(boards_of(listed)[1])
    frequency = np.bincount(plies, minlength=43).astype(np.float64)
    # The smallest of exponential draws over weights is a draw without replacement with those weights.
    order = np.argsort(rng.exponential(size=len(listed)) * frequency[plies])
    return listed[order[:count]]
