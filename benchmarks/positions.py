"""Positions that benchmarks ask about: random games, the same for everyone under a seed."""

from __future__ import annotations

import random

from c4env.position import Position


def random_positions(count: int, seed: int, fewest: int = 2, most: int = 24) -> list[Position]:
    """Positions ``fewest`` to ``most`` plies into random games, not over."""
    rng = random.Random(seed)
    positions: list[Position] = []
    while len(positions) < count:
        position = Position()
        for _ in range(rng.randint(fewest, most)):
            if position.is_over:
                break
            position = position.play(rng.choice(position.legal))
        if not position.is_over:
            positions.append(position)
    return positions
