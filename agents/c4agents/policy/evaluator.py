"""Asking a network about many positions: from bitboards to probabilities and values."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from c4agents.policy.network import PolicyNetwork
from c4agents.policy.planes import to_legal, to_planes

CHUNK: Final = 1024
"""Positions that go through the network together: enough to be fast, few enough to stay in the cache."""
FEWEST: Final = 16
"""Matrix products of fewer rows are summed in another order. Batches are filled up to this, so that an answer does
not depend on what else is asked."""


class Evaluation(NamedTuple):
    """What the network says of B positions, seen by the side to move.

    Attributes:
        logits: float32 [B, 7], minus infinity where a column is full.
        outcomes: float32 [B, 3], chances of win, draw and loss.
    """

    logits: npt.NDArray[np.float32]
    outcomes: npt.NDArray[np.float32]

    @property
    def probabilities(self) -> npt.NDArray[np.float32]:
        """Chances of the columns, [B, 7], 0 where full; every position must have a legal one."""
        weights = np.exp(self.logits - self.logits.max(axis=1, keepdims=True))
        chances: npt.NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
        return chances

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """Chance of winning less chance of losing, [B], -1 to 1."""
        values: npt.NDArray[np.float32] = self.outcomes[:, 0] - self.outcomes[:, 2]
        return values


class Evaluator:
    """A network as a function of bitboards.

    Args:
        network: The network; it is not changed.
        sha256: Fingerprint of the file it came from, if any.
        bfloat16: Multiply with 8 binary digits instead of 24: rougher, and twice as fast where the processor can.
    """

    def __init__(self, network: PolicyNetwork, sha256: str | None = None, *, bfloat16: bool = False) -> None:
        self.network = network
        self.sha256 = sha256
        self.bfloat16 = bfloat16

    def __call__(self, own: npt.NDArray[np.int64], occupied: npt.NDArray[np.int64]) -> Evaluation:
        """Evaluate positions [B], none of which may be over."""
        count = len(own)
        if count == 0:
            return Evaluation(np.zeros((0, 7), np.float32), np.zeros((0, 3), np.float32))
        if count < FEWEST:
            missing = np.zeros(FEWEST - count, np.int64)
            own, occupied = np.concatenate([own, missing]), np.concatenate([occupied, missing])
        planes, legal = to_planes(own, occupied), to_legal(occupied)
        logits, outcomes = [], []
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
            for start in range(0, len(own), CHUNK):
                # The last chunk reaches back, rather than be too short.
                first = min(start, max(0, len(own) - FEWEST))
                chunk = torch.from_numpy(planes[first : start + CHUNK]).to(torch.float32)
                policy, outcome = self.network(chunk)
                logits.append(policy[start - first :].float().numpy())
                outcomes.append(torch.softmax(outcome[start - first :].float(), dim=1).numpy())
        masked = np.where(legal, np.concatenate(logits), np.float32(-np.inf))[:count]
        return Evaluation(masked, np.concatenate(outcomes)[:count])
