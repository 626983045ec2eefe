"""Shares with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from c4agents.arena.extra import needs_extra

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Share:
    """A share of something counted, with its 95 % interval.

    Attributes:
        count: How many; halves where a draw counts half.
        total: Out of how many.
        share: ``count / total``; NaN if there are none.
        low: Lower end of the Wilson interval.
        high: Upper end.
    """

    count: float
    total: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        if not self.total:
            return "-"
        return f"{self.share:.1%} [{self.low:.1%}, {self.high:.1%}]"


def share(count: float, total: int) -> Share:
    """The share ``count / total`` with its Wilson interval.

    A count with a half (draws) has no Wilson interval of its own: the ends are those of the whole numbers around it,
    so the interval is a little too wide rather than too narrow.
    """
    if total == 0:
        return Share(0, 0, math.nan, 0.0, 1.0)
    return Share(count, total, count / total, _wilson(math.floor(count), total)[0], _wilson(math.ceil(count), total)[1])


def _wilson(count: int, total: int) -> tuple[float, float]:
    with needs_extra():
        from scipy.stats import binomtest
    interval = binomtest(count, total).proportion_ci(CONFIDENCE, "wilson")
    return float(interval.low), float(interval.high)
