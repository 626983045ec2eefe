"""The memory a search works in."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from c4agents.search.alphabeta import FRAMES_SHAPE, REPORT_SIZE, TAGS, IntArray

_TABLE_ENTRIES = 1 << 19


class Workspace(threading.local):
    """The arrays a search works in, one set per thread, so that agents hold none and can be copied."""

    def __init__(self) -> None:
        self.frames: IntArray = np.empty(FRAMES_SHAPE, dtype=np.int64)
        self.table: IntArray = np.zeros((_TABLE_ENTRIES, 2), dtype=np.int64)
        self.report: IntArray = np.zeros(REPORT_SIZE, dtype=np.int64)
        self.stop: IntArray = np.zeros(1, dtype=np.int64)
        self.tag = 0

    def new_tag(self) -> int:
        """A tag no entry of the table has."""
        self.tag += 1
        if self.tag == TAGS:
            self.table[:] = 0
            self.tag = 1
        return self.tag

    @contextmanager
    def time_limit(self, seconds: float | None) -> Iterator[None]:
        """Raise the stop flag after ``seconds``; the search runs without the GIL, so a timer can."""
        self.stop[0] = 0
        if seconds is None:
            yield
            return
        flag = self.stop
        timer = threading.Timer(seconds, flag.fill, (1,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            flag[0] = 0


workspace = Workspace()
"""This thread's."""
