"""The network and how it is asked: mirror symmetry, independence of the batch, what it can learn."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from c4agents.policy.evaluator import CHUNK, Evaluator
from c4agents.policy.network import NetworkConfig, PolicyNetwork
from c4agents.policy.planes import to_planes
from c4env.bitboard import column_of, playable, threats
from c4env.position import PositionBatch
from c4env.symmetry import mirror


def test_mirrored_positions_get_mirrored_answers_to_the_bit(evaluator: Evaluator, positions: PositionBatch) -> None:
    image = mirror(position=positions).position
    direct, mirrored = evaluator(positions.own, positions.occupied), evaluator(image.own, image.occupied)
    assert np.array_equal(direct.logits, mirrored.logits[:, ::-1])
    assert np.array_equal(direct.outcomes, mirrored.outcomes)
    assert (direct.logits[:, 0] != direct.logits[:, 6]).any()  # it does tell left from right


def test_answers_do_not_depend_on_the_rest_of_the_batch(positions: PositionBatch) -> None:
    torch.manual_seed(5)
    evaluator = Evaluator(PolicyNetwork().eval())
    own, occupied = np.tile(positions.own, 6), np.tile(positions.occupied, 6)
    everything = evaluator(own, occupied)
    for start, stop in ((0, 1), (7, 10), (40, 56), (0, 399), (3, CHUNK + 4), (0, 2 * CHUNK + 1)):
        part = evaluator(own[start:stop], occupied[start:stop])
        assert np.array_equal(part.logits, everything.logits[start:stop])
        assert np.array_equal(part.outcomes, everything.outcomes[start:stop])


def test_probabilities_are_over_legal_columns(evaluator: Evaluator, positions: PositionBatch) -> None:
    chances = evaluator(positions.own, positions.occupied).probabilities
    assert np.allclose(chances.sum(axis=1), 1)
    for position, row in zip(positions, chances, strict=True):
        assert tuple(np.flatnonzero(row)) == position.legal


def test_no_positions(evaluator: Evaluator) -> None:
    nothing = np.zeros(0, np.int64)
    assert evaluator(nothing, nothing).logits.shape == (0, 7)


def test_shipped_size_is_small() -> None:
    assert sum(weight.numel() for weight in PolicyNetwork().parameters()) <= 500_000


def test_it_overfits_a_labelled_set(positions: PositionBatch) -> None:
    """Random labels for moves and outcomes: it can tell any two positions apart."""
    torch.manual_seed(0)
    late = np.array([position.ply > 12 for position in positions])
    planes = torch.from_numpy(to_planes(positions.own[late], positions.occupied[late])[:128]).float()
    rng = np.random.default_rng(0)
    columns, outcomes = torch.tensor(rng.integers(7, size=128)), torch.tensor(rng.integers(3, size=128))
    network = PolicyNetwork(NetworkConfig(channels=32, features=16, width=96, blocks=1))
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for _ in range(150):
        logits, outcome = network(planes)
        loss = functional.cross_entropy(logits, columns) + functional.cross_entropy(outcome, outcomes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (logits.argmax(1) == columns).all()
    assert (outcome.argmax(1) == outcomes).all()


def test_it_learns_to_win_in_one_and_to_block(positions: PositionBatch) -> None:
    """Trained on single wins and blocks, it finds those it has not seen."""
    rng = np.random.default_rng(1)
    boards, labels = _tactics(rng, 3000)
    planes = torch.from_numpy(to_planes(*boards)).float()
    torch.manual_seed(0)
    network = PolicyNetwork(NetworkConfig(channels=32, features=16, width=64, blocks=1))
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    for step in range(120):
        part = torch.arange(step * 256, step * 256 + 256) % 2500
        loss = functional.cross_entropy(network(planes[part])[0], labels[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.inference_mode():
        right = (network(planes[2500:])[0].argmax(1) == labels[2500:]).float().mean()
    assert right > 0.95


def _tactics(rng: np.random.Generator, count: int) -> tuple[tuple[np.ndarray, np.ndarray], torch.Tensor]:
    """Positions with exactly one winning column, or none and exactly one to block."""
    own, occupied, labels = [], [], []
    while len(labels) < count:
        mine, filled = 0, 0
        for _ in range(int(rng.integers(6, 36))):
            cells = playable(filled)
            column = int(rng.choice([c for c in range(7) if cells >> (7 * c) & 0x3F]))
            mine, filled = mine ^ filled, filled | (cells & (0x3F << (7 * column)))
            now = playable(filled)
            wins, blocks = threats(mine, filled) & now, threats(mine ^ filled, filled) & now
            forced = wins or blocks
            if forced:
                if forced & (forced - 1) == 0:
                    own.append(mine)
                    occupied.append(filled)
                    labels.append(column_of(forced))
                break
    return (np.array(own), np.array(occupied)), torch.tensor(labels)
