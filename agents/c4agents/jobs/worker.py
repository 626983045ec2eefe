"""What a worker does: one batch at a time, remembering the shared objects it was sent."""

from __future__ import annotations

import gc
import os
import pickle
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

KEPT: Final = 2
"""Versions of shared objects that drivers and workers keep."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A batch on its way to a worker.

    Attributes:
        folder: The driver's current folder; agents given as code are found from there.
        function: Pickled: what to call with the shared object and the batch.
        batch: Pickled.
        version: Of the shared object.
    """

    folder: str
    function: bytes
    batch: bytes
    version: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a batch.

    Attributes:
        worker: Who did it: ``host:process``.
        seconds: Time the function took there, without travel and unpacking.
        cpu: Processor time it took there.
        result: What the function returned; None if it raised.
        error: What it raised.
    """

    worker: str
    seconds: float
    cpu: float
    result: Any = None
    error: Exception | None = None


_shared: dict[str, Any] = {}
_imported = 0


def work(parcel: Parcel, fetch: Callable[[], bytes]) -> Outcome:
    """Do one batch.

    Args:
        parcel: The batch.
        fetch: Brings the shared object, pickled; called only if this worker does not have that version yet.
    """
    started, before = time.perf_counter(), time.process_time()
    result, error = None, None
    try:
        _settle(parcel.folder)
        if parcel.version not in _shared:
            _shared[parcel.version] = pickle.loads(fetch())
            for old in list(_shared)[:-KEPT]:
                del _shared[old]
        function, batch = pickle.loads(parcel.function), pickle.loads(parcel.batch)
        if torch := sys.modules.get("torch"):
            torch.set_num_threads(1)
        started, before = time.perf_counter(), time.process_time()
        result = function(_shared[parcel.version], batch)
    except Exception as raised:
        error = _portable(raised)
    name = f"{platform.node()}:{os.getpid()}"
    outcome = Outcome(name, time.perf_counter() - started, time.process_time() - before, result, error)
    _spare_imports()
    return outcome


def _spare_imports() -> None:
    """Hide what imports have made from the garbage collector: loky calls it every second, and it would take 0.1 s."""
    global _imported
    if len(sys.modules) != _imported:
        gc.collect()
        gc.freeze()
        _imported = len(sys.modules)


def end_with(driver: int) -> None:
    """End this process soon after its parent, the process ``driver``, has gone, however it went, and not by Ctrl-C.

    Ctrl-C in a terminal goes to all processes; what is to be done about it is for the driver to say.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _settle(folder: str) -> None:
    """Go to the driver's folder, if this machine has it, and import from there as the driver does."""
    if Path(folder).is_dir():
        os.chdir(folder)
        if folder not in sys.path:
            sys.path.insert(0, folder)


def _portable(error: Exception) -> Exception:
    """The error if it survives the way back, else one that says the same."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
