"""What importing costs, and what the first compilation says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(ROOT / folder) for folder in ("", "agents", "train", "play"))
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


def test_import_loads_nothing_heavy() -> None:
    heavy = ("torch", "pygame", "pettingzoo", "numba", "c4agents")
    code = f"import sys, c4env; print(*(m for m in {heavy} if m in sys.modules))"
    assert run(code).stdout.strip() == ""


def test_using_the_environment_loads_no_extra() -> None:
    code = (
        "import sys, gymnasium, c4env; e = gymnasium.make(c4env.ENV_ID); e.reset(seed=0); e.step(3);"
        "print(*(m for m in ('torch', 'pygame', 'pettingzoo', 'matplotlib') if m in sys.modules))"
    )
    assert run(code).stdout.strip() == ""


def test_first_compilation_is_announced_once_and_then_cached(tmp_path: Path) -> None:
    code = "import c4env.compiled as c; c.NOTICE_AFTER_SECONDS = 0.01; from c4env import Position; Position().winner"
    first = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    second = run(code, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.stderr.count("compiling") == 1
    assert second.stderr == ""


def test_names_are_public_and_others_are_not() -> None:
    import c4env

    for name in c4env.__all__:
        assert getattr(c4env, name)
    assert not hasattr(c4env, "nothing")
