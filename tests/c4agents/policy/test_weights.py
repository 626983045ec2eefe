"""Weights on disk: what is written is read, and what is not ours is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from c4agents.policy.network import PolicyNetwork
from c4agents.policy.weights import load_policy, save_policy


@pytest.fixture
def saved(tmp_path: Path, network: PolicyNetwork) -> Path:
    path = tmp_path / "a" / "policy.safetensors"
    save_policy(network, path, {"command": "c4 train", "seed": "7"})
    return path


def test_round_trip(saved: Path, network: PolicyNetwork) -> None:
    policy = load_policy(saved)
    assert policy.network.config == network.config
    assert policy.about["command"] == "c4 train"
    assert policy.about["seed"] == "7"
    assert not policy.network.training
    for name, weights in network.state_dict().items():
        assert torch.equal(policy.network.state_dict()[name], weights)
    assert list(saved.parent.iterdir()) == [saved]


def test_fingerprint_follows_the_weights(saved: Path, network: PolicyNetwork, tmp_path: Path) -> None:
    before = load_policy(saved).sha256
    assert load_policy(saved).sha256 == before
    with torch.no_grad():
        network.outcome.bias += 1
    save_policy(network, saved, {})
    assert load_policy(saved).sha256 != before


def refusal(path: Path) -> str:
    with pytest.raises(ValueError, match=path.name) as caught:
        load_policy(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    assert "no weights file" in refusal(tmp_path / "missing.safetensors")
    assert "no weights file" in refusal(tmp_path)


def test_truncated_anywhere(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    for length in (0, 4, 8, 100, len(whole) // 2, len(whole) - 1):
        cut = tmp_path / "cut.safetensors"
        cut.write_bytes(whole[:length])
        assert "damaged" in refusal(cut)


def test_other_kinds_of_file(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_text("hello " * 100)
    assert "damaged or no safetensors" in refusal(path)
    torch.save({"weights": torch.zeros(3)}, path)
    assert "damaged or no safetensors" in refusal(path)
    save_file({"weights": torch.zeros(3)}, path)
    assert "something else" in refusal(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": "99"}, "another version"),
        ({"planes": json.dumps(["stones"])}, "another version"),
        ({"architecture": "{}x"}, "no architecture"),
        ({"architecture": '{"layers": 3}'}, "no architecture"),
        ({"architecture": '{"width": 1000000000}'}, "no architecture"),
        ({"architecture": '{"width": 64}'}, "other tensors"),
    ],
)
def test_metadata_that_does_not_fit(saved: Path, tmp_path: Path, changes: dict[str, str], words: str) -> None:
    path = tmp_path / "changed.safetensors"
    about = load_policy(saved).about
    save_file(load_file(saved), path, {**about, **changes})
    assert words in refusal(path)
