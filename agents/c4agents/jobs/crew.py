"""The crew: a pure function over batches, results in order, whatever becomes of the workers."""

from __future__ import annotations

import hashlib
import os
import platform
import statistics
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Final, TypeVar

from cloudpickle import dumps

from c4agents.jobs.pools import LocalPool, LostError, Pool, RayPool
from c4agents.jobs.worker import Parcel

Shared = TypeVar("Shared")
Batch = TypeVar("Batch")
Result = TypeVar("Result")

RETRIES: Final = 3
"""Times a batch is tried again."""
_AHEAD: Final = 16
"""Batches per worker that may be begun before the oldest is finished: bounds the results held back for order."""
_SECONDS: Final = 1.0
"""What a batch of :meth:`Crew.map_range` should take: long beside the trip, short enough to see it move."""
_SHOWN: Final = 8
"""Workers described one by one."""
_HERE: Final = f"{platform.node()}:{os.getpid()}"


@dataclass
class Tally:
    """What a worker has done.

    Attributes:
        batches: Batches.
        items: Items of these batches.
        seconds: Time at work.
        cpu: Processor time at work.
    """

    batches: int = 0
    items: int = 0
    seconds: float = 0.0
    cpu: float = 0.0

    @property
    def rate(self) -> float:
        """Items per second at work."""
        return self.items / max(self.seconds, 1e-9)


def _items(batch: object) -> int:
    return len(batch) if isinstance(batch, Sized) else 1


