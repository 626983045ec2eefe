"""``c4 export``: a trained policy as an ONNX file."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """examples:
  c4 export runs/ppo-1/policy.safetensors policy.onnx

the file takes planes, float32 [B, 12, 6, 7] (c4agents.policy.planes), and gives logits [B, 7] and outcome [B, 3] (win,
draw, loss); it is compared with the original through onnxruntime before it is kept
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``c4 export``."""
    parser.epilog = EXAMPLES
    parser.add_argument("weights", type=Path, metavar="WEIGHTS", help="weights file, as c4 train writes it")
    parser.add_argument("output", type=Path, metavar="FILE", help="ONNX file to write")


def run(args: argparse.Namespace) -> int:
    """Export."""
    try:
        from c4agents.policy.export import export_onnx
        from c4agents.policy.weights import load_policy
    except ImportError as error:
        raise ValueError(f'export needs {error.name}: pip install "c4env[train,onnx]"') from None
    difference = export_onnx(load_policy(args.weights), args.output)
    print(f"{args.output}: outputs differ from the original by at most {difference:.1g}")
    return 0
