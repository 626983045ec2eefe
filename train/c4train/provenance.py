"""Where weights come from, as text to keep beside them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any


def provenance(config: Mapping[str, Any]) -> dict[str, str]:
    """Command, settings, seed and versions."""
    return {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "config": json.dumps(dict(config)),
        "method": str(config.get("method", "")),
        "seed": str(config.get("seed", "")),
        "revision": _revision(),
        "made_with": f"c4env {version('c4env')}, torch {version('torch')}",
    }


@cache
def _revision() -> str:
    """The git revision of this source, or nothing if it is installed."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