class Crew:
    """Workers for batches of a pure function; use it in a ``with``.

    Results come in the order of the batches and each exactly once, so they depend neither on the number of workers
    nor on where these are. A batch whose worker dies, whose node leaves or that raises is done again, a bounded number
    of times, and a line on stderr says so; only ValueError, which says that the input is wrong, is raised at once.

    Args:
        workers: Processes of this machine, 0 for one per core; 1 works here, without any process. With ``ray`` the
            batches worked on at once. None is 1, or with ``ray`` all processors of the cluster.
        ray: Work on a Ray cluster: ``auto`` for the one this machine is part of, ``local`` for one that is started
            for this crew, or its address.
        say: Told about each trouble, in one line; prints it to stderr if not given.

    Attributes:
        tallies: What each worker has done, by its name, ``host:process``.
        wall: Seconds spent in maps, by the driver's clock.
        lost: Batches that had to be done again.

    Raises:
        ValueError: A bad number of workers, a library that is not installed, or no cluster there.

    Example:
        >>> with Crew(1) as crew:
        ...     list(crew.map(lambda factor, batch: [factor * item for item in batch], [[1, 2], [3]], shared=10))
        [[10, 20], [30]]
    """

    def __init__(
        self, workers: int | None = None, *, ray: str | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        if workers is not None and workers < 0:
            raise ValueError(f"workers is a number of processes, or 0 for one per core, not {workers}")
        self._say = say or _print
        self._pool: Pool | None = None
        if ray is not None:
            self._pool = RayPool(ray, workers or None)
        elif workers is not None and (workers or os.cpu_count() or 1) > 1:
            self._pool = LocalPool(workers or os.cpu_count() or 1)
        self._shared: tuple[object, str] | None = None
        self._latest: deque[tuple[int, float]] = deque(maxlen=8)
        self.tallies: dict[str, Tally] = {}
        self.wall = 0.0
        self.lost = 0

    @staticmethod
    def of(workers: int | Crew) -> AbstractContextManager[Crew]:
        """That crew, which stays open; or a crew of so many workers for the time of a ``with``."""
        return nullcontext(workers) if isinstance(workers, Crew) else Crew(workers)

    @property
    def size(self) -> int:
        """Batches worked on at once; on a cluster it may change."""
        return self._pool.size if self._pool else 1

    @property
    def local(self) -> bool:
        """Whether batches are done in this very process."""
        return self._pool is None

    def map(
        self,
        function: Callable[[Shared, Batch], Result],
        batches: Iterable[Batch],
        *,
        shared: Shared,
        items: Callable[[Batch], int] = _items,
    ) -> Generator[Result, None, None]:
        """``function(shared, batch)`` for each batch, in order, as they become known.

        Batches are taken from the iterable as there is room for them. Leaving the iteration before its end, or an
        exception, stops all work.

        Args:
            function: Pure: the same arguments give the same result, in any process. Pickled by cloudpickle.
            batches: Each large enough to take a good part of a second; pickled likewise.
            shared: What all batches need, such as a network's weights; sent to each worker once, and again only if it
                is a different object with different content. None if there is nothing.
            items: How much is in a batch, for the tallies; its length if not given.

        Raises:
            Exception: What the function raised, ValueError at once, others if trying again did not help.
            RuntimeError: A batch lost its worker each time.
        """
        return self._run(function, ((items(batch), batch) for batch in batches), shared)

    def map_range(
        self,
        function: Callable[[Shared, Batch], Result],
        total: int,
        batch: Callable[[slice], Batch],
        *,
        shared: Shared,
        start: int = 0,
        seconds: float = _SECONDS,
        most: int = 1 << 15,
    ) -> Generator[tuple[slice, Result], None, None]:
        """``function`` over items ``start`` to ``total`` in batches that take about ``seconds``.

        For functions that treat each item by itself: how the items are divided depends on the speed of the machine.

        Args:
            function: As for :meth:`map`.
            total: Number of items.
            batch: Makes the batch of some items.
            shared: As for :meth:`map`.
            start: First item.
            seconds: What a batch should take.
            most: Items of a batch at most.

        Yields:
            The items, and the function's result for their batch, in order.
        """
        parts: list[slice] = []
        self._latest.clear()

        def batches() -> Iterator[tuple[int, Batch]]:
            begin, size = start, 1
            while begin < total:
                items, spent = sum(took[0] for took in self._latest), sum(took[1] for took in self._latest)
                size = min(int(seconds * items / spent), 2 * size, most) if spent else size
                if self._pool is not None:  # small ones at the end, so that all finish together
                    size = min(size, -(-(total - begin) // (2 * self.size)))
                size = max(size, 1)
                part = slice(begin, min(begin + size, total))
                parts.append(part)
                yield part.stop - part.start, batch(part)
                begin = part.stop

        with closing(self._run(function, batches(), shared)) as run:
            for number, result in enumerate(run):
                yield parts[number], result

    def brief(self) -> str:
        """The workers' speed in items per second, in half a line; nothing if all work is done here."""
        if self.local:
            return ""
        rates = [f"{tally.rate:,.3g}" for tally in self.tallies.values()]
        more = f" and {len(rates) - _SHOWN} more" if len(rates) > _SHOWN else ""
        return f"{len(rates)} workers: {' '.join(rates[:_SHOWN])}{more} /s"

    def describe(self, unit: str = "items") -> list[str]:
        """What each worker did and how busy all were, in a few lines; of many workers a summary."""
        rates = sorted(tally.rate for tally in self.tallies.values())
        if not rates:
            return []
        lines = [
            f"{name}: {tally.items:,} {unit} in {tally.batches:,} batches, {tally.rate:,.4g} {unit}/s"
            for name, tally in self.tallies.items()
        ]
        if len(lines) > _SHOWN:
            middle = statistics.median(rates)
            lines = [f"{len(rates)} workers: {rates[0]:,.4g} to {rates[-1]:,.4g} {unit}/s, median {middle:,.4g}"]
        items, busy = (sum(getattr(tally, name) for tally in self.tallies.values()) for name in ("items", "seconds"))
        lines.append(
            f"all: {items:,} {unit} in {self.wall:,.4g} s, {items / max(self.wall, 1e-9):,.4g} {unit}/s; "
            f"{busy / max(self.wall, 1e-9):.2f} of {self.size} workers busy on average, {self.lost} batches done again"
        )
        return lines

    def close(self) -> None:
        """Stop all work and let go of what the crew holds."""
        if self._pool is not None:
            self._pool.close()

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(
        self, function: Callable[[Shared, Batch], Result], batches: Iterator[tuple[int, Batch]], shared: Shared
    ) -> Generator[Result, None, None]:
        """Batches with their number of items, by whatever means there are."""
        started, before = time.perf_counter(), self.wall
        run = self._here(function, batches, shared) if self._pool is None else self._away(function, batches, shared)
        try:
            for result in run:
                self.wall = before + time.perf_counter() - started
                yield result
        finally:
            run.close()
            self.wall = before + time.perf_counter() - started

    def _here(
        self, function: Callable[[Shared, Batch], Result], batches: Iterator[tuple[int, Batch]], shared: Shared
    ) -> Generator[Result, None, None]:
        for number, (items, batch) in enumerate(batches):
            for tried in count(1):
                started, cpu = time.perf_counter(), time.process_time()
                try:
                    result = function(shared, batch)
                except Exception as error:
                    self._fail({number: error}, {number: tried})
                    continue
                self._note(_HERE, items, time.perf_counter() - started, time.process_time() - cpu)
                yield result
                break

    def _away(
        self, function: Callable[[Shared, Batch], Result], batches: Iterator[tuple[int, Batch]], shared: Shared
    ) -> Generator[Result, None, None]:
        pool = self._pool
        assert pool is not None
        version = self._send(pool, shared)
        here, pickled = str(Path.cwd()), dumps(function)
        flying: dict[int, tuple[int, Parcel]] = {}
        done: dict[int, Result] = {}
        tried: Counter[int] = Counter()
        source = enumerate(batches)
        begun, wanted, more = 0, 0, True
        try:
            while more or flying or done:
                while more and len(flying) < pool.room and begun - wanted < _AHEAD * pool.size:
                    taken = next(source, None)
                    if taken is None:
                        more = False
                        break
                    number, (items, batch) = taken
                    flying[number] = items, Parcel(here, pickled, dumps(batch), version)
                    pool.submit(number, flying[number][1])
                    begun += 1
                while wanted in done:
                    yield done.pop(wanted)
                    wanted += 1
                if not flying:
                    continue
                failed: dict[int, Exception] = {}
                for number, outcome in pool.ready().items():
                    error = outcome if isinstance(outcome, LostError) else outcome.error
                    if isinstance(outcome, LostError) or error is not None:
                        assert error is not None
                        failed[number] = error
                        tried[number] += 1
                        continue
                    items, _ = flying.pop(number)
                    done[number] = outcome.result
                    self._note(outcome.worker, items, outcome.seconds, outcome.cpu)
                if failed:
                    self._fail(failed, tried)
                for number in failed:
                    pool.submit(number, flying[number][1])
        finally:
            pool.stop()

    def _send(self, pool: Pool, shared: object) -> str:
        """Make ``shared`` available to workers, unless they have it; returns its version."""
        if self._shared is None or self._shared[0] is not shared:
            data = dumps(shared)
            version = hashlib.sha256(data).hexdigest()
            if self._shared is None or self._shared[1] != version:
                pool.share(version, data)
            self._shared = shared, version
        return self._shared[1]

    def _fail(self, failed: Mapping[int, Exception], tried: Mapping[int, int]) -> None:
        """Say what will be done again.

        Raises:
            Exception: What a batch raised, if that is final.
        """
        self.lost += len(failed)
        reasons: dict[str, list[int]] = {}
        for number, error in failed.items():
            if isinstance(error, ValueError) or (tried[number] > RETRIES and not isinstance(error, LostError)):
                raise error
            if tried[number] > RETRIES:
                raise RuntimeError(f"batch {number + 1} lost its worker {tried[number]} times; the last time {error}")
            what = str(error) if isinstance(error, LostError) else f"{type(error).__name__}: {error}"
            reasons.setdefault(what.splitlines()[0], []).append(number + 1)
        for what, numbers in reasons.items():
            plural = "batch" if len(numbers) == 1 else "batches"
            self._say(f"{what}; {plural} {', '.join(map(str, sorted(numbers)))} will be done again")

    def _note(self, worker: str, items: int, seconds: float, cpu: float) -> None:
        tally = self.tallies.setdefault(worker, Tally())
        tally.batches += 1
        tally.items += items
        tally.seconds += seconds
        tally.cpu += cpu
        self._latest.append((items, seconds))


def _print(line: str) -> None:
    print(f"c4: {line}", file=sys.stderr, flush=True)
