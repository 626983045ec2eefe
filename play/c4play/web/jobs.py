"""Work off the event loop: few threads, bounded queues, a time limit, and a plain no when it is too much."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


class Busy(Exception):  # noqa: N818 - an answer, not a defect
    """There is no room for more work now."""


class TooSlow(Exception):  # noqa: N818 - likewise
    """The time limit passed before there was an answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may go on at once.

    Attributes:
        threads: Light jobs that run at the same time.
        waiting: Light jobs that may wait behind them.
        seconds: Longest time for an answer, waiting included.
    """

    threads: int = 2
    waiting: int = 64
    seconds: float = 20.0


class Lane:
    """Threads with a bounded queue. A place is free again when its job has really ended, not when it was given up."""

    def __init__(self, threads: int, waiting: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._places = threading.Semaphore(threads + waiting)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Begin ``work``, now or after those that wait.

        Raises:
            Busy: All places are taken.
        """
        if not self._places.acquire(blocking=False):
            raise Busy
        future = self._pool.submit(work)
        future.add_done_callback(lambda _: self._places.release())
        return future

    def close(self) -> None:
        """Let what runs end, and begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


class Workers:
    """Two lanes: light jobs share threads and a queue; of heavy ones there is one at a time and none waits."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._light = Lane(self.limits.threads, self.limits.waiting, "light")
        self._heavy = Lane(1, 0, "heavy")

    async def run(self, work: Callable[[], T], *, heavy: bool = False, seconds: float | None = None) -> T:
        """The result of ``work``, within ``seconds`` or the usual limit.

        Raises:
            Busy: There is too much to do already.
            TooSlow: It did not end in time. It is not begun if it was still waiting.
        """
        future = (self._heavy if heavy else self._light).submit(work)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds or self.limits.seconds)
        except TimeoutError:
            raise TooSlow from None

    def close(self) -> None:
        """End both lanes."""
        self._light.close()
        self._heavy.close()
