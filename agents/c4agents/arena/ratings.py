"""Bradley-Terry ratings of a tournament, in Elo points, with bootstrap intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from c4agents.arena.extra import needs_extra

ELO: Final = 400 / math.log(10)
"""Elo points per unit of the logit: 400 points are odds of ten to one."""
PRIOR: Final = 0.5
"""Wins that both sides of a pairing are given before the first game: one game, drawn. It keeps a pairing that
was won in every game, or had no decisive one, finite."""
RESAMPLES: Final = 200

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """An agent's rating.

    Attributes:
        name: The agent.
        elo: Its rating, with the anchor at 0.
        low: Lower end of the 95 % bootstrap interval.
        high: Upper end.
        games: Games it played.
        score: Share of the points it took, a draw counting half.
    """

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float


def rate(
    names: Sequence[str],
    pairings: Mapping[tuple[int, int], Sequence[Sequence[float]]],
    *,
    anchor: str = "random",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Rating]:
    """Ratings from results, best first.

    Args:
        names: The agents.
        pairings: For agents (i, j): for each opening the points agent i took in its games, each 1, 0.5 or 0. The
            games of an opening are resampled together, as they are not independent of each other.
        anchor: The agent whose rating is 0; the lowest rated one if it did not take part.
        resamples: Bootstrap samples.
        seed: Start of the drawing.

    Raises:
        ValueError: No results, or agents that are not connected by games.
    """
    _check_connected(names, pairings)
    size = len(names)
    sums = {pair: np.array([sum(points) for points in openings]) for pair, openings in pairings.items()}
    counts = {pair: np.array([len(points) for points in openings]) for pair, openings in pairings.items()}
    best = _fit(size, sums, counts, anchor, names)
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, size))
    for sample in range(resamples):
        picks = {pair: rng.integers(len(points), size=len(points)) for pair, points in sums.items()}
        drawn[sample] = _fit(
            size,
            {pair: sums[pair][pick] for pair, pick in picks.items()},
            {pair: counts[pair][pick] for pair, pick in picks.items()},
            anchor,
            names,
            best / ELO,
        )
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0) if resamples else (best, best)
    played, taken = np.zeros(size), np.zeros(size)
    for (i, j), points in sums.items():
        games = counts[i, j].sum()
        played[[i, j]] += games
        taken[i] += points.sum()
        taken[j] += games - points.sum()
    ratings = [
        Rating(name, float(best[i]), float(low[i]), float(high[i]), int(played[i]), float(taken[i] / played[i]))
        for i, name in enumerate(names)
    ]
    return sorted(ratings, key=lambda rating: -rating.elo)


def _fit(
    size: int,
    sums: Mapping[tuple[int, int], Points],
    counts: Mapping[tuple[int, int], npt.NDArray[np.int64]],
    anchor: str,
    names: Sequence[str],
    start: Points | None = None,
) -> Points:
    with needs_extra():
        import choix
    wins = np.zeros((size, size))
    for (i, j), points in sums.items():
        wins[i, j] += points.sum() + PRIOR
        wins[j, i] += counts[i, j].sum() - points.sum() + PRIOR
    logits = choix.ilsr_pairwise_dense(wins, initial_params=start, max_iter=1000, tol=1e-6)
    base = logits[list(names).index(anchor)] if anchor in names else logits.min()
    fitted: Points = ELO * (logits - base)
    return fitted


def _check_connected(names: Sequence[str], pairings: Mapping[tuple[int, int], Sequence[Sequence[float]]]) -> None:
    reached, edge = {0}, [0]
    while edge:
        at = edge.pop()
        for pair, openings in pairings.items():
            if at in pair and openings:
                other = pair[0] + pair[1] - at
                if other not in reached:
                    reached.add(other)
                    edge.append(other)
    if len(reached) < len(names):
        missing = ", ".join(name for index, name in enumerate(names) if index not in reached)
        raise ValueError(f"ratings need games that connect all agents; without any so far: {missing}")
