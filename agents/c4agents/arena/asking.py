"""Asking an agent that may fail: one that raises, answers what can't be played, or takes too long."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from c4agents.agent import Agent
from c4env.bitboard import is_legal
from c4env.position import Position, PositionBatch

ILLEGAL = -1
"""Written for an answer that can't be played."""


class _TooSlow(BaseException):
    """Raised inside an agent that is over its time; not an ``Exception``, so that it can't swallow it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent answered.

    Attributes:
        column: The column, legal unless ``failure`` says otherwise.
        seconds: Wall-clock time it took.
        failure: What went wrong, in one line; None if nothing did.
    """

    column: int
    seconds: float
    failure: str | None = None


def ask(agent: Agent, position: Position, seconds: float | None = None) -> Answer:
    """The agent's move in ``position``, whatever it does.

    An agent over the limit of ``seconds`` is interrupted where the platform can (Python code in the main thread of a
    process on Unix), and has failed in any case.
    """
    started = time.perf_counter()
    column: object = ILLEGAL
    failure: str | None = None
    try:
        with _alarm(seconds):
            column = agent.act(position)
    except _TooSlow:
        pass
    except Exception as error:
        failure = f"raised {type(error).__name__}: {error}".splitlines()[0]
    taken = time.perf_counter() - started
    if failure is None and seconds is not None and taken > seconds:
        failure = f"took {taken:.3g} s, over the limit of {seconds:g} s"
    if failure is None:
        failure = complaint(column, position)
    return Answer(ILLEGAL if failure else int(column), taken, failure)  # type: ignore[call-overload]


def complaint(column: object, position: Position) -> str | None:
    """What is wrong with ``column`` as a move in ``position``; None if it is a legal column."""
    if isinstance(column, bool) or not isinstance(column, (int, np.integer)):
        return f"answered {column!r}, which is not a column"
    if not 0 <= column < 7:
        return f"answered {int(column)}, which is not a column from 0 to 6"
    return None if is_legal(position.occupied, int(column)) else f"played column {int(column) + 1}, which is full"


def ask_batch(agent: Agent, positions: PositionBatch) -> tuple[npt.NDArray[np.int8], dict[int, str]]:
    """The agent's moves in many positions, whatever it does.

    Returns:
        The columns, shape [B], ``ILLEGAL`` where it failed, and what went wrong by index. If the batch as a whole
        raises, or has the wrong shape, the positions are asked one by one.
    """
    size = len(positions)
    try:
        answers = np.asarray(agent.act_batch(positions))
        whole = answers.shape == (size,) and answers.dtype.kind in "iu"
    except Exception:
        whole = False
    failures: dict[int, str] = {}
    if not whole:
        columns = np.full(size, ILLEGAL, np.int8)
        for index, position in enumerate(positions):
            answer = ask(agent, position)
            columns[index] = answer.column
            if answer.failure:
                failures[index] = answer.failure
        return columns, failures
    columns = np.where((answers >= 0) & (answers < 7), answers, ILLEGAL).astype(np.int8)
    shifts = columns.astype(np.int64) * 7 + 5
    full = (columns >= 0) & ((positions.occupied >> np.maximum(shifts, 0)) & 1).astype(np.bool_)
    for index in np.flatnonzero(full | (columns < 0)).tolist():
        failures[index] = complaint(int(answers[index]), positions[index]) or ""
        columns[index] = ILLEGAL
    return columns, failures


@contextlib.contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Interrupt the body by ``_TooSlow`` after ``seconds``, if this process and thread can."""
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_number: int, _frame: object) -> None:
        raise _TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds * 1.02 + 0.001)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
