"""The graph of games against an agent, one layer of positions at a time, in compiled code and on disk.

A layer holds the positions with the agent to move after a number of plies, as sorted unique keys. Files of layer NN:
``keys``, ``parents`` (index into the layer before), ``columns`` (the agent's moves), and with exact values ``after``
and ``before``. Columns and values are filled in as they become known, so an interrupted walk goes on where it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from c4env.bitboard import BOARD, COLUMNS, WON, canonical_key, from_key, has_four, is_legal, key, play
from c4env.compiled import compiled, popcount

Keys = npt.NDArray[np.int64]
Small = npt.NDArray[np.int8]

UNKNOWN: Final = -9
"""In columns and values: not asked yet."""
OPEN: Final = 2
"""Outcome of a position in which neither the agent's move nor an answer to it ends the game."""

_HEADER: Final = 128
"""Bytes of a file without elements."""
RUN_LIMIT: Final = 16_000_000
"""Children held in memory before they are sorted and put on disk: about half a gigabyte at the worst moment."""


@compiled
def stones(occupied: Keys) -> Keys:
    """Number of stones on each board, shape [B]."""
    counts = np.empty_like(occupied)
    for index in range(len(occupied)):
        counts[index] = popcount(occupied[index])
    return counts


@compiled
def boards(keys: Keys) -> tuple[Keys, Keys]:
    """``own`` and ``occupied`` of each key."""
    own, occupied = np.empty_like(keys), np.empty_like(keys)
    for index in range(len(keys)):
        own[index], occupied[index] = from_key(keys[index])
    return own, occupied


@compiled
def after_moves(keys: Keys, columns: Small) -> tuple[Keys, Keys, Small]:
    """The positions after the agent's moves, seen by the opponent, and what the moves themselves decide.

    Returns:
        ``own``, ``occupied`` and the value for the agent: 1 won, 0 drawn, -1 for an illegal move, else ``OPEN``.
    """
    own, occupied = np.empty_like(keys), np.empty_like(keys)
    values = np.empty(len(keys), np.int8)
    for index in range(len(keys)):
        mine, filled = from_key(keys[index])
        if not is_legal(filled, columns[index]):
            own[index], occupied[index], values[index] = mine, filled, -1
            continue
        mine, filled = play(mine, filled, columns[index])
        own[index], occupied[index] = mine, filled
        values[index] = 1 if has_four(mine ^ filled) else (0 if filled == BOARD else OPEN)
    return own, occupied, values


@compiled
def expand(
    keys: Keys,
    columns: Small,
    cut: npt.NDArray[np.bool_],
    mirrored: bool,
    base: int,
    children: Keys,
    parents: npt.NDArray[np.int32],
    outcomes: Small,
) -> int:
    """Play the agent's move and then every answer.

    Args:
        keys: Positions with the agent to move, shape [B].
        columns: The agent's moves, shape [B].
        cut: Where not to go on, shape [B].
        mirrored: Whether mirror images count as the same position.
        base: Index of the first key in its layer.
        children: Written: keys of the positions with the agent to move again; room for 7 B.
        parents: Written: index in the layer of the position each child comes from.
        outcomes: Written, shape [B]: the worst end for the agent at once or after one answer, or ``OPEN``.

    Returns:
        The number of children, repeats included.
    """
    count = 0
    for index in range(len(keys)):
        own, occupied = from_key(keys[index])
        if not is_legal(occupied, columns[index]):
            outcomes[index] = -1
            continue
        own, occupied = play(own, occupied, columns[index])
        if has_four(own ^ occupied):
            outcomes[index] = WON
            continue
        worst = OPEN
        if occupied == BOARD:
            worst = 0
        for answer in range(COLUMNS):
            if not is_legal(occupied, answer):
                continue
            mine, filled = play(own, occupied, answer)
            if has_four(mine ^ filled):
                worst = -1
            elif filled == BOARD:
                worst = min(worst, 0)
            elif not cut[index]:
                children[count] = canonical_key(mine, filled) if mirrored else key(mine, filled)
                parents[count] = base + index
                count += 1
        outcomes[index] = worst
    return count


