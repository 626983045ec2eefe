"""A network as an ONNX file, for programs without torch."""

from __future__ import annotations

import json
import logging
import os
import warnings
from pathlib import Path
from typing import Final

import numpy as np
import torch

from c4agents.policy.planes import PLANES
from c4agents.policy.weights import Policy
from c4env.bitboard import COLUMNS, ROWS

TOLERANCE: Final = 1e-4
"""Largest difference between torch's and onnxruntime's outputs that counts as the same."""


def export_onnx(policy: Policy, path: Path) -> float:
    """Write ``policy`` to ``path`` and compare it with the original through onnxruntime.

    The file's input is ``planes``, float32 [B, 12, 6, 7]; its outputs are ``logits`` [B, 7], full columns not masked,
    and ``outcome`` [B, 3], logits of win, draw and loss. Its metadata are the policy's.

    Returns:
        The largest difference of any output on random planes.

    Raises:
        ValueError: The libraries for it are missing, or the outputs differ.
    """
    try:
        import onnx
        import onnxruntime
        import onnxscript  # noqa: F401 - torch's exporter is built on it
    except ImportError as error:
        raise ValueError(f'export needs {error.name}: pip install "c4env[onnx]"') from None
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it lists libraries that are not needed
    shape = (2, len(PLANES), ROWS, COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's about itself
        program = torch.onnx.export(
            policy.network,
            (torch.zeros(shape),),
            input_names=["planes"],
            output_names=["logits", "outcome"],
            dynamic_shapes=({0: torch.export.Dim("batch")},),
            dynamo=True,
            verbose=False,
        )
    assert program is not None
    model = program.model_proto
    onnx.helper.set_model_props(model, {**policy.about, "planes": json.dumps(PLANES)})
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    onnx.save(model, str(unfinished))
    try:
        session = onnxruntime.InferenceSession(str(unfinished), providers=["CPUExecutionProvider"])
        difference = 0.0
        for count in (1, 7, 300):
            planes = (np.random.default_rng(count).random((count, *shape[1:])) < 0.2).astype(np.float32)
            with torch.inference_mode():
                expected = policy.network(torch.from_numpy(planes))
            for ours, theirs in zip(expected, session.run(None, {"planes": planes}), strict=True):
                difference = max(difference, float(np.abs(ours.numpy() - theirs).max()))
        if not difference <= TOLERANCE:
            raise ValueError(f"onnxruntime's outputs differ from torch's by {difference:.2g}; nothing was written")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return difference
