"""The network: shared bands of columns, then a trunk that cannot tell left from right.

The first two layers look at five neighbouring columns at a time, over their full height: columns are alike wherever
they stand, rows are not (who gets an odd row decides games). They see the board and its mirror image.

Every layer after them is a pair ``(u, v)`` that a mirrored board swaps. A linear map of such a pair that commutes with
the swap has the form ``u' = P(u + v) + Q(u - v)``, ``v' = P(u + v) - Q(u - v)``: half the weights and half the work
of a full matrix of that width, and the outputs of a mirrored position are the mirrored outputs, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from c4agents.policy.planes import PLANES
from c4env.bitboard import COLUMNS, ROWS

BAND: Final = 5
"""Columns that the first layer looks at together."""
MARGIN: Final = 1
"""Empty columns added on either side."""
PLACES: Final = COLUMNS + 2 * MARGIN - BAND + 1
HALF: Final = COLUMNS // 2

LARGEST: Final = 4096
"""Limit of every size, so that a file cannot ask for more memory than a machine has."""


@dataclass(frozen=True, slots=True)
class NetworkConfig:
    """Sizes of a network.

    Attributes:
        channels: Detectors that look at each band of columns.
        features: What the second layer makes of them, for each band.
        width: Size of each half of a pair.
        blocks: Hidden pair layers after the first, each added to what it was given.
    """

    channels: int = 96
    features: int = 48
    width: int = 160
    blocks: int = 2

    def __post_init__(self) -> None:
        for name in ("channels", "features", "width", "blocks"):
            size = getattr(self, name)
            if not (isinstance(size, int) and 1 <= size <= LARGEST):
                raise ValueError(f"{name} of a network is a whole number from 1 to {LARGEST}, not {size!r}")


class PairLinear(nn.Module):
    """A linear map from one pair to another that commutes with swapping.

    Args:
        size: Size of each half that goes in.
        width: Size of each half that comes out.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.even = nn.Linear(size, width)
        self.odd = nn.Linear(size, width, bias=False)

    def forward(self, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Both halves, [B, size] each, to [B, width] each."""
        even: Tensor = self.even(u + v)
        odd: Tensor = self.odd(u - v)
        return even + odd, even - odd


def by_column(sides: Tensor, slant: Tensor) -> Tensor:
    """Columns [B, 7, ...] from what a mirrored board leaves alone [B, 4, ...] and what it turns round [B, 3, ...]."""
    left, centre = sides[:, :HALF], sides[:, HALF:]
    return torch.cat([left + slant, centre, (left - slant).flip(1)], dim=1)


class PolicyNetwork(nn.Module):
    """Planes to move preferences and chances of the outcome.

    Args:
        config: Its sizes.
    """

    def __init__(self, config: NetworkConfig | None = None) -> None:
        super().__init__()
        self.config = config or NetworkConfig()
        width = self.config.width
        self.bands = nn.Conv2d(len(PLANES), self.config.channels, (ROWS, BAND), padding=(0, MARGIN))
        self.features = nn.Conv2d(self.config.channels, self.config.features, 1)
        self.entry = PairLinear(PLACES * self.config.features, width)
        self.trunk = nn.ModuleList(PairLinear(width, width) for _ in range(self.config.blocks))
        self.sides = nn.Linear(width, HALF + 1)
        self.slant = nn.Linear(width, HALF, bias=False)
        self.outcome = nn.Linear(width, 3)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            planes: float [B, 12, 6, 7], as :func:`~c4agents.policy.planes.to_planes` makes them.

        Returns:
            Logits of the columns [B, 7], full ones not masked, and of win, draw and loss for the side to move [B, 3].
        """
        return self.answers(*self.pair(planes))

    def pair(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """What the trunk makes of positions: the last pair, [B, width] each."""
        u, v = self._look(planes), self._look(planes.flip(3))
        u, v = map(functional.relu, self.entry(u, v))
        for layer in self.trunk:
            more_u, more_v = layer(u, v)
            u, v = u + functional.relu(more_u), v + functional.relu(more_v)
        return u, v

    def answers(self, u: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """What :meth:`forward` returns, from the last pair."""
        logits = by_column(self.sides(u + v), self.slant(u - v))
        outcome: Tensor = self.outcome(u + v)
        return logits, outcome

    def _look(self, planes: Tensor) -> Tensor:
        """What the bands show, [B, places * features]."""
        return functional.relu(self.features(functional.relu(self.bands(planes)))).flatten(1)
