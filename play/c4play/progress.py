"""A progress bar on stderr, for commands that take more than a moment."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

Report = Callable[[str, int, int], None]
"""Told what is being done, and how many of how many are done."""


@contextlib.contextmanager
def progress_bar(unit: str, *, shown: bool = True, detail: Callable[[], str] = lambda: "") -> Iterator[Report]:
    """A bar with rate and remaining time; nothing if stderr is not a terminal or ``shown`` is false.

    Args:
        unit: What is counted, for the rate (``games``).
        shown: Whether to show it at all.
        detail: What else to say at each report, such as what each worker does.
    """
    if not shown or not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rate="", detail="")
        at, base, now_doing = time.monotonic(), 0, ""

        def report(what: str, done: int, total: int) -> None:
            nonlocal at, base, now_doing
            if what != now_doing:
                at, base, now_doing = time.monotonic(), done, what
                bar.reset(task, total=total, description=what, completed=done, rate="")
            passed = time.monotonic() - at
            rate = f"{(done - base) / passed:,.4g} {unit}/s" if passed > 0 and done > base else ""
            bar.update(task, completed=done, total=total, rate=rate, detail=detail())

        yield report
