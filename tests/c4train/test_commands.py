"""The commands ``c4 train`` and ``c4 dataset``: help without torch, mistakes in one line, and a whole small run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from c4play.cli import main


@pytest.mark.parametrize("command", ["train", "dataset", "export"])
def test_help_does_not_load_torch(command: str) -> None:
    code = (
        "import sys; from c4play.cli import main\n"
        f"try: main(['{command}', '--help'])\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules"
    )
    assert "examples" in subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "ppo", "--gmaes", "3"], "--gmaes"),
        (["train", "ppo", "--games", "many"], "games"),
        (["train", "ppo", "--minutes", "0"], "--minutes must be above 0"),
        (["train", "ppo", "--workers", "2"], "--workers"),
        (["train", "alphazero", "--workers", "-1"], "workers is a number of processes"),
        (["train", "ppo", "--resume", "nowhere"], "holds no run"),
        (["train", "distill", "--data", "nowhere"], "c4 dataset build nowhere"),
        (["dataset", "info", "nowhere"], "there is no dataset in nowhere"),
        (["dataset", "build", "d", "--positions", "0"], "--positions is a whole number"),
        (["export", "nothing", "p.onnx"], "no weights file"),
    ],
)
def test_mistakes_are_answered_in_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not Path("runs").exists()


@pytest.mark.parametrize("method", ["alphazero", "distill"])
def test_without_ray_it_says_what_to_install(
    method: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["train", method, "--smoke", "--ray", "auto"]) == 2
    assert 'pip install "c4env[cluster]"' in capsys.readouterr().err
    assert not Path("runs").exists()


def test_smoke(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--smoke"]) == 0
    said = capsys.readouterr().out
    assert "c4 play policy:runs/ppo-1/policy.safetensors" in said
    report = Path("runs/ppo-1/report.md").read_text()
    for bot in ("random", "rules", "alphabeta:depth=2", "alphabeta:depth=4"):
        assert bot in said
        row = re.search(rf"{bot} \| \d+% \[\d+%, \d+%\] \| (.*?) \| (.*?) \|", report)
        assert row
        assert [sum(map(int, seat.split(" / "))) for seat in row.groups()] == [10, 10]


def test_from_dataset_to_policy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dataset", "build", "data", "--positions", "200", "--first-ply", "30"]) == 0
    capsys.readouterr()
    assert main(["dataset", "info", "data", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["positions"] == 200
    assert sum(facts["won_drawn_lost"]) == sum(facts["by_ply"].values()) == 200
    assert main(["train", "distill", "--data", "data", "--smoke"]) == 0
    assert Path("runs/distill-1/policy.safetensors").exists()