class Store:
    """The layers' files in one folder.

    Attributes:
        folder: Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str, ply: int) -> Path:
        """The file of one array of a layer."""
        return self.folder / f"{name}_{ply:02}.npy"

    def read(self, name: str, ply: int) -> npt.NDArray[Any]:
        """An array of a layer, read from disk as it is used."""
        return _open(self.path(name, ply), "r")

    def write(self, name: str, ply: int, array: npt.NDArray[Any]) -> None:
        """Store an array of a layer, whole or not at all."""
        target = self.path(name, ply)
        part = target.with_suffix(".part.npy")
        np.save(part, array)
        part.replace(target)

    def fillable(self, name: str, ply: int, size: int) -> Small:
        """An int8 array of a layer that is kept on disk as it is filled in; new ones are all ``UNKNOWN``."""
        if not self.path(name, ply).exists():
            self.write(name, ply, np.full(size, UNKNOWN, np.int8))
        return _open(self.path(name, ply), "r+")


class Frontier:
    """The next layer while it is being made: children are added, sorted and merged, on disk if they are many.

    Of equal children the one with the smallest parent is kept, so the layer does not depend on how they came in.

    Args:
        store: Where the layer goes.
        ply: Its ply.
        limit: Children to hold in memory.
    """

    def __init__(self, store: Store, ply: int, limit: int = RUN_LIMIT) -> None:
        self._store = store
        self._ply = ply
        self._limit = limit
        self._keys: list[Keys] = []
        self._parents: list[npt.NDArray[np.int32]] = []
        self._held = 0
        self._runs = 0

    def add(self, keys: Keys, parents: npt.NDArray[np.int32]) -> None:
        """Add children; their parents must not be smaller than those added before."""
        kept, first = np.unique(keys, return_index=True)
        self._keys.append(kept)
        self._parents.append(parents[first])
        self._held += len(kept)
        if self._held > self._limit:
            self._spill()

    def finish(self) -> int:
        """Write the layer; returns its number of positions."""
        if not self._runs:
            keys, parents = _merge(self._keys, self._parents)
        else:
            self._spill()
            keys, parents = self._merge_runs()
        self._store.write("parents", self._ply, parents)
        self._store.write("keys", self._ply, keys)
        for run in range(self._runs):
            for name in ("keys", "parents"):
                self._store.path(f"run{run}-{name}", self._ply).unlink()
        return len(keys)

    def _spill(self) -> None:
        keys, parents = _merge(self._keys, self._parents)
        self._store.write(f"run{self._runs}-keys", self._ply, keys)
        self._store.write(f"run{self._runs}-parents", self._ply, parents)
        self._runs += 1
        self._keys, self._parents, self._held = [], [], 0

    def _merge_runs(self) -> tuple[Keys, npt.NDArray[np.int32]]:
        """Merge the sorted runs slice by slice of the key range, so that one slice at a time is in memory."""
        runs = [self._store.read(f"run{run}-keys", self._ply) for run in range(self._runs)]
        parents = [self._store.read(f"run{run}-parents", self._ply) for run in range(self._runs)]
        total = sum(len(run) for run in runs)
        sample = np.sort(np.concatenate([run[:: max(len(run) // 4096, 1)] for run in runs]))
        slices = total // self._limit + 1
        pivots = [int(sample[len(sample) * cut // slices]) for cut in range(1, slices)]
        edges = [np.concatenate([[0], np.searchsorted(run, pivots), [len(run)]]) for run in runs]
        out: list[tuple[Keys, npt.NDArray[np.int32]]] = []
        for part in range(slices):
            spans = [slice(int(edge[part]), int(edge[part + 1])) for edge in edges]
            out.append(
                _merge(
                    [np.asarray(run[span]) for run, span in zip(runs, spans, strict=True)],
                    [np.asarray(parent[span]) for parent, span in zip(parents, spans, strict=True)],
                )
            )
        return np.concatenate([keys for keys, _ in out]), np.concatenate([indices for _, indices in out])


def _merge(keys: list[Keys], parents: list[npt.NDArray[np.int32]]) -> tuple[Keys, npt.NDArray[np.int32]]:
    if not keys:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    merged, first = np.unique(np.concatenate(keys), return_index=True)
    return merged, np.concatenate(parents)[first]


def _open(path: Path, mode: Literal["r", "r+"]) -> npt.NDArray[Any]:
    """The array of a file; an empty one can't be mapped and is simply read."""
    if path.stat().st_size > _HEADER:
        return np.load(path, mmap_mode=mode)  # type: ignore[no-any-return]
    return np.load(path)  # type: ignore[no-any-return]
