"""The network as an ONNX file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from c4agents.policy.evaluator import Evaluator
from c4agents.policy.network import PolicyNetwork
from c4agents.policy.planes import to_planes
from c4agents.policy.weights import load_policy, save_policy
from c4env.position import PositionBatch

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


def test_onnx_file_answers_as_the_network(tmp_path: Path, network: PolicyNetwork, positions: PositionBatch) -> None:
    from c4agents.policy.export import export_onnx

    save_policy(network, tmp_path / "p.safetensors", {"seed": "7"})
    assert export_onnx(load_policy(tmp_path / "p.safetensors"), tmp_path / "p.onnx") < 1e-4
    session = onnxruntime.InferenceSession(tmp_path / "p.onnx", providers=["CPUExecutionProvider"])
    planes = to_planes(positions.own, positions.occupied).astype(np.float32)
    logits, _ = session.run(None, {"planes": planes})
    expected = Evaluator(network)(positions.own, positions.occupied).logits
    legal = np.isfinite(expected)
    assert np.abs(logits - expected)[legal].max() < 1e-4
    assert session.get_modelmeta().custom_metadata_map["seed"] == "7"
    assert {path.name for path in tmp_path.iterdir()} == {"p.safetensors", "p.onnx"}
