"""Where batches run: processes of this machine (loky, by joblib) or a Ray cluster.

A pool knows nothing of order or of trying again; it takes numbered parcels and tells what became of each.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from c4agents.jobs.worker import KEPT, Outcome, Parcel, end_with, work

ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
"""Workers use one thread each, as there is one for each core."""
_IDLE: Final = 300
"""Seconds after which a local worker without work ends."""
_LOOK_AGAIN: Final = 5.0
"""Seconds between two looks at the size of a cluster, which may grow and shrink."""


class LostError(Exception):
    """A batch whose worker is gone; says why."""


class Pool(Protocol):
    """Workers that take batches."""

    @property
    def size(self) -> int:
        """Batches it works on at once; may change."""

    @property
    def room(self) -> int:
        """Batches it takes: those, and as many that wait with the workers so that these never wait for the driver."""

    def share(self, version: str, data: bytes) -> None:
        """Make a shared object available under ``version``; the last few are kept."""

    def submit(self, number: int, parcel: Parcel) -> None:
        """Take a batch."""

    def ready(self) -> dict[int, Outcome | LostError]:
        """Wait until something became of at least one batch, and tell."""

    def stop(self) -> None:
        """Drop all batches, also those being worked on."""

    def close(self) -> None:
        """Let go of everything that was made for this pool."""


class LocalPool:
    """Processes of this machine. They stay for a while after :meth:`close`, so that the next pool starts warm.

    Raises:
        ValueError: joblib is not installed.
    """

    def __init__(self, size: int) -> None:
        try:
            from joblib.externals.loky import get_reusable_executor
        except ModuleNotFoundError as error:
            raise ValueError(f'more than one worker needs {error.name}: pip install "c4env[arena]"') from None
        # Idle workers end after a while and are replaced when there is work again; loky warns of that.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
        self.size = size
        self._executor = partial(
            get_reusable_executor, size, timeout=_IDLE, env=ONE_THREAD, initializer=end_with, initargs=(os.getpid(),)
        )
        self._running: dict[Future[Outcome], int] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="c4-jobs-")

    @property
    def room(self) -> int:
        """Two batches for each worker."""
        return 2 * self.size

    def share(self, version: str, data: bytes) -> None:
        """Write it to a file that workers read."""
        folder = Path(self._folder.name)
        (folder / version).write_bytes(data)
        for old in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
            old.unlink()

    def submit(self, number: int, parcel: Parcel) -> None:
        """Take a batch; a pool that broke is made anew."""
        fetch = (Path(self._folder.name) / parcel.version).read_bytes
        try:
            future = self._executor().submit(work, parcel, fetch)
        except BrokenExecutor:
            future = self._executor().submit(work, parcel, fetch)
        self._running[future] = number

    def ready(self) -> dict[int, Outcome | LostError]:
        """Wait and tell. One worker's death takes along whatever the others were doing."""
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        if any(isinstance(future.exception(), BrokenExecutor) for future in done if not future.cancelled()):
            done, _ = wait(self._running)
        return {self._running.pop(future): _told(future) for future in done}

    def stop(self) -> None:
        """Kill the workers if they have work."""
        # Killing an executor that has not yet passed on what it was given makes one of its threads raise.
        patience = time.monotonic() + 1
        while any(not (future.running() or future.done()) for future in self._running) and time.monotonic() < patience:
            time.sleep(0.001)
        if any(not future.done() for future in self._running):
            self._executor().shutdown(wait=True, kill_workers=True)
        self._running.clear()

    def close(self) -> None:
        """Remove the shared objects."""
        self.stop()
        self._folder.cleanup()


def _told(future: Future[Outcome]) -> Outcome | LostError:
    try:
        return future.result()
    except (BrokenExecutor, CancelledError, EOFError, OSError) as error:
        return LostError(f"{type(error).__name__}: a local process was killed")


class RayPool:
    """The workers of a Ray cluster, one for each of its processors.

    Args:
        address: ``auto`` for the cluster this machine is part of, ``local`` to start one, or where it is.
        most: Batches to work on at once at most; None for as many as there are processors.

    Raises:
        ValueError: Ray is not installed, or there is no cluster.
    """

    def __init__(self, address: str, most: int | None = None) -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise ValueError(f'--ray needs {error.name}: pip install "c4env[cluster]"') from None
        self._ray: Any = ray
        self._joined = not ray.is_initialized()
        if self._joined:
            _join(ray, address, most)
        self._most = most
        self._processors, self._looked = 1, -_LOOK_AGAIN
        self._task = ray.remote(num_cpus=1, max_retries=0, runtime_env={"env_vars": ONE_THREAD})(_ray_work)
        self._kept: dict[str, Any] = {}
        self._running: dict[Any, int] = {}

    @property
    def size(self) -> int:
        """Processors of the cluster now, or as many as asked for."""
        if time.monotonic() - self._looked > _LOOK_AGAIN:
            self._processors = max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
            self._looked = time.monotonic()
        return min(self._processors, self._most or self._processors)

    @property
    def room(self) -> int:
        """Two batches for each processor; but Ray starts all it can, so no more than asked for if that is fewer."""
        return 2 * self.size if self.size == self._processors else self.size

    def share(self, version: str, data: bytes) -> None:
        """Put it into the object store, from where each node fetches it once."""
        self._kept[version] = self._ray.put(data)
        for old in list(self._kept)[:-KEPT]:
            del self._kept[old]

    def submit(self, number: int, parcel: Parcel) -> None:
        """Take a batch."""
        # In a list, the reference is not fetched before the task asks for it.
        self._running[self._task.remote(parcel, [self._kept[parcel.version]])] = number

    def ready(self) -> dict[int, Outcome | LostError]:
        """Wait and tell."""
        first, rest = self._ray.wait(list(self._running), num_returns=1)
        more, _ = self._ray.wait(rest, num_returns=len(rest), timeout=0) if rest else ([], [])
        told: dict[int, Outcome | LostError] = {}
        for reference in (*first, *more):
            number = self._running.pop(reference)
            try:
                told[number] = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                told[number] = LostError(f"{type(error).__name__}: a process or node of the cluster is gone")
        return told

    def stop(self) -> None:
        """Cancel what is running."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()

    def close(self) -> None:
        """Leave the cluster, unless it was joined before."""
        self.stop()
        self._kept.clear()
        if self._joined:
            self._ray.shutdown()


def _join(ray: Any, address: str, most: int | None) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")  # of a cluster that is started here: as this process, not 15 more
    new = {"num_cpus": most, "include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error", **new)
    except Exception as error:  # Ray raises a plain Exception when a node is too slow to start
        if address == "local":
            raise ValueError(f"Ray can't be started here: {str(error).splitlines()[0]}") from None
        raise ValueError(f"no Ray cluster at {address}: start one by ray start --head, or give --ray local") from None


def _ray_work(parcel: Parcel, shared: list[Any]) -> Outcome:
    import ray

    return work(parcel, partial(ray.get, shared[0]))
