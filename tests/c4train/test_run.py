"""Runs: same seed same weights, exact resume after being killed, refusals in one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from c4agents.policy.weights import load_policy, shipped_path
from c4train import methods
from c4train.ppo import Ppo, PpoConfig
from c4train.run import Run
from c4train.session import settle

TINY: dict[str, Any] = {"games": 16, "plies": 8, "channels": 4, "width": 16, "eval_games": 4}


def weights_of(folder: Path) -> dict[str, torch.Tensor]:
    return load_policy(folder / "policy.safetensors").network.state_dict()


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[name], b[name]) for name in a)


def test_a_run_leaves_everything_behind(capsys: pytest.CaptureFixture[str]) -> None:
    assert methods.run("ppo", PpoConfig(**TINY, total_steps=1280, name="x")) == 0
    folder = Path("runs/x")
    for name in ("config.json", "metrics.jsonl", "policy.safetensors", "report.md", "learning.svg", "tensorboard"):
        assert (folder / name).exists()
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == sorted({line["step"] for line in lines})
    assert lines[-1]["step"] == 1280
    assert 0 <= lines[-1]["points/rules"] <= 1
    about = load_policy(folder / "policy.safetensors").about
    assert about["method"] == "ppo"
    assert about["steps"] == "1280"
    assert "c4 play policy:runs/x/policy.safetensors" in capsys.readouterr().out


def test_same_seed_same_weights() -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        methods.run("ppo", PpoConfig(**TINY, total_steps=640, name=name, seed=seed))
    assert same(weights_of(Path("runs/a")), weights_of(Path("runs/b")))
    assert not same(weights_of(Path("runs/a")), weights_of(Path("runs/c")))


def test_a_killed_run_ends_as_if_it_had_not_been() -> None:
    """Killed at a moment of its own choosing, as often as it takes, it ends with the weights of an undisturbed run."""
    arguments = ["--games", "16", "--plies", "8", "--channels", "4", "--width", "16", "--eval-games", "4"]
    whole = PpoConfig(**TINY, total_steps=5120, name="whole")
    methods.run("ppo", whole)
    command = [sys.executable, "-c", "import sys; from c4play.cli import main; sys.exit(main())", "train", "ppo"]
    process = subprocess.Popen([*command, *arguments, "--total-steps", "5120", "--name", "cut"])
    folder = Path("runs/cut")
    while not list((folder / "checkpoints").glob("*.pt")) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert methods.run("ppo", PpoConfig(resume=folder)) == 0
    assert same(weights_of(folder), weights_of(Path("runs/whole")))
    steps = [json.loads(line)["step"] for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert steps == sorted(set(steps))


def test_state_round_trip_is_exact() -> None:
    """Through a file read with weights_only, at any moment."""
    first = Ppo(PpoConfig(**TINY, total_steps=1))
    first.advance(0.1)
    run = Run(Path("runs/s"), {"method": "ppo"}, resume=False)
    run.save(first.step, first.state(), first.network)
    second = Ppo(PpoConfig(**TINY, total_steps=1, seed=99))
    state = Run(Path("runs/s"), {}, resume=True).state
    assert state is not None
    second.load_state(state)
    for _ in range(3):
        assert first.advance(0.2) == second.advance(0.2)
    assert same(first.network.state_dict(), second.network.state_dict())


def test_a_damaged_checkpoint_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    trainer = Ppo(PpoConfig(**TINY, total_steps=1))
    run = Run(Path("runs/d"), {"method": "ppo"}, resume=False)
    for step in (1, 2):
        run.save(step, trainer.state(), trainer.network)
    newest = Path("runs/d/checkpoints/000000000002.pt")
    newest.write_bytes(newest.read_bytes()[:1000])
    state = Run(Path("runs/d"), {}, resume=True).state
    assert state is not None
    assert state["step"] == 1
    assert "can't be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"resume": Path("nowhere")}, "holds no run"),
        ({"name": "a/b"}, "plain word"),
        ({"minutes": 1.0, "total_steps": 5}, "not both"),
        ({"total_steps": 0}, "--total-steps must be above 0"),
        ({"eval_games": 3, "total_steps": 1}, "even number"),
        ({"width": 0}, "width of a network"),
        ({"start": "nowhere.safetensors", "total_steps": 1}, "there is no weights file 'nowhere.safetensors'"),
    ],
)
def test_settings_that_cannot_be_right(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        methods.run("ppo", PpoConfig(**settings))


def test_a_name_is_not_used_twice() -> None:
    config = PpoConfig(**TINY, total_steps=128, name="once")
    methods.run("ppo", config)
    with pytest.raises(ValueError, match="holds a run already"):
        methods.run("ppo", config)


def test_other_methods_runs_are_not_taken_up() -> None:
    Run(Path("runs/o"), {"method": "other"}, resume=False)
    with pytest.raises(ValueError, match="run of 'other'"):
        methods.run("ppo", PpoConfig(resume=Path("runs/o")))


def test_a_run_may_begin_with_the_weights_of_another() -> None:
    """Those of the file, whatever sizes are asked for; and it resumes without the file."""
    methods.run("ppo", PpoConfig(**TINY, total_steps=128, name="elder", seed=1))
    file = Path("runs/elder/policy.safetensors")
    younger = PpoConfig(**TINY | {"width": 24}, total_steps=128, name="younger", seed=2, start=str(file))
    folder, stored, settings = settle("ppo", younger)
    assert stored["width"] == TINY["width"]
    assert same(Ppo(settings).network.state_dict(), weights_of(Path("runs/elder")))
    Run(folder, stored, resume=False).close()  # as if killed before its first checkpoint
    _, _, settings = settle("ppo", PpoConfig(resume=folder))
    assert same(settings.new_network().state_dict(), weights_of(Path("runs/elder")))
    assert methods.run("ppo", PpoConfig(resume=folder)) == 0
    assert not same(weights_of(folder), weights_of(Path("runs/elder")))
    file.unlink()
    assert methods.run("ppo", PpoConfig(resume=folder, total_steps=256)) == 0


@pytest.mark.parametrize("method", ["ppo", "alphazero", "distill"])
def test_every_method_takes_weights_to_begin_with(method: str) -> None:
    settings = methods.CONFIGS[method](start="policy-selfplay", total_steps=1)
    assert same(settings.new_network().state_dict(), load_policy(shipped_path("policy-selfplay")).network.state_dict())
