"""The opening book: exact scores of all positions up to a number of plies, a byte and a quarter each.

The file holds no positions. Everyone up to the book's depth is in it, so it is a *static function*:
each position has three places in a table of bytes, one in each third, and its score is the
exclusive or of the three. (How such a table is filled: :func:`pack`.) For a board that no game
leads to, the table would answer nonsense, so :func:`reachable` is asked first.

File: the header (see `_HEADER`), one (size of a third, seed) per ply, the tables. The digest is of
all that follows the header.
"""

from __future__ import annotations

import hashlib
import struct
import sys
import tempfile
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.solver.memory import Words
from c4env.bitboard import COLUMNS, STRIDE, canonical_key
from c4env.compiled import compiled, popcount

SHIPPED: Final = Path(__file__).with_name("openings.book")

_MAGIC: Final = b"c4book01"
_HEADER: Final = struct.Struct("<8sI32s")  # magic, plies, SHA-256
_PLY: Final = struct.Struct("<II")  # size of a third, seed
_MULTIPLIERS: Final = (0x9E3779B97F4A7C15 - (1 << 64), 0xBF58476D1CE4E5B9 - (1 << 64), 0x94D049BB133111EB - (1 << 64))

Bytes = npt.NDArray[np.int8]


class BookError(Exception):
    """The book file is missing, damaged or not a book; says which."""


@compiled
def _place(key: int, third: int, seed: int, size: int) -> int:
    """Where ``key`` is in one third of a table whose thirds have ``size`` bytes."""
    word = (key + seed) * _MULTIPLIERS[third]
    word ^= (word >> 29) & 0x7FFFFFFFF
    word = ((word * _MULTIPLIERS[1]) >> 32) & 0x7FFFFFFF
    return third * size + word * size // 0x80000000


@compiled
def _value(table: Bytes, start: int, size: int, seed: int, key: int) -> int:
    score = np.int8(0)
    for third in range(3):
        score ^= table[start + _place(key, third, seed, size)]
    return np.int64(score)  # type: ignore[return-value]


@compiled
def reachable(own: int, occupied: int) -> bool:
    """Whether some game leads to this position: its stones can be taken back by turns, from the top."""
    if occupied == 0:
        return True
    other = own ^ occupied
    for column in range(COLUMNS):
        filled = occupied & (0x3F << (STRIDE * column))
        top = filled & ~(filled >> 1)
        if top & other and reachable(other ^ top, occupied ^ top):
            return True
    return False


@compiled
def _look_up(
    table: Bytes, starts: Words, sizes: Words, seeds: Words, own: Words, occupied: Words, scores: Words
) -> None:
    for index in range(len(own)):
        ply = popcount(occupied[index])
        if ply < len(starts) and reachable(own[index], occupied[index]):
            key = canonical_key(own[index], occupied[index])
            scores[index] = _value(table, starts[ply], sizes[ply], seeds[ply], key)


@compiled
def _fill(keys: Words, values: Bytes, seed: int, size: int, table: Bytes) -> bool:
    """Fill ``table`` (three thirds of ``size``) so that it gives every key its value; False if it can't.

    Take away, again and again, a key that alone occupies one of its places; put the keys back in
    the opposite order, each time setting that place. Works for most seeds if there is room enough.
    """
    count = np.zeros(3 * size, dtype=np.int32)
    members = np.zeros(3 * size, dtype=np.int64)  # exclusive or of the indices of keys at each place
    for index in range(len(keys)):
        for third in range(3):
            place = _place(keys[index], third, seed, size)
            count[place] += 1
            members[place] ^= index
    single = np.empty(3 * size, dtype=np.int64)
    waiting = 0
    for place in range(3 * size):
        if count[place] == 1:
            single[waiting] = place
            waiting += 1
    taken = np.empty(len(keys), dtype=np.int64)
    free_places = np.empty(len(keys), dtype=np.int64)
    done = 0
    while waiting > 0:
        waiting -= 1
        place = single[waiting]
        if count[place] != 1:
            continue
        index = members[place]
        taken[done] = index
        free_places[done] = place
        done += 1
        for third in range(3):
            neighbour = _place(keys[index], third, seed, size)
            count[neighbour] -= 1
            members[neighbour] ^= index
            if count[neighbour] == 1:
                single[waiting] = neighbour
                waiting += 1
    if done < len(keys):
        return False
    for step in range(done - 1, -1, -1):
        key = keys[taken[step]]
        table[free_places[step]] = 0
        table[free_places[step]] = np.int8(_value(table, 0, size, seed, key)) ^ values[taken[step]]
    return True


def pack(scores: list[tuple[npt.NDArray[np.int64], Bytes]], path: Path) -> None:
    """Write a book of ``scores``, for each ply from 0 on the canonical keys and their scores, in one step."""
    index, tables = b"", b""
    for keys, values in scores:
        size, seed = len(keys) * 41 // 100 + 11, 1
        table = np.zeros(3 * size, dtype=np.int8)
        while not _fill(keys, values, seed, size, table):
            seed += 1
        index += _PLY.pack(size, seed)
        tables += table.tobytes()
    header = _HEADER.pack(_MAGIC, len(scores) - 1, hashlib.sha256(index + tables).digest())
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        file.write(header + index + tables)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


class Book:
    """An opening book, read through a memory map.

    Attributes:
        path: The file.
        plies: It knows every position with at most this many stones.
        size: Bytes of the file.

    Raises:
        BookError: The file is missing, damaged or not a book.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            content = np.memmap(path, dtype=np.int8, mode="r")
            magic, self.plies, digest = _HEADER.unpack(content[: _HEADER.size].tobytes())
        except FileNotFoundError:
            raise BookError(f"there is no opening book at {path}") from None
        except (OSError, ValueError, struct.error) as error:
            raise BookError(f"the opening book {path} cannot be read: {error}") from None
        if magic != _MAGIC:
            raise BookError(f"{path} is not an opening book")
        if hashlib.sha256(content[_HEADER.size :].data).digest() != digest:
            raise BookError(f"the opening book {path} is damaged: its checksum is wrong")
        tables_at = _HEADER.size + (self.plies + 1) * _PLY.size
        thirds = list(_PLY.iter_unpack(content[_HEADER.size : tables_at].tobytes()))
        self._table = content[tables_at:]
        self._sizes = np.array([size for size, _ in thirds], dtype=np.int64)
        self._seeds = np.array([seed for _, seed in thirds], dtype=np.int64)
        self._starts = np.cumsum(3 * self._sizes) - 3 * self._sizes
        self.size = len(content)

    def look_up(self, own: Words, occupied: Words, missing: int) -> Words:
        """Scores of positions, none of them over, shape [B]; ``missing`` for those it does not know."""
        scores = np.full(len(own), missing, dtype=np.int64)
        table = np.asarray(self._table)
        _look_up(table, self._starts, self._sizes, self._seeds, own, occupied, scores)
        return scores


_complained: set[Path] = set()


def open_book(path: Path) -> Book | None:
    """The book at ``path``; None if it cannot be used, which is said once on stderr."""
    try:
        return Book(path)
    except BookError as error:
        if path not in _complained:
            _complained.add(path)
            print(f"c4env: {error}; the solver works without it, slower in the opening", file=sys.stderr, flush=True)
        return None
