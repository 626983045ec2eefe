"""Running the compiled search from Python: tables, threads, limits and interruption."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np

from c4agents.solver.memory import Words, aligned_words
from c4agents.solver.score import (
    BUSY,
    LOWER,
    OPEN,
    UNSOLVED,
    UPPER,
    advance,
    answer,
    begin,
    narrow,
    solve_range,
)
from c4agents.solver.search import HEADER, NODES, TOGETHER, new_workspace
from c4env.bitboard import CELLS

LEAST_BITS: Final = 16
MOST_BITS: Final = 32

_SLICE: Final = 1_000_000
"""Positions searched between two looks at limits and interrupts: some tens of milliseconds."""
_BLOCK: Final = 64
"""Positions of a batch that a thread takes at a time."""


class SearchLimit(RuntimeError):  # noqa: N818 - not a fault: the caller asked for it
    """The node or time limit was reached before the answer was certain."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one call may search; None is no limit."""

    nodes: int | None = None
    seconds: float | None = None


class _Run:
    """One call: counts nodes over all its threads, and stops them all when a limit is reached."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.nodes = 0
        self.stopped = False
        self._started = time.monotonic()
        self._lock = threading.Lock()

    @property
    def budget(self) -> int:
        """How many positions to search before the next :meth:`count`."""
        return _SLICE if self.limits.nodes is None else max(1, min(_SLICE, self.limits.nodes - self.nodes))

    def count(self, work: Words, finished: bool) -> None:
        """Add the nodes of ``work``.

        Raises:
            SearchLimit: It has not ``finished``, and a limit is reached.
        """
        with self._lock:
            self.nodes += int(work[NODES])
            work[NODES] = 0
        if finished:
            return
        if self.limits.nodes is not None and self.nodes >= self.limits.nodes:
            raise SearchLimit(f"not solved within {self.limits.nodes:,} nodes")
        if self.limits.seconds is not None and time.monotonic() - self._started >= self.limits.seconds:
            raise SearchLimit(f"not solved within {self.limits.seconds:g} seconds")


class Engine:
    """The far table and the workspaces that search on it; may be used from several threads at once.

    Attributes:
        nodes: Positions searched so far.
    """

    def __init__(self, table_bits: int) -> None:
        self._table = aligned_words(1 << table_bits)
        self._shift = 64 - table_bits
        self._idle: dict[bool, list[Words]] = {False: [], True: []}
        self._lock = threading.Lock()
        self.nodes = 0

    def clear(self) -> None:
        """Forget what was learnt. Only for measurements: what is remembered is always true."""
        self._table.fill(0)
        for workspaces in self._idle.values():
            for work in workspaces:
                work[HEADER:] = 0

    def solve(
        self,
        own: Words,
        occupied: Words,
        scores: Words,
        outcome_only: bool,
        threads: int,
        limits: Limits,
        bounds: tuple[Words, Words] | None = None,
    ) -> None:
        """Fill in those ``scores`` that are UNSOLVED; one outside ``bounds`` (lower, upper) as the nearer bound.

        Raises:
            SearchLimit: A limit was reached; the scores that are no longer UNSOLVED are right.
        """
        run = _Run(limits)
        try:
            unsolved = int((scores == UNSOLVED).sum())
            if unsolved == 0:
                return
            if threads == 1 or unsolved > 1 or bounds is not None:
                if bounds is None:
                    bounds = np.full(len(own), -CELLS), np.full(len(own), CELLS)
                workers = min(threads, -(-unsolved // _BLOCK))
                self._solve_many(run, own, occupied, scores, bounds, outcome_only, workers)
            else:
                index = int((scores == UNSOLVED).argmax())
                scores[index] = self._solve_together(run, int(own[index]), int(occupied[index]), outcome_only, threads)
        finally:
            with self._lock:
                self.nodes += run.nodes

    def _solve_many(
        self,
        run: _Run,
        own: Words,
        occupied: Words,
        scores: Words,
        bounds: tuple[Words, Words],
        outcome_only: bool,
        threads: int,
    ) -> None:
        blocks = itertools.count(0, _BLOCK)
        lock = threading.Lock()

        def job(number: int) -> None:
            with self._workspace(reverse_ties=number % 2 == 1) as work:
                while not run.stopped:
                    with lock:
                        start = next(blocks)
                    stop = min(start + _BLOCK, len(own))
                    if start >= stop:
                        return
                    while start < stop and not run.stopped:
                        start = solve_range(
                            self._table,
                            self._shift,
                            work,
                            own,
                            occupied,
                            scores,
                            *bounds,
                            start,
                            stop,
                            outcome_only,
                            run.budget,
                        )
                        run.count(work, finished=start == stop)

        _in_threads(job, threads, run)

    def _solve_together(self, run: _Run, own: int, occupied: int, outcome_only: bool, threads: int) -> int:
        """One position, searched by all threads at once; what one proves spares the others the question."""
        lock = threading.Lock()
        shared = {"lower": -UNSOLVED, "upper": UNSOLVED, "answer": UNSOLVED}

        def job(number: int) -> None:
            with self._workspace(reverse_ties=number % 2 == 1) as work:
                begin(work, own, occupied)
                work[TOGETHER] = 1
                done = False
                while not done and not run.stopped:
                    done = advance(self._table, self._shift, work, outcome_only, run.budget)
                    with lock:
                        shared["lower"] = max(shared["lower"], int(work[LOWER]))
                        shared["upper"] = min(shared["upper"], int(work[UPPER]))
                        narrow(work, shared["lower"], shared["upper"])
                    run.count(work, done)
                if done:
                    shared["answer"] = answer(work, outcome_only)
                    run.stopped = True

        _in_threads(job, threads, run)
        return shared["answer"]

    @contextmanager
    def _workspace(self, reverse_ties: bool) -> Iterator[Words]:
        with self._lock:
            idle = self._idle[reverse_ties]
            work = idle.pop() if idle else new_workspace(reverse_ties)
        work[NODES] = work[OPEN] = work[BUSY] = work[TOGETHER] = 0
        try:
            yield work
        finally:
            with self._lock:
                idle.append(work)


def _in_threads(job: Callable[[int], None], threads: int, run: _Run) -> None:
    """Run ``job(0)`` .. ``job(threads - 1)`` side by side; the first failure, or an interrupt, stops all."""
    if threads == 1:
        job(0)
        return
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(job, number) for number in range(threads)]
        try:
            for future in futures:
                future.result()
        finally:
            run.stopped = True
