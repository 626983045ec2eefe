"""A small untrained network, and positions to ask it about."""

from __future__ import annotations

import random

import pytest
import torch

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4env.position import PositionBatch
from tests.c4agents.oracle import random_position


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture
def network() -> PolicyNetwork:
    torch.manual_seed(3)
    return PolicyNetwork(NetworkConfig(channels=16, features=8, width=32, blocks=1)).eval()


@pytest.fixture
def evaluator(network: PolicyNetwork) -> Evaluator:
    return Evaluator(network)


@pytest.fixture
def positions() -> PositionBatch:
    rng = random.Random(4)
    return PositionBatch.of(random_position(rng) for _ in range(400))
