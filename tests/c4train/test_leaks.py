"""The walk for leaks is that of certification, thinned."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from c4agents.arena.certification import certify
from c4agents.arena.exact import solver
from c4agents.policy.agent import PolicyAgent
from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4train import leaks
from c4train.dataset import canonical_keys


@pytest.fixture
def evaluator() -> Evaluator:
    torch.manual_seed(3)
    return Evaluator(PolicyNetwork(NetworkConfig(8, 8, 16, 1)).eval())


def test_a_full_walk_finds_what_certification_finds(evaluator: Evaluator) -> None:
    certificate, found = certify(PolicyAgent(evaluator), oracle=solver())
    walked = leaks.walk(evaluator, solver(), 0, 10**9, np.random.default_rng(0))
    assert len(walked.keys) == certificate.positions
    assert certificate.leaks > 0
    expected = np.unique(canonical_keys(found.own, found.occupied))
    assert np.array_equal(np.unique(walked.keys[walked.leaks]), expected)
    assert ((walked.sure >= 1 / 7) & (walked.sure <= 1)).all()


def test_a_thinned_walk_stays_within_its_limit(evaluator: Evaluator) -> None:
    walked = leaks.walk(evaluator, solver(), 1, 40, np.random.default_rng(0))
    assert 4 <= len(walked.keys) <= 21 * 40
    assert len(np.unique(walked.keys)) == len(walked.keys)
