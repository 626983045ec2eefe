"""Sharing a compiled loop over games among threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


class SlicedRunner:
    """Runs compiled functions whose last two arguments are the range of games to work on.

    With one thread that is a plain call. The threads start at the first use and are left out of copies.
    """

    def __init__(self, size: int, threads: int = 1) -> None:
        if size < 1 or threads < 1:
            raise ValueError(f"there must be at least one game and one thread, not {size} and {threads}")
        cuts = [size * part // threads for part in range(threads + 1)]
        self.first, *self.others = [(start, stop) for start, stop in pairwise(cuts) if start < stop]
        self.pool: ThreadPoolExecutor | None = None

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Call ``function(*arguments, start, stop)`` on every slice and wait for all."""
        if not self.others:
            function(*arguments, *self.first)
            return
        if self.pool is None:
            self.pool = ThreadPoolExecutor(len(self.others))
        parts = [self.pool.submit(function, *arguments, *part) for part in self.others]
        function(*arguments, *self.first)
        for part in parts:
            part.result()

    def close(self) -> None:
        """End the threads; a later call starts them again."""
        if self.pool is not None:
            self.pool.shutdown()
            self.pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "pool": None}
