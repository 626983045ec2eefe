"""A small untrained policy on disk."""

from __future__ import annotations

from pathlib import Path

import torch

from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.weights import save_policy


def write_model(path: Path, seed: int = 3) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_policy(PolicyNetwork(NetworkConfig(channels=16, features=8, width=32, blocks=1)).eval(), path, {})
